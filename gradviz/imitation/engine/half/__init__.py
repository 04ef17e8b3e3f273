"""Numbers of 16 bits, and where PyTorch rounds them."""
