"""Kernels that take no bools or whole numbers, sizes before them, operators in place: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

from tests.programs.telling import TELL

GIVEN = (
    TELL
    + """
d = torch.float64
x = torch.tensor([[1., 2.], [3., 4.]], dtype=d, requires_grad=True)
"""
)

KINDS = {
    "kernels say which numbers they take, after the sizes": GIVEN
    + """
i, b, f = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[True, False], [True, True]]), torch.ones(2, 2)
t = torch.tensor([0, 1])
tell(lambda: F.embedding_bag(t, b, t * 0, mode='mean'), lambda: F.embedding_bag(t, b, t * 0), lambda: F.embedding_bag(t, i, t * 0, mode='max'), lambda: F.embedding_bag(t, f.half(), t * 0), lambda: F.embedding(t, b), lambda: F.embedding(t > 0, f), lambda: F.embedding(t.float(), f), lambda: F.embedding(t.to(torch.uint8), f), lambda: F.multi_margin_loss(b, t), lambda: F.multi_margin_loss(i, t), lambda: F.multi_margin_loss(f, t.float()), lambda: F.multi_margin_loss(b, t, reduction='none'),
 lambda: F.multilabel_margin_loss(b, i), lambda: F.multilabel_soft_margin_loss(i, i), lambda: F.margin_ranking_loss(i, i, i), lambda: F.soft_margin_loss(i, i), lambda: F.mse_loss(i, i), lambda: F.mse_loss(b, b), lambda: F.l1_loss(b, b), lambda: F.smooth_l1_loss(i, i), lambda: F.huber_loss(i, i), lambda: F.huber_loss(b, b), lambda: F.smooth_l1_loss(b, b), lambda: F.kl_div(i, i), lambda: F.binary_cross_entropy(i, i), lambda: F.binary_cross_entropy_with_logits(i, i), lambda: F.poisson_nll_loss(i, i), lambda: F.gaussian_nll_loss(i, i, i), lambda: F.cosine_embedding_loss(i, i, t), lambda: F.triplet_margin_loss(i, i, i), lambda: F.cosine_similarity(i, i), lambda: F.pairwise_distance(i, i), lambda: F.pdist(i), lambda: torch.cdist(i, i), lambda: F.normalize(i), lambda: F.normalize(b),
 lambda: F.layer_norm(i, (2,)), lambda: F.group_norm(i, 1), lambda: F.batch_norm(i, None, None, training=True), lambda: F.instance_norm(i[None]), lambda: F.rms_norm(i, (2,)), lambda: F.max_pool1d(i[None], 1), lambda: F.avg_pool1d(i[None], 1), lambda: F.max_pool2d(i[None], 1), lambda: F.avg_pool2d(i[None], 1), lambda: F.adaptive_avg_pool1d(i[None], 1), lambda: F.adaptive_max_pool1d(i[None], 1), lambda: F.adaptive_avg_pool2d(i[None], 1), lambda: F.adaptive_max_pool2d(b[None], 1), lambda: F.max_pool2d(b[None], 1), lambda: F.lp_pool1d(i[None], 2, 1), lambda: F.pixel_shuffle(i.view(1, 4, 1, 1), 2), lambda: F.unfold(i[None, None], 1), lambda: F.pad(b, (1, 1)), lambda: F.pad(i[None], (1, 1), mode='reflect'), lambda: F.conv1d(i[None], i[None]), lambda: F.conv_transpose1d(i[None], i[:, None]), lambda: F.scaled_dot_product_attention(i, i, i), lambda: F.scaled_dot_product_attention(f, f, f, attn_mask=i),
 lambda: torch.hypot(i, t), lambda: torch.hypot(i, torch.ones(3).long()), lambda: torch.atan2(b, torch.ones(3)), lambda: torch.fmod(b, torch.ones(3) > 0), lambda: torch.lerp(i, torch.ones(3).long(), .5), lambda: torch.addcmul(b, b, torch.ones(3) > 0), lambda: torch.addcdiv(i, i, torch.ones(3).long()), lambda: torch.logaddexp(i, torch.ones(3).long()), lambda: torch.gcd(f, torch.ones(3)), lambda: torch.bitwise_and(f, torch.ones(3)), lambda: torch.copysign(b, torch.ones(3) > 0), lambda: torch.heaviside(i, torch.ones(3)), lambda: torch.xlogy(b, torch.ones(3)), lambda: torch.floor_divide(b, torch.ones(3) > 0), lambda: torch.remainder(b, torch.ones(3) > 0), lambda: torch.ldexp(b, torch.ones(3)), lambda: torch.maximum(b, torch.ones(3)), lambda: torch.fmax(b, torch.ones(3)), lambda: torch.dist(i, torch.ones(3)), lambda: torch.dist(i, i), lambda: torch.clamp(b, torch.ones(3), torch.ones(3)), lambda: torch.where(i, i, i), lambda: torch.where(f > 0, i, torch.ones(3)), lambda: torch.masked_fill(f, i, 2.), lambda: torch.masked_fill(f, torch.ones(3) > 0, 2.))
