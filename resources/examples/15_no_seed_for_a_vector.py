# Which v did you mean?
# Watch: y has five elements, so there is no single slope, and PyTorch does not guess.
# Watch: The script stops with PyTorch's own message; the graph up to it is drawn.
# Watch: Sum y first, or say which v you mean: y.backward(torch.ones_like(y)).
import torch

x = torch.linspace(-1, 1, 5, requires_grad=True)
y = x**2
print("y has shape", tuple(y.shape))

y.backward()
