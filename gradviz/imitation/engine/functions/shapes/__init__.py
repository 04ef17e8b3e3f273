"""Functions that arrange, join, repeat and cut, and change no number."""
