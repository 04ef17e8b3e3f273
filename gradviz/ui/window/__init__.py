"""The main window: what it is made of, what its actions do, its files, its help."""
