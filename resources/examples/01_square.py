# The slope of a square
# Watch: A 1 comes in at y, though nobody wrote it: backward() starts from dy/dy = 1.
# Watch: The node multiplies it by its own derivative, 2x = 2.
# Watch: What goes out is added to x.grad.
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x**2
y.backward()

print("y      =", y.item())
print("x.grad =", x.grad)
