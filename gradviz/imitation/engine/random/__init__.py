"""PyTorch's stream of random numbers, and what is drawn from it."""