""",
    "sizes are looked at before numbers where a result is written in place": GIVEN
    + """
for n in ('eq_', 'ge_', 'lt_', 'ne_', 'add_', 'mul_', 'copy_', 'atan2_', 'fmod_', 'remainder_', 'pow_', 'floor_divide_', 'hypot_', 'logical_and_', 'bitwise_and_', 'xlogy_', 'copysign_', 'clamp_'):
    tell(lambda: getattr(torch.ones(3), n)(torch.ones(2, 3)), lambda: getattr(torch.ones(1), n)(torch.ones(1, 1)), lambda: getattr(torch.ones(2, 3), n)(torch.ones(2)), lambda: getattr(torch.ones(3).long(), n)(torch.ones(2, 3)))
""",
    "a mask is spread to what it scatters into, and out= keeps kinds": GIVEN
    + """
i, b = torch.tensor([[1, 2], [3, 4]]), torch.ones(2, 2) > 0
tell(lambda: torch.ones(1, 2).masked_scatter_(torch.ones(2, 2, 3) > 0, torch.ones(3)), lambda: torch.ones(2).masked_scatter_(torch.ones(2, 2) > 0, torch.ones(4)), lambda: torch.ones(2, 2).masked_scatter_(torch.tensor([True, False]), torch.arange(4.)),
 lambda: torch.sub(i, i, out=b.clone()), lambda: torch.add(i, 1.5, out=i.clone()), lambda: torch.add(b, b, out=i.clone()), lambda: torch.exp(i, out=torch.zeros(2, 2)), lambda: torch.mul(i, i, out=torch.zeros(2, 2)), lambda: torch.gt(i, i, out=torch.zeros(2, 2)), lambda: torch.ones(2)['a'], lambda: torch.ones(2)[''], lambda: (torch.ones(2) > 0).expand(3, 3), lambda: (torch.ones(2, 2) > 0).expand(3))
""",
    "what a custom Function saves goes through the hooks": GIVEN
    + """
y = x.exp()
with torch.autograd.graph.saved_tensors_hooks(lambda t: print('packed', tuple(t.shape)) or t, lambda t: print('unpacked') or t):
    a = Both.apply(x, y)
    b = Both.apply(x, x)
    c = Once.apply(x)
    e = Late.apply(x, 2)[0]
tell(lambda: a.sum().backward(retain_graph=True), lambda: b.sum().backward(), lambda: c.sum().backward(), lambda: e.sum().backward(), lambda: a.grad_fn.saved_tensors)
show_grad('x', x)
""",
    "a leaf that is a view of no leaf is not changed by a custom Function": GIVEN
    + """
v = x.detach().mT.requires_grad_()
tell(lambda: Changes.apply(v), lambda: Changes.apply(x), lambda: Changes.apply(x[0]), lambda: Changes.apply(v[0]), lambda: Changes.apply(v * 1))
""",
    "sizes of parts are named as they were given": GIVEN
    + """
