import torch
base = torch.arange(6., requires_grad=True)
x = base * 1
v = x.view(2, 3)
r = v[0]
print(v._is_view(), r._base is x, x._is_view(), v._base is x)
r.mul_(10)
print(x, x._version, v._version)
print(x.grad_fn.name(), v.grad_fn.name())
x.sum().backward()
print(base.grad)
t = x.detach().t() if x.dim() == 2 else x.detach().reshape(2, 3).t()
print(t.is_contiguous(), t.stride(), t.shape)
try:
    t.view(6)
except RuntimeError as e:
    print(e)
print(t.reshape(6), t.contiguous().view(-1))
y = torch.zeros(3)
a = torch.ones(3, requires_grad=True)
y[1] = a[0] * 3
y[2:] = a[1:2]
print(y)
y.sum().backward()
print(a.grad)
e = torch.ones(1).expand(3)
try:
    e.add_(1)
except RuntimeError as err:
    print(err)
s = torch.zeros(2, 2, requires_grad=True)
k = s.clone()
k[0, 0] = 3.
k[k > 1] = 0.5
print(k, k.sum().grad_fn.name())
k.sum().backward()
print(s.grad)
s.view(4).add_(1)
