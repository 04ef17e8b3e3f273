"""Calls that are wrong in several ways, or of sorts that kernels do not know: what PyTorch says of them first."""

from tests.programs.telling import TELL

GIVEN = (
    TELL
    + """
d, T = torch.float64, torch.tensor
def put(x, index, value):
    x[index] = value
    return x
e, e1, i2, s = torch.zeros(0, 3, dtype=d), T([], dtype=d), torch.zeros(2, 3, dtype=torch.int32), T(1., dtype=d)
a, v, z = torch.zeros(3, 3, dtype=d), torch.ones(2, 2, dtype=d), torch.zeros(2, 0)
l, whole, none = torch.zeros(2, 2, dtype=d, requires_grad=True), T([1, 2, 3]), T([], dtype=torch.int64)
b3, b0, zr = T([True, False, True]), T([], dtype=torch.bool), torch.zeros(0, 3, dtype=d, requires_grad=True)
"""
)

CHECKS = {
    "an index is looked at part by part, then its arrays together, then the value, places too far last": GIVEN
    + """
tell(
    lambda: put(e, [0], v), lambda: put(e1, T([[0]]), torch.ones(2, 3, 2, dtype=d)), lambda: e1[..., 0],
    lambda: put(T([], dtype=torch.float16), (T([[-1], [0]]), ...), T(2.)), lambda: e1[None, 0], lambda: e[None, -1],
    lambda: z[..., T(-1), -1], lambda: z[:, None, -1], lambda: a[True, 5], lambda: a[[2, -2], T([3, -5, -3]), ...],
    lambda: put(i2, (T([[3, 3], [3, 3]]), T([[1, -2, 1], [1, -2, 1]])), T(2.)), lambda: put(a, (T([5]), T([0, 0])), v),
    lambda: put(a, (T([5]), T([0, 0])), torch.ones(2)), lambda: put(a, (T([5, 6, 7]), T([0, 0])), torch.ones(2)),
    lambda: s[T([.5])], lambda: put(s, 'a', 1.), lambda: a[0, 0, 'a'], lambda: a[0, 0, T([.5])], lambda: a[5, T([.5])],
    lambda: put(l, (slice(0, 2), T([-2, -1])), v), lambda: put(l, (slice(0, 1), T([-2, -1])), v),
    lambda: put(l, (slice(0, 2), T([5])), v), lambda: put(l, (slice(0, 5), 0), v[0]), lambda: put(l, (0, T([5])), v),
    lambda: a[b3, T([0, 1, 2])], lambda: a[b3, T([0, 5])], lambda: put(a, (b3, T([0, 1, 2])), 1.), lambda: z[T([5])],
    lambda: torch.zeros(0, 0)[[0]], lambda: z[:, T([0])], lambda: z[T([5]), none], lambda: a[::-1, 5],
)
""",
    "a part of a view of a number is written": GIVEN
    + """
for whole in (torch.ones(3, requires_grad=True).sum(), torch.zeros(0, 3, requires_grad=True).sum()):
    part = whole.view(-1)
    part[0] = 2.0
    show('part', part)
    show('whole', whole)
    graph(whole)
""",
    "numbers in a message are written as C++ writes them": GIVEN
    + """
for x in (T([[1., 2.], [3., 4.]]), T([[1.5, -2.], [300., 4.]], dtype=d), T([[1e-3, 2.]]), T([[1e-3, 2000.]]), b3[None],
          T([[1, 2], [3, -400]]), T([[1.5, float('nan'), -float('inf')]]), T([[float('inf'), 1.]]), torch.zeros(0, 3),
          torch.arange(12.).view(2, 3, 2) / 7, torch.ones(2, 30) * 1.25, torch.ones(2, 2, 30) * 123456.5, z.half(),
          torch.ones(1, 1) * 100000.5, T([[1e-5]]), T([[0., -0.]]), T([[1., 1e15]], dtype=d), T([[1e120, .5]], dtype=d),
          T([[123456789., 1.]], dtype=d), torch.ones(2, 2, 1, 1), T([[1., 100000.]]), torch.ones(2, 1, 1) * 1e9):
    tell(lambda: torch.meshgrid(x, x, indexing='ij'))
""",
    "a vector, a dot and classes: what is looked at before the dtypes, and what after": GIVEN
    + """
tell(
    lambda: torch.mv(s, a), lambda: torch.mv(s, s), lambda: torch.mv(v, s), lambda: b3 @ b0, lambda: b3 @ a[0],
    lambda: torch.dot(b3, b3), lambda: F.cross_entropy(a[0], e1), lambda: F.nll_loss(a[0], e1.long()),
    lambda: F.nll_loss(a, a), lambda: F.nll_loss(a, a[0], weight=torch.ones(9)), lambda: s.unbind(-1),
    lambda: F.nll_loss(torch.ones(2, 3, 4, 5), torch.ones(2, 9, 9)), lambda: s.unbind(5),
)
""",
    "whole numbers to negative powers, and divided by 0": GIVEN
    + """
i, b01 = T([-3, 0, 2]), T([0, 1, 1])
tell(
    lambda: i ** i, lambda: T([1, -1, 2, 0]) ** T([-1, -3, -2, -1]), lambda: T([2]) ** T(-2), lambda: 2 ** T([-2, 1]),
    lambda: (-1) ** T([-2, -1]), lambda: T([2], dtype=torch.uint8) ** T([-2]), lambda: b3 ** T([-2]),
    lambda: i.pow(-1), lambda: i.clone().pow_(i), lambda: T(2) ** T(-2), lambda: a[0] ** True,
    lambda: torch.autograd.grad((l ** T([True, False])).sum(), l), lambda: torch.autograd.grad((l ** True).sum(), l),
    lambda: b3 % T([[0], [-3]]), lambda: b3 % 0, lambda: b3 // b01, lambda: torch.fmod(b3, b01), lambda: T(3) % b3,
    lambda: whole % b3, lambda: 3 % b3, lambda: 5 % T([0]), lambda: 2 // b3, lambda: torch.fmod(b3, b3),
    lambda: b3[:0] % T(0), lambda: i % T([0.]), lambda: whole % T([1, 0]),
)
""",
    "kernels that know no halves; losses of nothing": GIVEN
    + """
h, n = torch.ones(2, 3).half(), torch.zeros(2, 0, requires_grad=True)
tell(
    lambda: torch.cdist(h, a), lambda: torch.cdist(a, h), lambda: torch.cdist(h, h), lambda: torch.cdist(h[:0], h),
    lambda: torch.pdist(h), lambda: torch.autograd.grad(F.mse_loss(n, n * 2), n)[0],
    lambda: torch.autograd.grad(F.smooth_l1_loss(n, n * 2), n)[0],
    lambda: torch.autograd.grad(F.huber_loss(n, n * 2), n)[0],
    lambda: torch.autograd.grad(F.mse_loss(l[:, :1], torch.zeros(2, 0, dtype=d)), l)[0],
)
""",
    "what a node would save is saved before sizes are looked at": """
def t(call):
    seen = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: seen.append(tuple(x.shape)) or x, lambda x: x):
        try:
            call()
        except (RuntimeError, IndexError) as e:
            print(seen, str(e)[:60])
g = dict(dtype=torch.float64, requires_grad=True)
x, m, v, w = torch.ones(3, 3, 1, **g), torch.ones(2, 3, **g), torch.ones(3, **g), torch.ones(4, **g)
for call in (
    lambda: x @ x, lambda: m @ m, lambda: torch.mm(m, m), lambda: torch.bmm(x, x), lambda: m @ w, lambda: v @ w,
    lambda: v * w, lambda: v / w, lambda: torch.addmm(m, m, m), lambda: m.pow(w), lambda: torch.atan2(m, w),
    lambda: torch.cross(m, m, dim=0), lambda: torch.linalg.solve(m, m), lambda: torch.linalg.det(m),
    lambda: torch.baddbmm(x, x, x), lambda: torch.where(m > 0, m, w), lambda: torch.lerp(m, w, v),
    lambda: torch.addcmul(m, w, v), lambda: torch.maximum(m, w), lambda: torch.dist(m, w), lambda: m.std(4),
    lambda: F.layer_norm(m, (4,)), lambda: torch.logsumexp(m, 4), lambda: torch.mv(m, w), lambda: torch.hypot(m, w),
    lambda: torch.fmod(m, w), lambda: torch.xlogy(m, w), lambda: torch.logaddexp(m, w), lambda: m.prod(5),
    lambda: torch.addcdiv(m, w, v), lambda: torch.cumprod(m, 5), lambda: F.linear(m, m.T), lambda: F.linear(m, m.T, w),
    lambda: (m * 1).mul_(w), lambda: F.conv1d(x, x), lambda: torch.lerp(m, w, 0.5), lambda: torch.where(m > 0, w, 1.),
):
    t(call)
""",
    "what was made in inference mode is refused before sizes are looked at, and a leaf of it as a leaf": """
def t(call):
    try:
        print(call().tolist())
    except RuntimeError as e:
        print(str(e)[:70])
def put(a, i, value):
    a[i] = value
    return a
with torch.inference_mode():
    leaf, plain, number = torch.ones(3, requires_grad=True), torch.ones(3), torch.ones((), requires_grad=True)
    bad, two = torch.ones(2), torch.ones(2, 2)
x, w = torch.ones(3, requires_grad=True) * 1, torch.ones(1, 4, requires_grad=True)
m = torch.tensor([True, False, True])
for a in (leaf, plain, number):
    places = (m, 0, slice(0, 2), ..., torch.tensor([0])) if a.ndim else (..., torch.tensor(True))
    for place in places:
        for value in (1, x.sum(), plain.sum()):
            t(lambda: put(a, place, value))
            with torch.no_grad():
                t(lambda: put(a, place, value))
for call in (
    lambda: x * bad, lambda: x / bad, lambda: bad / x, lambda: x + bad, lambda: F.linear(w, two), lambda: w @ two,
    lambda: two @ w, lambda: two @ x, lambda: x @ bad, lambda: torch.addmm(w, w, two), lambda: x ** bad,
    lambda: torch.bmm(w[None], two[None]), lambda: torch.atan2(x, bad), lambda: torch.lerp(x, x, bad),
    lambda: torch.addcmul(x, bad, x), lambda: F.conv1d(w[None], two[None]), lambda: x.mul_(bad),
    lambda: torch.linalg.solve(two, x), lambda: F.layer_norm(x, (3,), bad), lambda: torch.cross(x, bad, dim=0),
    lambda: torch.hypot(x, bad), lambda: F.mse_loss(x, bad),
):
    t(call)
""",
    "places that a call returns are saved by its node": """
def start(write, mode=torch.enable_grad):
    def change(i):
        with mode():
            write(i)
    return change
changes = (
    lambda i: i.add_(0), lambda i: i.view(-1)[:1].add_(0), lambda i: i.detach().add_(0), lambda i: None,
    lambda i: i.__setitem__(..., 0), start(lambda i: i[0].mul_(0), torch.no_grad), lambda i: i.data.mul_(0),
)
calls = (
    lambda x: x.sort(), lambda x: x.topk(1), lambda x: x.max(1), lambda x: x.min(0, True), lambda x: x.median(0),
    lambda x: x.mode(1), lambda x: x.kthvalue(1), lambda x: x.cummax(0), lambda x: x.cummin(1),
    lambda x: x.nanmedian(1), lambda x: F.max_pool1d(x, 2, return_indices=True),
    lambda x: F.adaptive_max_pool1d(x, 1, return_indices=True),
    lambda x: F.max_pool2d(x[None], 2, return_indices=True),
)
for number, call in enumerate(calls):
    for change in changes if number < 10 else changes[:-1]:
        seen = []
        x = torch.tensor([[0.3, -1.2, 2.0], [0.5, 0.1, -0.4]], dtype=torch.float64, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(tuple(t.shape)) or t, lambda t: t):
            call(x)
        values, places = call(x)
        change(places)
        try:
            print(number, seen, torch.autograd.grad(values.sum(), x)[0].tolist())
        except RuntimeError as e:
            print(number, seen, str(e)[80:220])
""",
    "places beside : are put into the tensor itself, and rows of any shape are saved for a linear layer": """
def t(call):
    seen = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: seen.append(tuple(x.shape)) or x, lambda x: x):
        try:
            call()
        except (RuntimeError, IndexError) as e:
            print(seen, str(e)[:80])
at, leaf, w, b = torch.tensor([[-1]]), torch.ones(2, 3, requires_grad=True), torch.ones(2, 2), torch.ones(2)
for place in ((..., slice(None), at), (slice(None), at), at, (slice(0, 2), at), (slice(0, 1), at), (None, at)):
    for value in (1., leaf, leaf.detach()):
        try:
            leaf[place] = value
        except RuntimeError as e:
            print(str(e)[:40])
for size in ((4,), (1, 4), (2, 1, 4), (0, 4)):
    for needs in (True, False):
        x = torch.ones(size, requires_grad=needs)
        t(lambda: F.linear(x, w.requires_grad_()))
        t(lambda: F.linear(x, w, b))
""",
    "what a view made under no_grad is changed by is looked at before its dtype": """
d, i = torch.ones(2, dtype=torch.float64, requires_grad=True), torch.tensor([0, 1])
given = {'masked_scatter_': (i > 0, d), 'index_copy_': (0, i, d), 'index_add_': (0, i, d), 'scatter_': (0, i, d),
         'index_put_': ((i,), d), 'put_': (i, d), 'lerp_': (d, 0.5)}
for name, arguments in given.items():
    for base in (torch.ones(3), torch.ones(3, requires_grad=True) * 1, torch.ones(3, requires_grad=True)):
        for mode in (torch.no_grad, torch.enable_grad):
            with mode(): v = base[1:]
            try: print(getattr(v, name)(*arguments))
            except Exception as e: print(name, type(e).__name__, e)
""",
}
