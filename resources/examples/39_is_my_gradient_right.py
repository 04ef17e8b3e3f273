# Is my gradient right?
# Watch: Move x a little up and a little down, and divide the difference by the distance.
# Watch: For x³ that is off by eps², so a smaller eps is better: 27.0001, then 27.0000.
# Watch: In float32 the small eps drowns in rounding; gradients are checked in float64.
import torch

x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
y = x**3
y.backward()
print("backward:", x.grad.item())

for eps in (0.01, 0.0001):
    for kind in (torch.float64, torch.float32):
        a = torch.tensor(3.0, dtype=kind)
        slope = ((a + eps) ** 3 - (a - eps) ** 3) / (2 * eps)
        print(f"eps {eps}: {slope.item():.4f}  {kind}")
