import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

x=torch.ones(2,3,requires_grad=True)
y=x*2
y.zero_()
print(y)
y.sum().backward()
print(x.grad)
x=torch.ones(2,3,requires_grad=True)
y=x*2
y.fill_(3.5)
print(y)
y.sum().backward()
print(x.grad)
w=torch.tensor(2.,requires_grad=True)
y=x*2
y.fill_(w)
print(y)
(y*y).sum().backward()
print(w.grad,x.grad)
v=torch.ones(3,requires_grad=True)
y=torch.zeros(2,3)
y.copy_(v)
print(y, y.requires_grad)
(y*3).sum().backward()
print(v.grad)
y=x*2
y[0].zero_()
print(y)
y[:,1].fill_(5)
print(y)
y[1].copy_(v)
print(y)
y.sum().backward()
print(x.grad,v.grad)
show(lambda: x.zero_())
show(lambda: torch.zeros(2).copy_(torch.zeros(3)))
show(lambda: torch.zeros(2).fill_(torch.ones(2)))
show(lambda: torch.zeros(2,dtype=torch.long).fill_(2.7))
show(lambda: torch.zeros(2).copy_(torch.tensor([1,2])))
show(lambda: torch.zeros(2,dtype=torch.long).copy_(torch.tensor([1.7,2.2])))
with torch.no_grad():
    x.zero_()
    print(x)
    x.copy_(torch.arange(6.).view(2,3))
    print(x)
    x.fill_(1)
a=torch.zeros(3)
a[1:].fill_(2)
print(a)
torch.zero_(a)
print(a)
torch.fill_(a,3)
print(a)
