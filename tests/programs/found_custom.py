"""Custom Functions that return views, and views whose base takes a gradient later: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

from tests.programs.telling import TELL

GIVEN = (
    TELL
    + """
d = torch.float64
x = torch.tensor([[1., 2.], [3., 4.]], dtype=d, requires_grad=True)
s = torch.tensor(2., dtype=d, requires_grad=True)
"""
)

CUSTOM = {
    "what a custom Function returns of its memory is a view, and is not changed in place": GIVEN
    + """
with torch.no_grad():
    u = x.view(-1)
tell(lambda: Sight.apply(x.t().t()), lambda: Sight.apply(Sight.apply(x)), lambda: Sight.apply((x * 1).view(-1)).mul_(2), lambda: Sight.apply(x.view(-1)).mul_(2),
     lambda: Sight.apply(u), lambda: Sight.apply(u).mul_(2), lambda: Same.apply(s).add_(1), lambda: Same.apply(x).add_(1), lambda: Same.apply(x * 1).add_(1), lambda: Same.apply((x * 1)[0]).add_(1), lambda: Sight.apply(x)[0].mul_(2),
     lambda: Same.apply(s), lambda: Same.apply(x)[0].add_(1), lambda: Sight.apply(x * 1).detach().mul_(2), lambda: Same.apply(x)._base is x, lambda: Sight.apply(x)._is_view(), lambda: Twice.apply(x, x)[0].mul_(2), lambda: Same.apply(x.detach()).add_(1),
     lambda: Sight.apply(x.detach()).add_(1), lambda: Same.apply(u), lambda: Same.apply(u).mul_(2), lambda: Changes.apply(Sight.apply(x * 1)), lambda: Changes.apply(Same.apply(x * 1)))
y = x * 1
z = Sight.apply(y)
y.mul_(2)
tell(lambda: z, lambda: z * 2, lambda: torch.autograd.grad(z.sum(), x)[0])
""",
    "what a custom backward sends is summed and converted in the graph": GIVEN
    + """
h = torch.tensor([.5, 1.], dtype=torch.float16, requires_grad=True)
tell(lambda: torch.autograd.grad(Both.apply(h, x).sum(), h, create_graph=True)[0], lambda: torch.autograd.grad(Both.apply(h, x).sum(), x, create_graph=True)[0], lambda: torch.autograd.grad(Both.apply(x[0], x).sum(), x, create_graph=True)[0], lambda: torch.autograd.grad(Both.apply(s, x).sum(), s, create_graph=True)[0])
""",
    "a view takes a gradient when its base does": GIVEN
    + """
a = torch.ones(2, 2, dtype=d)
v = a.view(-1)
r = a[0]
e = a.detach()
a.requires_grad_()
tell(lambda: v, lambda: r, lambda: e, lambda: v * 2, lambda: v[0], lambda: v.is_leaf, lambda: v.grad_fn, lambda: v.mul_(2), lambda: v[0].mul_(2), lambda: v.sum().backward(), lambda: v.grad, lambda: a.grad, lambda: torch.autograd.grad(v.sum(), v), lambda: torch.autograd.grad(v.sum(), a))
a.requires_grad_(False)
tell(lambda: v, lambda: v.mul_(2), lambda: a)
b = torch.ones(2, 2, dtype=d)
v, w = b.view(-1), b.t()
b.mul_(x)
tell(lambda: v, lambda: w, lambda: v.grad_fn, lambda: w * 2, lambda: torch.autograd.grad(v.sum(), x))
c = torch.ones(3, dtype=d)
v = c[1:]
v.mul_(x[0])
tell(lambda: c, lambda: v)
""",
    "a batch of seeds runs the code of a custom Function once": """
x = torch.tensor([[0.5, -0.5], [0.4, -1.3]], dtype=torch.float64, requires_grad=True)
for what in ("inner", "input", "output", "none"):
    for k in (False, True):
        y = Saves.apply(x, what)
        try:
            print(torch.autograd.grad(y, x, torch.eye(4, dtype=y.dtype).view(-1, 2, 2), is_grads_batched=True, retain_graph=k))
        except Exception as e: print(type(e).__name__, e)
for f in (lambda x: Both.apply(x, x), lambda x: Pair.apply(x)[0], lambda x: Late.apply(x, 2)[0], lambda x: Same.apply(x), lambda x: Sight.apply(x), lambda x: Once.apply(x), lambda x: Twice.apply(x, x)[0], lambda x: Inner.apply(x), lambda x: Changes.apply(x * 1), lambda x: Wrong.apply(x, "few"), lambda x: Wrong.apply(x, "none"), lambda x: Wrong.apply(x, "shape")):
    try:
        y = f(x)
        print(torch.autograd.grad(y, x, torch.eye(4, dtype=y.dtype).view(-1, *y.shape), is_grads_batched=True))
    except Exception as e: print(type(e).__name__, e)
""",
    "what a Function returns that takes a gradient where nothing is recorded is detached": """
class View(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.view(-1)
    @staticmethod
    def backward(ctx, g): return g
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(a)
        return a.mul_(2)
    @staticmethod
    def backward(ctx, g): return g
class Marks(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_non_differentiable(a)
        return a
    @staticmethod
    def backward(ctx, g): return g
class Three(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a, a * 2, a
    @staticmethod
    def backward(ctx, g, h, k): return g
class Outside(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return outer
    @staticmethod
    def backward(ctx, g): return g
def look(n, t, a): print(n, t is a, t.requires_grad, t.is_leaf, t.grad_fn and t.grad_fn.name(), t._version, t._is_view(), t.data_ptr() == a.data_ptr())
leaf = torch.ones(2, requires_grad=True)
for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
    for make in (lambda: leaf, lambda: leaf * 1, lambda: torch.ones(2), lambda: (leaf * 1)[:], lambda: torch.ones(2)[:], lambda: torch.tensor([1, 2])):
        for f in (Same, View, Dirty, Marks, Three) + ((Outside,) if mode is not torch.enable_grad else ()):
            a, outer = make(), torch.ones(2, requires_grad=True) * 3
            try:
                with mode(): y = f.apply(a)
                for z in y if isinstance(y, tuple) else (y,):
                    try: look(f.__name__, z, a)
                    except Exception as e: print(str(e)[:80])
                    try: z.add_(1); print(z.grad_fn and z.grad_fn.name(), a._version, a.tolist())
                    except Exception as e: print(str(e)[:80])
                print(a.requires_grad, outer.requires_grad, outer.is_leaf)
            except Exception as e: print(type(e).__name__, str(e)[:100])
""",
    "calls in inference mode are recorded where gradients are asked for": """
for asked in (None, True, False):
    for make in (lambda: torch.ones(2, requires_grad=True), lambda: torch.ones(2, requires_grad=True) * 1, lambda: torch.ones(2)):
        for f in (lambda a: Both.apply(a, a), Once.apply, lambda a: Twice.apply(a, a)[1], Same.apply, Sight.apply, lambda a: a * 2):
            a = make()
            with torch.inference_mode():
                if asked is None: y = f(a)
                else:
                    with torch.set_grad_enabled(asked): y = f(a)
            show('y', y)
            try: print(y._version)
            except RuntimeError as e: print(e)
""",
}