f = x.detach().float()
tell(lambda: torch.linalg.vecdot(f, x), lambda: torch.linalg.vecdot(f, torch.ones(3)), lambda: x.split([1, 2], -1), lambda: x.split([1, 2], 0), lambda: x.split([-1, 3]), lambda: x.split(-1), lambda: x.sum().split(1), lambda: x.chunk(0), lambda: x.tensor_split(0), lambda: x.split(0), lambda: x.split([1, 1], 3), lambda: x.hsplit(3), lambda: x.unsafe_split(1), lambda: x.sum().unsafe_split(1), lambda: x.split_with_sizes([1, 2], -1))
""",
    "an operator in place refuses bools and lists under its own sign": GIVEN
    + """
def minus(t):
    t[:, [0, 1]] -= True
def minus2(t):
    t[0] -= True
def minus3(t):
    t -= True
def times(t):
    t[0] *= [1., 2.]
def over(t):
    t[0] /= [1., 2.]
def plus(t):
    t += [1.]
def at(t):
    t[0] @= [1.]
def power(t):
    t[0] **= 'a'
def mod(t):
    t[0] %= None
def double(t):
    t[0] //= [2]
for act in (minus, minus2, minus3, times, over, plus, at, power, mod, double):
    tell(lambda: act(x * 1), lambda: act(x.detach().clone()), lambda: act(x.detach().long()))
""",
    "a view of a leaf that is a view keeps its place in the graph": GIVEN
    + """
t1 = torch.arange(6, dtype=torch.float64).view(2, 3).requires_grad_()
t2 = t1.view_as(t1)
t7 = t2.detach()
with torch.no_grad():
    t7.mul_(2)
graph(t2)
show_grad('t2', t2)
""",
    "numbers that a small dtype cannot hold": """
def tell(*fs):
    for f in fs:
        try: print(f())
        except Exception as e: print(type(e).__name__, e)
def put(x, at, value):
    x[at] = value
    return x

