"""Linear algebra over which gradviz and PyTorch once disagreed: orders of checks, triangles, singular matrices."""

GIVEN = """
L, d = torch.linalg, torch.float64
T = lambda *a, **k: torch.tensor(*a, dtype=d, **k)
def tell(*fs):
    for f in fs:
        try:
            r = f()
            for each in (r if isinstance(r, (tuple, list)) else (r,)):
                show("r", each)
                if isinstance(each, torch.Tensor): print(each._version, each.numel() and each.stride())
        except Exception as e:
            print(type(e).__name__, e)
x3 = T([[2., .75, -.25], [1.5, 3.5, -.5], [1.25, .25, 2.25]])
"""

ALGEBRA = {
    "linear algebra looks at dtypes and sizes in PyTorch's order": GIVEN
    + """
whole, half, single = x3.long(), x3.half(), x3.float()
wide, tall, none, three = x3[:2], x3[:, :2], torch.ones(3, 0), torch.stack([x3, x3.T])
for y in (x3, whole, half, single, wide, tall, none, three, x3[0], T(1.), three[:, 0], x3[:1, :1]):
    for x in (x3, whole, half, wide, tall, none, three, x3[0], x3[:1, :1], T(2.)):
        tell(lambda: L.solve(x, y), lambda: L.solve(x, y, left=False), lambda: L.lstsq(x, y).solution)
        tell(lambda: L.solve_triangular(x, y, upper=True, left=False), lambda: L.tensorsolve(x, y))
        tell(lambda: L.cross(x, y))
    tell(lambda: L.cond(y), lambda: L.cond(y, 1), lambda: L.cond(y, 'nuc'), lambda: L.cond(y, 3), lambda: L.pinv(y))
    tell(lambda: L.matrix_rank(y), lambda: L.matrix_rank(y, hermitian=True), lambda: L.tensorinv(y))
    for order in (1, 2, 'nuc', 'fro', 3):
        tell(lambda: L.matrix_norm(y, order), lambda: L.matrix_norm(y, order, (0, 5)))
        tell(lambda: L.matrix_norm(y, order, (0,)))
        tell(lambda: L.matrix_norm(y, order, dtype=torch.int64), lambda: L.matrix_norm(y, order, -1))
        tell(lambda: L.matrix_norm(y, order, dtype=torch.float32), lambda: L.norm(y, order, (0, 1)))
    tell(lambda: torch.bmm(three[:, :0], three.float()), lambda: torch.cdist(half, x3[:0]))
    tell(lambda: torch.cdist(x3[:0], y))
""",
    "matrices without an inverse or a Cholesky factor": GIVEN
    + """
zero, same = torch.zeros(2, 2, dtype=d), T([[1., 2.], [2., 4.]])
minus = T([[4., 2., 1.], [2., -5., 3.], [1., 3., 6.]])
for x in (zero, same, torch.stack([torch.eye(2, dtype=d), same]), x3, x3.T, minus, torch.ones(10, 10, dtype=d)):
    for f in (L.inv, L.inv_ex, L.cholesky, L.cholesky_ex, lambda x: L.solve(x, x), lambda x: L.solve_ex(x, x),
              lambda x: L.cholesky_ex(x, upper=True), lambda x: L.cholesky(x, upper=True), lambda x: L.cond(x, 1),
              lambda x: L.inv_ex(x, check_errors=True), lambda x: L.solve_ex(x, x, check_errors=True),
              lambda x: L.cholesky_ex(x, check_errors=True), lambda x: L.matrix_power(x, 0), torch.inverse):
        tell(lambda: f(x))
x = x3.clone().requires_grad_()
for f in (L.cholesky, lambda x: L.cholesky(x, upper=True)):
    y = f(x)
    print(torch.autograd.grad((y * y.cos()).sum(), x)[0].tolist())
""",
    "factors of matrices that are not square, and what least squares leave": GIVEN
    + """
for m in (x3, x3[:2], x3[:, :2], torch.ones(3, 0, dtype=d), torch.stack([x3[:2], x3[1:]])):
    x = m.clone().requires_grad_()
    for f in (L.lu, L.lu_factor):
        made = [each for each in f(x) if each.requires_grad]
        graph(made[0])
        print(torch.autograd.grad(sum((each * each.sin()).sum() for each in made), x)[0].tolist())
for driver in ("gels", "gelsd", "gelss", "gelsy", None):
    for b in (x3[:, 1:], T([1., 2., 4.])):
        x, y = x3[:, :2].clone().requires_grad_(), b.clone().requires_grad_()
        try:
            made = L.lstsq(x, y, driver=driver)
        except Exception as e:
            print(type(e).__name__, e)
            continue
        for each in made: show("r", each)
        print(made[0].stride(), made[0]._version, made[2]._version)
        print(torch.autograd.grad(made[0].sum() + made[1].sum(), (x, y)))
tell(lambda: L.lstsq(x3, x3, driver="abc"), lambda: L.lstsq(torch.ones(3, 2), torch.ones(3, 2), driver="gels"))
""",
    "a product over all dims of what does not lie in one piece is a sum": GIVEN
    + """
a, b = x3[:2].clone().requires_grad_(), x3[:, :2].clone().requires_grad_()
s = x3.clone().requires_grad_()
for x, y, dims in ((s, s, ([0, 1], [1, 0])), (s, s, ([0, 1], [0, 1])), (a, b, ([0, 1], [1, 0])), (s.T, s, 2),
                   (a[:1], a[:1], ([1], [1])), (a[:1], a[0], ([1], [0])), (a[0], a[:1].T, ([0], [0])),
                   (a[:1, :1], a[0, 0], 0), (a[0, 0], a[0, 0], 0), (s[:1, None], s[0], ([2], [0]))):
    r = torch.tensordot(x, y, dims)
    show("r", r)
    graph(r)
for x, y, dims in ((a, b.float(), ([0], [0, 1])), (a, T(1.), ([0], [0])), (T(1.), a, ([5], [0])), (a, b, ([0], [0]))):
    tell(lambda: torch.tensordot(x, y, dims))
""",
    "nodes of several results of which one is asked for": GIVEN
    + """
x = x3.clone().requires_grad_()
for f in (L.svdvals, L.eigvalsh, L.svd, lambda x: L.lstsq(x, x), lambda x: L.eigh(x)[1], L.qr, L.det, L.slogdet,
          lambda x: torch.group_norm(x[None], 3), lambda x: F.layer_norm(x, (3,))):
    r = f(x)
    r = r if isinstance(r, torch.Tensor) else r[0] if r[0].requires_grad else r[1]
    r.grad_fn.register_prehook(lambda gs: print("came", said(gs)))
    r.grad_fn.register_prehook(lambda gs: tuple(None if g is None else g * 2 for g in gs))
    r.grad_fn.register_hook(lambda sent, came: print("sent", said(sent), said(came)))
    print(torch.autograd.grad(r.sum(), x)[0].tolist())
""",
    "incomplete gamma functions of whole numbers": GIVEN
    + """
for kind in (torch.int64, torch.uint8, torch.bool, torch.float32, d):
    for f in (torch.igamma, torch.igammac):
        b = T([2., .5, 12., 35., 220., 3., 1.5], requires_grad=True)
        a = torch.tensor([0., 1., 20., 20., 150., 5., 3.]).to(kind)
        tell(lambda: f(a, b), lambda: torch.autograd.grad(f(a, b).sum(), b)[0])
""",
}
