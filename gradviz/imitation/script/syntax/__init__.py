"""The forms of Python's syntax, each turned once into a closure over a frame."""
