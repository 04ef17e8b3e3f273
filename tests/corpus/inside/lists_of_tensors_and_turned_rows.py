# Tensors looked for in lists, and rows of turned tensors of one row changed in place.
import torch
x = torch.tensor([3., -1., 2.]); i = torch.tensor(2); j = torch.tensor([5.])
def try_(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
def removed(l, v): l.remove(v); return l
for f in (lambda: [x, i].index(i), lambda: [x, i].index(x), lambda: [i, j].index(j), lambda: [i, j].index(5), lambda: [i, j].index(9), lambda: [1, 2, 3].index(i), lambda: [i, i, 2].count(2), lambda: [x, x].count(x), lambda: [x, x.clone()].count(x), lambda: (i, j).index(j), lambda: (i, j, i).index(i, 1), lambda: [i, j, i].index(i, 1, 2), lambda: removed([i, j], j), lambda: removed([x, i], i), lambda: removed([j, i], torch.tensor(7)), lambda: [torch.ones(2), j].index(torch.ones(3)), lambda: [torch.ones(3), torch.zeros(2)].index(torch.zeros(2)), lambda: ['a', i].index('b'), lambda: ['a', i].index(i), lambda: [None, i].index(None), lambda: [i, None].count(None)):
    try_(f)
w = torch.tensor([[1., 2.]])
def a(): w.T[0] += 3; return w
def b(): w.t()[0] += 3; return w
def c(): w[0] += 1; w[:, 0] += 1; w[None][0] += 1; w.T[:, 0] += 3; return w
def d(): v = torch.arange(3.).view(3, 1); v.T[0] += 1; v.T[0, 1] += 1; v.permute(1, 0)[0] *= 2; v.expand(3, 1)[2] += 1; return v
def e(): v = torch.zeros(1, 1, 4); v[0] += 1; v.transpose(0, 2)[0] += 1; v.transpose(0, 2)[1:3] += 1; return v
def g(): m = torch.nn.Linear(2, 1); m.weight.data.fill_(1); m.weight.data.T[0] += 3; m.weight.data **= 2; return m.weight
def h(): v = torch.arange(4.).view(2, 2); v[:] = v.T; return v
for f in (a, b, c, d, e, g, h): try_(f)
