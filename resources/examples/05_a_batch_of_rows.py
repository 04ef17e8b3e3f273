# One result for every row
# Watch: sum(1) makes one number of each row, so v has three elements.
# Watch: On the way back, each of them is spread over the row that it came from.
# Watch: The gradient is float64 as x is, though v is float32 and w holds integers.
import torch

x = torch.arange(6, dtype=torch.float64).reshape(3, 2).requires_grad_()
w = torch.tensor([-1, 1])

y = (x * w).sum(1)
y.backward(torch.ones(3))

print("y      =", y.detach())
print("x.grad =", x.grad)
