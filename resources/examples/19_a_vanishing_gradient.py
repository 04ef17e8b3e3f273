# A vanishing gradient
# Watch: The slope of a sigmoid is never above a quarter.
# Watch: Each of the eight in a row makes the gradient at least four times smaller.
# Watch: Try relu instead of sigmoid, and the gradient arrives whole.
import torch

x = torch.tensor(0.5, requires_grad=True)

h = x
for _ in range(8):
    h = torch.sigmoid(h)
h.backward()

print("h      =", f"{h.item():.4f}")
print("x.grad =", f"{x.grad.item():.2e}")
