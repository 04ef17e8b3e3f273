"""Results written into memory that is read too, and writing where there are no places: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

INTO = {
    "totals, products and joins look at the memory of out= each in its own way": """
D = torch.float64
def new(*s): return (torch.arange(1., 1 + torch.Size(s).numel(), dtype=D) * 0.25).view(s)
calls = {
    'add': lambda a, b, o: torch.add(a, b, out=o), 'sum': lambda a, b, o: torch.sum(a, 0, out=o), 'mean': lambda a, b, o: torch.mean(a, 0, keepdim=True, out=o), 'prod': lambda a, b, o: torch.prod(a, 0, out=o),
    'mm': lambda a, b, o: torch.mm(a, b, out=o), 'matmul': lambda a, b, o: torch.matmul(a, b, out=o), 'cumsum': lambda a, b, o: torch.cumsum(a, 0, out=o), 'neg': lambda a, b, o: torch.neg(a, out=o),
    'cat': lambda a, b, o: torch.cat([a, b], out=o), 'stack': lambda a, b, o: torch.stack([a, b], out=o), 'select': lambda a, b, o: torch.index_select(a, 0, torch.tensor([0, 0]), out=o), 'addmm': lambda a, b, o: torch.addmm(a, b, b, out=o),
}
outs = {'a': lambda a, b: a, 'a0': lambda a, b: a[0], 'aT': lambda a, b: a.mT, 'part': lambda a, b: a[:, ::2], 'row': lambda a, b: a[:1], 'more': lambda a, b: a[None], 'flat': lambda a, b: a.view(-1), 'b': lambda a, b: b, 'data': lambda a, b: a.data, 'moved': lambda a, b: a.movedim(0, -1)}
for n, f in calls.items():
    for s in ((2, 3), (3, 3), (1, 1), (0, 3)):
        for m, g in outs.items() if n != 'stack' or 0 not in s else ():
            a, b = new(*s), new(*s)
            try:
                o = g(a, b)
                f(a, b, o)
                print(n, s, m, o.tolist(), a.tolist(), o._version)
            except Exception as e:
                print(n, s, m, type(e).__name__, e, tuple(o.shape))
""",
    "a vector that becomes its own product is no vector any more": """
for d in (torch.float64, torch.bool):
    row, square = torch.ones(1, 2, dtype=torch.float64), torch.ones(2, 2, dtype=torch.float64)
    torch.mm(row, square, out=row if d is torch.bool else square)
    print(row.tolist(), square.tolist())
    a = torch.tensor([1.0, 2.0], dtype=torch.float64)
    for o in (a, torch.zeros(0, dtype=d)):
        try:
            torch.matmul(a, a, out=o)
            show('o', o)
        except Exception as e:
            print(type(e).__name__, e)
""",
    "slabs are added after a look at sizes, then at memory, then at places; an empty tensor has no places": """
def tell(*acts):
    for act in acts:
        try:
            show('out', act())
        except Exception as e:
            print(type(e).__name__, e)
two, none = torch.tensor([0, 0]), torch.tensor([], dtype=torch.int64)
for s in ((3,), (2,), (2, 3), (3, 3), (1,), (), (0,), (0, 3)):
    x = torch.arange(1., 1 + torch.Size(s).numel()).view(s)
    tell(lambda: x.index_add_(0, two, x), lambda: x.index_add_(0, two, x.mT if x.ndim > 1 else x), lambda: x.index_add_(0, two + 5, x), lambda: x.index_copy_(0, two, x))
for s in ((0,), (0, 3), (2, 0), (0, 0)):
    for dim in range(len(s)):
        tell(*(lambda i=i: torch.zeros(s).index_fill_(dim, i, 0.5) for i in (two[:1], two, none, two - 1, two + 3)))
""",
    "what shows nothing of its memory grows where it lies": """
D=torch.float64
for w in range(3):
    t5=torch.tensor([1.5],dtype=D); t9=t5.expand(2,3)
    if w==1: t5=torch.zeros(0,dtype=D); t9=torch.ones(2,3,dtype=D); t9.data=t5.data.expand(0) if 0 else t9
    if w==2: t9=torch.full((2,3),1.5,dtype=D); t5=t9[0][:0]
    for f in (torch.prod,torch.sum):
        try: print(f(t9,0,out=t5), t5._version)
        except Exception as e: print(type(e).__name__,e)
