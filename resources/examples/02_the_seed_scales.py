# What the argument of backward does
# Watch: The same graph as before, but v = 100 comes in at y instead of 1.
# Watch: Everything that goes out is 100 times as large: v scales, it does not select.
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x**2

v = torch.tensor(100.0)
y.backward(v)

print("x.grad =", x.grad)
