"""Third derivatives: 0 where the second one still hangs on the input, missing where it does not."""
import torch

x = torch.tensor([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]], dtype=torch.double, requires_grad=True)
for name, f in {
    "square": lambda: x ** 2, "mean": lambda: x.mean() ** 2, "cumsum": lambda: x.cumsum(1) ** 2,
    "gather": lambda: x.gather(1, torch.tensor([[0], [1]])) ** 2, "clamp": lambda: x.clamp(-1, 1) ** 2, "var": lambda: x.var(1),
    "product": lambda: x * x, "kron": lambda: torch.kron(x[0], x[1]), "power": lambda: x ** 1, "cube": lambda: x ** 3,
}.items():
    g, = torch.autograd.grad(f().sum(), x, create_graph=True)
    h = t = None
    if g.requires_grad:
        h, = torch.autograd.grad((g * torch.arange(1., 7.).view(2, 3)).sum(), x, create_graph=True, allow_unused=True)
    if h is not None and h.requires_grad:
        t, = torch.autograd.grad(h.sum(), x, allow_unused=True)
    print(name, *(None if v is None else f"{v.sum().item():.6f}" for v in (g, h, t)))
