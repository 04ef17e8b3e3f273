"""Arrays of numpy as a script holds them, with other values of numpy, and beside tensors."""
