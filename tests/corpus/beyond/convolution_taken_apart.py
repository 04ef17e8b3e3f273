"""The gradients of a convolution as functions, one module on several devices of which there are none, and Functions under autocast."""
import torch, torch.nn.functional as F
import torch.nn as nn
from torch.nn import grad as G
import torch.nn.grad
torch.manual_seed(0)
print(F.grad is torch.nn.grad, G.__name__)
for n, shape, k, st, pad, dil, gr in [(1, (2, 4, 7), (6, 2, 3), 2, 1, 1, 2), (2, (1, 2, 5, 6), (3, 2, 2, 3), (1, 2), 0, (2, 1), 1), (3, (1, 1, 4, 4, 4), (2, 1, 2, 2, 2), 1, (0, 1, 0), 1, 1)]:
    x, w = torch.randn(shape, requires_grad=True), torch.randn(k, requires_grad=True)
    y = getattr(F, f"conv{n}d")(x, w, stride=st, padding=pad, dilation=dil, groups=gr)
    v = torch.randn_like(y)
    gx, gw = torch.autograd.grad(y, (x, w), v)
    a = getattr(G, f"conv{n}d_input")(x.shape, w, v, stride=st, padding=pad, dilation=dil, groups=gr)
    b = getattr(G, f"conv{n}d_weight")(x, w.shape, v, st, pad, dil, gr)
    print(torch.equal(a, gx), torch.equal(b, gw), a.grad_fn, b.grad_fn, a.shape, b.flatten()[:3])
    v.requires_grad_()
    a = getattr(G, f"conv{n}d_input")(x.shape, w, v, st, pad, dil, gr)
    print(torch.autograd.grad(a.sum(), (w, v))[0].flatten()[:3], a.grad_fn.next_functions)
for call in (lambda: G.conv2d_input((1, 2, 5, 6), torch.ones(3, 2, 2, 2), torch.ones(1, 3, 5, 5)),
             lambda: G.conv2d_input((1, 3, 5, 6), torch.ones(3, 2, 2, 2), torch.ones(1, 3, 4, 5)),
             lambda: G.conv2d_weight(torch.ones(1, 2, 5, 5), (3, 2, 2, 2), torch.ones(1, 3, 5, 5)),
             lambda: G.conv2d_weight(torch.ones(2, 5, 5), (3, 2, 2, 2), torch.ones(3, 4, 4)),
             lambda: G.conv2d_input((1, 2, 5, 5), torch.ones(3, 2, 2, 2).double(), torch.ones(1, 3, 4, 4)),
             lambda: G.conv2d_input((1, 2, 5, 5), torch.ones(3, 2, 2, 2), torch.ones(1, 3, 4, 4), stride=(1, 1, 1)),
             lambda: G.conv2d_input((1, 2, 5, 5), torch.ones(3, 2, 2, 2), torch.ones(1, 4, 4, 4)),
             lambda: G.conv2d_input((1, 2, 5, 5), torch.ones(3, 2, 2), torch.ones(1, 4, 4, 4)),
             lambda: G.conv2d_input((1, 2, 5, 5), torch.ones(3, 2, 2, 2), torch.ones(1, 3, 4, 4), groups=3),
             lambda: G.conv2d_input((1, 2, 5, 5), torch.ones(3, 2, 2, 2), torch.ones(1, 3, 4, 4), stride=0)):
    try: print(call().shape)
    except Exception as e: print(type(e).__name__, str(e)[:200])
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
m = nn.DataParallel(net)
print(m, type(m), m.module is net, m.device_ids)
print([n for n, _ in m.named_parameters()], list(m.state_dict()))
m(torch.ones(2, 3)).sum().backward()
print(m.module[0].weight.grad)
m2 = nn.DataParallel(net, device_ids=[0, 1], output_device=0)
print(m2(torch.ones(1, 3)), m2.device_ids, isinstance(m2, nn.DataParallel), nn.parallel.DataParallel is nn.DataParallel)
try: print(m2.dim)
except AttributeError as e: print(e)
m2.eval(); print(m2.module.training)
class Two(nn.Module):
    def forward(self, a, *, k=1): return a * k
print(nn.DataParallel(Two())(torch.ones(1), k=3))
from torch.amp import custom_fwd, custom_bwd
class MM(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        print("fwd", a.dtype, torch.is_autocast_enabled("cpu"))
        return a @ b
    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        print("bwd", g.dtype, torch.is_autocast_enabled("cpu"), ctx._fwd_used_autocast, ctx._dtype)
        return g @ b.t(), a.t() @ g
class MM2(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu")
    def forward(ctx, a, b):
        "doc of it"
        ctx.save_for_backward(a, b)
        return a @ b
    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        print("bwd2", g.dtype, torch.is_autocast_enabled("cpu"))
        return g @ b.t(), a.t() @ g
print(MM2.forward.__name__, MM2.forward.__doc__)
for f in (MM, MM2):
    a = torch.randn(2, 2, requires_grad=True); b = torch.randn(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        y = f.apply(a * 1, (b @ b).bfloat16())if f is MM else f.apply(a, b)
    print(y.dtype, y.grad_fn.name()); y.float().sum().backward(); print(a.grad, b.grad.dtype)
    z = f.apply(a, b); z.sum().backward()
try: custom_fwd(device_type=3)
except ValueError as e: print(e)
from torch.nn.attention import sdpa_kernel, SDPBackend
q = torch.randn(1, 2, 4, 8)
with sdpa_kernel(SDPBackend.MATH):
    o1 = nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]): o2 = nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
print(torch.allclose(o1, o2), SDPBackend.MATH, repr(SDPBackend.FLASH_ATTENTION), SDPBackend.MATH.name)
from torch.cuda.amp import custom_fwd, custom_bwd
class F(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, x): return x * 2
    @staticmethod
    @custom_bwd
    def backward(ctx, g): return g * 2
x = torch.ones(2, requires_grad=True)
F.apply(x).sum().backward(); print(x.grad)
