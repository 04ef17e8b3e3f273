# Why where() does not keep NaN out
# Watch: y itself is fine: where takes 0 at x = 0.
# Watch: The gradient of the branch not taken is 0, but the slope of sqrt at 0 is infinite, and 0 · ∞ is NaN.
# Watch: The cure is to keep the bad value out of sqrt, not only out of the result.
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros(2)).sum()
y.backward()
print("y =", y.item(), " x.grad =", x.grad)

x.grad = None
safe = torch.where(x > 0, x, torch.ones(2))
y = torch.where(x > 0, torch.sqrt(safe), torch.zeros(2)).sum()
y.backward()
print("y =", y.item(), " x.grad =", x.grad)
