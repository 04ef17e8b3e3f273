# Local times incoming
# Watch: f = q·z, and q = x + y. The local slopes of q are 1 and 1.
# Watch: But z = -4 comes in at q, so -4 goes out to x and to y.
# Watch: What is local is known going forward; what comes in, only going back.
import torch

x = torch.tensor(-2.0, requires_grad=True)
y = torch.tensor(5.0, requires_grad=True)
z = torch.tensor(-4.0, requires_grad=True)

q = x + y
f = q * z
f.backward()

print("f =", f.item())
print("dx, dy, dz =", x.grad.item(), y.grad.item(), z.grad.item())
