import torch

print("---- prod and zeros ----")
for row in ([2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 0.0, 4.0], [5.0], []):
    x = torch.tensor(row, requires_grad=True)
    y = x.prod()
    y.backward()
    print(row, y, x.grad)

X = torch.tensor([[1.0, -2.0, 0.5], [3.0, 0.0, 2.0]], requires_grad=True)
p = X.prod(dim=1, keepdim=True)
print(p, p.grad_fn.name(), X.prod(0))
p.sum().backward()
print(X.grad)

print("---- running results ----")
for f in (torch.cumsum, torch.cumprod, torch.logcumsumexp):
    X.grad = None
    y = f(X, dim=1)
    y.backward(torch.ones_like(y))
    print(f.__name__, y.detach(), X.grad, y.grad_fn.name(), sep="\n")
for f in (torch.cummax, torch.cummin):
    X.grad = None
    best = f(X, dim=0)
    print(best)
    best.values.sum().backward()
    print(X.grad)
print(torch.tensor([1, 5, 2, 5, 3]).cummax(0).indices, torch.cumsum(torch.tensor([True, False, True]), 0))

print("---- second derivatives ----")
t = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
g, = torch.autograd.grad(t.prod(), t, create_graph=True)
print(g)
print(torch.autograd.grad(g[0], t)[0])
c, = torch.autograd.grad(t.cumprod(0).sum(), t, create_graph=True)
print(c, torch.autograd.grad(c.sum(), t)[0])
z = torch.tensor([0.0, 2.0, 3.0], requires_grad=True)
h = torch.autograd.functional.hessian(lambda a: a.prod(), z)
print(h)

print("---- min and max ----")
m = torch.tensor([[1.0, 7.0, 7.0], [4.0, -4.0, 0.0]], requires_grad=True)
print(torch.aminmax(m), m.aminmax(dim=1), sep="\n")
lo, hi = m.aminmax()
(hi - lo).backward()
print(m.grad)
m.grad = None
print(m.max(dim=1), m.min(dim=0, keepdim=True), sep="\n")
m.max(dim=1).values.sum().backward()
print(m.grad)
m.grad = None
m.amax(dim=1).sum().backward()
print(m.grad)
print(m.argmax(), m.argmax(dim=1, keepdim=True), m.argmin(0), m.argmax(keepdim=True))
print((m > 0).all(dim=1), (m > 5).any(), torch.all(m != 9), m.count_nonzero(dim=0), (m > 0).sum(1))

print("---- float32 to the last digit ----")
torch.manual_seed(0)
w = torch.rand(1000)
print(w.sum().item(), w.mean().item(), w.std().item(), w.var().item(), w.norm().item(), w[:20].prod().item())
print(w.reshape(50, 20).sum(0)[:4].tolist(), w.reshape(50, 20).mean(1)[:4].tolist(), w.cumsum(0)[-1].item())

for bad in (lambda: X.prod((0, 1)), lambda: X.cumprod(), lambda: X.cummax(2), lambda: X.max((0, 1)),
            lambda: torch.zeros(0).max(), lambda: torch.zeros(0, 2).amax(0), lambda: torch.zeros(0).argmax(),
            lambda: torch.arange(3).mean(), lambda: torch.arange(3).logcumsumexp(0), lambda: X.aminmax(5)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
