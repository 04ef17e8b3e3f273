"""`torch.func` and `functorch` as a script sees them."""
