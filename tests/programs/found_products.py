"""Products, joins and places given by an index, over which gradviz and PyTorch once disagreed."""

from tests.programs.telling import TELL

GIVEN = (
    TELL
    + """
d = torch.float64
m = torch.tensor([[.5, -1.], [2., .3]], dtype=d, requires_grad=True)
v = torch.tensor([.5, 2.], dtype=d, requires_grad=True)
mf, mi, mb, vf, vb = m.detach().float().requires_grad_(), m.detach().long(), m.detach() > 0, v.detach().float(), v > 1
w, m23, b3 = torch.ones(3, dtype=d), torch.arange(6, dtype=d).view(2, 3), torch.arange(12, dtype=d).view(2, 2, 3)
s, part, i1 = torch.tensor(2., dtype=d, requires_grad=True), b3[:, :, :2], torch.tensor([1, 0])
i2, e1 = torch.tensor([[0, 1], [1, 0]]), torch.tensor([], dtype=d, requires_grad=True)
e2, e3 = torch.zeros(2, 0, dtype=d, requires_grad=True), torch.zeros(0, 3, dtype=d, requires_grad=True)
"""
)

PRODUCTS = {
    "a matrix times a vector: dims, sizes and dtypes are looked at in PyTorch's order": GIVEN
    + """
tell(
    lambda: torch.mv(m, m), lambda: torch.mv(m, w), lambda: torch.mv(m, s), lambda: torch.mv(b3, v),
    lambda: torch.mv(m, vf), lambda: torch.mv(mb, vb), lambda: torch.addmv(v, m, vf), lambda: torch.addmv(vf, m, v),
    lambda: torch.addmv(v, m, m), lambda: torch.addmv(w, m, v), lambda: torch.addmv(v, v, v),
    lambda: torch.addmv(s, m, v), lambda: torch.addr(m23, v, v), lambda: torch.addr(m, m, v),
    lambda: torch.addr(m, v, w), lambda: torch.vdot(v, vf), lambda: torch.vdot(v, w), lambda: torch.dot(vb, vb),
)
""",
    "matrices to be multiplied and added: dtypes of the sum first": GIVEN
    + """
tell(
    lambda: torch.addmm(mf, v, m), lambda: torch.addmm(v, v, mf), lambda: torch.addmm(b3, m, m),
    lambda: torch.addmm(m, mf, m, beta=2), lambda: torch.baddbmm(b3, b3, b3.mT), lambda: torch.baddbmm(m, m, m),
    lambda: torch.baddbmm(part.float(), b3, b3.mT), lambda: torch.baddbmm(part, b3, b3.mT.float()),
    lambda: torch.addbmm(mf, b3, b3.mT), lambda: torch.addbmm(m, b3.float(), b3.mT), lambda: torch.addbmm(m, m, m),
    lambda: torch.addbmm(w, b3, b3.mT), lambda: torch.chain_matmul(m, mf), lambda: torch.linalg.multi_dot([v, mf]),
    lambda: torch.linalg.multi_dot([m, m23.T]), lambda: torch.inner(m, mf), lambda: torch.tensordot(m, mf, 1),
    lambda: F.bilinear(m, mf, torch.ones(1, 2, 2, dtype=d)), lambda: torch.cross(w, w.float()),
    lambda: torch.cross(m, m), lambda: torch.cross(w, w),
)
""",
    "kernels of products know no bool": GIVEN
    + """
tell(
    lambda: mb @ mb, lambda: vb @ vb, lambda: mb @ vb, lambda: torch.bmm(b3 > 0, b3.mT > 0),
    lambda: torch.matrix_power(mb, 2), lambda: F.linear(mb, vb), lambda: torch.addmm(mb, mb, mb),
    lambda: torch.einsum('ij,jk->ik', mb, mb), lambda: torch.trace(mb),
    lambda: torch.matmul(torch.tensor([], dtype=torch.bool), torch.tensor([], dtype=torch.bool)),
)
""",
    "what is written at places fits in dtype, then in shape": GIVEN
    + """
tell(
    lambda: torch.scatter_reduce(m, 1, i2, m[:1], 'amax'), lambda: torch.scatter_reduce(m, 1, i2, mf, 'mean'),
    lambda: torch.scatter_reduce(m, 1, i2, m, 'bad'), lambda: torch.index_reduce(m, 0, i1, mf, 'prod'),
    lambda: torch.index_reduce(m, 0, i1, m[:, :1], 'prod'), lambda: torch.index_reduce(m, 0, i2, m, 'prod'),
    lambda: torch.index_fill(m, 0, i2, 2), lambda: torch.index_fill(m, 0, i1 + 2, 2), lambda: torch.put(m, i1, vf),
    lambda: torch.put(m, i1, w), lambda: torch.put(m, i1 + 9, v), lambda: torch.take(m, m),
    lambda: torch.scatter(m, 1, i2 - 1, mf), lambda: torch.scatter_add(m, 1, i2, mf),
    lambda: torch.index_select(s, 0, i1), lambda: torch.index_select(e3, 0, i1), lambda: torch.index_select(e1, 0, i1),
    lambda: torch.masked_scatter(m, mb, mf), lambda: torch.masked_scatter(m, mi, m),
)
""",
    "a tensor of no elements and one dim stands beside any other": GIVEN
    + """
tell(
    lambda: torch.cat([e1, m]), lambda: torch.cat([m, e1]), lambda: torch.cat([e1, e1]), lambda: torch.cat([e1, s]),
    lambda: torch.cat([e1, e2]), lambda: torch.cat([w[3:], m.detach()], 1), lambda: torch.cat([e1.long(), m]),
    lambda: torch.autograd.grad(torch.cat([e1, m, m]).sum(), e1)[0], lambda: e1.view(0, -1), lambda: e2.view(0, -1),
    lambda: s.T, lambda: s.mT, lambda: s.mH, lambda: v.unflatten(0, (3, -1)),
)
""",
    "what is made of columns lies in rows": GIVEN
    + """
c = m23.t().requires_grad_()
for f in (lambda: 2 ** c, lambda: c.softmax(-1), lambda: c.log_softmax(0), lambda: c.cumsum(0), lambda: c.roll(1, 0),
          lambda: torch.cat([c, c]), lambda: torch.stack([c, c]), lambda: c.masked_fill(c > 0, 1.), lambda: c.exp(),
          lambda: c + 1, lambda: c.clone(), lambda: c * c, lambda: torch.where(c > 0, c, c * 2)):
    print(f().stride())
graph((2 ** c).reshape(2, 3))
graph(c.exp().reshape(2, 3))
""",
    "products in place ask for the sizes of the result": """
def t(*names, run):
    try: print(*names, run())
    except Exception as e: print(*names, type(e).__name__, e)

row, col, a, b = torch.ones(2), torch.ones(3), torch.ones(2, 2, 3), torch.ones(2, 3, 4)
for s in ((2, 3), (3,), (1,), (2, 1), (4, 4), (), (0, 3), (2, 3, 4), (2, 2), (2, 4), (2, 2, 4)):
    for takes in (False, True):
        for i, f in enumerate((
            lambda x: x.addr_(row, col), lambda x: x.addr_(a[0], col), lambda x: x.addr_(row, col, beta=0),
            lambda x: x.baddbmm_(a, b), lambda x: x.addmm_(a[0], b[0]), lambda x: x.addmv_(a[0], col),
        )):
            t(s, takes, i, run=lambda: f(torch.zeros(s).requires_grad_() * 1 if takes else torch.zeros(s)))
""",
}
