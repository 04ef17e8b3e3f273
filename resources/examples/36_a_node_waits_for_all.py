# A node waits until all has come in
# Watch: x1 and x2 are used twice each, so two gradients come back to each of them.
# Watch: Backward runs from the last box to the first: none runs before all that used it.
# Watch: At x1 5 + 0.5 = 5.5; at x2 2 - cos 5 = 1.7163.
import torch

x1 = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
x2 = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)

y = torch.log(x1) + x1 * x2 - torch.sin(x2)
y.backward()

print("y       =", f"{y.item():.6f}")
print("x1.grad =", x1.grad.item())
print("x2.grad =", f"{x2.grad.item():.7f}")
