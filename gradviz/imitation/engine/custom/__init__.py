"""`torch.autograd.Function`: ops whose forward and backward the user wrote."""
