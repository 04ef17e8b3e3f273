import torch
import torch.nn as nn
from collections import OrderedDict

torch.manual_seed(0)

class PositionalBuffer(nn.Module):
    def __init__(self, n=4, d=2):
        super().__init__()
        pe = torch.zeros(n, d)
        self.register_buffer('pe', pe)
        self.register_buffer('tmp', torch.ones(1), persistent=False)
        self.register_buffer('none', None)
        self.register_parameter('gone', None)
        self.scale = nn.Parameter(torch.tensor(2.0))
    def forward(self, x): return self.scale * x + self.pe[: x.size(0)]

class Top(nn.Module):
    version = 2
    def __init__(self):
        super().__init__()
        self.pos = PositionalBuffer()
        self.heads = nn.ModuleDict(OrderedDict([('cls', nn.Linear(2, 3)), ('reg', nn.Linear(2, 1, bias=False))]))
        self.ps = nn.ParameterDict({'alpha': nn.Parameter(torch.zeros(2)), 'beta': nn.Parameter(torch.ones(1, 2))})
        self.pl = nn.ParameterList([nn.Parameter(torch.full((i + 1,), float(i))) for i in range(2)])
        self.ml = nn.ModuleList([nn.BatchNorm1d(2), nn.Identity()])

t = Top()
print(t)
sd = t.state_dict()
print(type(sd).__name__, len(sd))
for k, v in sd.items(): print(f'{k:28s} {str(tuple(v.shape)):10s} {v.dtype}')
print([n for n, _ in t.named_buffers()], [n for n, _ in t.named_children()])
print([n for n, _ in t.named_modules()])
print([n for n, _ in t.named_parameters(prefix='net')], [n for n, _ in t.named_parameters(recurse=False)])
print(dict(t.pos.named_parameters()), dict(t.pos.named_buffers()))
print(list(t.heads.keys()), 'cls' in t.heads, len(t.heads), list(t.ps.items()))
print(t.ps, t.pl, sep='\n')
print(t.pos.none, t.pos.gone, t.pos._buffers.keys(), t.pos._parameters.keys(), t._modules.keys())

def attempt(fn):
    try: print('->', fn())
    except Exception as e: print(f'{type(e).__name__}: {e}')

bad = OrderedDict(sd)
del bad['pos.pe']; bad['heads.cls.weight'] = torch.zeros(4, 2); bad['extra.w'] = torch.ones(1)
attempt(lambda: t.load_state_dict(bad))
attempt(lambda: t.load_state_dict(bad, strict=False))
del bad['heads.cls.weight']
attempt(lambda: t.load_state_dict(bad, strict=False))
attempt(lambda: t.load_state_dict(t))
attempt(lambda: t.load_state_dict([1, 2]))
attempt(lambda: t.load_state_dict(sd))
attempt(lambda: nn.Linear(2, 2).load_state_dict({'weight': 3, 'bias': torch.zeros(2)}))
attempt(lambda: t.register_buffer('heads', torch.ones(1)))
attempt(lambda: t.register_buffer('a.b', torch.ones(1)))
attempt(lambda: t.register_buffer('', torch.ones(1)))
attempt(lambda: t.register_buffer('x', 3))
attempt(lambda: t.register_parameter('x', torch.ones(1)))
attempt(lambda: t.register_parameter('x', nn.Parameter(torch.ones(1)) * 2))
attempt(lambda: t.add_module('x', torch.ones(1)))
attempt(lambda: t.add_module('pos', nn.ReLU()))
attempt(lambda: t.add_module('version', nn.ReLU()))
attempt(lambda: t.add_module('a.b', nn.ReLU()))
attempt(lambda: setattr(t.pos, 'scale', torch.ones(1)))
attempt(lambda: setattr(t.pos, 'pe', 'text'))
attempt(lambda: setattr(t, 'pos', 3))
attempt(lambda: setattr(t, 'pos', None))
attempt(lambda: t.get_submodule('heads.cls'))
attempt(lambda: t.get_submodule('heads.clz'))
attempt(lambda: t.get_parameter('heads.cls.bias'))
attempt(lambda: t.get_parameter('heads.cls.foo'))
attempt(lambda: t.get_buffer('ml.0.running_mean'))
attempt(lambda: t.get_buffer('ml.0.weight'))
attempt(lambda: t(torch.ones(1)))
class NoSuper(nn.Module):
    def __init__(self): self.a = nn.Linear(1, 1)
attempt(lambda: NoSuper())
class NoSuper2(nn.Module):
    def __init__(self): self.a = nn.Parameter(torch.ones(1))
attempt(lambda: NoSuper2())
class NoSuper3(nn.Module):
    def __init__(self): self.n = 3
attempt(lambda: NoSuper3())
attempt(lambda: NoSuper3()(1))
class Wrong(nn.Module):
    def __init__(self):
        super().__init__()
    def foward(self, x): return x
attempt(lambda: Wrong()(torch.ones(1)))
attempt(lambda: delattr(t.heads, 'cls')); print(t.heads)
t.ml.append(nn.ReLU()); t.ml.extend([nn.Tanh()]); t.ml.insert(0, nn.Sigmoid()); print(t.ml, t.ml[-1], t.ml[1:3])
attempt(lambda: t.ml.pop(0)); del t.ml[0]; print(len(t.ml), t.ml)
t.ps['gamma'] = torch.tensor([3.]); print(t.ps['gamma'], type(t.ps['gamma']).__name__); print(t.ps.pop('alpha')); print(t.ps)
