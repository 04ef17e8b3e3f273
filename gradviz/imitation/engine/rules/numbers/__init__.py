"""Rules of functions of each number by itself, or of two or three side by side."""
