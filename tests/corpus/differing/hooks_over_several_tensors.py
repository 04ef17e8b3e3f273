# forum: "How does register_multi_grad_hook work?", hooks of all sorts
import torch
import torch.nn as nn
from collections import defaultdict

torch.manual_seed(3)
x = torch.tensor([1., 2., 3.], requires_grad=True)
w = torch.tensor([0.5, -1., 2.], requires_grad=True)
b = torch.zeros(1, requires_grad=True)
log = []

def fn(grads):
    log.append([None if g is None else g.clone() for g in grads])
    print("multi:", grads)

h = torch.autograd.graph.register_multi_grad_hook((x, w, b), fn)
print(type(h).__name__)
((x * w).sum() + b).backward()
print(len(log))
(x.sum() * 2).backward()
h.remove()
(x.sum() * 2 + w.sum() + b.sum()).backward()
print(len(log), x.grad, w.grad, b.grad)

def any_fn(g):
    print("any:", g)
h2 = torch.autograd.graph.register_multi_grad_hook((x, w), any_fn, mode="any")
(x * w).prod().backward()
h2.remove()

# post accumulate
p = torch.nn.Parameter(torch.randn(3))
def step(param):
    print("accumulated", param.grad)
    with torch.no_grad():
        param.add_(param.grad, alpha=-0.1)
    param.grad = None
handle = p.register_post_accumulate_grad_hook(step)
before = p.detach().clone()
(p ** 2).sum().backward()
print(p.grad, (before * 0.8 - p).abs().max().item() < 1e-6)
handle.remove()
try:
    y = p * 2
    y.register_post_accumulate_grad_hook(lambda t: None)
except RuntimeError as e:
    print(e)
try:
    torch.ones(2).register_hook(print)
except RuntimeError as e:
    print(e)
try:
    torch.ones(2).register_post_accumulate_grad_hook(print)
except RuntimeError as e:
    print(e)

# node hooks
a = torch.tensor([1., 4.], requires_grad=True)
s = a.sqrt()
t = s.log()
def pre(gout):
    print("pre", gout)
    return (gout[0] * 10,)
def post(gin, gout):
    print("post", gin, gout)
hp = s.grad_fn.register_prehook(pre)
hq = s.grad_fn.register_hook(post)
t.sum().backward()
print(a.grad)
hp.remove(); hq.remove()
a.grad = None
s = a.sqrt()
s.register_hook(lambda g: g + 1)
s.register_hook(lambda g: g * 3)
s.retain_grad()
s.register_hook(lambda g: print("after retain", g))
s.sum().backward()
print(s.grad, a.grad)

net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
grads = defaultdict(list)
def bw(name):
    def hook(mod, gi, go):
        grads[name].append((tuple(None if g is None else tuple(g.shape) for g in gi), tuple(g.shape for g in go)))
    return hook
hs = [m.register_full_backward_hook(bw(n)) for n, m in net.named_children()]
hs.append(net.register_full_backward_pre_hook(lambda m, go: print("net pre", go)))
inp = torch.randn(5, 3)
net(inp).mean().backward()
for k, v in grads.items():
    print(k, v)
inp.requires_grad_()
net(inp).mean().backward()
print(dict(grads))
for hh in hs: hh.remove()
out = net(inp)
print(out.grad_fn.name())
try:
    out.register_hook("nope")
except TypeError as e:
    print(type(e).__name__, e)
bad = out.register_hook(lambda g: g.sum())
try:
    out.sum().backward()
except RuntimeError as e:
    print(e)
bad.remove()
bad = out.register_hook(lambda g: 3)
try:
    out.sum().backward()
except (RuntimeError, TypeError) as e:
    print(type(e), e)
