import torch
from torch.autograd import grad
from torch.autograd.functional import hessian, jacobian, vjp, jvp

def f(x):
    return x[0] ** 2 * x[1] + torch.sin(x[1])

x = torch.tensor([2., 3.], requires_grad=True)
y = f(x)
g, = grad(y, x, create_graph=True)
print(g)
rows = []
for i in range(2):
    row, = grad(g[i], x, retain_graph=True)
    rows.append(row)
print(torch.stack(rows))
print(hessian(f, x.detach()))
print(jacobian(lambda t: t ** 2 * torch.arange(1., 3.), torch.tensor([1., 2.])))
print(vjp(lambda t: t.exp(), torch.zeros(3), v=torch.tensor([1., 2., 3.])))
print(jvp(lambda t: t.sum() * t, torch.ones(2), torch.tensor([1., 0.])))
t = torch.tensor(1.5, requires_grad=True)
d = t ** 4
for k in range(5):
    d, = grad(d, t, create_graph=True) if d.requires_grad else (torch.tensor(0.),)
    print(k + 1, d.item())
try:
    grad(torch.tensor(1., requires_grad=True) * 2, t)
except RuntimeError as e:
    print('RuntimeError:', e)
print(grad((t * 2).sum(), [t, x], allow_unused=True))
