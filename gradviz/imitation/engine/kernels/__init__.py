"""Arrays to arrays, with the digits of the libraries that PyTorch calls: the order of additions, and each rounding."""
