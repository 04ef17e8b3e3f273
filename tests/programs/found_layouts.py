"""How results lie in memory, over which gradviz and PyTorch once disagreed: it shows in strides and allowed views."""

GIVEN = """
d = torch.float64
def y(*size, turned=False):
    x = torch.arange(24, dtype=d)[:np.prod(size, dtype=int)].view(size[::-1] if turned else size) / 7 + 0.1
    return (x.permute(*range(len(size))[::-1]) if turned else x).requires_grad_()
def tell(*calls):
    for number, call in enumerate(calls):
        for turns in ((False, False), (True, True), (True, False), (False, True)):
            a, b = y(2, 3, turned=turns[0]), y(2, 3, turned=turns[1])
            try:
                out = call(a, b)
            except RuntimeError as e:
                print(number, turns, e)
                continue
            each = out if isinstance(out, (tuple, list)) else (out,)
            print(number, turns, [(tuple(t.shape), [s for s, n in zip(t.stride(), t.shape) if n > 1]) for t in each])
            if each[0].requires_grad:
                graph(each[0])
i, k = torch.tensor([[0, 1, 1], [1, 0, 0]]), torch.tensor([1, 0])
"""

LAYOUTS = {
    "the first input that tells two axes apart orders those of an elementwise result": GIVEN
    + """
tell(
    torch.add, torch.mul, torch.sub, torch.div, torch.maximum, torch.fmod, torch.atan2, torch.pow, torch.gt, torch.eq,
    torch.logical_and, torch.lerp, lambda a, b: torch.where(a > 1, a, b), lambda a, b: torch.lerp(a, b, 0.3),
    lambda a, b: torch.addcmul(a, b, b), lambda a, b: torch.addcdiv(b, a, b), lambda a, b: a[:1] + b,
    lambda a, b: a[:, :1] * b, lambda a, b: a[:, :1] + b[:1], lambda a, b: a.double() + b.float(),
    lambda a, b: torch.addr(a, b[:, 0], b[0]), lambda a, b: a.detach().add_(b), lambda a, b: a + b[:, None],
    lambda a, b: torch.div(a, b, rounding_mode='floor'), lambda a, b: torch.einsum('ij,ij->ij', a, b),
    lambda a, b: F.leaky_relu(a * 1, 0.2, inplace=True), lambda a, b: F.threshold(a * 1, 0.1, 20., inplace=True),
    lambda a, b: (a * b).view(-1), lambda a, b: torch.kron(a, b), lambda a, b: F.mse_loss(a, b, reduction='none'),
)
""",
    "results of moves, searches and norms lie in rows, or as the input does": GIVEN
    + """
tell(
    lambda a, b: a[:, [0, 2]], lambda a, b: a[[1, 0]], lambda a, b: a[k, None], lambda a, b: a[k, k],
    lambda a, b: a[a > 1], lambda a, b: y(2, 3, 4)[:, [[0, 1]]], lambda a, b: y(2, 3, 4, turned=True)[..., [3, 0]],
    lambda a, b: y(2, 3, 4)[k, :, k], lambda a, b: a.sort(), lambda a, b: a.sort(0), lambda a, b: a.argsort(0),
    lambda a, b: a.topk(2), lambda a, b: a.topk(1, 0), lambda a, b: a.kthvalue(2), lambda a, b: a.median(0),
    lambda a, b: a.mode(1), lambda a, b: a.cummax(1), lambda a, b: a.cumprod(0), lambda a, b: a.logcumsumexp(1),
    lambda a, b: a.prod(1), lambda a, b: a.renorm(2, 0, 1.), lambda a, b: a.flip(0), lambda a, b: a.rot90(),
    lambda a, b: F.pad(a, (1, 1)), lambda a, b: F.pad(a, (-1, 1)), lambda a, b: F.pad(a, (1, 1), 'reflect'),
    lambda a, b: F.pad(a, (1, 1), 'replicate'), lambda a, b: a.gather(1, i), lambda a, b: a.scatter(1, i, 2.),
    lambda a, b: a.scatter(1, i, b), lambda a, b: a.scatter_add(1, i, b), lambda a, b: a.index_add(0, k, b),
    lambda a, b: a.index_copy(0, k, b), lambda a, b: a.scatter_reduce(1, i, b, 'prod'), lambda a, b: a.put(k, b[0, :2]),
    lambda a, b: a.masked_fill(b > 1, 2.), lambda a, b: a.masked_scatter(b > 1, b), lambda a, b: torch.special.i1(a),
    lambda a, b: torch.isin(a, b[0]), lambda a, b: torch.searchsorted(b[0].detach(), a.detach()),
    lambda a, b: F.logsigmoid(a), lambda a, b: torch.cdist(a, b), lambda a, b: torch.cross(a, b, dim=1),
    lambda a, b: torch.diag_embed(a), lambda a, b: torch.mvlgamma(a + 3, 2), lambda a, b: F.layer_norm(a, (3,)),
    lambda a, b: F.batch_norm(a, None, None, training=True), lambda a, b: F.group_norm(a, 3),
    lambda a, b: F.rms_norm(a, (3,)), lambda a, b: F.rms_norm(a, (3,), b[0].contiguous()),
    lambda a, b: F.instance_norm(y(2, 3, 4, turned=True)), lambda a, b: torch.matrix_power(a[:, :2], 1),
    lambda a, b: torch.relu(a), lambda a, b: a.clamp(0.2, 0.5), lambda a, b: a.mm(b.t()), lambda a, b: a @ b.mT,
)
""",
    "results of linear algebra lie in columns": GIVEN
    + """
def sq(a):
    return a[:, :2] + torch.eye(2, dtype=d) * 3
tell(
    lambda a, b: torch.linalg.solve_triangular(sq(a), b, upper=True),
    lambda a, b: torch.linalg.solve_triangular(sq(a), b.mT, upper=False, left=False),
    lambda a, b: torch.linalg.solve_triangular(sq(a).expand(3, 2, 2), b, upper=True),
    lambda a, b: torch.cholesky_solve(b, sq(a)), lambda a, b: torch.cholesky_inverse(sq(a)),
    lambda a, b: torch.linalg.qr(a), lambda a, b: torch.linalg.svd(a), lambda a, b: torch.linalg.svdvals(a),
    lambda a, b: torch.linalg.eigh(sq(a) + sq(a).mT), lambda a, b: torch.linalg.lu_factor(sq(a)),
    lambda a, b: torch.linalg.lu_solve(*torch.linalg.lu_factor(sq(a)), b),
    lambda a, b: torch.linalg.lu_solve(*torch.linalg.lu_factor(sq(a)), b.mT, left=False),
    lambda a, b: torch.linalg.inv(sq(a)), lambda a, b: torch.linalg.solve(sq(a), b), lambda a, b: torch.linalg.lu(a),
    lambda a, b: torch.linalg.cholesky(sq(a) @ sq(a).mT), lambda a, b: torch.linalg.pinv(a),
    lambda a, b: torch.linalg.solve_triangular(sq(a), b, upper=True).view(-1),
)
""",
    "a first gradient lies as its leaf does, or in rows where that has gaps or repeats numbers": """
v = torch.arange(12.)
leaves = (
    v.view(3, 4), v.view(4, 3).t(), torch.arange(24.).view(3, 8)[:, ::2], v[:4].expand(3, 4), v[:3, None].expand(3, 4),
)
ops = (
    lambda x: x * 2, lambda x: x.t() * 1, lambda x: x @ torch.ones(4, 2), lambda x: x.sum(0), lambda x: x[1],
    lambda x: x[:, 1:3], lambda x: x.t().reshape(-1), lambda x: torch.stack([x, x], 1), lambda x: x.clone(),
    lambda x: x.unsqueeze(0).permute(2, 0, 1), lambda x: x.expand(2, 3, 4), lambda x: x.t() * v.view(4, 3),
    lambda x: x * v.view(4, 3).t(), lambda x: x.view_as(x), lambda x: x[torch.tensor([0, 2])],
)
for i, op in enumerate(ops):
    for j, leaf in enumerate(leaves):
        for again in (False, True):
            x = leaf.detach().requires_grad_()
            op(x).backward(torch.ones_like(op(x)), create_graph=again)
            print(i, j, again, x.grad.stride(), x.grad.tolist())
            op(x).sum().backward(create_graph=again)
            print(x.grad.stride())
            x.grad = torch.zeros(4, 3).t()
            op(x).sum().backward(create_graph=again)
            print(x.grad.stride())
""",
    "a gradient that lies otherwise than its leaf is warned of, once for each way to add to it": """
for again in (False, False, True, True):
    c = torch.arange(9.).view(3, 3).requires_grad_()
    (c * 2).sum().backward()
    c.data = c.data.t()
    print(c.stride(), c.grad.stride())
    (c * 2).sum().backward(create_graph=again)
    print(c.grad.stride(), c.grad.tolist())
m = torch.arange(12.).view(3, 4)[:, ::2].requires_grad_()
m.grad = torch.arange(6.).view(2, 3).t()
m.sum().backward()
print(m.grad.stride())
""",
    "views keep their steps along dims of one element, and where they begin without elements": """
first = lambda r: r[0] if isinstance(r, tuple) else r
looks = (
    lambda x: x.transpose(0, -1), lambda x: x[None], lambda x: x[:, None], lambda x: x[..., None], lambda x: x[0],
    lambda x: x[..., -1], lambda x: x[1:], lambda x: x[:1], lambda x: x[..., :0], lambda x: x[..., 1::2],
    lambda x: x.squeeze(), lambda x: x.expand(1, 3, *x.shape), lambda x: x.reshape(x.shape[::-1]), lambda x: x.chunk(2),
    lambda x: x.tensor_split(2, -1)[1], lambda x: x.as_strided((1, 1), (5, 7)), lambda x: x.t_(), lambda x: x.data,
    lambda x: x.mul_(2), lambda x: x.as_strided((2,), (1,)),
)
for size in ((1, 1), (3, 1), (0, 3)):
    for i, one in enumerate(looks):
        for other in looks:
            seen = []
            try:
                found = first(other(first(one(torch.ones(size)))))
                seen.append((tuple(found.shape), found.stride(), found.storage_offset()))
            except (RuntimeError, IndexError) as e:
                seen.append(str(e)[-60:])
            print(size, i, *seen)
""",
    "what is read and written at once is the same where the steps of dims of one element are, too": """
def put(x, i, value):
    x[i] = value(x)
    return x
places = (0, None, ..., slice(None), slice(0, 1), -1, (None, 0), (slice(None), 0))
values = (
    lambda x: x, lambda x: x[0], lambda x: x[None], lambda x: x.transpose(0, -1), lambda x: x.expand(2, *x.shape),
    lambda x: x.unsqueeze(-1), lambda x: x.detach(),
)
for size in ((1, 1), (1,), (2, 1)):
    for i, place in enumerate(places):
        for j, value in enumerate(values):
            for write in (put, lambda x, i, v: x[i].copy_(v(x)), lambda x, i, v: x[i].mul_(v(x))):
                try:
                    print(size, i, j, write(torch.ones(size), place, value).tolist())
                except (RuntimeError, IndexError) as e:
                    print(size, i, j, str(e)[:40])
""",
}
