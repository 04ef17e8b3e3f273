import torch
from torch import linalg as LA

v = torch.tensor([3.0, -4.0, 0.0, 1.0], requires_grad=True)
for p in (0, 0.5, 1, 2, 3, float("inf"), -float("inf"), -2):
    n = torch.norm(v, p)
    v.grad = None
    n.backward()
    print(p, n, None if v.grad is None else v.grad)

A = torch.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], requires_grad=True)
for name, f in {
    "default": lambda: LA.norm(A),
    "fro": lambda: LA.norm(A, "fro"),
    "1": lambda: LA.norm(A, 1),
    "-1": lambda: LA.norm(A, -1),
    "inf": lambda: LA.norm(A, float("inf")),
    "rows": lambda: LA.norm(A, dim=1),
    "cols, p=1": lambda: LA.norm(A, 1, dim=0),
    "vector 3": lambda: LA.vector_norm(A, 3),
    "matrix inf": lambda: LA.matrix_norm(A, float("inf"), keepdim=True),
    "method": lambda: A.norm(dim=(0, 1)),
    "keepdim": lambda: A.norm(p=1, dim=1, keepdim=True),
}.items():
    y = f()
    g, = torch.autograd.grad(y.sum(), A)
    print(name, y.detach(), y.grad_fn.name(), [n[0].name() for n in y.grad_fn.next_functions])
    print("   ", g)

# kinks: at zero, and two largest
for p in (1, 2, 3, float("inf")):
    z = torch.zeros(3, requires_grad=True)
    z.norm(p).backward()
    t = torch.tensor([2.0, -2.0, 1.0], requires_grad=True)
    t.norm(p).backward()
    print(p, z.grad, t.grad)

# weight decay by hand and a gradient penalty: second derivatives of norms
w = torch.tensor([0.5, -1.5, 2.0], requires_grad=True)
x = torch.tensor([1.0, 2.0, -1.0])
out = torch.tanh(w @ x)
g, = torch.autograd.grad(out, w, create_graph=True)
penalty = (g.norm() - 1) ** 2
penalty.backward()
print(penalty.item(), w.grad)

# clipping
params = [torch.ones(2, 2, requires_grad=True), torch.full((3,), 2.0, requires_grad=True)]
loss = sum((p ** 3).sum() for p in params)
loss.backward()
total = torch.norm(torch.stack([torch.norm(p.grad.detach(), 2) for p in params]), 2)
print(total, torch.nn.utils.clip_grad_norm_(params, 1.0), params[0].grad)
print(torch.renorm(A.detach(), p=2, dim=0, maxnorm=5.0))

rows = torch.nn.functional.normalize(A, p=1, dim=1)
print(rows, rows.abs().sum(1))

for bad in (lambda: LA.norm(A, 3), lambda: torch.arange(3).norm(), lambda: LA.norm(v, "fro"),
            lambda: torch.zeros(0).norm(float("inf")), lambda: LA.matrix_norm(v), lambda: LA.norm(torch.ones(2, 2, 2), 2),
            lambda: A.norm(dim=4), lambda: A.norm("spectral"), lambda: LA.matrix_norm(A, 1, (0, 0))):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
