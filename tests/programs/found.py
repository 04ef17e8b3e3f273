"""Small programs over which gradviz and PyTorch once disagreed; what PyTorch says is in data/programs.json."""

from tests.programs.found_accumulators import ACCUMULATORS
from tests.programs.found_algebra import ALGEBRA
from tests.programs.found_changes import CHANGES
from tests.programs.found_checks import CHECKS
from tests.programs.found_custom import CUSTOM
from tests.programs.found_derivatives import DERIVATIVES
from tests.programs.found_forms import FORMS
from tests.programs.found_graphs import GRAPHS
from tests.programs.found_histories import HISTORIES
from tests.programs.found_into import INTO
from tests.programs.found_kernels import KERNELS
from tests.programs.found_kinds import KINDS
from tests.programs.found_layouts import LAYOUTS
from tests.programs.found_marks import MARKS
from tests.programs.found_memory import MEMORY
from tests.programs.found_mixed import MIXED
from tests.programs.found_overlaps import OVERLAPS
from tests.programs.found_parts import PARTS
from tests.programs.found_products import PRODUCTS
from tests.programs.found_sharing import SHARING
from tests.programs.found_sizes import SIZES
from tests.programs.found_views import VIEWS
from tests.programs.found_writing import WRITING

FOUND = (
    VIEWS
    | PRODUCTS
    | CHANGES
    | SIZES
    | DERIVATIVES
    | PARTS
    | KINDS
    | WRITING
    | CUSTOM
    | MEMORY
    | MARKS
    | GRAPHS
    | CHECKS
    | ACCUMULATORS
    | INTO
    | HISTORIES
    | SHARING
    | OVERLAPS
    | FORMS
    | KERNELS
    | MIXED
    | LAYOUTS
    | ALGEBRA
    | {
        "a view made under no_grad takes a gradient": """
x = torch.tensor([[1.], [2.]], requires_grad=True)
y = x * 1
with torch.no_grad():
    for v in (x.view(-1), x[0], x.t(), x.expand(2, 3), y.view(-1), x.unbind(0)[0], x.detach(), x.clone()):
        print(v, v.requires_grad, v.is_leaf)
    print([row.requires_grad for row in x], x.T.reshape(-1).requires_grad, x.data.view(-1).requires_grad)
""",
        "a view made under no_grad is not changed where gradients are recorded": """
x = torch.tensor([[1.], [2.]], requires_grad=True)
with torch.no_grad():
    v = x.view(-1)
    w = v[0]
for act in (lambda: v.add_(1), lambda: v[0].add_(1), lambda: w.add_(1)):
    try:
        act()
    except RuntimeError as e:
        print(e)
v.requires_grad = False
print(v, (v * 2).sum())
with torch.no_grad():
    v.mul_(2)
    print(v)
    for act in (lambda: v.grad_fn, lambda: v.is_leaf):
        try:
            act()
        except RuntimeError as e:
            print(e)
print(v.detach(), x)
try:
    v * 2
except RuntimeError as e:
    print(e)
""",
        "a view made in inference mode is not changed outside": """
x = torch.tensor([[1.], [2.]], requires_grad=True)
with torch.inference_mode():
    v = x.view(-1)
    print(v.requires_grad, v.is_inference())
try:
    v.add_(1)
except RuntimeError as e:
    print(e)
""",
        "a bool tensor is not subtracted": """
b, x = torch.tensor([True, False]), torch.ones(2)
for act in (lambda: x - b, lambda: b - x, lambda: 1 - b, lambda: x - True, lambda: b - b, lambda: x.sub_(b),
            lambda: torch.rsub(x, b), lambda: b - 1, lambda: x + b, lambda: x * b):
    try:
        print(act())
    except RuntimeError as e:
        print(e)
""",
        "a bool tensor is not rounded and has no absolute value": """
b = torch.tensor([True, False])
for act in (lambda: b.abs(), lambda: abs(b), lambda: b.relu(), lambda: b.round(), lambda: b.floor(), lambda: b // b,
            lambda: b % b, lambda: b ** b, lambda: b ** 2, lambda: b.sign()):
    try:
        print(act())
    except (RuntimeError, NotImplementedError) as e:
        print(type(e).__name__, e)
""",
        "where as a method takes the condition first": """
t = torch.tensor([-1.133, 0.889], requires_grad=True)
print(t.where(t > 0, 0.0), t.where(t > 0, t * 2))
for act in (lambda: torch.where(torch.ones(2, 3) > 0, torch.ones(4), 0.0),
            lambda: torch.ones(2, 0).where(torch.ones(0, 3) > 0, 0.0)):
    try:
        print(act())
    except RuntimeError as e:
        print(e)
""",
        "a number cannot be taken apart": """
s = torch.tensor(1.0, requires_grad=True)
for act in (lambda: s.unbind(0), lambda: s.split(1), lambda: s.chunk(2), lambda: s.select(0, 0),
            lambda: s.narrow(0, 0, 1)):
    try:
        print(act())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
""",
        "a gradient is assigned: its dtype is looked at before its shape": """
t = torch.ones(2, dtype=torch.float64, requires_grad=True)
for g in (torch.ones(5), torch.ones(5, dtype=torch.float64), torch.ones(2).long()):
    try:
        t.grad = g
    except RuntimeError as e:
        print(e)
""",
        "a hook after accumulation returns nothing": """
t = torch.ones(2, requires_grad=True)
t.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2))
try:
    t.sum().backward()
except RuntimeError as e:
    print(e)
print(t.grad)
""",
        "a generator inside a function does not make that a generator": """
def outer():
    def inner():
        yield 1
    return list(inner())
print(outer())
def taken():
    x = {v: str(v) for v in (yield 1)}
    print(x, [a + b for a in [1, (yield 2)] for b in [10]])
it = taken()
print(next(it), it.send([5, 6]))
""",
        "a custom Function changes a view": """
x = torch.tensor([[1., 2.]], requires_grad=True)
for make in (lambda: x.view(-1), lambda: x[0], lambda: (x * 1).unbind(0)[0]):
    try:
        print(Changes.apply(make()))
    except RuntimeError as e:
        print(e)
y = x * 1
v = y.view(-1)
z = Changes.apply(v)
print(z is v, z.grad_fn.name(), v.tolist(), y.grad_fn.name(), y.tolist())
(y * 3).sum().backward()
show_grad("x", x)
""",
        "a mask must have the sizes of what it stands at": """
x = torch.ones(3, 4)
for mask in (torch.ones(3, 2), torch.ones(2, 4), torch.ones(3, 0), torch.ones(3, 4, 1)):
    try:
        print(x[mask > 0])
    except IndexError as e:
        print(e)
try:
    x[:, torch.ones(2) > 0]
except IndexError as e:
    print(e)
""",
        "a number is not indexed": """
a = torch.tensor(1.5)
for act in (lambda: a[0], lambda: a[0, 1], lambda: a[None, 0], lambda: a[:], lambda: a[:, 0], lambda: a.roll(1, 0),
            lambda: a.movedim(0, 0), lambda: a.tensor_split(1), lambda: torch.ones(2).mT):
    try:
        print(act())
    except (IndexError, RuntimeError) as e:
        print(type(e).__name__, e)
print(a.mT)
""",
        "an operator with = is named in its error": """
x = torch.ones(2, requires_grad=True)
def grad():
    x.grad *= 2
def item():
    d = {"k": None}
    d["k"] **= 2
for act in (grad, item):
    try:
        act()
    except TypeError as e:
        print(e)
try:
    torch.zeros(0, 3, dtype=torch.float64).expand(5)
except RuntimeError as e:
    print(e)
""",
        "what takes no gradient may be saved whatever it is": """
print(Both.apply(torch.ones(2), 3))
try:
    Both.apply(torch.ones(2, requires_grad=True), 3)
except TypeError as e:
    print(e)
""",
        "a view of a number writes into it": """
t = torch.tensor(1.)
t.view(-1).add_(1)
t[None].mul_(3)
t.unsqueeze(0)[0] = 7
t.t().add_(1)
t.T.add_(1)
t.reshape(1).add_(1)
print(t)
x = torch.tensor(2., requires_grad=True)
y = x * 1
v = y.view(1, 1)
v.mul_(3)
print(y, y.grad_fn.name(), v)
y.backward()
print(x.grad)
""",
        "a number of another dtype is taken in the dtype of the others, backward too": """
a = torch.tensor(0.457, dtype=torch.float64, requires_grad=True)
t = torch.tensor([2., 2.], requires_grad=True)
for f in (lambda: t / (a.abs() + 1), lambda: t * a, lambda: t ** a, lambda: a ** t, lambda: torch.atan2(t, a)):
    a.grad = t.grad = None
    out = f()
    out.sum().backward()
    show("out", out)
    print("exactly", repr(a.grad.item()), t.grad.tolist())
""",
        "the name of an attribute is a text": """
x = torch.ones(2)
for act in (lambda: getattr(x, 2), lambda: hasattr(x, x), lambda: setattr(x, 2, 3), lambda: delattr(x, None)):
    try:
        act()
    except TypeError as e:
        print(e)
""",
        "a custom Function that changes its input is the node of it, also where the node before was looked at": """
x = torch.ones(2, requires_grad=True)
y = x * 3
print(y.grad_fn.name())
z = Changes.apply(y)
print(z is y, z.grad_fn.name(), y.grad_fn.next_functions[0][0].name())
z.sum().backward()
show_grad("x", x)
""",
        "tensors of several dtypes side by side are floats as narrow as the floats among them": """
f = torch.ones(2, requires_grad=True)
i, h = torch.tensor([1, 2], dtype=torch.int32), torch.ones(2, dtype=torch.float16)
for join in (torch.cat, torch.stack, torch.hstack, torch.vstack, torch.column_stack, lambda ts: torch.block_diag(*ts)):
    for ts in ([f, i], [i, f], [i, h], [h, f], [f, f.double()], [i, i.long()], [i > 1, f]):
        out = join(ts)
        show("out", out)
        if out.requires_grad:
            print(torch.autograd.grad(out.sum(), f)[0])
""",
        "closeness is asked of one dtype": """
f = torch.ones(2)
for act in (lambda: torch.allclose(f, f.double()), lambda: torch.isclose(f, f.long()), lambda: f.allclose(f > 0),
            lambda: torch.equal(f, torch.ones(3).double()), lambda: torch.allclose(f, f)):
    try:
        print(act())
    except RuntimeError as e:
        print(e)
""",
        "slabs added at places fit in dtype and in shape": """
x, i = torch.zeros(2, 2), torch.tensor([0, 1])
for source in (torch.ones(2, 2).double(), torch.ones(2, 3), torch.ones(2, 1), torch.ones(2, 2)):
    for act in (lambda: x.index_add(0, i, source), lambda: x.clone().index_add_(0, i, source),
                lambda: x.index_copy(0, i, source), lambda: x.index_add(1, i, source)):
        try:
            print(act())
        except RuntimeError as e:
            print(e)
""",
        "a value beside its derivative along a direction is a view": """
t = torch.tensor([1., 2.], requires_grad=True)
print(torch.func.jvp(torch.exp, (t,), (t,)), torch.func.jvp(torch.exp, (t.detach(),), (t.detach(),)))
print(torch.func.jvp(lambda a: {"a": a * a, "b": [a.exp()]}, (t,), (t.detach(),))[0])
y, _ = torch.func.jvp(lambda a: (a * a).sum(), (t,), (t.detach(),))
y.backward()
show_grad("t", t)
try:
    torch.func.grad(lambda a: a.sum())(torch.tensor([1, 2]))
except RuntimeError as e:
    print(e)
""",
        "all of a tensor is assigned: that is a copy, or a fill": """
f = torch.tensor([1., 2.], requires_grad=True)
for key in (..., slice(None), (slice(None),), (), slice(0, 2), slice(0, None), 0, slice(0, 1), torch.tensor([0, 1])):
    for v in (3., f * 2, f.sum(), torch.ones(1)):
        for x in (f * 1, torch.ones(2), f):
            try:
                x[key] = v
                show(key, x)
                graph(x)
                if x.requires_grad:
                    print(torch.autograd.grad((x * torch.tensor([1., 10.])).sum(), f, allow_unused=True))
            except RuntimeError as e:
                print(key, e)
y = f * 1
w = y[:1]
w[:] = f[1:] * 5
print(y, w, w.grad_fn.name(), torch.autograd.grad(y.sum(), f))
x = torch.zeros(2, 2)
x[0, 1] = f[:1] * 3
x[1] = (f * 2)[None]
graph(x)
print(x, torch.autograd.grad(x.sum(), f))
""",
        "sizes are looked at before dtypes, but in addmm and dot": """
a, d = torch.ones(2, 3), torch.float64
for act in (lambda: a @ torch.ones(2, 2, dtype=d), lambda: a @ torch.ones(3, 2, dtype=d),
            lambda: torch.ones(8) @ a.double(), lambda: torch.ones(2) @ a.double(), lambda: a @ torch.ones(2, dtype=d),
            lambda: torch.ones(3) @ torch.ones(2, dtype=d),
            lambda: torch.ones(2, 1, 3) @ torch.ones(2, 4, 4, dtype=d),
            lambda: torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 4, dtype=d)),
            lambda: torch.addmm(torch.ones(5, dtype=d), a, a.t()),
            lambda: torch.addmm(torch.ones(2), a, a.t().double()),
            lambda: torch.addmm(torch.ones(5), a, a.t()), lambda: a & torch.ones(2), lambda: a & a,
            lambda: torch.ones(3).long() | torch.ones(2), lambda: torch.ones(3) ^ 1):
    try:
        print(act())
    except (RuntimeError, NotImplementedError) as e:
        print(type(e).__name__, e)
""",
        "a view that repeats nothing is written to": """
x = torch.ones(3)
x.expand(1, 3).mul_(2)
x.expand(1, 1, 3)[0, 0, 1] = 7
print(x, x.expand(1, 3).stride(), x.expand(3).stride())
try:
    x.expand(2, 3).mul_(2)
except RuntimeError as e:
    print(e)
""",
        "clipping looks at the gradient of what is no leaf, which warns": """
t = torch.ones(2, requires_grad=True)
print(nn.utils.clip_grad_norm_([t * 2], 0.5))
""",
        "what a context names behind as, and its type": """
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
for made in (torch.no_grad, torch.enable_grad, torch.inference_mode, lambda: torch.set_grad_enabled(False),
             torch.random.fork_rng, torch.autograd.forward_ad.dual_level, lambda: torch.autocast("cpu"),
             lambda: torch.profiler.record_function("a"), lambda: saved_tensors_hooks(abs, abs), save_on_cpu):
    with made() as given:
        print(type(given).__name__)
for made in (torch.no_grad, torch.inference_mode, lambda: torch.autocast("cpu")):
    print(type(made()), type(made()) is type(made()))
with torch.no_grad():
    print(torch.no_grad().__enter__())
""",
        "memory that grows is seen by views in other dtypes, and by those that show nothing of it": """
x = torch.arange(3.0)
none, rest, bits = x[3:], x[1:], x.view(torch.int32)
x.resize_(6)
x[1] = 7
print(none, rest, bits, bits.data_ptr() == x.data_ptr())
bits[0] = 1065353216
print(x[:3])
""",
    }
)
