import torch, numpy as np
a = torch.ones(5)
b = a.numpy()
a.add_(1)
print(a, b)
b[0] = 7
print(a)
c = np.ones(5)
d = torch.from_numpy(c)
np.add(c, 1, out=c)
print(c, d)
c += 1
print(d)
d.mul_(2)
print(c)
e = torch.as_tensor(c); e[0] = -1; print(c)
f = torch.tensor(c); f[0] = 99; print(c)
g = torch.ones(2, 2); h = g.numpy(); g[0, 0] = 5; print(h); g.t()[1, 0] = 8; print(h)
w = torch.ones(2, requires_grad=True)
wn = w.detach().numpy()
with torch.no_grad():
    w -= 0.5
print(wn, w)
