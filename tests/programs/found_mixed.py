"""Two dtypes in one call, indices of other dtypes, losses that write over themselves, sums of products that say dots."""

# ruff: noqa: E501 - calls read better in rows

from tests.programs.telling import TELL

MIXED = {
    "a node without a derivative runs as soon as it is ready": TELL
    + """
for make in (lambda b: b // b, lambda b: b // 2, lambda b: torch.heaviside(b, b), lambda b: 3 % b):
    a = torch.tensor([1., -2., 3.], dtype=torch.float64, requires_grad=True)
    b = a * 1
    total = (a * a).sum() + (make(b) ** 2).sum() + (b * b).sum()
    held = watch(total)
    tell(total.backward)
    show_grad('a', a)
""",
    "a formula computes with what it saved, each in its own dtype": TELL
    + """
for one, two in ((torch.float32, torch.float64), (torch.float64, torch.float32)):
    a = torch.tensor([[1.402, -1.548, 1.281], [1.65, -1.88, -1.353]]).to(one).requires_grad_()
    b = torch.tensor([[1.472, -1.495, -1.443], [0.566, -1.462, -1.347]]).to(two).requires_grad_()
    for y in (torch.atan2(a, b), a.abs() ** b, torch.atan2(a, b[0, 0]), a.abs() ** b[1, 1]):
        a.grad = b.grad = None
        y.double().sum().backward()
        show_grad('a', a)
        show_grad('b', b)
    show('loss', F.binary_cross_entropy_with_logits(a.detach(), b.detach().abs()))
""",
    "losses whose last step writes over the one before count it": TELL
    + """
a = torch.tensor([1., -2., 3.], dtype=torch.float64, requires_grad=True)
b = torch.tensor([.5, 1., -2.], dtype=torch.float64)
for loss in (F.margin_ranking_loss(a, b, b.sign(), reduction='none'), F.margin_ranking_loss(a, b, b.sign()), F.poisson_nll_loss(a, b.abs(), full=True, reduction='none'), F.poisson_nll_loss(a, b.abs(), reduction='none'), F.gaussian_nll_loss(a, b, b.abs(), full=True, reduction='none'), F.gaussian_nll_loss(a, b, b.abs(), reduction='none')):
    show('loss', loss)
    print(loss._version)
tell(*[lambda k=k: F.gaussian_nll_loss(a, b, (b.abs() + 1).to(k)) for k in (torch.bool, torch.int64, torch.int32, torch.uint8)])
s = torch.tensor(1., requires_grad=True)
tell(lambda: F.cross_entropy(s, s), lambda: F.cross_entropy(s, s, reduction='none', label_smoothing=.1), lambda: F.cross_entropy(s, torch.tensor(0)))
""",
    "an index is of one of the dtypes that its kernel takes": TELL
    + """
m = torch.ones(2, 3, dtype=torch.float64)
for kind in (torch.uint8, torch.int16, torch.int32, torch.float32):
    for i in (torch.zeros(2).to(kind), torch.zeros(0).to(kind)):
        tell(lambda: m.index_select(0, i), lambda: m.index_add(0, i, m), lambda: m.index_reduce(0, i, m, 'prod') if i.numel() else None, lambda: m.take_along_dim(i, 0), lambda: m[0].take_along_dim(i), lambda: m.put(i, m[0, :2]), lambda: torch.gather(m[0], 0, i), lambda: m[:, :2].gather(1, i[None]), lambda: m.scatter(0, i[None], m), lambda: m.scatter_add(0, i[None], m))
for i in (torch.tensor([0, 1]).short(), torch.tensor([0, 1]).char()):
    tell(lambda: m[i], lambda: m.index_put((i,), m))
""",
    "the sizes of an index to scatter or gather with": TELL
    + """
m = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
o = torch.ones(2, 0, dtype=torch.float64)
wide, long = torch.zeros(2, 4).long(), torch.zeros(3, 3).long()
for act in (lambda x, d, i: x.scatter(d, i, m.data), lambda x, d, i: x.scatter(d, i, 1.), lambda x, d, i: x.scatter_add(d, i, m.data), lambda x, d, i: x.scatter_reduce(d, i, m.data, 'amin'), lambda x, d, i: x.gather(d, i)):
    tell(lambda: act(m, 0, wide), lambda: act(m, 1, long), lambda: act(o, 0, wide[:, :3]), lambda: act(m, 0, long[:0]), lambda: act(m, 0, long[0, :0]))
m.gather(1, torch.zeros(5, 0).long()).sum().backward()
show_grad('m', m)
i = torch.tensor([[0, 1], [1, 0]])
tell(lambda: torch.take_along_dim(m, i - 2, 1), lambda: torch.take_along_dim(m, i + 5, 1), lambda: torch.take_along_dim(m, i, 0), lambda: torch.take_along_dim(m, i[:, :1], 0), lambda: torch.take_along_dim(m, torch.zeros(2, 0).long(), 0), lambda: torch.take_along_dim(m, i - 7))
""",
    "what the dots of an equation cover": TELL
    + """
def r(*s):
    return torch.arange(1., 1 + torch.tensor(s).prod().item(), dtype=torch.float64).view(s).requires_grad_()
def saved(node, depth=0):
    print(' ' * depth, node.name(), getattr(node, '_saved_dim', None), getattr(node, '_saved_dims', None))
    for other, _ in node.next_functions:
        if other is not None:
            saved(other, depth + 1)
for equation, xs in (('...ij,...jk->...ik', (r(2, 2, 3), r(3, 2))), ('...ij,...jk->...ik', (r(5, 2, 2, 3), r(3, 2))), ('...d,...d->...', (r(2, 3, 2), r(2))), ('i...,...i,...->i...', (r(2, 3, 2), r(2, 2), r(2)))):
    y = torch.einsum(equation, *xs)
    show('y', y)
    saved(y.grad_fn)
tell(*[lambda e=e, xs=xs: torch.einsum(e, *xs) for e, xs in (('...d,...d->...', (r(2, 3, 2), r(2, 2))), ('i...,i...->', (r(2, 5, 3), r(2, 4))), ('i...,i...->', (r(2, 5, 3), r(3, 5, 4))), ('...i,...i->', (r(5, 3, 2), r(5, 4, 3))), ('i...,i...->', (r(2, 4), r(2, 5, 3))), ('i,i->q', (r(2), r(3))), ('i,i->ii', (r(2), r(3))), ('ii->q', (r(2, 3),)))])
""",
    "a dim without elements is named as it was given": TELL
    + """
e, e3 = torch.zeros(2, 0), torch.zeros(2, 0, 3)
tell(lambda: e.amax(-1), lambda: e.amin(1), lambda: e3.amax((-1, -2)), lambda: torch.linalg.vector_norm(e, float('inf'), dim=-1), lambda: e.norm(float('inf'), -1), lambda: e.argmax(-1), lambda: e.max(-1))
z = torch.tensor(True)
tell(lambda: z.kthvalue(1), lambda: z.kthvalue(1, 0), lambda: z.kthvalue(2), lambda: z[None].kthvalue(1), lambda: z.trace())
tell(*[lambda k=k: torch.ones(2, 2).to(k).trace() for k in (torch.uint8, torch.int16, torch.int64, torch.float32)])
""",
    "a pass from one result of a call frees what the others need too": TELL
    + """
for make in (torch.var_mean, torch.aminmax, lambda x: torch.max(x, 0), lambda x: torch.topk(x, 1), lambda x: torch.unbind(x), lambda x: x.split(1)):
    x = torch.tensor([1., 2., 4.], dtype=torch.float64, requires_grad=True)
    for first, then in ((0, 1), (1, 0)):
        made = make(x * 2)
        tell(lambda: made[first].sum().backward(), lambda: made[then].sum().backward(), lambda: made[first].sum().backward())
        made = make(x)
        tell(lambda: torch.autograd.grad(made[first].sum(), x), lambda: torch.autograd.grad(made[then].sum(), x))
    show_grad('x', x)
""",
    "a slope in the middle is divided by the distance, then by two": TELL
    + """
for order in (1, 2):
    x = torch.tensor([[1., 2., 4.], [3., 1., 2.]], dtype=torch.float64, requires_grad=True)
    y = torch.gradient(x, dim=1, spacing=.3, edge_order=order)[0]
    show('y', y)
    held = watch(y)
    y.backward(torch.ones(2, 3).double())
    show_grad('x', x)
""",
    "a node without a derivative refuses where nothing would be sent, too": """
for d in (torch.float64, torch.float16):
    x = torch.ones(2, 2, dtype=d, requires_grad=True)
    with torch.no_grad():
        v = x[0]
    for act in (lambda t: t // t, lambda t: t // 2, lambda t: torch.heaviside(t, t), lambda t: torch.remainder(2., t), lambda t: (t * 2) // (t * 3)):
        for k in ({}, {"create_graph": True}, {"inputs": [x]}):
            try:
                o = act(v)
                o.backward(torch.zeros_like(o), **k)
                show_grad('x', x)
            except RuntimeError as e:
                print(e)
""",
    "the second operand of a cosine is spread out first": """
r = lambda *s, d=torch.float32: torch.linspace(-1, 2, int(np.prod(s))).view(s).to(d).requires_grad_()
f8 = torch.float64
for a, b, dim in ((r(2, 3), r(3, d=f8), -1), (r(3), r(2, 3, d=f8), -1), (r(2, 1), r(2, 3), 1), (r(2, 3), r(1, 3), 0), (r(1, 2, 3), r(2, 3), 1), (r(2, 3), r(2, 3), 1)):
    c = F.cosine_similarity(a, b, dim=dim)
    held = watch(c)
    c.backward(torch.ones_like(c))
""",
    "what is changed in place by a wider tensor sends it a gradient of its own digits": """
f8, f4, f2, bf = torch.float64, torch.float32, torch.float16, torch.bfloat16
for op in ("atan2_", "hypot_", "xlogy_", "pow_", "div_", "mul_", "remainder_"):
    for da, db in ((f4, f8), (f8, f4), (f2, f4), (f2, bf), (f2, f8)):
        for shape in ((3,), (), (1,)):
            a = torch.tensor([[0.3, 1.1, 2.7]], dtype=da, requires_grad=True)
            c = torch.full(shape, 0.509, dtype=db, requires_grad=True)
            getattr(a.clone(), op)(c).sum().backward()
            print(op, a.grad.tolist())
            show_grad('c', c)
""",
    "a gradient that is retained is no longer changed by the hooks that follow": """
for f in (lambda t: t.squeeze(0), lambda t: t + 1, lambda t: t.clone(), lambda t: t.t(), lambda t: t.expand_as(t)):
    for x in (torch.tensor(0.7, requires_grad=True), torch.tensor([[0.7]], requires_grad=True)):
        x.register_hook(lambda g: g.mul_(2))
        y = f(x)
        y.backward(torch.ones_like(y), create_graph=True, inputs=[y, x])
        show_grad('y', y)
        show_grad('x', x)
""",
}
