"""Memory behind tensors: shared, looked at through views, changed in place, and laid out as PyTorch lays it."""
