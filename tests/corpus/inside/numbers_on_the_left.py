import torch, numpy as np
w = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
m = torch.ones(2, 3, requires_grad=True); b = torch.ones(4, 3, 2)
print(1 - w, 2 / w, 1 / w.sum(), 1.0 - w.mean(), (1 - w).grad_fn.next_functions[0][0].name(), len((1 - w).grad_fn.next_functions))
print(w[:3] @ b[0], b.transpose(1, 2) @ b, b @ m, m.log1p(), torch.matmul(b, m))
for f in (lambda: 1 - (w > 1), lambda: True - (w > 1), lambda: (w > 1) - 1, lambda: (w > 1) - (w > 2), lambda: 1.0 - (w > 1).float(), lambda: 5 - torch.arange(3), lambda: 1 / torch.tensor([1, 2]), lambda: 1 / torch.tensor([True]), lambda: 2 / torch.tensor(0), lambda: 1 - torch.tensor(2), lambda: 2.5 - torch.tensor([1]), lambda: 1 - w.double(), lambda: np.float64(2) / w.detach(), lambda: np.float32(2) - w.detach(), lambda: 1 / w.double().detach(), lambda: "a" - w, lambda: [1] / w, lambda: None - w, lambda: b @ torch.ones(3, 2, 2), lambda: torch.ones(4, 2, 3) @ torch.ones(4, 2, 3), lambda: torch.ones(3) @ torch.ones(2, 2), lambda: np.ones(3) / w.detach()):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
y = 1 / w
with torch.no_grad(): w.mul_(2)
y.sum().backward(); print(w.grad); w.grad = None
(1 - 3 / w).prod().backward(); print(w.grad)
x = torch.tensor(0.5, requires_grad=True); s = 1 / (1 + torch.exp(-x)); s.backward(); print(s, x.grad)
g, = torch.autograd.grad(1 / x, x, create_graph=True); print(torch.autograd.grad(g, x))
g, = torch.autograd.grad((1 - x) ** 2, x, create_graph=True); print(torch.autograd.grad(g, x))
y = w * 2; z = y.detach(); z[0] = 100.; print(y, y.grad_fn.name()); y.sum().backward()
y = w.exp(); z = y.detach(); z[0] = 100.; print(y)
try: y.sum().backward()
except RuntimeError as e: print(e)
print(sum([1 - p for p in w]), 1 - torch.ones(2), 1 / torch.ones(2))
v = w[:2]; n = torch.ones(2, 2, requires_grad=True)
for eq, a in [("ii->i", (n,)), ("ii", (n,)), ("ij->ji", (n,)), ("ij->", (n,)), ("ij->i", (n,)), ("...ij->...ji", (n,)), ("bii->b", (n.expand(2, 2, 2),)), ("ij,j->i", (n, v)), ("i,i->", (v, v)), ("i,j->ij", (v, v)), ("ij,ij->ij", (n, n)), ("ij,ij->", (n, n)), ("ij,jk->ki", (n, n)), ("bij,bjk->bik", (n[None], n[None])), ("ij->ij", (n,)), ("ij,jk->ik", (n, n)), ("ij,jk,kl->il", (n, n, n)), ("ij,ij->i", (n, n)), ("i,ij->j", (v, n)), ("i,ij,j->", (v, n, v)), ("bi,bj->bij", (n, n)), ("i,->i", (v, v.sum())), ("ij,k->k", (n, v)), ("k,ij->k", (v, n)), ("ij,ik->ijk", (n, n))]:
    r = torch.einsum(eq, *a); print(eq, r.grad_fn.name())
mk = torch.tensor([True, False])
for f in (lambda: 1 - mk, lambda: True - mk, lambda: mk - 1, lambda: mk - True, lambda: torch.ones(2) - mk, lambda: mk - torch.ones(2), lambda: mk - mk, lambda: torch.sub(torch.ones(2), mk), lambda: 1.5 - mk, lambda: torch.ones(2).sub_(mk), lambda: torch.arange(2) - True, lambda: 3 - torch.tensor(True)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
x = torch.ones(2)
try: x -= mk
except Exception as e: print(type(e).__name__, e)
