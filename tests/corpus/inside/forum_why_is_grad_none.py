# "Why is my .grad None?" -- three ways to get there
import torch

w = torch.rand(3, requires_grad=False) * 0 + 1.0
w.requires_grad = True
w2 = w * 2                      # no leaf
loss = (w2 ** 2).sum()
loss.backward()
print('leaf   :', w.is_leaf, w.grad)
print('no leaf:', w2.is_leaf, w2.grad)

v = torch.ones(3, requires_grad=True).double()   # the leaf is gone
(v * 3).sum().backward()
print(v.grad, v.dtype, v.is_leaf)

p = torch.nn.Parameter(torch.ones(2))
q = p.detach()
q.requires_grad_()
(q * 5).sum().backward()
print(p.grad, q.grad)

u = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = u * 2
print(y.requires_grad, y.grad_fn)
y.sum().backward()
