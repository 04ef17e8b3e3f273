import torch
import torch.nn as nn
# Hooks of all kinds on modules and how people inspect models
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, d)
        self.act = nn.Tanh()
    def forward(self, x, scale=1.0, *, shift=0.0):
        return self.act(self.lin(x)) * scale + shift
class Wrap(nn.Module):
    def __init__(self):
        super().__init__()
        self.b1 = Block(3); self.b2 = Block(3)
        self.head = nn.Linear(3, 1)
    def forward(self, x):
        return self.head(self.b2(self.b1(x, scale=2.0), shift=0.1))
net = Wrap()
order = []
def fwd(name):
    def h(mod, inp, out):
        order.append(("fwd", name, type(inp).__name__, len(inp), tuple(out.shape)))
    return h
def pre(mod, args):
    order.append(("pre", mod.__class__.__name__, len(args)))
def prekw(mod, args, kwargs):
    order.append(("prekw", sorted(kwargs)))
    return args, kwargs
def bwd(mod, gin, gout):
    order.append(("bwd", mod.__class__.__name__, [None if g is None else tuple(g.shape) for g in gin], [tuple(g.shape) for g in gout]))
handles = []
for n, m in net.named_modules():
    if n:
        handles.append(m.register_forward_hook(fwd(n)))
net.b1.register_forward_pre_hook(pre)
net.b1.register_forward_pre_hook(prekw, with_kwargs=True)
net.b2.register_full_backward_hook(bwd)
net.head.register_full_backward_hook(bwd)
net.b1.lin.weight.register_hook(lambda g: order.append(("param", tuple(g.shape))))
x = torch.randn(2, 3)
y = net(x)
y.sum().backward()
for o in order: print(o)
order.clear()
for h in handles: h.remove()
def double(mod, inp, out): return out * 2
h = net.head.register_forward_hook(double)
print(net(x) / y)
h.remove()
print(net(x) / y)
with torch.no_grad():
    net.head.weight.zero_()
    net.head.bias.fill_(3)
print(net(x))
print(net._forward_hooks, len(net.b2._backward_hooks))
class Flat(nn.Module):
    def forward(self, x): return x.view(x.size(0), -1)
print(nn.Sequential(Flat(), nn.Linear(6, 2))(torch.ones(2, 2, 3)).shape, Flat())
class Lam(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f
    def forward(self, *a, **k): return self.f(*a, **k)
print(Lam(torch.add)(1 * x, x).shape, Lam(lambda z: z ** 2)(torch.tensor(3.)))
def pre_mod(mod, args): return (args[0] + 1,)
l = nn.Identity(); l.register_forward_pre_hook(pre_mod); print(l(torch.zeros(2)))
features = {}
def get_features(name):
    def hook(model, input, output):
        features[name] = output.detach()
    return hook
net.b1.act.register_forward_hook(get_features("feats"))
net(x)
print(features["feats"], features.keys())
grads = {}
def save_grad(name):
    def hook(grad): grads[name] = grad
    return hook
z = net.b1(x); z.register_hook(save_grad("z")); z.pow(2).sum().backward(); print(grads["z"])
def bad(mod, gin, gout): return (gin[0] * 2, gin[0])
l2 = nn.Linear(2, 2); l2.register_full_backward_hook(bad)
try: l2(torch.ones(1, 2, requires_grad=True)).sum().backward()
except RuntimeError as e: print(e)
