# -*- coding: utf-8 -*-
# 旧版教程 (PyTorch 0.3 风格), 在新版本上运行
from __future__ import print_function
import torch
from torch.autograd import Variable
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

x = Variable(torch.ones(2, 2), requires_grad=True)
print(x)
y = x + 2
print(y)
print(y.creator if hasattr(y, 'creator') else y.grad_fn)
z = y * y * 3
out = z.mean()
print(z, out)
out.backward()
print(x.grad)
print(x.grad.data, x.grad.volatile if hasattr(x.grad, 'volatile') else '没有 volatile')
x = torch.randn(3)
torch.manual_seed(1)
x = Variable(torch.randn(3), requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
print(y)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)
print(x.grad)
try:
    y.backward(gradients)
except RuntimeError as e:
    print('错误:', e)
try:
    loss = y.sum()
    print(loss.data[0])
except IndexError as e:
    print('错误:', e)
a = Variable(torch.Tensor([2]), requires_grad=True)
b = Variable(torch.Tensor([3]))
c = a * b
c.backward(retain_variables=True) if False else c.backward(retain_graph=True)
print(a.grad, b.grad, c.grad)
try:
    c.backward(retain_variables=True)
except TypeError as e:
    print('错误:', e)
v = Variable(torch.ones(1), volatile=True)
print(v.requires_grad)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc1 = nn.Linear(4, 6)
        self.fc2 = nn.Linear(6, 3)

    def forward(self, x):
        x = F.tanh(self.fc1(x))
        x = F.sigmoid(self.fc2(x))
        return F.log_softmax(x)


net = Net()
opt = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
criterion = nn.NLLLoss(size_average=True)
inp = Variable(torch.randn(5, 4))
tgt = Variable(torch.LongTensor([0, 2, 1, 1, 0]))
for epoch in range(3):
    opt.zero_grad()
    output = net(inp)
    loss = criterion(output, tgt)
    loss.backward()
    nn.utils.clip_grad_norm(net.parameters(), 1.0)
    opt.step()
    print('epoch: {}, loss: {:.4f}'.format(epoch, loss.data.item()))
_, pred = torch.max(output.data, 1)
print('准确率:', (pred == tgt.data).sum(), type(pred), isinstance(pred, Variable), type(Variable(pred)))
print(list(net.parameters())[0].data.type(), isinstance(net.fc1.weight, Variable))


class OldStyle(torch.autograd.Function):
    def forward(self, inp):
        self.save_for_backward(inp)
        return inp.clamp(min=0)

    def backward(self, grad_output):
        inp, = self.saved_tensors
        g = grad_output.clone()
        g[inp < 0] = 0
        return g


try:
    print(OldStyle()(inp))
except RuntimeError as e:
    print('错误:', e)
w = torch.nn.init.xavier_uniform(torch.empty(2, 2))
print(w.shape)
k = nn.init.normal(torch.empty(2), std=1e-3)
print(F.softmax(Variable(torch.FloatTensor([[1, 2]]))))
print(F.mse_loss(a, b, size_average=False), F.mse_loss(a, b, reduce=False))
print(torch.autograd.Variable(torch.ones(2)).type(), Variable(a).requires_grad, Variable(a, requires_grad=True) is a)
try:
    Variable(3)
except TypeError as e:
    print(e)
try:
    Variable(torch.LongTensor([1]), requires_grad=True)
except RuntimeError as e:
    print(e)
try:
    x.data.numpy()
    x.numpy()
except RuntimeError as e:
    print(e)
print(torch.Tensor([1, 2]).expand_as(torch.Tensor(3, 2)).size(), x.data.storage().size())
h = x.register_hook(lambda g: print('钩子', g))
(x * 2).backward(torch.ones(3))
h.remove()
print(x.grad.data.zero_())
x.data.add_(-0.1, x.grad.data)
print(x.dim(), x.is_leaf, x.output_nr)
