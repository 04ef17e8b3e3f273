"""Every name times every sort of argument, compared with PyTorch call by call."""
