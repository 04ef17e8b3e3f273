import torch
from torch.autograd import Variable
x = torch.zeros(3); m = torch.tensor(2., requires_grad=True)
for f in (lambda t: t.detach(), lambda t: t.data, Variable, lambda t: t.detach().requires_grad_(False)):
    d = f(x)
    print(d._base is None, d._is_view() if hasattr(d, '_is_view') else '')
    d[0] = m * 3
    print(d, x, x.requires_grad)
    d[1:] += m
    print(d, d.grad_fn.next_functions[0][0].name(), x.grad_fn)
    d.sum().backward(); print(m.grad)
    e = f(d.detach())[1:]
    e.mul_(m); print(e, e._base is None)
y = torch.ones(2, requires_grad=True)
z = y.detach(); z.requires_grad_()
try: z.add_(1)
except RuntimeError as er: print(er)
w = (y * 2).detach(); w.add_(y); print(w)
