"""Parts read and written by an index of any kind, over which gradviz and PyTorch once disagreed."""

# ruff: noqa: E501 - calls read better in rows

GIVEN = """
d = torch.float64
def y(*size):
    n = 1
    for s in size:
        n *= s
    x = torch.arange(n, dtype=d).view(*size).requires_grad_() if size else torch.tensor(2., dtype=d, requires_grad=True)
    return x * 1
def tell(t, key, value):
    try:
        t[key] = value
        show('t', t)
        graph(t)
    except Exception as e:
        print(type(e).__name__, e)
w = torch.tensor([[3.]], dtype=d, requires_grad=True)
v3 = torch.tensor([1., 2., 3.], dtype=d, requires_grad=True)
i = torch.tensor([0])
al = slice(None)
"""

PARTS = {
    "a part is written as PyTorch comes to it, with a value that loses its sizes of 1 in front": GIVEN
    + """
for size, keys in (
    ((), (None, True, False, ..., (), (None, ...), -1, (..., None), torch.tensor(0), torch.tensor(True), al)),
    ((3,), (None, True, slice(-5, None), slice(0, 9), al, (al, None), ([0], None), (True, [0]), (slice(-3, None), [0]),
            (..., [0]), torch.tensor([False]), [], (True, 0))),
    ((2, 3), (None, -1, (0, al), (None, [0]), (al, [5]), (slice(-3, None), [0]), (al, [0], None, [2]), ([1], None, 0))),
):
    for key in keys:
        for value in (2., w, w[0, 0], v3, v3[None]):
            tell(y(*size), key, value)
""",
    "a part is read by the steps that PyTorch takes": GIVEN
    + """
for size, keys in (
    ((), (None, True, False, ..., (None, ...), -1, 0, (0,), (..., None), torch.tensor(0), torch.tensor(True))),
    ((3,), (None, True, slice(-5, None), slice(0, 9), al, (al, None), ([0], None), (True, [0]), (slice(-3, None), [0]),
            torch.tensor([False]), [], (True, 0), [0.5], 'a', 0.5, [None], [i], range(1), np.int64(1))),
    ((2, 3), ((al, [5]), (al, [0], None, [2]), ([1], None, 0), ([-1], slice(-7, None), None), [[0, 1], [1, 0]],
              [[True, False], [False, True]], (np.array([True, False]),), (i, 5), (i, [5]), (1, 1, 1), [al])),
):
    for key in keys:
        try:
            t = y(*size)[key]
            show('t', t)
            graph(t)
        except Exception as e:
            print(type(e).__name__, e)
""",
    "numbers put at places have the dtype of the tensor, but not where a mask is filled": GIVEN
    + """
for t in (lambda: y(2, 2), lambda: y(2, 2).detach(), lambda: y(2, 2).detach().requires_grad_(), lambda: y(2, 2)[0]):
    for key in (i, t() > 0, (al, i), (0, i), (torch.tensor(True),), (torch.tensor([True, False]), 0), (i.int(), 1),
                [[0, 1], [1, 0]], (i, [5])):
        for value in (2., torch.tensor(2.), torch.tensor([2., 3.], dtype=d), torch.tensor([1, 2, 3]), torch.tensor(3)):
            tell(t(), key, value)
t = y(2, 3).detach()
for value in ([1., 2.], (1.,), 'a', None, {}, 1j, np.float64(2), np.array([1.]), True):
    tell(t, 0, value)
    tell(t, [0], value)
""",
    "one number written at an index, and differentiated": """
D = torch.float64
for name in ("index_fill", "index_add", "index_copy", "index_select", "index_fill_", "index_add_", "index_copy_"):
    for shape in ((), (1,)):
        x = torch.full(shape, 2.0, dtype=D, requires_grad=True)
        s = torch.full(shape, 3.0, dtype=D, requires_grad=True)
        given = {"index_fill": (0.5,), "index_fill_": (0.5,), "index_select": ()}.get(name, (s,))
        out = getattr(x * 2, name)(0, torch.tensor([0]), *given)
        gs = torch.autograd.grad((out * out).sum(), (x, s), create_graph=True, allow_unused=True)
        print(name, out.tolist(), [None if g is None else (g.tolist(), g.grad_fn.name()) for g in gs])
        out.sum().backward()
        show_grad("x", x)
        show_grad("s", s)
for self, source in ((torch.ones(2, 2), torch.tensor(1.0)), (torch.ones(2), torch.tensor(1.0)), (torch.tensor(1.0), torch.ones(1))):
    for name in ("index_copy", "index_add"):
        try: print(getattr(self, name)(0, torch.tensor([0]), source))
        except Exception as e: print(type(e).__name__, e)
for shape in ((), (0,), (3,), (3, 2), (1, 2, 2)):
    try: torch.ones(shape).addmm_(torch.ones(2, 2), torch.ones(2, 2))
    except Exception as e: print(e)
""",
}
