"""Adaptive means, all digits, and the weights of a layer norm that autocast gives numbers of 16 bits."""
import torch
import torch.nn.functional as F

g = torch.Generator().manual_seed(5)
for shape, size in (((2, 3, 7, 5), (3, 4)), ((1, 1, 8, 8), (3, 3)), ((1, 16, 10, 10), (7, 7)), ((2, 12, 9), (5,)), ((3, 5, 6, 7), (2, 4, 3)), ((1, 4, 4), (6, 6))):
    x = torch.randn(shape, generator=g, requires_grad=True)
    y = getattr(F, f"adaptive_avg_pool{len(size)}d")(x, size)
    y.backward(torch.randn(y.shape, generator=g))
    print(shape, size, y.flatten()[:12].tolist(), x.grad.flatten()[:12].tolist())
x = torch.randn(1, 2, 7, 9, generator=g, requires_grad=True)
y = F.interpolate(x, size=(3, 4), mode="area")
(d,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
d.pow(2).sum().backward()
print(y.tolist(), d.grad_fn.name(), x.grad.tolist())

torch.manual_seed(0)
for n, d in ((7, 5), (1, 4), (16, 9)):
    norm, x, w = torch.nn.LayerNorm(d), torch.randn(n, d).bfloat16().requires_grad_(), torch.randn(n, d).bfloat16()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = norm(x)
    (y * w).sum().backward()
    print(norm.weight.grad.tolist(), norm.bias.grad.tolist(), x.grad[0].tolist())