for dtype in (torch.uint8, torch.int8, torch.int32, torch.int64, torch.float16, torch.bool):
    for v in (-1, -129, 200, 256, 300, 2 ** 31, 2 ** 40, 2 ** 63, -0.3, -1.4, 255.5, 256.5, 1e10, float('nan')):
        x = lambda: torch.tensor([3, 0, 100], dtype=dtype)
        at = torch.tensor([0])
        if dtype not in (torch.int64, torch.bool, torch.float16) and v != 2 ** 63:
            tell(lambda: x() + v, lambda: v + x(), lambda: x() - v, lambda: v - x(), lambda: x() * v, lambda: x() == v)
            tell(lambda: x() < v, lambda: x().clamp(max=v), lambda: x().clamp_min(v), lambda: x() % v, lambda: x() // v)
            tell(lambda: torch.where(x() > 0, x(), v), lambda: torch.fmod(x(), v), lambda: x().add_(v), lambda: x() ** v)
            tell(lambda: torch.tensor([v], dtype=dtype), lambda: torch.full((), v, dtype=dtype), lambda: x().fill_(v))
            tell(lambda: x().masked_fill(x() > 0, v), lambda: x().index_fill(0, at, v), lambda: x().new_full((1,), v))
            tell(lambda: torch.full_like(x(), v), lambda: torch.addcmul(x(), x(), x(), value=v))
            tell(lambda: x().scatter(0, at, v), lambda: torch.threshold(x(), 5, v))
        for i in (0, slice(None), ..., at, torch.tensor([True, False, True]), None):
            tell(lambda: put(x(), i, v))
""",
    "a parameter is asked first where it is compared": """
a, p = torch.zeros(0, 3), nn.Parameter(torch.ones(2, 1))
for f in (lambda: a == p, lambda: a < p, lambda: p > a, lambda: a != p, lambda: a + p, lambda: torch.ones(2) <= p):
    try: print(f())
    except Exception as e: print(e)
""",
    "tensors of lists that are empty first, and of tensors among whole numbers": """
for d in (None, torch.float32, torch.float64, torch.int64, torch.bool):
    for data in ([1, 'a'], [[1], [2, 3]], [1, [2]], [None], [torch.ones(2), 1], [1, None], [[1, 2], 'ab'], [[1., 2], [3]], ['a'], [[], [1]], [[1], 2], [torch.ones(1), 2], [1, [2], 'a'], [1.5, 'a'], [[1, [2]], [3, 4]], [[], []], [[], ['a']], [[], 1], [], [torch.ones(2)], [torch.tensor(1), 2], [torch.tensor(True)], [[torch.tensor([1])]], torch.ones(2), [[torch.ones(1)]], [np.int64(1), torch.ones(())]):
        try:
            print(torch.tensor(data, dtype=d))
        except Exception as e:
            print(type(e).__name__, e)
""",
    "bags of rows: dtypes of places and offsets, what lies behind the last offset, rows that are not there": """
w, i, o = torch.arange(12.).view(4, 3), torch.tensor([2, 0, 1]), torch.tensor([0, 1])
kinds = (torch.int64, torch.int32, torch.int16, torch.bool, torch.float64, torch.uint8, torch.float32)
def attempt(*arguments, **named):
    try: print(F.embedding_bag(*arguments, **named))
    except Exception as e: print(type(e).__name__, e)
for a in kinds:
    attempt(i.view(1, 3).to(a), w)
    for b in kinds:
        attempt(i.to(a), w, o.to(b), mode='sum')
for a in kinds:
    attempt(i, w.to(a), o, mode='max')
    for b in (torch.float32, torch.float64, torch.int64, torch.float16):
        attempt(i, w.to(a), o, mode='sum', per_sample_weights=torch.ones(3).to(b))
for a in (torch.float32, torch.float64):
    for weight in (w.to(a), torch.arange(24.).to(a).view(4, 6)[:, ::2]):
        weight = weight.requires_grad_() if weight.is_contiguous() else weight
        for rows in ([2, 0, 1], [2, 0, 4], [2, -1, 0], []):
            for offsets in ([0, 1], [0, 3], [0, 1, 1, 2], [0, 0], [1, 2], [0, 5], [[0]]):
                for named in ({}, {'mode': 'sum'}, {'mode': 'max'}, {'padding_idx': 0}, {'padding_idx': 4}, {'include_last_offset': True}, {'mode': 'oops'},
                              {'mode': 'sum', 'include_last_offset': True, 'per_sample_weights': torch.ones(len(rows), dtype=a)}):
                    attempt(torch.tensor(rows, dtype=torch.int64), weight, torch.tensor(offsets), **named)
""",
    "gradients beside whole numbers: a divisor of addcdiv has none, a logarithm is taken in the gradient's dtype": """
def attempt(act):
    try: print(act())
    except Exception as e: print(type(e).__name__, e)
for d in (torch.float64, torch.float32):
    x = torch.ones(2, dtype=d, requires_grad=True)
    for k in (torch.tensor([2, 3]), torch.tensor(2), torch.tensor([2, 3], dtype=torch.uint8), torch.tensor([True, True]), torch.tensor([1.5, 2.]), torch.tensor([1.5, 2.], dtype=torch.float64)):
        for a, b in ((x, x), (x.detach(), x), (x, x.detach()), (x, torch.tensor([1, 2]))):
            for again in (False, True): attempt(lambda: torch.autograd.grad(torch.addcdiv(a, b, k, value=3).sum(), x, create_graph=again))
        for act in (torch.xlogy, torch.atan2, torch.fmod, torch.copysign, torch.div, torch.pow): attempt(lambda: torch.autograd.grad(act(x, k).sum(), x))
attempt(lambda: F.batch_norm(torch.ones(3), None, None, training=True))
""",
}
