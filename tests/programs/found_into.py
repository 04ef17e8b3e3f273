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
}
