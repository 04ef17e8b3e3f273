# copy.copy and copy.deepcopy: tensors, modules, plain objects
import copy
import torch
import torch.nn as nn

torch.manual_seed(0)
a = [1, [2, 3], {'k': [4]}]
b = copy.copy(a)
c = copy.deepcopy(a)
a[1].append(9)
a[2]['k'].append(5)
print(a, b, c)

t = torch.tensor([1., 2.], requires_grad=True)
t.grad = torch.ones(2)
u = copy.deepcopy(t)
u.data[0] = 7
print(t, u, u.requires_grad, u.is_leaf, u.grad)
s = copy.copy(t)
s.data[1] = 5
print(t, s, s is t)

m = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.BatchNorm1d(3), nn.Linear(3, 1))
n = copy.deepcopy(m)
with torch.no_grad():
    n[0].weight.zero_()
print(torch.equal(m[0].weight, n[0].weight), n[0].weight, n)
print([name for name, _ in n.named_parameters()], [name for name, _ in n.named_buffers()])
x = torch.randn(4, 2)
loss = m(x).pow(2).mean()
loss.backward()
print(m[0].weight.grad is not None, n[0].weight.grad)
best = copy.deepcopy(m.state_dict())
with torch.no_grad():
    m[3].bias.add_(1)
m.load_state_dict(best)
print(m[3].bias)


class Config:
    def __init__(self):
        self.layers = [1, 2]


config = Config()
other = copy.copy(config)
deep = copy.deepcopy(config)
config.layers.append(3)
print(other.layers, deep.layers)
loop = [1]
loop.append(loop)
again = copy.deepcopy(loop)
print(again[1] is again, again)
y = t * 2
copy.deepcopy(y)
