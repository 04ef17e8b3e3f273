# -*- coding: utf-8 -*-
"""自动求导示例 — autograd 예제"""
from __future__ import print_function
import torch
import torch.nn.functional as F
from torch import nn

# 叶子节点
x = torch.tensor([[1., 2., 3.]], requires_grad=True)
w = torch.tensor([[.1], [.2], [.3]], requires_grad=True)
b = torch.zeros(1, requires_grad=True)
out = F.relu(x @ w + b)
print('out =', out)
loss = F.mse_loss(out, torch.tensor([[2.]]))
loss.backward()
for name, t in [('x', x), ('w', w), ('b', b)]:
    print('%s.grad = %s' % (name, t.grad))
    print('{}: shape={}, leaf={}'.format(name, tuple(t.shape), t.is_leaf))
print(loss.grad_fn, 'x') if 0 else None
print(out.requires_grad, loss.item(), float(loss), int(torch.tensor(3)))
print(x.grad.numpy(), x.detach().numpy().tolist())
print("{:.4f} {:>8} {!r}".format(loss.item(), 'ab', 'q'))
print([p for p in (1, 2)], (1,), {'a': 1}, {1, 2}, None, True, 1e-5, 1.0, -0.0)
print(type(x), type(1), type('s'), x.type(), x.dtype)
d = {'w': w, 'n': 3}
print(d)
print([x, w])
for i, row in enumerate(w):
    print(i, row)
a, *rest = [1, 2, 3]
print(a, rest)
s = 'abc'
print(s.upper(), s[::-1], len(s), s.replace('a', 'z'), ' '.join(['x', 'y']))
print(sorted([3, 1, 2], key=lambda v: -v), max(3, 4), min([1, 2]), sum([1, 2, 3]), abs(-3))
print(any([0, 1]), all([1, 1]), list(zip([1, 2], 'ab')), list(map(lambda q: q * 2, [1, 2])))
