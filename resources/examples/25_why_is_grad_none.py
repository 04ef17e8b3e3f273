# Why is .grad None?
# Watch: x is a leaf: no op made it, so backward fills x.grad.
# Watch: y was computed; its gradient passes through and is not kept.
# Watch: retain_grad() asks y to keep it, here in the second pass.
import torch

x = torch.tensor(2.0, requires_grad=True)

y = 3 * x
(y**2).backward()
print("leaves:", x.is_leaf, y.is_leaf, " y.retains_grad:", y.retains_grad)
print("x.grad =", x.grad)

x.grad = None
y = 3 * x
y.retain_grad()
(y**2).backward()
print("x.grad =", x.grad, " y.grad =", y.grad)
