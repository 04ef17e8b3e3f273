"""Functions of each number by itself, or of two or three side by side; dtypes."""
