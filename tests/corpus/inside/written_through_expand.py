import torch
e = torch.zeros(1, 3).expand(2, 3); e[0, 0] = 1; print(e)
b = torch.arange(3.); e = b.expand(2, 3); e[1, 2] = 9; print(e, b)
def st(t,i,v): t[i]=v
for f in (lambda: st(e, 0, 5.), lambda: st(e, (slice(None), 0), 5.), lambda: e.add_(1), lambda: st(e, slice(None), 1.), lambda: e.fill_(2.), lambda: e.zero_(), lambda: e[0].mul_(2), lambda: e.t()[0,0].add_(4)):
    try:
        f(); print(e, b)
    except RuntimeError as x: print(x)
c = torch.zeros(3, 1).expand(3, 4)
c[1, 2] = 7; print(c, c._version, c._base)
d = torch.broadcast_to(torch.tensor(1.), (2, 2))
try:
    d[0] = 2
except RuntimeError as x: print(x)
d[0, 0] = 5; print(d)
