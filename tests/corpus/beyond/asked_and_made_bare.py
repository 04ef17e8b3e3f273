# Weak references, modules whose numbers nobody drew, what compilers are asked, layouts and lazy modules in other dtypes.
import copy, torch, weakref
from torch.func import functional_call, stack_module_state, vmap
from torch import nn
class Cache:
    pass
c = Cache(); r = weakref.ref(c)
print(isinstance(r, weakref.ref), r() is c, type(r), weakref.ref, isinstance(3, weakref.ref), callable(r), type(r) is weakref.ref)
del c
x = torch.ones(2); d = weakref.WeakKeyDictionary({x: 1}); print(len(d), weakref.ReferenceType is weakref.ref)
def size(ref: weakref.ref) -> int: return ref().numel()
print(size(weakref.ref(x)))
print(torch.jit.is_scripting(), torch.jit.is_tracing(), torch.compiler.is_compiling(), torch.compiler.is_dynamo_compiling())
@torch.compiler.disable
def f(a): return a + 1
@torch.compiler.disable(recursive=False)
def g(a): return a + 1
print(f(1), g(2)); torch.compiler.reset()
torch.manual_seed(0); l = nn.utils.skip_init(nn.Linear, 3, 2, bias=False); print(torch.rand(1), l, l.weight.requires_grad, l.weight.shape)
nn.init.eye_(l.weight); print(l(torch.ones(1, 3)))
class Own(nn.Module):
    def __init__(self, n, device=None): super().__init__(); self.l = nn.Linear(n, n, device=device)
class No(nn.Module):
    def __init__(self, n): super().__init__()
print(nn.utils.skip_init(Own, 2))
for bad in (No, int, print, torch.Tensor):
    try: nn.utils.skip_init(bad, 2)
    except Exception as e: print(type(e).__name__, e)
for kind in (3, 'strided', torch.float32, None, torch.strided):
    for make in (torch.zeros, torch.rand, torch.full, torch.eye, torch.arange, torch.zeros_like, torch.randn):
        given = {torch.full: ((2,), 1.), torch.zeros_like: (x,)}.get(make, (2,))
        try: print(make(*given, layout=kind).shape)
        except Exception as e: print(type(e).__name__, e)
torch.manual_seed(1); z = nn.Sequential(nn.LazyLinear(2), nn.LazyBatchNorm1d()).double(); print(z[0].weight.dtype, z[1].running_mean.dtype)
y = z(torch.rand(4, 3).double()); print(y, z[0].weight, z[1].running_var.dtype, z[1].weight.dtype)
z = nn.LazyLinear(2).half().float(); print(z.bias.dtype); print(z(torch.ones(1, 2)).dtype)
torch.manual_seed(0)
torch.manual_seed(0); models = [nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)) for _ in range(3)]
params, buffers = stack_module_state(models)
base_model = copy.deepcopy(models[0])
base_model = base_model.to('meta')
def fmodel(params, buffers, x):
    return functional_call(base_model, (params, buffers), (x,))
x = torch.randn(5, 3)
p1 = vmap(fmodel, in_dims=(0, 0, None))(params, buffers, x)
p2 = torch.stack([m(x) for m in models])
assert torch.allclose(p1, p2, atol=1e-3, rtol=1e-5)
print(p1.shape, p1[0])
with torch.device('cpu') as place: print(torch.ones(1), place)
for f in (lambda: torch.zeros(2, dtype='a'), lambda: torch.rand(2, dtype=3), lambda: torch.zeros(2, layout=3), lambda: torch.zeros(2, foo=1), lambda: torch.ones(2, device=3.5), lambda: torch.full((2,), 1., layout=3), lambda: torch.zeros_like(torch.ones(1), layout='a'),lambda: torch.arange(3, layout='a'),lambda: torch.eye(3, layout='a'),lambda: torch.empty(3, layout='a'),lambda: torch.linspace(0,1,3, layout='a'),lambda: torch.randn_like(torch.ones(1), layout='a'),lambda: torch.ones(2).new_zeros(2, layout='a')):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
