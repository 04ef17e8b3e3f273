"""Functions in many forms at once: which of several wrong arguments PyTorch names, and what it takes after all."""

from tests.programs.telling import TELL

GIVEN = (
    TELL
    + """
import itertools
d, f4, h, bf, i8, b1 = torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool
def T(*s, t=d, g=False):
    n = 1
    for k in s:
        n *= k
    x = (torch.arange(n, dtype=d) * 7 % 5 - 2) * 0.25 if t.is_floating_point else torch.arange(n) % 3
    return x.to(t).reshape(s).requires_grad_(g)
"""
)

FORMS = {
    "convolutions look at groups, numbers, sizes and dtypes in an order of their own": GIVEN
    + """
xs = T(1, 2, 5), T(2, 5), T(1, 2, 5, t=f4), T(1, 2, 5, t=i8), T(5), T(1, 0, 5), T(0, 2, 5), T(1, 2, 0), T(1, 2, 5, t=h)
ws = T(2, 2, 3, g=True), T(4, 1, 3), T(2, 2, 3, t=f4), T(2, 2, 3, t=bf), T(2, 3), T(2, 2, 0), T(2, 2, 1, 3), T(3, 1, 2)
given = [{}, {'groups': 2}, {'groups': 0}, {'dilation': 0}, {'stride': (1, 2)}, {'padding': -1}, {'padding': 5},
         {'padding': 'same'}, {'padding': 'x', 'groups': 0}, {'output_padding': 1}]
for (n, x), (m, w) in itertools.product(enumerate(xs), enumerate(ws)):
    for f in (F.conv1d, F.conv_transpose1d):
        kw, bias = given[(n * 3 + m * 7) % 10], (None, T(2), T(2, t=f4), T(4), T(2, t=i8))[(n + m * 2) % 5]
        tell(lambda: f(x, w, bias, **kw), lambda: f(x, w, bias), lambda: f(x, w, **kw))
for f, x in itertools.product((F.conv2d, F.conv_transpose2d), (T(1, 2, 4, 5), T(2, 4, 5), T(4, 5), T(1, 2, 0, 5))):
    for w in (T(2, 2, 3, 2), T(2, 2, 3), T(2, 3), T(4, 1, 2, 2, t=f4), T(1, 2, 2, 3)):
        tell(lambda: f(x, w), lambda: f(x, w, T(2, t=f4)), lambda: f(x, w, groups=2, dilation=(0, 1)))
bias = T(2, t=f4, g=True)
F.conv1d(T(1, 2, 5), T(2, 2, 3), bias, padding='same').sum().backward()
show_grad('bias', bias)
""",
    "numbers are placed by an index in as many ways as there are kernels": GIVEN
    + """
I, D = torch.tensor, -1
xs = T(2, 3, g=True), T(3, g=True), T(g=True), T(2, 3, t=i8), T(0), T(2, 0, g=True), T(2, 3, t=h)
ixs = [I(ix) for ix in ([0, 1], [1, 0, 1], [0], 0, [[0, 1], [1, 0]], [0, 2], [-1, 0], [True, False], [[0], [1]])]
ixs += [torch.zeros(0, dtype=i8), I([0, 1], dtype=torch.int32)]
vs = T(2, 3, g=True), T(3, g=True), T(2, 2), T(g=True), T(2, 0), T(1, 3), T(2, 3, t=i8), 0.5
for (n, x), (m, i) in itertools.product(enumerate(xs), enumerate(ixs)):
    v, w, dim = vs[(n + m) % 8], vs[(n * 3 + m) % 7], (0, 1, D)[(n + 2 * m) % 3]
    tell(lambda: x.scatter(dim, i, v), lambda: x.scatter_add(dim, i, w), lambda: x.index_fill(dim, i, v),
         lambda: x.scatter(dim, i, w, reduce=('add', 'sum')[m % 2]), lambda: x.gather(dim, i),
         lambda: x.scatter_reduce(dim, i, w, ('sum', 'amax', 'add')[m % 3]), lambda: x.index_select(dim, i),
         lambda: x.index_add(dim, i, w), lambda: x.index_copy(dim, i, w), lambda: x.put(i, w),
         lambda: x.index_reduce(dim, i, w, ('prod', 'amax', 'sum')[m % 3]), lambda: x.index_put((i,), w))
""",
    "what is scattered gets a gradient of the shape of the index, which it may refuse": GIVEN
    + """
def passed(f, *ins):
    try:
        r = f()
        graph(r)
        (r * r).sum().backward()
        for x in ins:
            show_grad('x', x)
    except Exception as e:
        print(type(e).__name__, e)
for size, ix in itertools.product(((3, 2), (2, 2)), (torch.tensor([[0, 1], [1, 0]]), torch.zeros(0, dtype=i8))):
    x, v, y = T(3, 3, g=True), T(*size, g=True), T(3, 3, g=True)
    for reduce in ('sum', 'prod', 'amax'):
        passed(lambda: x.scatter_reduce(0, ix, v, reduce), x, v)
    passed(lambda: x.scatter(0, ix, v), x, v)
    passed(lambda: (y * 1).scatter_add_(0, ix, v), y, v)
    passed(lambda: x.scatter(0, ix, v.detach()), x)
x, c = T(2, 3, g=True), T(g=True)
for i in ([0], [0, 0], [-1, 0], 1, []):
    i = torch.tensor(i, dtype=i8)
    passed(lambda: x.index_fill(0, i, c), x, c)
    passed(lambda: (x * 1).index_fill_(1, i, c), x, c)
    passed(lambda: c.index_fill(0, i, c), c)
    passed(lambda: c.index_copy(0, torch.tensor([0]), c), c)
    g, h = torch.autograd.grad((x.index_fill(0, i, c) ** 3).sum(), (x, c), create_graph=True)
    graph(g)
    graph(h)
passed(lambda: c.gather(0, torch.zeros(0, dtype=i8)), c)
passed(lambda: x[0].gather(0, torch.tensor(1)), x)
""",
    "masks are asked of after sizes and dtypes, and parts are named in words of their own": GIVEN
    + """
for x, v in itertools.product((T(2, 3, g=True), T(3), T(g=True), T(0), T(3, t=h)), (T(2, 3), T(3, g=True), T(), 0.5)):
    for m in (T(2, 3) > 0, T(3) > 0, T() > 0, T(2, 3), T(0) > 0, T(4) > 0):
        tell(lambda: x.masked_fill(m, v), lambda: x.masked_select(m), lambda: torch.where(m, x, v))
        tell(lambda: x.masked_scatter(m, v))
    for k in (0, 1, 5):
        tell(lambda: torch.diagonal_scatter(x, v, k, 0, k), lambda: torch.select_scatter(x, v, 0, k),
             lambda: torch.slice_scatter(x, v, 0, k, None, k))
""",
    "a reduction computes in the dtype that is asked for, in one node": GIVEN
    + """
def passed(x, r):
    if r.requires_grad:
        (r * r).double().sum().backward()
        show_grad('x', x)
        x.grad = None
for x in (T(2, 3, g=True), T(3, t=f4, g=True), T(g=True), T(2, 2, t=i8), T(2, 0, g=True), T(2, 3, t=torch.uint8)):
    for t in (d, f4, h, i8, b1, torch.uint8, torch.int32):
        tell(lambda: x.sum(dtype=t), lambda: x.mean(dtype=t), lambda: x.prod(dtype=t), lambda: x.sum(0, dtype=t)
             if x.ndim else x, lambda: x.cumsum(-1, dtype=t), lambda: x.cumprod(0, dtype=t), lambda: x.nansum(dtype=t))
    for t in (d, f4, h):
        passed(x, x.sum(dtype=t)), passed(x, x.mean(-1, dtype=t)), passed(x, x.prod(dtype=t))
        passed(x, x.cumsum(0, dtype=t)), passed(x, x.cumprod(0, dtype=t)), passed(x, x.nansum(dtype=t))
    tell(lambda: x.any(()), lambda: torch.all(x, ()), lambda: x.sum(()), lambda: x.mean((), keepdim=True),
         lambda: x.logsumexp(()), lambda: x.sum_to_size(()), lambda: x.sum(keepdim=True, dim=None),
         lambda: x.diff(-1, 2), lambda: torch.split(x, -1, 2), lambda: x.repeat_interleave(-1, 3),
         lambda: torch.diag_embed(x, 0, -1, -1), lambda: x.rot90(1, 0))
""",
    "several numbers and tensors decide on a dtype together, and fit one after the other": GIVEN
    + """
xs = T(2, 3, g=True), T(3, t=f4), T(), T(3, t=b1), T(2, 3, t=h), T(2, 2, t=i8), T(1, g=True)
for x, y, z in itertools.product(xs, xs, xs):
    tell(lambda: torch.clamp(x, y, z), lambda: torch.addcmul(x, y, z))
    if x.is_floating_point():
        tell(lambda: torch.lerp(x, y, z))
for x, y in itertools.product(xs, xs):
    tell(lambda: F.soft_margin_loss(x, y.detach(), reduction='none'), lambda: torch.nextafter(x.detach(), y.detach()))
""",
    "an op that has a gradient refuses to give whole numbers one": GIVEN
    + """
n, v, f = torch.tensor([[-1, 1, 0], [0, 1, 1]]), T(2, g=True), T(2, 3, g=True)
tell(
    lambda: torch.diagonal_scatter(n, v), lambda: torch.select_scatter(n, v, 1, 0), lambda: n.masked_fill(n > 0, v[0]),
    lambda: torch.slice_scatter(n, v[:, None], 1, 0, 1), lambda: n.index_fill(1, torch.tensor([0]), v[0]),
    lambda: n.clone().copy_(f), lambda: n.scatter(0, n * 0, f), lambda: n + f.long(), lambda: f.to(n.dtype),
    lambda: f.argmax(), lambda: torch.diagonal_scatter(f, v),
)
a, b, p = T(2, g=True) + 2, (T(2, g=True) + 3), torch.tensor([1.5, 2.5], dtype=d)
tell(lambda: torch.igamma(p, b), lambda: torch.igammac(p, b), lambda: torch.special.zeta(p + 1, b),
     lambda: torch.igamma(a, b))
""",
    "what splits and joins tensors looks at dims, kinds and counts in an order of its own": GIVEN
    + """
x, y, z, s, e, I = T(4, 3, g=True), T(0, 3), T(4, 3, 2), T(), T(0, g=True), torch.tensor
for f in (torch.hsplit, torch.vsplit, torch.dsplit):
    for t, n in itertools.product((x, z, s, y), (2, 3, 0, -1, 5, (1,), [9], I(2), None, 1.5, True)):
        tell(lambda: f(t, n))
tell(
    lambda: x.hsplit(1, 2), lambda: x.vsplit(2, 2), lambda: x.dsplit(1, 2), lambda: s.hsplit(1, 2),
    lambda: z.dsplit(1, 2), lambda: x.hsplit(3), lambda: torch.hsplit(x, indices=[1]), lambda: x.vsplit(sections=2),
)
for n in (I(2), I([1, 2]), I(0), I(-1), I([[2]]), I([1.0]), I(2.0), I([-1, 2]), I([], dtype=i8), 2, [1], (3, 1)):
    tell(lambda: torch.tensor_split(x, n), lambda: x.tensor_split(n, 1), lambda: s.tensor_split(n))
for d in (0, 1, -1, 2, 5):
    tell(lambda: torch.stack([x, y], d), lambda: torch.stack([y, y], d), lambda: torch.cat([e, e], d),
         lambda: torch.cat([e], d), lambda: torch.cat([T(1), e], d), lambda: torch.cat([e, x], d))
""",
    "alpha is multiplied where a difference has one, and comes by place beside a number": GIVEN
    + """
xs = T(2, g=True), T(2, 2, g=True), T(), T(2, t=i8), T(2, t=b1), T(2, t=f4, g=True), T(2, t=h), T(2, t=bf), T(3)
for x, y in itertools.product(xs, (*xs, 2, 0.7, True)):
    tell(lambda: torch.rsub(x, y))
    for a in (2, 0.3, True, 1, 1.0):
        tell(lambda: torch.rsub(x, y, alpha=a), lambda: torch.subtract(x, y, alpha=a), lambda: torch.add(x, y, alpha=a))
        tell(lambda: torch.rsub(x, y, a), lambda: torch.subtract(x, y, a), lambda: x.subtract(y, a))
        tell(lambda: x.clone().subtract_(y, a))
a, b = T(2, g=True), T(2, 2, g=True)
for r in (torch.rsub(a, b), torch.rsub(a * a, b, alpha=3), torch.rsub(a * a, 2, 3), a.subtract(1.5, 2)):
    for g in torch.autograd.grad(r.exp().sum(), (a, b), create_graph=True, allow_unused=True):
        tell(lambda: g)
for t in (a, b, T(g=True), T(0, g=True)):
    tell(lambda: t.sum(None), lambda: t.sum(dim=None), lambda: t.sum(None, True), lambda: t.mean(None), lambda: t.sum(),
         lambda: torch.mean(t, dim=None, keepdim=True), lambda: t.sum(axis=None), lambda: torch.sum(t, None, dtype=f4))
""",
    "out=None is as if it were not there": GIVEN
    + """
x = T(2, 3, g=True)
tell(
    lambda: torch.sin(x, out=None), lambda: torch.sum(x, 0, out=None), lambda: torch.isclose(x, x, out=None),
    lambda: x.sin(out=None), lambda: torch.stack([x], out=None), lambda: torch.special.erf(x, out=None),
    lambda: torch.linalg.inv(torch.eye(2), out=None), lambda: torch.sort(x, out=None),
    lambda: torch.add(x, 1, out=None),
    lambda: torch.max(x, 0, out=None), lambda: torch.arange(2, out=None), lambda: torch.clone(x, out=None),
    lambda: torch.relu(x, out=None), lambda: F.relu(x, out=None), lambda: torch.sin(1, out=None),
    lambda: torch.sin(out=None), lambda: torch.where(x > 0, x, 1, out=None),
)
""",
    "norms look at weights, groups and statistics in an order of their own": GIVEN
    + """
xs = T(2, 4, 3, g=True), T(2, 4), T(4), T(), T(0, 4, 3), T(1, 4), T(1, 4, 1)
ws = None, T(4), T(2), T(4, t=f4), T(2, 4)
stats = (None, None), (T(4), None), (None, T(4)), (T(4), T(4) + 1), (T(3), T(4) + 1), (T(3), None)
for x, w, b in itertools.product(xs, ws, ws):
    for shape in ((4,), (3,), (4, 3), ()):
        tell(lambda: F.layer_norm(x, shape, w, b))
    if x.dim() > 1:
        tell(*(lambda g=g: F.group_norm(x, g, w, b) for g in (1, 2, 0, -1, 3)))
    tell(lambda: F.rms_norm(x, (4,), w), lambda: F.rms_norm(x, (4, 3), w))
    for m, v in stats:
        tell(lambda: F.batch_norm(x, m, v, w, training=False), lambda: F.instance_norm(x, m, None, w, b, False))
for x, (m, v) in itertools.product([x for x in xs if x.dim() > 1], stats):
    tell(lambda: F.batch_norm(x, m, v, training=True))
tell(*(lambda x=x: F.instance_norm(x) for x in (T(), T(4), T(2, 4), T(2, 4, 3), T(1, 4, 1))))
""",
    "windows of pictures are refused by their counts, numbers and sizes one after the other": GIVEN
    + """
xs = T(1, 2, 4, 4), T(2, 4, 4), T(4, 4), T(4), T(1, 2, 0), T(0, 2, 4, 4), T(1, 2, 4, 4, t=i8)
for x, k in itertools.product(xs, (2, (2,), (2, 2), (1, 2, 0), 0, -1)):
    tell(lambda: F.unfold(x, k), lambda: F.unfold(x, 2, k), lambda: F.unfold(x, 2, 1, 0, k))
for x, k in itertools.product((T(1, 8, 9), T(8, 9), T(1, 6, 9), T(9), T(1, 8, 9, t=i8)), (2, (2,), (1, 2, 0), 0)):
    tell(lambda: F.fold(x, k, 2), lambda: F.fold(x, 4, k), lambda: F.fold(x, (4, 4), 2, k), lambda: F.fold(x, k, k))
for x, n in itertools.product(xs, (0, 1, 3, None)):
    tell(lambda: F.avg_pool2d(x, 2, divisor_override=n))
""",
}
