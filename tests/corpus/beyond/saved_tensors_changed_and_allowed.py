"""Saved tensors that may be changed: what backward() reads is what the nodes saved, and a change counted by hand."""
import torch
from torch.autograd.graph import increment_version
for bad in (3, [3], None, "a", [torch.ones(1), None]):
    try: print(increment_version(bad))
    except Exception as e: print(type(e).__name__, e)
with torch.inference_mode(): i = torch.ones(1)
try: print(increment_version(i))
except Exception as e: print(type(e).__name__, e)
from torch.autograd.graph import allow_mutation_on_saved_tensors
x = torch.ones(2, requires_grad=True)
t = torch.ones(2)
increment_version(t); print(t._version)
increment_version([t, t]); print(t._version)
increment_version(v for v in (t, t.detach())); print(t._version)
y = (x * t).sum(); w = x.exp(); z = w.sum()
increment_version(t)
try: y.backward()
except RuntimeError as e: print(str(e)[:160])
with allow_mutation_on_saved_tensors() as ctx:
    print(type(ctx).__name__)
    a = torch.full((2, 3), 0.5, requires_grad=True)
    b = a.clone(); c = b.exp(); out = (b ** 2 * c).sum()
    b.sin_(); c.zero_(); b[0] = 4; b.data.mul_(3)
    out.backward(retain_graph=True); print(a.grad, out.grad_fn)
    g, = torch.autograd.grad(out, a, create_graph=True); print(g); print(torch.autograd.grad(g.sum(), a))
    p = torch.nn.Linear(2, 2)
    with torch.no_grad(): p.weight.fill_(1.); p.bias.zero_()
    q = torch.ones(1, 2, requires_grad=True); l = torch.relu_(p(q)).sum()
    with torch.no_grad(): p.weight.fill_(5.)
    l.backward(); print(q.grad, p.weight.grad)
try: out.backward()
except AssertionError as e: print("AssertionError", e)
try: out.grad_fn; print(b.grad_fn._saved_self if hasattr(b.grad_fn, "_saved_self") else b.grad_fn)
except AssertionError as e: print("AssertionError", e)
with allow_mutation_on_saved_tensors():
    try:
        with allow_mutation_on_saved_tensors(): pass
    except RuntimeError as e: print(e)
@allow_mutation_on_saved_tensors()
def step():
    a = torch.tensor([2.0], requires_grad=True); b = a * 1; c = b * b; b.add_(3); c.backward(); return a.grad
print(step(), step())
with allow_mutation_on_saved_tensors():
    u = x.sigmoid(); v = (u * u).sum()
    u.mul_(2)
    v.backward(); print(x.grad)
    out.backward()
