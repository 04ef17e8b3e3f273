"""Results written somewhere, memory given anew, hooks of what does not run: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

from tests.programs.telling import TELL

GIVEN = (
    TELL
    + """
O, d = torch.ones, torch.float64
"""
)

WRITING = {
    "sizes of products and copies are looked at as PyTorch's kernels do": GIVEN
    + """
for a in ((), (1,), (2,), (2, 3), (2, 2, 3), (1, 2, 3), (3, 3, 2), (2, 1, 3, 2)):
    for b in ((1,), (2,), (2, 3), (3, 2), (2, 2, 3), (1, 2, 3), (3, 3, 2), (2, 2, 3, 2)):
        tell(lambda: (O(a) @ O(b)).shape, lambda: (O(a, dtype=d) @ O(b)).shape, lambda: O(a).copy_(O(b)).shape, lambda: torch.bmm(O(a), O(b)).shape)
""",
    "what is read where it is written is said before sizes": GIVEN
    + """
y = torch.zeros(4, dtype=d)
u = y[:2]
tell(lambda: u.mul_(y), lambda: y.mul_(u), lambda: y[1:].add_(y), lambda: y[1:].add_(y[:-1]), lambda: y.addcmul_(y[1:], y), lambda: y.copy_(y[1:]), lambda: y.expand(2, 4).mul_(2), lambda: y[:1].expand(6).view(-1).mul_(2), lambda: y[:1].expand(6).mul_(O(7)), lambda: y[:1].expand(6).mul_(O(6)), lambda: y[:1].expand(6).copy_(O(7)), lambda: torch.tensor(2.).expand(2, 3).view(-1).add_(1), lambda: y[:1].expand(6).exp_(), lambda: y[:1].expand(6).zero_(), lambda: y[:1].expand(6).masked_fill_(O(6) > 0, 1.), lambda: y[:1].expand(6).fill_(2.), lambda: y.view(2, 2).t().mul_(y.view(2, 2)), lambda: y.lerp_(y[1:], .5), lambda: y[1:].where(y[:3] > 0, y[:3]))
""",
    "a result is written in the dtype that is there, or that is refused": GIVEN
    + """
x = O(2, 3)
for name, f in dict(
 abs=lambda o: torch.abs(x, out=o), neg=lambda o: torch.neg(x, out=o), exp=lambda o: torch.exp(x, out=o), sin=lambda o: torch.sin(x, out=o), sqrt=lambda o: torch.sqrt(x, out=o), sigmoid=lambda o: torch.sigmoid(x, out=o), tanh=lambda o: torch.tanh(x, out=o), add=lambda o: torch.add(x, x, out=o), div=lambda o: torch.div(x, x, out=o), maximum=lambda o: torch.maximum(x, x, out=o), clamp=lambda o: torch.clamp(x, 0, 1, out=o), pow=lambda o: torch.pow(x, 2, out=o), where=lambda o: torch.where(x > 0, x, x, out=o), gt=lambda o: torch.gt(x, x, out=o), sum=lambda o: torch.sum(x, 0, out=o), mean=lambda o: torch.mean(x, 0, out=o), prod=lambda o: torch.prod(x, 0, out=o), cumsum=lambda o: torch.cumsum(x, 0, out=o), argmax=lambda o: torch.argmax(x, out=o), mm=lambda o: torch.mm(x, x.T, out=o), matmul=lambda o: torch.matmul(x, x.T, out=o), addmm=lambda o: torch.addmm(x, x, x.T @ x, out=o), cat=lambda o: torch.cat([x, x], out=o), stack=lambda o: torch.stack([x, x], out=o), index_select=lambda o: torch.index_select(x, 0, torch.tensor([0]), out=o), zeros=lambda o: torch.zeros(2, 3, out=o), arange=lambda o: torch.arange(3, out=o), ones=lambda o: torch.ones(3, out=o)).items():
    for o in (torch.zeros(0, dtype=torch.float64), torch.zeros(0).long()):
        try:
            show(name, f(o))
        except Exception as e:
            print(name, type(e).__name__, e)
""",
    "a tensor takes the memory of another": GIVEN
    + """
x = torch.tensor([[1., 2.], [3., 4.]], dtype=d, requires_grad=True)
y, z = torch.ones(2, 2, dtype=d), torch.ones(3, dtype=d)
y.data = z
z.mul_(2)
print(y, y._version, z._version)
y.add_(1)
print(z, y._version, z._version)
w = x * 2
k = w.sum()
w.data = torch.zeros(2, 2, dtype=d)
w.register_hook(lambda g: print('hook', g))
k.backward(retain_graph=True)
(w * 3).sum().backward()
show_grad('x', x)
x.data = torch.ones(5, dtype=d)
show('x', x)
a = torch.ones(2, requires_grad=True)
a.data = torch.ones(3, 2)
a.sum().backward()
show_grad('a', a)
b = torch.ones(2)
v = b.view(-1)
b.data = torch.zeros(2)
v.add_(1)
print(b, v, b._version, v._version)
s = torch.tensor(2., requires_grad=True)
s.data = torch.tensor(3.)
s.data.mul_(2)
print(s, s * 2)
q = torch.ones(2)
p = q.data
p.add_(1)
q.data = p
p.add_(1)
print(q, p, q._version, p._version)
""",
    "a result changed through .data is still asked for its gradient": """
x = torch.ones(3, requires_grad=True)
y = x * 2
z = (y * y).sum()
y.data.fill_(0.5)
print(torch.autograd.grad(z, y, retain_graph=True))
print(torch.autograd.grad(z + y.sum(), y, retain_graph=True))
print(torch.autograd.grad(z, x, retain_graph=True))
graph(y)
z.backward(inputs=[y], retain_graph=True)
print(y.grad)
y.retain_grad()
y.register_hook(lambda g: print('hook', g))
(z + y.sum()).backward()
print(y.grad)
""",
    "hooks see what comes to an only root that does not run": GIVEN
    + """
x = torch.tensor([[1., 2.], [3., 4.]], dtype=d, requires_grad=True)
r = x.exp()
r.retain_grad()
r.register_hook(lambda g: print('r', g.tolist()))
u = torch.ones(2, requires_grad=True) * 1
tell(lambda: torch.autograd.grad(r, u, torch.ones_like(r), allow_unused=True), lambda: r.grad, lambda: torch.autograd.grad([r, r], u, [torch.ones_like(r)] * 2, allow_unused=True), lambda: r.grad)
x.register_hook(lambda g: print('leaf', g.tolist()))
tell(lambda: torch.autograd.grad(x, u, torch.ones_like(x), allow_unused=True), lambda: torch.autograd.grad(r, [r, u], torch.ones_like(r), allow_unused=True), lambda: r.grad, lambda: r.backward(torch.ones_like(r), inputs=[u]))
# one hook for several
h = torch.autograd.graph.register_multi_grad_hook((r, x), lambda gs: print('all', said(gs)))
tell(lambda: torch.autograd.grad(r.sum(), x, retain_graph=True), lambda: torch.autograd.grad(r.sum(), r, retain_graph=True), lambda: r.sum().backward(retain_graph=True))
lo, hi = torch.aminmax(x)
hi.div_(2)
tell(lambda: hi.backward(), lambda: lo.backward(), lambda: torch.autograd.functional.hessian(lambda v: (v ** 3).sum(), torch.zeros(0, 3)), lambda: torch.autograd.functional.jacobian(lambda v: v * 2, torch.zeros(0)), lambda: torch.autograd.functional.jacobian(lambda v: v, torch.tensor([1])))
""",
}
