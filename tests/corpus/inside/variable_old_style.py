# -*- coding: utf-8 -*-
# 변수와 그래디언트: 옛날 코드
from __future__ import print_function
import torch
from torch.autograd import Variable

x = Variable(torch.FloatTensor([[1, 2], [3, 4]]), requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
print('x', x)
print('y', y)
print('z', z, 'out', out)
out.backward()
print(x.grad)
print(x.grad.data)

a = Variable(torch.ones(3), requires_grad=True)
b = a * 2
while b.data.norm() < 1000:
    b = b * 2
print(b)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
b.backward(gradients)
print(a.grad)
print(b.grad_fn is not None, b.grad_fn.next_functions[0][0].__class__.__name__)
v = Variable(torch.randn(2), volatile=True)
