"""Views, and changes of what they look into, over which gradviz and PyTorch once disagreed."""

# ruff: noqa: E501 - calls read better in rows

VIEWS = {
    "a view of an empty tensor is a view": """
t1 = torch.zeros(2, 0, dtype=torch.float64, requires_grad=True)
for act in (lambda: t1.view(-1).add_(1), lambda: t1[0].mul_(2), lambda: t1.t().tanh_()):
    try:
        print(act())
    except RuntimeError as e:
        print(e)
y = t1 * 2
v = y.t()
w = v[0]
v.exp_()
for t in (v, y, w):
    show("t", t)
graph(v)
graph(y)
y.sum().backward()
show_grad("t1", t1)
z = torch.zeros(0, requires_grad=True) * 1
u = z.view(0, 1)
u.add_(1)
show("z", z)
show("u", u)
d = u.detach()
d.add_(1)
print(u._version, d._version)
try:
    y.view_as(y).detach_()
except RuntimeError as e:
    print(e)
show("s", Changes.apply((torch.zeros(2, 0, requires_grad=True) * 1)[0]))
""",
    "sizes are looked at before what may be changed, one of several before leaves": """
x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
m = torch.arange(6, dtype=torch.float64).view(2, 3).requires_grad_()
def put(t, key, value):
    t[key] = value
def more(t):
    t[0] += 1
for act in (
    lambda: put(x[-1:], 0, x), lambda: put(x, 0, torch.ones(3, 3)), lambda: put(x[-1:], 0, torch.ones(2)),
    lambda: x.unbind(0)[0].add_(1), lambda: put((x * 1).split(1)[0], slice(0), torch.ones(2, 2)),
    lambda: put((x * 1).split(1)[0], 0, torch.ones(2)), lambda: put(x.unbind(0)[0], 0, 1.0),
    lambda: put((x * 1).split(1)[0], slice(1), 1.0),
    lambda: put(x, torch.tensor([0]), torch.ones(7)), lambda: put(x, x > 0, torch.ones(7)), lambda: more(x),
    lambda: more(m), lambda: m.add_(1), lambda: m.view(-1).add_(1),
):
    try:
        act()
    except RuntimeError as e:
        print(e)
print(m._version)
""",
    "what was freed is said before what was changed, and a custom Function says it when it is asked": """
x = torch.ones(2, requires_grad=True)
a, b = Late.apply(x, 2)
a.sum().backward()
y = x.exp()
y.sum().backward()
y.add_(1)
for t in (a, y):
    try:
        t.sum().backward()
    except RuntimeError as e:
        print(e)
""",
    "a view of what was changed under no_grad is a view of that": """
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
v, w = x.view(-1), x[0]
with torch.no_grad():
    v.add_(1)
show("v", v)
graph(w)
(w * 2).sum().backward()
show_grad("x", x)
y = x * 2
a, b = y.t(), y.split(1)[0]
c = b[0]
with torch.no_grad():
    y.mul_(2)
show("a", a)
z = x * 2
p = z.split(1)[1]
z[0] = 1.0
for act in (lambda: b.grad_fn, lambda: b * 2, lambda: b.is_leaf, lambda: c.grad_fn, lambda: c.sum(), lambda: print(b),
            lambda: p.grad_fn, lambda: p * 2, lambda: p[0].grad_fn):
    try:
        act()
    except RuntimeError as e:
        print(e)
print(z._version, p._version)
""",
    "changes of .data and of its views are counted apart": """
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
d = x.data
e = d[0]
f = e.view_as(e)
g = x.diagonal()
z = (e * x[1]).sum()
e[0] += 1
print([t._version for t in (x, d, e, f, g)])
try:
    z.backward()
except RuntimeError as er:
    print(er)
x.data.mul_(2)
x.detach().add_(1)
print([t._version for t in (x, d, e, f, g)])
""",
    "a view of a tensor that does not lie in a row is changed": """
t = torch.tensor([[1., 3.], [2., 4.]]).t().requires_grad_()
u = t * 1
s, r = u[0], u.t().view(-1)
s.mul_(3)
for each in (u, r, s):
    show("t", each)
u.sum().backward()
show_grad("t", t)
""",
    "an expanded tensor is written to at places": """
e = torch.zeros(0, 3)
for act in (lambda: e[[1, 0]], lambda: e[torch.tensor([0])], lambda: e.take(torch.tensor([0])),
            lambda: e.take(torch.zeros(0, dtype=torch.int64)), lambda: torch.zeros(2, 0)[:, [0]]):
    try:
        print(act())
    except IndexError as x:
        print(x)
b = torch.ones(1)
t = b.expand(2, 3)
t[t > 0] = 0.5
print(t, b)
c = torch.zeros(2, 1)
u = c.expand(2, 3)
u[0, 1] = 4.
u[:, 0] = torch.tensor([1., 2.])
print(u, c)
try:
    u[0] = 5.
except RuntimeError as x:
    print(x)
""",
    "errors name the node that made a view, with its number": """
x = torch.ones(2, 3, requires_grad=True)
s, u = (lambda y: y.split(1)[0]), (lambda y: y.unbind(0)[0])
for act in (lambda y: s(y).squeeze(), lambda y: s(y).squeeze(0), lambda y: s(y).squeeze((0,)), lambda y: u(y).unsqueeze(0), lambda y: u(y).view(3, 1), lambda y: s(y).t(), lambda y: s(y).permute(1, 0), lambda y: s(y)[0], lambda y: s(y)[:, 1:], lambda y: s(y).expand(1, 3), lambda y: u(y).unfold(0, 2, 1), lambda y: s(y).flatten(), lambda y: s(y).squeeze(1), lambda y: y.split([1, 1])[0].squeeze(0)):
    for y in (x, x * 2):
        try:
            act(y).add_(1)
        except RuntimeError as e:
            print(e)
""",
}
