"""What lies over the picture while stepping: labels, tokens, rings, lights."""
