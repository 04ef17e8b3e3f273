"""`torch.autograd` as a script sees it."""
