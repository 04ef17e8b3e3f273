"""What goes wrong in a script and what it is warned of, in the words of Python and PyTorch."""
