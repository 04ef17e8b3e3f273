import torch
x = torch.tensor([0., 1., 4.], requires_grad=True)
y = torch.sqrt(x)
y.sum().backward()
print(x.grad)
x.grad = None
torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x)).sum().backward()
print(x.grad)
x.grad = None
safe = torch.where(x > 0, x, torch.ones_like(x))
torch.where(x > 0, safe.sqrt(), torch.zeros_like(x)).sum().backward()
print(x.grad)
z = torch.zeros(2, requires_grad=True)
n = z.norm()
n.backward()
print(n, z.grad)
a = torch.tensor(0., requires_grad=True)
(a.log() * 0).backward()
print(a.grad)
b = torch.tensor([1e20, -1e20], requires_grad=True)
(b * b).sum().backward()
print((b * b), b.grad)
s = torch.tensor([1000., 0.], requires_grad=True)
naive = s.exp() / s.exp().sum()
naive[0].backward()
print(naive, s.grad)
s.grad = None
torch.softmax(s, 0)[0].backward()
print(s.grad)
with torch.autograd.detect_anomaly(check_nan=True):
    w = torch.tensor(0., requires_grad=True)
    out = w.sqrt() * 0
    out.backward()
