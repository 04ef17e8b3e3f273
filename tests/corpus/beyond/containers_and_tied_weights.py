import torch
from torch import nn
torch.manual_seed(2)
# nn edge uses: ParameterList, ParameterDict, shared weights, tied embeddings, buffers, __getattr__, properties on modules, setattr, del
class Tied(nn.Module):
    def __init__(self, v=6, d=4):
        super().__init__()
        self.embed = nn.Embedding(v, d)
        self.proj = nn.Linear(d, v, bias=False)
        self.proj.weight = self.embed.weight
        self.alphas = nn.ParameterList([nn.Parameter(torch.full((1,), float(i))) for i in range(3)])
        self.gates = nn.ParameterDict({"in": nn.Parameter(torch.zeros(2)), "out": nn.Parameter(torch.ones(2))})
        self.register_buffer("mask", torch.triu(torch.ones(3, 3), diagonal=1).bool())
        self.extra = {"not": "registered"}
        self.plain_list = [nn.Linear(1, 1)]
    @property
    def device(self): return next(self.parameters()).device
    @property
    def num_params(self): return sum(p.numel() for p in self.parameters())
    def forward(self, ids): return self.proj(self.embed(ids)) * self.alphas[1] + self.gates["out"].sum()
m = Tied(); print(m, m.device, m.num_params)
print([n for n, _ in m.named_parameters()], len(m.state_dict()), m.proj.weight is m.embed.weight)
print(list(m.state_dict())); print(m.mask, m.alphas, m.gates, sep="\n")
out = m(torch.tensor([0, 5])); print(out.shape); out.sum().backward(); print(m.embed.weight.grad[0], m.alphas[1].grad, m.alphas[0].grad)
m.alphas.append(nn.Parameter(torch.tensor([9.]))); print(len(m.alphas), [a.item() for a in m.alphas], m.gates.keys(), "in" in m.gates)
for k, v in m.gates.items(): print(k, v.data)
setattr(m, "head", nn.Linear(2, 2)); print(hasattr(m, "head"), getattr(m, "head")); del m.head; print(hasattr(m, "head"))
m.mask = torch.zeros(1, dtype=torch.bool); print(m.mask, [n for n, b in m.named_buffers()])
try: m.mask = 3
except TypeError as e: print(e)
try: m.embed = 3
except TypeError as e: print(e)
try: m.embed.weight = torch.ones(2)
except TypeError as e: print(e)
try: m.unknown
except AttributeError as e: print(e)
m.new_buf = nn.Buffer(torch.ones(1)); print("new_buf" in m.state_dict())
print(m.get_buffer("mask"), m.get_parameter("embed.weight").shape)
try: m.get_submodule("nope.x")
except AttributeError as e: print(e)
class Counter(nn.Module):
    def __init__(self): super().__init__(); self.register_buffer("n", torch.tensor(0)); self.calls = 0
    def forward(self, x): self.n += 1; self.calls += 1; return x + self.n
c = Counter(); c(torch.ones(1)); print(c(torch.ones(1)), c.n, c.state_dict(), c.calls, list(c.parameters()))
c2 = Counter(); c2.load_state_dict(c.state_dict()); print(c2.n)
import copy
d = copy.deepcopy(m); d.embed.weight.data.zero_(); print(m.embed.weight.abs().sum() > 0, d.proj.weight is d.embed.weight)
class Scaled(nn.Linear):
    def __init__(self, *a, scale=2.0, **k): super().__init__(*a, **k); self.scale = scale
    def forward(self, x): return super().forward(x) * self.scale
    def extra_repr(self): return super().extra_repr() + f", scale={self.scale}"
s = Scaled(2, 2, scale=3.0, bias=False); print(s, s(torch.ones(1, 2)) / nn.functional.linear(torch.ones(1, 2), s.weight), isinstance(s, nn.Linear), Scaled.__mro__[1].__name__, type(s).__bases__)
class Noisy(nn.Dropout):
    pass
print(Noisy(0.3), nn.Sequential(Noisy(0.3), s))
class MyReLU(nn.Module):
    __constants__ = ["k"]
    def __init__(self, k): super().__init__(); self.k = k
    def __repr__(self): return f"MyReLU<{self.k}>"
    def forward(self, x): return x.clamp(min=self.k)
print(nn.Sequential(MyReLU(1), nn.ModuleList([MyReLU(2)]), nn.Sequential()), nn.ModuleList(), nn.ModuleDict(), nn.Sequential())
print(nn.ModuleList([nn.Linear(1, 1) for _ in range(4)]), nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()]))
seq = nn.Sequential(nn.Linear(2, 3), nn.ReLU()); seq.append(nn.Linear(3, 1)); seq.insert(1, nn.Dropout(0.1)); seq.add_module("last", nn.Tanh()); print(seq, len(seq), seq[-1], seq[:2]); seq.pop(1); print([k for k, _ in seq.named_children()]); seq[0] = nn.Identity(); print(seq + nn.Sequential(nn.ReLU()), list(seq)[0])
ml = nn.ModuleList([nn.Linear(1, 1)]) + [nn.ReLU()]; ml.extend([nn.Tanh()]); ml.insert(0, nn.Identity()); del ml[1]; print(ml, nn.ReLU in [type(x) for x in ml])
md = nn.ModuleDict([["a", nn.Linear(1, 2)], ["b", nn.ReLU()]]); md["c"] = nn.Tanh(); md.update({"d": nn.Identity()}); print(md, len(md), list(md), md.pop("b"), "b" in md); del md["a"]; md.clear(); print(md)
print(nn.Linear(2, 2, device="cpu").bias.device, m.to("cpu") is m, m.double().embed.weight.dtype, m.float().mask.dtype, next(m.half().parameters()).dtype)
print(m.float().eval().training, m.train().training, m.requires_grad_(False).embed.weight.requires_grad, all(not p.requires_grad for p in m.parameters()))
print(nn.Parameter(torch.ones(2)), repr(nn.Parameter(torch.ones(1), requires_grad=False)), isinstance(nn.Parameter(torch.ones(1)), torch.Tensor), type(nn.Parameter(torch.ones(1)) * 2), nn.Parameter(torch.ones(2)).data)
