"""What PyTorch's own reader of arguments says of a call that does not fit, and the argument `out`."""
