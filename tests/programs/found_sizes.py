"""Sizes that do not fit, kernels without integers, tensors of no elements: what once differed from PyTorch."""

from tests.programs.telling import TELL

GIVEN = (
    TELL
    + """
e = torch.zeros(2, 0, requires_grad=True)
E0 = torch.zeros(0, 3, requires_grad=True)
i, b = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[True, False]])
ie = torch.tensor([], dtype=torch.int64)
x = torch.ones(1, 4, 3, 3)
a3 = torch.ones(2, 3, 2); a2 = torch.ones(2, 3)
"""
)

SIZES = {
    "two shapes that do not broadcast are named alike by all functions": GIVEN
    + """
tell(
    lambda: F.cross_entropy(e, e), lambda: F.cross_entropy(E0, E0),
    lambda: F.cross_entropy(E0, torch.zeros(0, dtype=torch.int64)),
    lambda: F.nll_loss(E0, torch.zeros(0, dtype=torch.int64)), lambda: ie.log_softmax(0), lambda: i.log_softmax(0),
    lambda: i.log_softmax(1), lambda: i.softmax(0), lambda: i.softmax(1), lambda: b.softmax(1),
    lambda: b.log_softmax(0), lambda: torch.tensor(1).softmax(0), lambda: torch.tensor(1).log_softmax(0),
    lambda: ie.softmax(0), lambda: F.cross_entropy(i, torch.tensor([0, 1])),
    lambda: F.nll_loss(i, torch.tensor([0, 1])), lambda: torch.conv2d(x, x, groups=2),
    lambda: torch.conv2d(x, torch.ones(2, 2, 3, 3), groups=3),
    lambda: torch.conv2d(x, torch.ones(3, 2, 3, 3), groups=2),
    lambda: torch.conv1d(torch.ones(1, 2, 5), torch.ones(3, 2, 2), padding='same'), lambda: a3 // a2,
    lambda: a3 % a2, lambda: torch.fmod(a3, a2), lambda: torch.allclose(a3, a2), lambda: torch.isclose(a3, a2),
    lambda: a3 & a2, lambda: (a3 > 0) & (a2 > 0), lambda: torch.lerp(a3, a2, .5), lambda: torch.hypot(a3, a2),
    lambda: torch.atan2(a3, a2), lambda: torch.copysign(a3, a2), lambda: torch.addcmul(a3, a2, a2),
    lambda: torch.where(a3 > 0, a3, a2), lambda: torch.logical_and(a3, a2), lambda: torch.clamp(a3, a2, a2),
    lambda: torch.maximum(a3, a2), lambda: torch.xlogy(a3, a2), lambda: torch.logaddexp(a3, a2),
    lambda: torch.heaviside(a3, a2), lambda: torch.ldexp(a3, a2),
    lambda: F.mse_loss(a3, a2), lambda: F.smooth_l1_loss(a3, a2), lambda: F.kl_div(a3, a2),
    lambda: F.poisson_nll_loss(a3, a2), lambda: F.binary_cross_entropy_with_logits(a3, a2),
    lambda: F.cosine_similarity(a3, a2), lambda: torch.dist(a3, a2), lambda: torch.gcd(i, ie),
    lambda: torch.bitwise_left_shift(i, ie), lambda: a2.index_add_(0, torch.tensor([0, 1]), a3),
    lambda: a2.clone()[:, :1].cumsum_(0), lambda: torch.ones(2, 1).where(torch.ones(2, 3) > 0, 0.),
    lambda: torch.ones(2, 1).masked_fill_(torch.ones(2, 3) > 0, 0.),
    lambda: torch.ones(2, 1).addcmul_(torch.ones(2, 3), torch.ones(2, 3)),
    lambda: torch.ones(2, 1).lerp_(torch.ones(2, 3), .5),
)
""",
    "a view by strides is taken of the memory that a view looks into": GIVEN
    + """
tell(
    lambda: e.as_strided((2,), (1,)), lambda: a3[0].as_strided((2,), (1,)), lambda: a3[1].as_strided((2,), (1,)),
    lambda: a3[1].as_strided((2,), (1,), 0), lambda: torch.linalg.norm(e), lambda: e.var(0), lambda: e.std(),
    lambda: torch.ones(1).var(), lambda: torch.ones(1).std(), lambda: torch.ones(2, 1).var(1),
    lambda: i.requires_grad_(), lambda: (i * 2).requires_grad_(), lambda: torch.tensor([1]).requires_grad_(True),
)
t = (torch.ones(2, 3, requires_grad=True) * 2)
u = t[1].as_strided((2,), (1,))
graph(u)
u.mul_(3)
show('t', t)
graph(t)
t = (torch.ones(2, 3, requires_grad=True) * 2).t()
u = t.as_strided((2,), (1,))
graph(u)
u.sum().backward()
g = torch.autograd.grad(e.sum(), e)[0]
g.sigmoid_()
show('g', g)
y = torch.ones(3, requires_grad=True)
t = (y * 2).t()
d = t.data
d.eq_(y)
show('t', t)
show('d', d)
graph(d)
""",
    "running sums of whole numbers are int64 without dims too; slopes between points have the dtype of both": """
for t in (torch.tensor(4, dtype=torch.uint8), torch.tensor(True), torch.tensor([3], dtype=torch.int16)):
    print(t.cumsum(0), t.cumprod(0), torch.cumsum(t, 0, dtype=torch.float64), t.cummax(0)[0].dtype)
i = torch.tensor([[1, -2, 3], [0, 4, -1]])
for y in (i, i.float(), i.double(), i.half()):
    for at in (torch.tensor([0., 1., 3.], dtype=torch.float64), torch.tensor([0., 1., 3.]), torch.tensor([0, 1, 3])):
        print(torch.gradient(y, spacing=(at,), dim=1)[0])
""",
    "a gradient has memory of its own beside the tensor that a pass was given": """
for dtype in (torch.float32, torch.float16):
    for end in (lambda x: x, lambda x: x + 0, lambda x: x.view(-1), lambda x: x * 1):
        x = torch.tensor([1., 2.], dtype=dtype, requires_grad=True)
        end(x).backward(x)
        x.detach().mul_(3)
        show_grad("x", x)
        v = torch.ones(2, dtype=dtype)
        x = torch.tensor([1., 2.], dtype=dtype, requires_grad=True)
        end(x).backward(v)
        v.detach().mul_(3)
        show_grad("x", x)
""",
    "a node of autograd itself is told of by its whole name": """
def t(*names, run):
    try: print(*names, run())
    except Exception as e: print(*names, type(e).__name__, e)

news = [lambda s=s: torch.ones(s) for s in ((5,), (2,), (2, 3), (), (3, 2))]
changes = (
    lambda z: z[0].mul_(2), lambda z: z.__setitem__(0, 5.), lambda z: z.view(-1).add_(1),
    lambda z: z.copy_(torch.ones_like(z)),
)
def go(new, change, again):
    x = torch.arange(6.).view(2, 3).requires_grad_()
    z = x * 2
    z.data = new()
    change(z)
    (z * z).sum().backward(create_graph=again)
    return x.grad.tolist()
for i, new in enumerate(news):
    for j, change in enumerate(changes):
        for again in (False, True): t(i, j, again, run=lambda: go(new, change, again))
def traced(change):
    x = torch.ones(2, 3, requires_grad=True)
    with torch.autograd.detect_anomaly():
        z = x * 1
        change(z)
        z.backward(torch.full((2, 3), float('nan')))
for change in (lambda z: z[0].mul_(2), lambda z: z.copy_(z * 2), lambda z: z.mul_(2)): t(run=lambda: traced(change))
""",
    "a layer norm of no numbers has gradients of none": """
def t(*names, run):
    try: print(*names, run())
    except Exception as e: print(*names, type(e).__name__, e)

for s in ((0,), (2, 0), (0, 3), (0, 2, 3), (2, 0, 3)):
    for n in range(1, len(s) + 1):
        for has in (False, True):
            def go():
                x = torch.zeros(s, requires_grad=True)
                w, b = (torch.ones(s[-n:], requires_grad=True) if has else None for _ in range(2))
                y = F.layer_norm(x, s[-n:], w, b)
                y.sum().backward()
                return y, x.grad, has and (w.grad, b.grad)
            t(s, n, has, run=go)
""",
}
