# A matrix in, a number out
# Watch: y is one number, so v may be left out and means 1.
# Watch: sum hands that 1 to each of the four elements.
# Watch: x.grad has the shape of x, whatever that is.
import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
w = torch.ones(2, 2)

y = (x * w).sum()
y.backward()

print("y      =", y.item())
print("x.grad =", x.grad)
