import torch
import torch.nn as nn
torch.manual_seed(0)
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
h1 = y.register_hook(lambda g: print('y grad', g))
h2 = y.register_hook(lambda g: g * 10)
x.register_hook(lambda g: print('x grad', g))
z = y.sum()
z.backward(retain_graph=True)
print(x.grad)
h1.remove(); h2.remove()
x.grad = None
z.backward()
print(x.grad)

grads = {}
def save_grad(name):
    def hook(grad):
        grads[name] = grad
    return hook
a = torch.randn(2, 2, requires_grad=True)
b = a * a
c = b.mean()
b.register_hook(save_grad('b')); c.register_hook(save_grad('c'))
c.backward()
print(grads)

def fwd(module, inp, out):
    print('forward', module.__class__.__name__, [tuple(i.shape) for i in inp], tuple(out.shape))
def bwd(module, gin, gout):
    print('backward', module.__class__.__name__, [None if g is None else tuple(g.shape) for g in gin], [tuple(g.shape) for g in gout])
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
handles = [m.register_forward_hook(fwd) for m in net] + [m.register_full_backward_hook(bwd) for m in net]
out = net(torch.ones(2, 3))
out.sum().backward()
for h in handles:
    h.remove()
out = net(torch.ones(2, 3))
print(out.shape)
p = net[0].weight
p.register_post_accumulate_grad_hook(lambda t: print('accumulated', t.grad.shape))
out.sum().backward()
fn = (x * 2).sum().grad_fn
fn.register_hook(lambda gi, go: print('node', gi, go))
