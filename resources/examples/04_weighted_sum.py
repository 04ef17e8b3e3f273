# A sum of products
# Watch: x * x has two edges from the same x; each carries a gradient of its own.
# Watch: At x the two are summed before they are added to x.grad.
# Watch: w takes no gradient, so nothing goes out to it.
import torch

x = torch.tensor([-1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 5.0])

y = (x * x * w).sum()
y.backward()

print("y      =", y.item())
print("x.grad =", x.grad)
