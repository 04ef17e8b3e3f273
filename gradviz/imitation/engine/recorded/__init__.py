"""What works on a frozen recording, one loaded from a file too: its rules checked, and another v sent through it."""
