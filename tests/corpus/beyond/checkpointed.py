import torch
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
import torch.nn as nn
x = torch.ones(2, requires_grad=True)
def f(a):
    print("run", a.requires_grad, torch.is_grad_enabled())
    return (a * 2).sin()
for kw in ({}, {"use_reentrant": True}, {"use_reentrant": False}):
    y = checkpoint(f, x, **kw)
    print(y, y.grad_fn.name())
    y.sum().backward()
    print(x.grad); x.grad = None
n = torch.ones(2)
y = checkpoint(f, n, use_reentrant=True); print(y)
y = checkpoint(f, n, use_reentrant=False); print(y)
drop = nn.Dropout(.5); torch.manual_seed(0)
def g(a):
    d = drop(a); print("drop", d.detach()); return d * d
big = torch.ones(6, requires_grad=True)
y = checkpoint(g, big, use_reentrant=False); y.sum().backward(); print(big.grad, torch.rand(1))
y = checkpoint(g, big, use_reentrant=False, preserve_rng_state=False); y.sum().backward(); print(big.grad, torch.rand(1))
y = checkpoint(g, big, use_reentrant=True); y.sum().backward(); print(big.grad, torch.rand(1))
seq = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 2), nn.Tanh())
for k in (1, 2, 4):
    y = checkpoint_sequential(seq, k, big, use_reentrant=False); print(y.shape, y.grad_fn.name())
y.sum().backward()
try:
    torch.autograd.grad(checkpoint(f, x, use_reentrant=True).sum(), x)
except RuntimeError as e: print(e)
y = checkpoint(f, x, use_reentrant=False)
print(torch.autograd.grad(y.sum(), x))
y = checkpoint(f, x, use_reentrant=False)
g1, = torch.autograd.grad(y.sum(), x, create_graph=True); print(g1.sum().backward(), x.grad)
y = checkpoint(lambda a, k=1: a * k, x, k=3, use_reentrant=False); y.sum().backward(); print(x.grad)
a, b = checkpoint(lambda p, q: (p * q, p + q), x, x * 2, use_reentrant=True); print(a.grad_fn == b.grad_fn, a)
y = checkpoint(f, x, use_reentrant=False); y.sum().backward(retain_graph=True); y.sum().backward()
with torch.no_grad(): print(checkpoint(f, x, use_reentrant=False))
