# autograd through loops and conditions, memory of graphs, deleting, weakrefs, detach in recurrences
import torch, gc, sys
x = torch.tensor(1.5, requires_grad=True)
def depth(fn):
    n = 0
    while fn is not None:
        n += 1; fn = fn.next_functions[0][0] if fn.next_functions else None
    return n
y = x
for i in range(10): y = y * x if i % 2 else y + x
print(y, depth(y.grad_fn)); y.backward(); print(x.grad)
x.grad = None; total = 0
for i in range(5): total += (x * i) ** 2
print(total, type(total), total.grad_fn.name(), total._version); total.backward(); print(x.grad)
run = 0.
for i in range(3): run += (x * i).item()
print(run, type(run))
acc = torch.zeros(()); losses = []
for i in range(4):
    l = (x - i) ** 2; losses.append(l.detach()); acc += l.detach()
print(acc, acc.requires_grad, torch.stack(losses), sum(losses) / len(losses))
def newton(a, it=6):
    z = torch.ones_like(a)
    for _ in range(it): z = .5 * (z + a / z)
    return z
a = torch.tensor([2., 9., 16.], dtype=torch.double, requires_grad=True); r = newton(a); r.sum().backward(); print(r, a.grad, 1 / (2 * a.detach().sqrt()))
def collatz(t):
    steps = 0
    while t > 1.5: t = t / 2 if int(t) % 2 == 0 else 3 * t + 1; steps += 1
    return t, steps
c = torch.tensor(6., requires_grad=True); out, n = collatz(c); out.backward(); print(out, n, c.grad)
def fact(n, t): return t if n <= 1 else n * t * fact(n - 1, t)
f = fact(4, x); x.grad = None; f.backward(); print(f, x.grad)
mem = {}
def fib(n, t):
    if n in mem: return mem[n]
    mem[n] = t if n < 2 else fib(n - 1, t) + fib(n - 2, t) * .5; return mem[n]
x.grad = None; fib(15, x).backward(); print(fib(15, x), x.grad, len(mem))
h = torch.zeros(3); W = torch.full((3, 3), .3, requires_grad=True); b = torch.zeros(3, requires_grad=True)
outs = []
for t in range(6):
    h = torch.tanh(W @ h + b + 1); outs.append(h)
    if t == 2: h = h.detach()
torch.stack(outs).sum().backward(); print(W.grad, b.grad)
L = [torch.tensor(float(i), requires_grad=True) for i in range(4)]
prod = L[0] + 1
for t in L[1:]: prod = prod * t
prod.backward(); print([t.grad.item() for t in L])
gen = (t * 2 for t in L); s = sum(gen); s.backward(); print([t.grad.item() for t in L])
d = {k: torch.tensor(v, requires_grad=True) for k, v in zip("abc", (1., 2., 3.))}; e = d["a"] * d["b"] + d["c"] ** 2; gr = torch.autograd.grad(e, list(d.values())); print(dict(zip(d, gr)))
z = torch.linspace(0, 1, 5, requires_grad=True); val = torch.trapezoid(z ** 2, z); val.backward(); print(val, z.grad)
big = x * 2; ident = id(big.grad_fn); del big; gc.collect(); print(sys.getrefcount(x) > 0)
try:
    w = x ** 2; w.backward(); w.backward()
except RuntimeError as er: print(str(er)[:72])
best = min((torch.tensor(v) for v in (3., 1., 2.)), key=lambda t: (t - 1.2) ** 2); print(best, sorted([torch.tensor(2.), torch.tensor(1.)]), max(torch.tensor([1., 5., 2.])), any(torch.tensor([0, 1])), all(torch.tensor([1, 1])), list(map(float, torch.tensor([1., 2.]))), list(zip(torch.tensor([1, 2]), "ab")), sum(torch.tensor([1., 2.])), list(enumerate(torch.tensor([5, 6]))), [*torch.tensor([1, 2])], {torch.tensor(1).item(): 2}, round(torch.tensor(2.567).item(), 1), abs(torch.tensor(-3)), divmod(torch.tensor(7), 2), pow(torch.tensor(2.), 3), torch.tensor(7) // 2, -torch.tensor(7) // 2, torch.tensor(-7) % 3, bool(torch.tensor(0.)))