""",
    "each kernel with out= refuses gradients and dtypes in words of its own": """
a, r, q = torch.ones(2, 2), torch.ones(2), torch.ones(4)
forms = (
    lambda o: torch.arange(4., out=o), lambda o: torch.ones(2,2,out=o), lambda o: torch.linspace(0,1,4,out=o),
    lambda o: torch.diag(r,out=o), lambda o: torch.add(a,1,out=o),
    lambda o: torch.take(q, torch.tensor([[0,1],[2,3]]), out=o), lambda o: torch.any(a,0,out=o),
    lambda o: torch.all(a,out=o), lambda o: torch.tensordot(a,a,1,out=o),
    lambda o: torch.hstack((torch.ones(2,1),torch.ones(2,1)),out=o), lambda o: torch.dstack((r,r),out=o),
    lambda o: torch.cat((torch.ones(1,2),torch.ones(1,2)),out=o), lambda o: torch.stack((r,r),out=o),
    lambda o: torch.isin(a,r,out=o), lambda o: torch.eq(a,1,out=o), lambda o: torch.logical_and(a,a,out=o),
    lambda o: torch.isposinf(a,out=o), lambda o: torch.signbit(a,out=o), lambda o: torch.argmax(a,0,out=o),
    lambda o: torch.bucketize(a,r,out=o), lambda o: torch.searchsorted(r,a,out=o), lambda o: torch.nonzero(r,out=o),
    lambda o: torch.masked_select(a,a>0,out=o), lambda o: torch.histc(q,4,out=o),
    lambda o: torch.bernoulli(a,out=o),
    lambda o: torch.normal(a,torch.zeros(2,2),out=o),
    lambda o: torch.bitwise_and(torch.ones(2,2,dtype=torch.int),1,out=o), lambda o: torch.heaviside(a,a,out=o),
    lambda o: torch.floor_divide(a,2,out=o),
    lambda o: torch.gcd(torch.ones(2,2,dtype=torch.int),torch.ones(2,2,dtype=torch.int),out=o),
    lambda o: torch.mv(a,r,out=o), lambda o: torch.outer(r,r,out=o),
    lambda o: torch.dot(r,r,out=o), lambda o: torch.inner(r,r,out=o), lambda o: torch.matmul(a,a,out=o),
    lambda o: torch.mean(a,0,out=o), lambda o: torch.sum(a,0,out=o), lambda o: torch.std(a,0,out=o),
    lambda o: torch.norm(a,out=o), lambda o: torch.cumsum(a,0,out=o),
    lambda o: torch.gather(a,0,torch.zeros(2,2,dtype=torch.long),out=o),
    lambda o: torch.index_select(a,0,torch.tensor([0,1]),out=o), lambda o: torch.clamp(a,0,1,out=o),
    lambda o: torch.nan_to_num(a,out=o), lambda o: torch.hypot(a,a,out=o), lambda o: torch.addmm(a,a,a,out=o),
    lambda o: torch.amax(a,0,out=o), lambda o: torch.softmax(a,0,out=o),
)
def leaf(*size): return torch.ones(size, requires_grad=True)
kinds = (
    lambda: leaf(2, 2), lambda: leaf(2, 2) * 1, lambda: leaf(3) * 1, lambda: (leaf(4, 4) * 1)[:2, :2], lambda: a.int(),
    lambda: a.double(), lambda: a > 0, lambda: torch.ones(1, 2).expand(2, 2), lambda: leaf(2, 2).double() * 1,
)
def told(form, o):
    form(o)
    return o.tolist(), o.stride(), o._version, o.requires_grad, o.grad_fn and o.grad_fn.name()
for i, form in enumerate(forms):
    for j, kind in enumerate(kinds):
        o = kind()
        try:
            print(i, j, told(form, o))
            if o.grad_fn: o.sum().backward()
        except Exception as e: print(i, j, type(e).__name__, e)
""",
    "what a kernel without a formula is to write into becomes the result of no derivative": """
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, e)
def res(o, L=None):
    g = lambda f: f and (f.name(), [n[0] and n[0].name() for n in f.next_functions])
    return o.requires_grad, o.is_leaf, o._version, g(o.grad_fn)
