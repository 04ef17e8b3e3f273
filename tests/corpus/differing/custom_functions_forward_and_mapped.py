import torch
from torch.func import vmap, grad, jvp, jacfwd
from torch.autograd import gradcheck
class MyExp(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x):
        return x.exp()
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y
    @staticmethod
    def jvp(ctx, t):
        y, = ctx.saved_tensors
        return t * y
x = torch.tensor([0., 1.])
print(vmap(MyExp.apply)(x), vmap(grad(MyExp.apply))(x))
print(jvp(MyExp.apply, (x,), (torch.ones(2),)))
print(jacfwd(MyExp.apply)(x))
xd = x.double().requires_grad_()
print(gradcheck(MyExp.apply, (xd,), check_forward_ad=True))
class Mul(torch.autograd.Function):
    @staticmethod
    def forward(a, b): return a * b
    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b = inputs
        ctx.save_for_backward(a, b); ctx.save_for_forward(a, b)
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors; return g * b, g * a
    @staticmethod
    def jvp(ctx, ta, tb):
        a, b = ctx.saved_tensors; return ta * b + tb * a
    @staticmethod
    def vmap(info, in_dims, a, b):
        print('vmap', info, in_dims, a.shape)
        ad, bd = in_dims
        a = a if ad is None else a.movedim(ad, 0); b = b if bd is None else b.movedim(bd, 0)
        return Mul.apply(a, b), 0
print(vmap(Mul.apply)(x, x + 1))
print(vmap(Mul.apply, in_dims=(0, None))(x, torch.tensor(2.)))
class Double(torch.autograd.Function):
    @staticmethod
    def forward(x): return 2 * x
    @staticmethod
    def setup_context(ctx, inputs, output): pass
    @staticmethod
    def backward(ctx, g): return 2 * g
try: print(vmap(Double.apply)(x))
except RuntimeError as e: print(e)
try: print(jvp(Double.apply, (x,), (x,)))
except RuntimeError as e: print(e)
class Old(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return 2 * x
    @staticmethod
    def backward(ctx, g): return 2 * g
try: print(grad(lambda t: Old.apply(t).sum())(x))
except RuntimeError as e: print(e)
try: print(vmap(Old.apply)(x))
except RuntimeError as e: print(e)
