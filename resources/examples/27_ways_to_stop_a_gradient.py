# Ways to stop a gradient
# Watch: Each y is 2x + x·x = 8; only the gradient tells them apart.
# Watch: What detach() returns, or what is made under no_grad, is a constant to backward.
# Watch: A copy of a detached x is a leaf of its own, with a .grad of its own.
import torch

x = torch.tensor(2.0, requires_grad=True)

y = 2 * x + x * x
y.backward()
print("whole:  ", x.grad)

x.grad = None
y = 2 * x + x * x.detach()
y.backward()
print("detach: ", x.grad)

x.grad = None
with torch.no_grad():
    square = x * x
y = 2 * x + square
y.backward()
print("no_grad:", x.grad)

x.grad = None
copy = x.detach().clone().requires_grad_()
y = 2 * x + copy * copy
y.backward()
print("copy:   ", x.grad, copy.grad)
