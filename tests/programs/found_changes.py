"""Changes in place, over which gradviz and PyTorch once disagreed."""

CHANGES = {
    "a change through a view runs inside the node of its base": """
def go(change):
    x = torch.tensor([[.5, -1.], [2., .3]], dtype=torch.float64, requires_grad=True)
    y = (x * 2).cos()
    v = y[0]
    watch(v)
    try:
        change(x, y, v)
        graph(y)
        graph(v)
        watch(y)
        (y * torch.tensor([1., 10.], dtype=torch.float64)).sum().backward()
    except RuntimeError as e:
        print(e)
    show_grad("x", x)
for change in (
    lambda x, y, v: v.square_(), lambda x, y, v: v.mul_(2), lambda x, y, v: v.mul_(x[1]),
    lambda x, y, v: v.add_(x[1], alpha=2), lambda x, y, v: v.copy_(x[1]), lambda x, y, v: v.fill_(2),
    lambda x, y, v: v.fill_(x[0, 0]), lambda x, y, v: v.zero_(), lambda x, y, v: v.addcmul_(x[0], x[1]),
    lambda x, y, v: Changes.apply(v), lambda x, y, v: Changes.apply((x * 1)[0]),
    lambda x, y, v: y.view(-1)[1:].tanh_(), lambda x, y, v: (v.mul_(2), v.exp_()), lambda x, y, v: v.mul_(v),
    lambda x, y, v: v.mul_(y[1]), lambda x, y, v: v.pow_(2), lambda x, y, v: v.sub_(1),
    lambda x, y, v: v.masked_fill_(v > 0, 2.),
):
    go(change)
x = torch.tensor([[.5, -1.], [2., .3]], requires_grad=True)
q = x * 2
r = q[0]
s = r * 5
r.mul_(3)
q.grad_fn.register_hook(lambda gi, go: tuple(None if g is None else g * 2 for g in gi))
(q.sum() + s.sum()).backward()
show_grad("x", x)
""",
    "a result is written in place where its dtype and its shape allow it": """
d = torch.float64
x = torch.tensor([[.5, -1.], [2., .3]], dtype=d, requires_grad=True)
z, i = x.detach().clone(), torch.tensor([[1, 2], [3, 4]])
b = i > 2
def y():
    return x * 2
for act in (
    lambda: y().ge_(0), lambda: y().ge_(x), lambda: y().eq_(x[0]), lambda: y().ge_(torch.ones(3)),
    lambda: z.clone().eq_(x), lambda: z.clone().eq_(1), lambda: i.clone().ge_(2), lambda: i.clone().ge_(2.5),
    lambda: b.clone().eq_(True), lambda: b.clone().lt_(i), lambda: x.ge_(0),
    lambda: x.clone().detach().requires_grad_().logical_not_(), lambda: y().logical_not_(),
    lambda: y().logical_and_(x), lambda: x[0].ge_(1), lambda: y().greater_equal_(1), lambda: y().not_equal_(x),
    lambda: y()[0].ge_(1), lambda: y().bitwise_not_(), lambda: torch.autograd.grad(y().ge_(x).sum(), x),
    lambda: z.sum().backward(create_graph=True), lambda: x.sum().backward(create_graph=True, inputs=[z]),
    lambda: b.clone().div_(2), lambda: i.clone().div_(2), lambda: b.clone().mul_(.5),
    lambda: b.clone().clamp_(-.5, .5), lambda: b.clone().clamp_(min=0), lambda: b.clone().clamp_(0, 1),
    lambda: i.clone().clamp_(-.5, .5), lambda: b.clone().add_(1.5), lambda: b.clone().add_(i),
    lambda: b.clone().sub_(1), lambda: b.clone().sigmoid_(), lambda: i.clone().sigmoid_(), lambda: i.clone().exp_(),
    lambda: i.clone().sqrt_(), lambda: b.clone().neg_(), lambda: b.clone().abs_(), lambda: b.clone().relu_(),
    lambda: b.clone().pow_(2), lambda: i.clone().pow_(-1), lambda: i.clone().pow_(.5), lambda: b.clone().square_(),
    lambda: b.clone().round_(), lambda: b.clone().floor_(), lambda: b.clone().fmod_(.4),
    lambda: b.clone().remainder_(.4), lambda: i.clone().fmod_(.4), lambda: i.clone().reciprocal_(),
    lambda: i.clone().log1p_(), lambda: i.clone().hardtanh_(), lambda: F.leaky_relu_(i.clone(), .1),
    lambda: F.leaky_relu_(b.clone(), .1), lambda: b.clone().lerp_(b, .5), lambda: i.clone().lerp_(i, .5),
    lambda: i.clone().addcmul_(i, i, value=.5), lambda: b.clone().addcmul_(b, b), lambda: b.clone().tril_(),
    lambda: b.clone().erf_(), lambda: i.clone().erf_(), lambda: b.clone().addmm_(b, b), lambda: b.clone().sin_(),
    lambda: b.clone().zero_(), lambda: b.clone().fill_(.5), lambda: b.clone().masked_fill_(b, .25),
    lambda: i.clone().masked_fill_(b, .25), lambda: i.clone().index_fill_(0, torch.tensor([0]), .5),
    lambda: b.clone().index_fill_(0, torch.tensor([0]), .5), lambda: b.clone().scatter_(0, torch.zeros_like(i), .5),
    lambda: i.clone().fill_diagonal_(.5), lambda: b.clone().copy_(x), lambda: i.clone().copy_(x),
    lambda: b.clone().index_add_(0, torch.tensor([0, 0]), b), lambda: i.clone().index_put_((torch.tensor([0]),), x),
    lambda: y().index_put_((torch.tensor([0]),), i),
):
    try:
        out = act()
        show("out", out)
        if isinstance(out, torch.Tensor) and out.requires_grad:
            graph(out)
    except Exception as e:
        print(type(e).__name__, e)
""",
    "what is read does not lie in the memory that is written": """
x = torch.tensor([[.5, -1.], [2., .3]], requires_grad=True)
z, i = x.detach().clone(), torch.tensor([[1, 2], [3, 4]])
def put(t, key, value):
    t[key] = value
    graph(t)
    return t
for act in (
    lambda t: t.copy_(t), lambda t: t.copy_(t.t()), lambda t: t.add_(t.t()), lambda t: put(t, 0, t[0]),
    lambda t: put(t, slice(1), t[1:]), lambda t: put(t, 0, t[:, 0]), lambda t: t[0].add_(t[:, 0]), lambda t: t.add_(t),
    lambda t: t.mul_(t.t()), lambda t: t.lerp_(t.t(), 0.5), lambda t: t.addmm_(t, t),
):
    for t in (x * 2, z.clone()):
        try:
            show("out", act(t))
        except RuntimeError as e:
            print(e)
""",
    "None comes to a node for a result that takes no gradient": """
x = torch.ones(2, requires_grad=True)
p = Pair.apply(x)[0]
p.grad_fn.register_prehook(lambda g: print(said(g)))
p.grad_fn.register_hook(lambda gi, go: print(said(gi), said(go)))
p.sum().backward()
p = Pair.apply(x)[0]
p.grad_fn.register_prehook(lambda g: (g[0] * 2, None))
p.sum().backward()
show_grad("x", x)
""",
    "of a missing graph is said before create_graph warns": """
torch.ones(()).backward(create_graph=True)
""",
    "a change that counts is noticed by what saved the tensor before one that does not": """
def go(*changes):
    x = torch.tensor([[1.5, -1.]], dtype=torch.float64, requires_grad=True)
    y = x.square()
    try:
        for change in changes:
            change(x)
        print(x._version, torch.autograd.grad(y.sum(), [x]))
    except RuntimeError as e:
        print(e)
with torch.no_grad():
    quiet, loud = (lambda x: x.data.mul_(2)), (lambda x: x.add_(1))
    part, flag = (lambda x: x[0].data.mul_(3)), (lambda x: x.requires_grad_(False).requires_grad_())
    new = lambda x: setattr(x, "data", x.data * 2)
for changes in ((quiet,), (loud,), (quiet, loud), (part, loud, loud), (quiet, quiet), (flag, loud), (new, loud)):
    go(*(lambda x, act=act: torch.no_grad()(act)(x) for act in changes))
""",
    "a view that may not be changed is refused before sizes, by the last way in which it was made": """
x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
def several(b):
    part = b[1:].unbind(0)[0].real[...]
    b.mul_(2)
    return part
def given(b):
    seen = Sight.apply(b.view(-1))
    b.fill_(0.5)
    return seen
def parted(b):
    part = Sight.apply(b.view(-1))[None].split(1)[-1]
    b.fill_(0.5)
    return part
def hooked(b):
    with torch.no_grad():
        same = Same.apply(b.sum())
        same.register_hook(lambda g: None)
        same.mul_(2)
    same.register_hook(lambda g: None)
    return same
for act in (
    lambda: several(x * 3) * torch.ones(2), lambda: torch.ones(2) + several(x * 3), lambda: given(x * 2) * 2,
    lambda: parted(x * 2) * torch.ones(5), lambda: Sight.apply((x * 2).view(-1))[None].split(1)[-1].fill_(0.5),
    lambda: Sight.apply((x * 2).split(1)[0]).fill_(0.5), lambda: hooked(x * 1),
):
    try:
        print(act())
    except RuntimeError as e:
        print(e)
""",
    "views that show nothing are changed, and get other memory": """
d = torch.float64
def of_one(*size):
    x = torch.tensor(-.7, dtype=d, requires_grad=True)
    t = x.clone().view(*size)[..., 1:]
    t.addcmul_(t, t, value=.5)
    t.sum().backward()
    print(t, x.grad)
of_one(1)
of_one(1, 1)
x = torch.tensor([[.5]], dtype=d, requires_grad=True)
t = x[1:][::2].data.tensor_split(2)[1].data
t.mul_(2)
t = t.unsqueeze(-1)
with torch.no_grad():
    torch.sum(torch.ones(2, 3, dtype=d), 0, out=t)
print(t, t._version)
""",
    "of inference mode only what detach gives outside is changed, and none becomes an input of functional": """
with torch.inference_mode():
    x = torch.ones(2, 2) * torch.ones(2, 2, requires_grad=True)
functional = torch.autograd.functional
for act in (
    lambda: x.data[0].mul_(3), lambda: x.data.mul_(3), lambda: x.detach().mul_(3), lambda: x.detach()[0].mul_(3),
    lambda: x[0].mul_(3), lambda: x.data[0].data.mul_(3), lambda: (x, x.data[0].is_inference()),
    lambda: functional.vjp(torch.sin, x, torch.ones_like(x)), lambda: functional.jacobian(torch.sin, x),
    lambda: functional.jvp(torch.sin, x, torch.ones_like(x)), lambda: functional.hessian(lambda z: z.sin().sum(), x),
    lambda: functional.vjp(torch.sin, x, torch.ones_like(x), create_graph=True),
):
    try:
        print(act())
    except RuntimeError as e:
        print(e)
""",
    "the dot product of rows asks for floats first, then for one dtype": """
x = torch.ones(2, 3)
for a, b in ((x > 0, x), (x, x > 0), (x.long(), x.long()), (x, x.double()), (x, x[:, :2]), (x, x)):
    try:
        print(torch.linalg.vecdot(a, b))
    except RuntimeError as e:
        print(e)
""",
}