lf = lambda *n: torch.ones(n).requires_grad_()
for name, f in {"fd": lambda a, o: torch.floor_divide(a, torch.ones(2,2), out=o), "heav": lambda a, o: torch.heaviside(a, torch.ones(2,2), out=o), "softmax": lambda a, o: torch.softmax(a, 0, out=o), "diag": lambda a, o: torch.diag(a[0], out=o), "diag2": lambda a, o: torch.diag(a, out=o), "logsoft": lambda a, o: torch.log_softmax(a, 0, out=o), "ones": lambda a, o: torch.ones(2,2,out=o)}.items():
    x = lf(2,2); y = x*1
    t((name, "in leaf, out plain"), lambda: res(f(x, torch.ones(2,2))))
    t((name, "in res, out plain"), lambda: res(f(y, torch.ones(2,2))))
    t((name, "in plain, out leaf"), lambda: res(f(torch.ones(2,2), x)))
    t((name, "in plain, out res"), lambda: res(f(torch.ones(2,2), x*1)))
    t((name, "in leaf, out res"), lambda: res(f(x, x*1)))
    if name != "diag": t((name, "out is in"), lambda: res(f(y, y)))
    y = x*1
    t((name, "out view of res"), lambda: (res(f(torch.ones(2,2), y[:])), res(y)))
    t((name, "out view2 of res"), lambda: (res(f(torch.ones(2,2), y.t())), res(y)))
    t((name, "out view of leaf"), lambda: (res(f(torch.ones(2,2), x[:])), res(x)))
    t((name, "out detached"), lambda: (res(f(torch.ones(2,2), x.detach())), res(x)))
    y = x*1; z = y*y
    t((name, "saved"), lambda: (res(f(torch.ones(2,2), y)), z.sum().backward()))
    y = x*1; y.retain_grad()
    def bw():
        f(torch.ones(2,2), y); (y*2).sum().backward()
    t((name, "backward"), bw)
    y = x*1
    t((name, "grad of y"), lambda: (f(torch.ones(2,2), y), torch.autograd.grad(y.sum(), y))[1])
    y = x*1
    t((name, "size"), lambda: (res(f(torch.ones(2,2), lf(5)*1))))
    y = (x*1)
    v = y[0]
    t((name, "views after"), lambda: (f(torch.ones(2,2), y), res(v), res(y)))
    y = (x*1); v = y.view(4)
    t((name, "views base"), lambda: (f(torch.ones(2,2), y.view(2,2)), res(v), res(y)))
""",
    "totals that are written into what they read": """
