import torch, torch.nn as nn
torch.manual_seed(0)
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 1)
    def forward(self, x):
        return self.b(torch.relu(self.a(x)))
class Nest(nn.Module):
    def forward(self, x):
        return {'y': x * 2}
class Tup(nn.Module):
    def forward(self, x):
        return x * 2, x * 3
class NoT(nn.Module):
    def forward(self, x):
        return [x * 2, x + 1]
class One(nn.Module):
    def forward(self, x):
        return x * 2
class Dct(nn.Module):
    def forward(self, d):
        return d['x'] * 2
class Leaf(nn.Module):
    def forward(self, x):
        return x
def hook(m, gi, go):
    print(type(m).__name__, gi, go)
x = torch.ones(1, 2, requires_grad=True)
n = Two(); n.register_backward_hook(hook)
n(x).sum().backward()
n(x).sum().backward()
n = Two(); n.a.register_backward_hook(hook); n.b.register_backward_hook(hook)
n(x).sum().backward()
n = One(); n.register_backward_hook(hook)
n(x).sum().backward()
n = Nest(); n.register_backward_hook(hook)
n(x)['y'].sum().backward()
n = Tup(); n.register_backward_hook(hook)
sum(t.sum() for t in n(x)).backward()
n = NoT(); n.register_backward_hook(hook)
sum(t.sum() for t in n(x)).backward()
n = Dct(); n.register_backward_hook(hook)
n({'x': x}).sum().backward()
n = Leaf(); n.register_backward_hook(hook)
n(x).sum().backward()
n = Two(); n.register_full_backward_hook(hook)
n(torch.ones(1, 2)).sum().backward()
n(x).sum().backward()
n = nn.Sequential(nn.Linear(2, 2), nn.ReLU()); n.register_backward_hook(hook)
n(x).sum().backward()
c = nn.Conv2d(1, 1, 2); c.register_backward_hook(hook)
c(torch.ones(1, 1, 3, 3)).sum().backward()
r = nn.ReLU(); r.register_backward_hook(hook)
r(x).sum().backward()
l = nn.Linear(2, 2); l.register_backward_hook(hook)
try:
    l.register_full_backward_hook(hook)
except RuntimeError as e:
    print(e)
b = nn.BatchNorm1d(2); b.register_backward_hook(hook)
b(torch.ones(3, 2)).sum().backward()
ls = nn.LSTM(2, 2); ls.register_backward_hook(hook)
ls(torch.ones(1, 1, 2))[0].sum().backward()


# the numbers of handles
t = torch.ones(3, requires_grad=True)
m = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
for each in m:
    each.register_full_backward_hook(lambda *_: None)
m(t).sum().backward()
handle = t.register_hook(print)
print(handle.id, list(t._backward_hooks))
