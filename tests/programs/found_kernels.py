"""Norms, pools and products of odd sizes and dtypes: what PyTorch says of them first."""

from tests.programs.telling import TELL

GIVEN = (
    TELL
    + """
d, T, i8, h, f4, u8, b = torch.float64, torch.tensor, torch.int64, torch.half, torch.float, torch.uint8, torch.bool
O = lambda *s, t=d: torch.ones(*s, dtype=t)
x, y, A, B3, C = torch.arange(6., dtype=d).view(2, 3), O(2, 4, 2, 2), O(2, 3), O(2, 3, 2), O(2, 2, 2)
"""
)

KERNELS = {
    "norms look at dtypes, then at sizes, and leave half precision as it is": GIVEN
    + """
tell(
    lambda: F.layer_norm(O(2, 3, t=u8), (2, 3), O(1), T(1.)), lambda: F.layer_norm(x.half(), (3,), O(3, t=f4)),
    lambda: F.layer_norm(x.half(), (3,), None, O(3, t=f4)), lambda: F.layer_norm(x.float(), (3,), O(3)),
    lambda: F.layer_norm(x, (3,), O(2, t=f4)), lambda: F.layer_norm(x.half(), (3,), O(2, t=f4)),
    lambda: F.layer_norm(x.half(), (3,), O(3, t=f4), O(3, t=h)), lambda: F.layer_norm(x, ()), lambda: F.rms_norm(x, ()),
    lambda: F.group_norm(y, 2, O(4), O(3, 1)), lambda: F.group_norm(y, 2, O(3, 1)), lambda: F.group_norm(T(1.), 2),
    lambda: F.group_norm(O(4, t=i8), 2), lambda: F.group_norm(O(2, 4, t=i8), 2), lambda: F.group_norm(y, 3),
    lambda: F.group_norm(x.half(), 3, O(3, t=f4)),
    lambda: F.batch_norm(x.half(), None, None, O(3, t=f4), training=True),
    lambda: F.rms_norm(x, (3,), T(2, dtype=u8)), lambda: F.rms_norm(x[0], (4,)), lambda: F.rms_norm(x, (2, 5)),
    lambda: F.rms_norm(x, (3,), O(3, t=f4)), lambda: F.rms_norm(O(2, 3, t=b), (3,), O(3)),
    lambda: F.rms_norm(T(1.), (3,)),
    lambda: F.rms_norm(x.float().requires_grad_(), (3,), O(3)),
)
""",
    "pools look at dims in an order of their own": GIVEN
    + """
for pool in (lambda x: F.avg_pool2d(x, 2), lambda x: F.lp_pool2d(x, 2, 2), lambda x: F.max_pool2d(x, 2),
             lambda x: F.avg_pool1d(x, 2), lambda x: F.max_pool1d(x, 2), lambda x: F.lp_pool1d(x, 2, 2),
             lambda x: F.adaptive_avg_pool2d(x, 1), lambda x: F.adaptive_avg_pool2d(x, (2, None)),
             lambda x: F.adaptive_max_pool1d(x, 1), lambda x: F.adaptive_max_pool2d(x, 1),
             lambda x: F.adaptive_avg_pool1d(x, 1), lambda x: F.adaptive_max_pool3d(x, 1),
             lambda x: F.adaptive_avg_pool3d(x, 1), lambda x: F.avg_pool3d(x, 1)):
    for x in (T(1.), O(3), O(2, 4), O(2, 4, t=b), O(3, t=i8), O(1, 2, 4, t=u8), O(1, 2, 4, 4, t=b), O(2, 0),
              O(1, 1, 2, 4, 4, t=b), O(2, 1, t=b), O(2, 4).requires_grad_()):
        tell(lambda: pool(x))
""",
    "products of stacks and chains name the dim that is not there": GIVEN
    + """
tell(
    lambda: torch.baddbmm(C, A, B3), lambda: torch.baddbmm(C, O(1), T(1.)), lambda: torch.baddbmm(C, T(1.), O(1)),
    lambda: torch.baddbmm(B3, A, B3), lambda: torch.baddbmm(C, B3, A), lambda: torch.baddbmm(C, A, O(1, t=f4)),
    lambda: torch.addbmm(O(2, 2), B3, T(1.)), lambda: torch.addbmm(O(2, 2), A, B3), lambda: torch.addmm(A, O(1), B3),
    lambda: torch.addbmm(O(2, 2), T(1.), B3), lambda: torch.chain_matmul(A, O(1, 2, 1)),
    lambda: torch.chain_matmul(O(3), A), lambda: torch.linalg.multi_dot([O(2, 2), T(1), O(2, 3, t=h)]),
    lambda: torch.linalg.multi_dot([O(2, 2), O(2), O(2, 2)]), lambda: torch.linalg.multi_dot([C, O(2)]),
    lambda: torch.linalg.multi_dot([T(1.), O(2)]), lambda: torch.tensordot(O(3), O(2, 2), ([1, 2], [1, 0])),
    lambda: torch.dist(O(2), O(0, 3, t=b)), lambda: torch.dist(O(2, t=b), O(2, t=b)), lambda: torch.dist(O(2), O(3)),
)
""",
    "places are of one dtype, and of no places nothing is asked": GIVEN
    + """
none = torch.zeros(2, 0)
tell(
    lambda: torch.take_along_dim(x, T([[0.]]), 1), lambda: torch.take_along_dim(x, T([0]), 1),
    lambda: torch.take_along_dim(x, T([[0]], dtype=u8), 1), lambda: torch.take(x, T([0], dtype=u8)),
    lambda: torch.take(x, T([0.])), lambda: torch.take(x[:0], T([0])), lambda: torch.take(x, T([9])),
    lambda: torch.scatter(O(3), 0, none, O(2)), lambda: torch.scatter(O(2, 3, 2), 1, none, 2.),
    lambda: torch.scatter_add(O(3), 0, none, O(2)), lambda: torch.scatter_add(O(3), 5, none, O(2)),
    lambda: torch.index_reduce(O(2, 3), 1, O(2, 3), T(1.), 'prod'), lambda: torch.index_add(A, 1, T([0, 1, 1]), O(1)),
    lambda: torch.index_reduce(O(2, 3), 1, T([0]), O(1), 'prod'), lambda: torch.index_add(A, 1, T([0]), T(1., dtype=d)),
    lambda: torch.masked_scatter(O(2, 3, 2), O(2, 3) > 0, O(9)),
    lambda: torch.repeat_interleave(T(1.), T([1, 2]), dim=0),
    lambda: torch.roll(O(0), (1, 2), (0, 1)), lambda: torch.rot90(O(3)), lambda: torch.gradient(T(1.), dim=1),
    lambda: T(-1).index_fill_(0, T([0]), 0.5), lambda: O(1, 3, 2).fill_diagonal_(1.), lambda: O(3).fill_diagonal_(1.),
)
z = O(2, 3)[0, 1]
ordered = [z.sort(0)[0], z.topk(1, 0)[0], z.cummax(0)[0], z.kthvalue(1, 0)[0], z.mode(0)[0], z.median(0)[0]]
ordered += [z.max(0)[0], z.cummin(0)[0], z.aminmax()[0], z.cumsum(0), z.flip(0), z.softmax(0), z.sum(0), z.amax(0)]
z.zero_()
print(ordered)
""",
    "whole numbers and halves beside other dtypes": GIVEN
    + """
whole, bools = torch.arange(3), O(2, t=b)
tell(
    lambda: torch.linalg.solve_triangular(torch.eye(3), torch.eye(3, dtype=d).requires_grad_(), upper=True),
    lambda: torch.linalg.solve_triangular(torch.eye(3).long(), torch.eye(3), upper=True),
    lambda: torch.linalg.solve_triangular(torch.eye(3), torch.eye(3) > 0, upper=True),
    lambda: torch.cholesky_solve(O(2, 2, t=i8), torch.eye(2)), lambda: F.huber_loss(O(2, t=f4), O(2)),
    lambda: F.huber_loss(bools, O(2)), lambda: F.huber_loss(O(2), whole[:2]), lambda: F.huber_loss(whole, O(3, t=f4)),
    lambda: torch.kthvalue(bools, 1), lambda: torch.round(whole, decimals=1), lambda: torch.round(whole),
    lambda: F.hardtanh(whole, -.5, .7), lambda: F.hardtanh(bools), lambda: F.relu6(bools), lambda: F.relu6(whole),
    lambda: F.softshrink(whole), lambda: torch.prelu(O(2, t=h), O(1)), lambda: torch.prelu(whole, O(1)),
    lambda: F.fold(O(1, 4, 6, t=i8), (3, 3), (2, 1), stride=(1, 2), padding=(0, 1), dilation=(1, 2)),
    lambda: torch.linalg.cond(O(2, 2, t=b)),
)
""",
    "the target of out= is looked at before what kernels find": GIVEN
    + """
def out(function, *given):
    with torch.no_grad():
        function(*given[:-1], out=given[-1])
    return given[-1]
mean = lambda t, dim, out: torch.mean(t, dim, keepdim=True, out=out)
m, z3 = x + .5, torch.zeros(3, 3, dtype=d)
for dtype in (d, f4, i8, b, u8):
    z = torch.zeros(2, 3, dtype=dtype)
    for function in (torch.sum, torch.prod, torch.cumsum, mean):
        tell(lambda: out(function, m, 0, z.clone()), lambda: out(function, m[:0], 0, z.clone()))
        tell(lambda: out(function, m.long(), 0, z[:1].expand(2, 3)))
    tell(lambda: out(torch.arange, 3, z[:1, :1].expand(2, 3)), lambda: out(torch.arange, 3, z[:1, :1].expand(1, 3)))
    tell(lambda: out(torch.where, m > 0, m, z3, z.clone()), lambda: torch.cat([m, m[0]], out=z))
    tell(lambda: torch.abs(m > 0, out=z), lambda: torch.mm(m, torch.eye(3), out=z))
    tell(lambda: torch.matmul(m, T(1.), out=z))
    tell(lambda: torch.index_select(m, 0, T([9]), out=z))
    z = torch.zeros(2, 3, dtype=dtype)
    tell(lambda: out(torch.cumsum, m, 1, z[:, :1]), lambda: out(torch.argmax, m, z))
    print(z)
""",
    "shares of the gamma function near the middle have PyTorch's short pi": """
f8 = torch.float64
a = torch.tensor([15., 20., 20.5, 30., 150., 199., 200., 250., 1e3, 1e5, 3e6], dtype=f8)
for share in (1., 0.8, 1.15, 1.29, 1.31, 0.999, 1.003, 0.69):
    print(torch.igamma(a, a * share).tolist(), torch.igammac(a, a * share).tolist())
""",
}
