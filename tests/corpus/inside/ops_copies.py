import math
import torch
import torch.nn as nn
import torch.nn.functional as F

import copy, torch, torch.nn as nn
m=nn.Linear(2,2)
c=copy.deepcopy(m)
c.weight.data.zero_()
print(bool(m.weight.sum() != 0), c.weight, c.weight.requires_grad)
x=torch.ones(2,requires_grad=True)
y=copy.deepcopy(x)
print(y, y is x)

try: copy.deepcopy(x*2)
except RuntimeError as e: print(e)
d={'a':[1,2,{3}],'b':(1,[2])}
e=copy.deepcopy(d)
e['a'].append(5)
e['b'][1].append(9)
print(d,e)
f=copy.copy(d)
f['a'].append(7)
print(d)
sd=copy.deepcopy(m.state_dict())
print(list(sd))
a=[1]
a.append(a)
b=copy.deepcopy(a)
print(b[1] is b)
class P:
    def __init__(s): s.v=[1]
p=P()
q=copy.copy(p)
q.v.append(2)
r=copy.deepcopy(p)
r.v.append(3)
print(p.v,q.v,r.v)
