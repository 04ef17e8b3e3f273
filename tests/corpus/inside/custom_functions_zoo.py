# Custom Functions: the whole zoo of features
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable, FunctionCtx
class ClampSTE(Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        ctx.save_for_backward(x)
        ctx.bounds = (lo, hi)
        ctx.set_materialize_grads(False)
        return x.clamp(lo, hi), (x > hi)
    @staticmethod
    def backward(ctx, g, gmask):
        print("grads:", None if g is None else tuple(g.shape), gmask)
        if g is None: return None, None, None
        return g, None, None
x = torch.linspace(-2, 2, 5, requires_grad=True)
y, m = ClampSTE.apply(x, -1., 1.)
print(y, m, m.requires_grad)
y.sum().backward(); print(x.grad)
class InplaceScale(Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.s = s; ctx.mark_dirty(x); x.mul_(s); return x
    @staticmethod
    def backward(ctx, g): return g * ctx.s, None
z = x * 1; w = InplaceScale.apply(z, 3.0); print(w is z, z.grad_fn.name(), z._version)
x.grad = None; z.sum().backward(); print(x.grad)
try: InplaceScale.apply(x, 2.)
except RuntimeError as e: print(e)
class Multi(Function):
    @staticmethod
    def forward(ctx, *xs):
        ctx.n = len(xs); ctx.save_for_backward(*xs)
        return tuple(t * (i + 1) for i, t in enumerate(xs))
    @staticmethod
    def backward(ctx, *gs):
        print([None if g is None else g.tolist() for g in gs], ctx.needs_input_grad, len(ctx.saved_tensors))
        return tuple(g * (i + 1) for i, g in enumerate(gs))
a, b, c = torch.ones(2, requires_grad=True), torch.ones(2), torch.ones(2, requires_grad=True)
outs = Multi.apply(a, b, c); print(outs, [o.output_nr for o in outs])
(outs[0].sum() + outs[2].sum() * 2).backward(); print(a.grad, b.grad, c.grad)
class NonTensor(Function):
    @staticmethod
    def forward(ctx, x, cfg, name="n"):
        ctx.cfg, ctx.name_ = cfg, name; return x ** cfg["p"]
    @staticmethod
    def backward(ctx, g):
        return g * 10, None, None
print(NonTensor.apply(torch.tensor(2., requires_grad=True), {"p": 3}, "abc"))
class Hess(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x); return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return HessB.apply(g, x)
class HessB(Function):
    @staticmethod
    def forward(ctx, g, x):
        ctx.save_for_backward(g, x); return g * 3 * x ** 2
    @staticmethod
    def backward(ctx, gg):
        g, x = ctx.saved_tensors
        print("double backward"); return gg * 3 * x ** 2, gg * g * 6 * x
t = torch.tensor([1., 2.], dtype=torch.double, requires_grad=True)
g1, = torch.autograd.grad(Hess.apply(t).sum(), t, create_graph=True); print(g1, g1.grad_fn.name())
g2, = torch.autograd.grad(g1.sum(), t); print(g2)
print(torch.autograd.gradcheck(Hess.apply, (t,)))
class BadN(Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g, g
try: BadN.apply(x).sum().backward()
except RuntimeError as e: print(e)
class BadT(Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return 1.0
try: BadT.apply(x).sum().backward()
except Exception as e: print(type(e).__name__, e)
class BadG(Function):
    @staticmethod
    def forward(ctx, x): return x * 3
    @staticmethod
    def backward(ctx, g): return g * 2
try: print(torch.autograd.gradcheck(BadG.apply, (t,)))
except Exception as e: print(type(e).__name__, str(e)[:200])
print(torch.autograd.gradcheck(BadG.apply, (t,), raise_exception=False))
class Ret(Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return g * 7
r = Ret.apply(x); print(r is x, r.grad_fn.name(), r.is_leaf); x.grad = None; r.sum().backward(); print(x.grad)
class NoneOut(Function):
    @staticmethod
    def forward(ctx, x): return None
    @staticmethod
    def backward(ctx, g): return g
try: print(NoneOut.apply(x))
except Exception as e: print(type(e).__name__, e)
class SaveTwice(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x); ctx.save_for_backward(x * 2); return x * 1
    @staticmethod
    def backward(ctx, g): print(ctx.saved_tensors); return g
SaveTwice.apply(a).sum().backward()
class SaveBad(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(3); return x * 1
    @staticmethod
    def backward(ctx, g): return g
try: SaveBad.apply(a).sum().backward()
except Exception as e: print(type(e).__name__, e)
class Boom(Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g): raise ValueError("boom in backward")
try: Boom.apply(a).sum().backward()
except ValueError as e: print("caught", e)
class Attr(Function):
    @staticmethod
    def forward(ctx, x): ctx.foo = 1; ctx.y = x; return x * 1
    @staticmethod
    def backward(ctx, g): print(ctx.foo, ctx.y is a, hasattr(ctx, "bar")); print(ctx.bar); return g
try: Attr.apply(a).sum().backward()
except AttributeError as e: print(e)
print(Function.__name__, Boom.__name__, callable(Boom.apply), Boom)
f = Boom.apply; q = f(a); print(type(q.grad_fn), q.grad_fn.__class__.__name__, isinstance(q.grad_fn, Function), q.grad_fn.next_functions[0][0].variable is a)
y = NonTensor.apply(a, {"p": 2}); y.backward(torch.ones(2), retain_graph=True); y.backward(torch.ones(2))
try: y.sum().backward(); y.sum().backward()
except RuntimeError as e: print(str(e)[:50])