def tell(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
def into_itself(name, size, dtype, **options):
    y = torch.full(size, 1, dtype=dtype)
    getattr(torch, name)(y, 0, out=y, **options)
    return name, size, y, y._version
for name in ("sum", "prod", "nansum", "amax", "amin", "logsumexp", "var", "std"):
    for size in ((), (1,), (2,), (1, 1), (2, 2)):
        for dtype in (torch.float64, torch.int64, torch.uint8):
            tell(lambda: into_itself(name, size, dtype))
            tell(lambda: into_itself(name, size, dtype, keepdim=True))
    tell(lambda: into_itself("nanmean", size, torch.float64))
x = torch.tensor([[1., 2, 3], [4, 5, 6]])
for size in ((2, 3), (3,), (0,)):
    for f in (lambda z: torch.nanmean(x, 0, out=z), lambda z: torch.kron(x, x[:1, :1], out=z),
              lambda z: torch.empty(2, 3, out=z), lambda z: torch.randn(2, 3, out=z), lambda z: torch.zeros(2, 3, out=z),
              lambda z: torch.float_power(x, 2, out=z), lambda z: torch.outer(x, x, out=z)):
        z = torch.zeros(size)
        try: f(z)
        except Exception as e: print(e)
        print(tuple(z.shape), z._version)
""",
    "numbers and their places look at the dtypes of what they are written into": """
for x in (torch.ones(2, 3).half(), torch.ones(2, 3).bool(), torch.ones(2, 3, dtype=torch.int64), torch.ones(2, 3)):
    for o in (x, torch.zeros(2, 3, dtype=torch.float64), torch.zeros(3).bool(), torch.zeros(0).half()):
        for i in (torch.zeros(0, dtype=torch.int64), torch.zeros(0)):
            for name in ("median", "nanmedian", "mode", "kthvalue", "topk", "max", "min", "sort", "cummax", "cummin"):
                o, i = torch.zeros(0, dtype=o.dtype), torch.zeros(0, dtype=i.dtype)
                try: print(name, getattr(torch, name)(x, 1, out=(o, i)))
                except Exception as e: print(name, type(e).__name__, e)
        for name in ("ceil", "floor", "bitwise_not", "all", "any"):
            try: print(name, getattr(torch, name)(x, out=torch.zeros(0, dtype=o.dtype)))
            except Exception as e: print(name, type(e).__name__, e)
t = torch.zeros(2).bool()
try: torch.clamp(t, -0.5, 0.5, out=t)
except Exception as e: print(e)
""",
    "what takes a gradient is copied into whole numbers": """
f, f3 = torch.ones(1, requires_grad=True), torch.ones(3, requires_grad=True)
for make in (lambda: torch.tensor([2]), lambda: torch.tensor([2, 3]), lambda: torch.ones(5, requires_grad=True).topk(2)[1], lambda: torch.ones(2) > 0):
    for index, value in ((slice(1, None), f), (slice(0, None), f), (0, f[0]), (slice(1, 1), f), (slice(1, 1), f3), ((slice(0, 0), None), f3), (..., f)):
        t = make()
        try:
            t[index] = value
            show('t', t)
            print(t._version)
        except RuntimeError as e:
            print(e)
""",
    "what is written into has got its room where the call fails late": """
def t(*s): return torch.arange(1., 1 + torch.Size(s).numel()).reshape(s)
x, far, none = t(2, 3), torch.tensor([[7]]), torch.tensor([1.])
pairs = (((1,1,1,1,2), (1,2)), ((1,1,1,1,2), (1,1,2)), ((2,), (3,)), ((2,3), (2,3)), ((2,), (3,2)), ((2,2,3), (2,2,3)), ((4,2,3), (2,3,1)), ((2,2,3), (2,)), ((2,), (2,2,3,3)), ((2,2), (2,3,2)), ((0,2), (3,4)))
calls = [(op, (t(*a), t(*b))) for op in (torch.matmul, torch.mm, torch.bmm, torch.dot, torch.vdot, torch.inner, torch.outer, torch.bitwise_and) for a, b in pairs]
calls += [(torch.addmm, (t(*a), t(2, 3), t(3, 2))) for a in ((3, 2), (5,), (2, 2), (2, 2, 2))]
calls += [(torch.gather, (x, 1, far)), (torch.gather, (x, 1, far[0])), (torch.gather, (x, 4, far)), (torch.gather, (x, 0, far.expand(1, 4))), (torch.take, (x, far)), (torch.index_select, (x, 0, far[0])),
          (torch.scatter, (x, 0, far, t(1, 1))), (torch.scatter_add, (x, 0, far, t(1, 1))), (torch.scatter_reduce, (x, 0, far, t(1, 1), 'sum')), (torch.index_add, (x, 0, far[0], t(1, 3))), (torch.index_copy, (x, 0, far[0], t(1, 3))), (torch.index_reduce, (x, 0, far[0], t(1, 3), 'prod')),
          (torch.bernoulli, (x,)), (torch.bitwise_not, (x,)), (torch.sum, (x, 4)), (torch.cat, ([x, t(2, 2)],))]
for op, given in calls:
    for o in (torch.zeros(1), torch.zeros(0), torch.zeros(3, 3)):
        try: print(op.__name__, op(*given, out=o).shape)
        except Exception as e: print(op.__name__, type(e).__name__, str(e)[:60], o.shape, o.stride(), o._version)
for op in (torch.stack, torch.hstack, torch.vstack, torch.dstack, torch.column_stack):
    try: op([])
    except Exception as e: print(e)
for op in (torch.cummax, torch.cummin, torch.sort, torch.max):
    o = torch.zeros(1), torch.tensor([5])
    try: op(x, 4, out=o)
    except Exception as e: print(e, o)
""",
}
