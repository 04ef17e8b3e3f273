# Everything about hooks, by example. (course notes, lab 5)
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(5)
x = torch.tensor([1., 2., 3.], requires_grad=True)


def show(name):
    def hook(grad):
        print(f"[{name}] {grad}")
    return hook


def double(grad):
    return grad * 2


y = x ** 2
h1 = y.register_hook(show("y"))
h2 = y.register_hook(double)
h3 = y.register_hook(show("y after double"))
z = y.sum()
z.register_hook(show("z"))
x.register_hook(show("x"))
x.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
z.backward(retain_graph=True)
h2.remove()
z.backward()
print(x.grad, h1, sep="\n")
print(x._backward_hooks, y._backward_hooks is not None, len(y._backward_hooks))


def attempt(f):
    try:
        r = f()
        print("returned", r)
    except Exception as e:
        print(f"{type(e).__name__}: {e}")


attempt(lambda: torch.ones(2).register_hook(print))
attempt(lambda: y.register_post_accumulate_grad_hook(print))
attempt(lambda: torch.ones(2).register_post_accumulate_grad_hook(print))
attempt(lambda: x.register_hook(3))
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: g[:1])
attempt(lambda: (w * 2).sum().backward())
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: "abc")
attempt(lambda: (w * 2).sum().backward())
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: g.double())
attempt(lambda: (w * 2).sum().backward())
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda: None)
attempt(lambda: (w * 2).sum().backward())
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: 1 / 0)
attempt(lambda: (w * 2).sum().backward())
print(w.grad)
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: g.mul_(10))
v = w * 3
v.retain_grad()
v.sum().backward()
print(w.grad, v.grad)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        x = F.relu(self.conv(x))
        return self.fc(x.flatten(1))


net = Net()
acts, grads = {}, {}


def save(name):
    def fwd(module, inp, out):
        acts[name] = out.detach()
        print(f"fwd {name}: {module.__class__.__name__} in={[tuple(i.shape) for i in inp]} out={tuple(out.shape)}")
    return fwd


def saveg(name):
    def bwd(module, gin, gout):
        grads[name] = gout[0]
        print(f"bwd {name}: gin={[None if g is None else tuple(g.shape) for g in gin]} gout={[tuple(g.shape) for g in gout]}")
    return bwd


handles = []
for n, m in net.named_children():
    handles.append(m.register_forward_hook(save(n)))
    handles.append(m.register_full_backward_hook(saveg(n)))
    handles.append(m.register_full_backward_pre_hook(lambda m, go: print("pre", type(m).__name__, go[0].abs().sum())))
    handles.append(m.register_forward_pre_hook(lambda m, inp: print("going into", m)))
img = torch.randn(1, 1, 4, 4)
out = net(img)
out[0, 1].backward()
print(sorted(acts), sorted(grads), grads["fc"])
for h in handles:
    h.remove()
print(net.conv._forward_hooks, net.fc._backward_hooks)
# gradcam
cam = (acts["conv"] * grads["conv"].mean((2, 3), keepdim=True)).sum(1).relu()
print(cam)
# bad hooks
hh = net.fc.register_forward_hook(lambda m, i, o: o[0])
attempt(lambda: net(img).shape)
hh.remove()
hh = net.fc.register_forward_hook(lambda m, i: None)
attempt(lambda: net(img).shape)
hh.remove()
hh = net.fc.register_forward_pre_hook(lambda m, i: i[0] * 0)
attempt(lambda: net(img))
hh.remove()
hh = net.fc.register_full_backward_hook(lambda m, gi, go: (gi[0] * 0, gi[0]))
attempt(lambda: net(img).sum().backward())
hh.remove()
hh = net.fc.register_full_backward_hook(lambda m, gi, go: gi[0] * 0)
attempt(lambda: net(img).sum().backward())
hh.remove()
attempt(lambda: net.fc.register_backward_hook(print))
attempt(lambda: net.fc.register_full_backward_hook(print))
net.fc._backward_hooks.clear()
inpl = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
inpl[0].register_full_backward_hook(lambda m, gi, go: None)
attempt(lambda: inpl(torch.randn(1, 2)).sum().backward())
attempt(lambda: inpl(torch.randn(1, 2, requires_grad=True)).sum().backward())
torch.autograd.graph.register_multi_grad_hook((x, w), lambda gs: print("all", [None if g is None else g.tolist() for g in gs]))
(x.sum() * 2).backward()
attempt(lambda: torch.autograd.graph.register_multi_grad_hook((x,), print, mode="some"))
