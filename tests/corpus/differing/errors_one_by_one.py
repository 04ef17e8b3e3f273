import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
def try_(f):
    try:
        print(f())
    except Exception as e:
        print(e)
try_(lambda: x.view(2, 2))
try_(lambda: x[5])
try_(lambda: x[0, 0])
try_(lambda: torch.cat([torch.zeros(2, 3), torch.zeros(2, 2)]))
try_(lambda: torch.stack([torch.zeros(2), torch.zeros(3)]))
try_(lambda: torch.mm(torch.zeros(2), torch.zeros(2)))
try_(lambda: x.sum(1))
try_(lambda: x.numpy())
try_(lambda: (x*2).backward(torch.ones(2)))
try_(lambda: (x*2).backward([1., 1., 1.]))
try_(lambda: bool(x))
try_(lambda: x.item())
try_(lambda: torch.tensor([[1, 2], [3]]))
try_(lambda: torch.tensor([1, 2]).mean())
try_(lambda: torch.nn.Linear(2, 3)(torch.zeros(4)))
try_(lambda: torch.dot(torch.zeros(3), torch.zeros(2)))
try_(lambda: x + [1])
try_(lambda: torch.autograd.grad(x.sum(), torch.ones(2)))
try_(lambda: torch.autograd.grad(x.sum(), torch.ones(2, requires_grad=True)))
try_(lambda: torch.autograd.grad(x.sum(), torch.ones(2, requires_grad=True), allow_unused=True))
try_(lambda: x.expand(2, 2))
try_(lambda: torch.zeros(2, 3).permute(0, 0))
try_(lambda: torch.exp(2.0))
try_(lambda: len(torch.tensor(1.)))
try_(lambda: [i for i in torch.tensor(1.)])
y = x.detach(); y[0] = 10.
print(x)
w = torch.ones(2, requires_grad=True)
v = w * 2
w.data[0] = 5.
(v * v).sum().backward(); print(w.grad, w)
z = torch.zeros(3)
z[1] = x[0] * 2
print(z)
z.sum().backward(); print(x.grad)
c = x.clone(); c[0] = 0; c.sum().backward(); print(x.grad)
u = torch.tensor([1., 2.]); u += 1; u *= 3; u[0] -= 1; print(u, u._version)
with torch.no_grad():
    x[1] = 7.
print(x)
x.requires_grad = False
print(x, x.requires_grad)
k = torch.arange(3.) ; k.requires_grad_(); (k ** 2).sum().backward(); print(k.grad)
print(torch.allclose(k.grad, 2 * k), torch.equal(k, k), k.grad.norm() if hasattr(k.grad, 'norm') else '')
