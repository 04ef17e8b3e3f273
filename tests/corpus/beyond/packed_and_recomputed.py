"""saved_tensors_hooks and activation checkpointing: what is packed when."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(3)
log = []


def pack(t):
    log.append(("pack", tuple(t.shape)))
    return t.clone()


def unpack(t):
    log.append(("unpack", tuple(t.shape)))
    return t


a = torch.ones(5, requires_grad=True)
b = torch.ones(5, requires_grad=True) * 2
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = a * b
    z = y.exp().sum()
z.backward()
print(log)
print(a.grad)

with torch.autograd.graph.saved_tensors_hooks(lambda x: x * 3, lambda x: x):
    w = torch.tensor([2.0], requires_grad=True)
    out = w * w
print(out.grad_fn._saved_self, out)
out.backward()
print(w.grad)


def expect(label, thunk, kinds=(RuntimeError, TypeError, ValueError)):
    try:
        r = thunk()
        print(label, "=>", r)
    except kinds as e:
        print(label, "!!", type(e).__name__, e)


def bad_pack():
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x.mul_(2), lambda x: x):
        v = torch.ones(2, requires_grad=True).clone()
        return (v * v).sum()


def bad_unpack():
    with torch.autograd.graph.saved_tensors_hooks(lambda x: 4, lambda x: x):
        v = torch.ones(2, requires_grad=True)
        q = (v * v).sum()
    q.backward()


def strings():
    with torch.autograd.graph.saved_tensors_hooks(lambda x: "file", lambda name: torch.full((2,), 10.)):
        v = torch.ones(2, requires_grad=True)
        q = (v * v).sum()
    q.backward()
    return v.grad


def disabled():
    with torch.autograd.graph.disable_saved_tensors_hooks("no hooks please"):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            pass


def raw_hooks():
    v = torch.tensor([3.0], requires_grad=True)
    q = v.pow(2)
    q.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t * 10)
    q.backward()
    return v.grad


def raw_twice():
    v = torch.tensor([3.0], requires_grad=True)
    q = v.pow(2)
    q.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    q.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)


def raw_bad():
    v = torch.tensor([3.0], requires_grad=True)
    q = v.pow(2)
    q.grad_fn._raw_saved_self.register_hooks(lambda: 1, lambda t: t)


expect("in-place pack", bad_pack)
expect("int unpack", bad_unpack)
expect("strings", strings)
expect("disabled", disabled)
expect("raw", raw_hooks)
expect("raw twice", raw_twice)
expect("raw bad", raw_bad)
with torch.autograd.graph.save_on_cpu():
    r = (a * a).sum()
print(r)

# ---- checkpoint
calls = 0


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        global calls
        calls += 1
        return self.drop(torch.relu(self.lin(x)))


net = nn.Sequential(*[Block() for _ in range(3)])
x = torch.randn(2, 4, requires_grad=True)
torch.manual_seed(0)
plain = net(x).sum()
plain.backward()
g0 = x.grad.clone()
x.grad = None
print("calls", calls)
torch.manual_seed(0)
h = x
for blk in net:
    h = checkpoint(blk, h, use_reentrant=False)
print(h.grad_fn)
h.sum().backward()
print("calls", calls, torch.equal(g0, x.grad))
x.grad = None
torch.manual_seed(0)
s = checkpoint_sequential(net, 3, x, use_reentrant=True)
print(s.grad_fn.name())
s.sum().backward()
print("calls", calls, torch.equal(g0, x.grad))
expect("grad with reentrant", lambda: torch.autograd.grad(checkpoint(net, x, use_reentrant=True).sum(), x))
expect("unknown kw", lambda: checkpoint(net, x, use_reentrant=False, colour="red"))
nograd = checkpoint(net, torch.ones(2, 4), use_reentrant=True)
print(nograd.requires_grad)
warned = checkpoint(net, x)
print(warned.shape)
state = {"n": 0}


def shifty(t):
    state["n"] += 1
    return (t * t).sum() if state["n"] == 1 else t.sum()


expect("shifty", lambda: checkpoint(shifty, x, use_reentrant=False).backward())
state["n"] = 0
def shifty_shape(t):
    state["n"] += 1
    u = t if state["n"] == 1 else t[:1]
    return (u * u).sum()
expect("shape", lambda: checkpoint(shifty_shape, x, use_reentrant=False).backward())
