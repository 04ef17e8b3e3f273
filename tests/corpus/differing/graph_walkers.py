# torchviz-like walkers and graph statistics
import torch, torch.nn as nn
from collections import Counter, deque
torch.manual_seed(0)
def walk(fn):
    seen, order, q = set(), [], deque([fn])
    while q:
        f = q.popleft()
        if f in seen or f is None: continue
        seen.add(f); order.append(f)
        for u, _ in f.next_functions: q.append(u)
    return order
def tree(fn, depth=0, maxd=6):
    if fn is None:
        print("  " * depth + "None"); return
    extra = ""
    if hasattr(fn, "variable"):
        extra = f" {tuple(fn.variable.shape)}"
    print("  " * depth + fn.name() + extra)
    if depth < maxd:
        for u in fn.next_functions: tree(u[0], depth + 1, maxd)
class Res(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.l1, self.l2, self.ln = nn.Linear(d, d), nn.Linear(d, d), nn.LayerNorm(d)
    def forward(self, x):
        return self.ln(x + self.l2(torch.relu(self.l1(x))))
m = Res(3)
x = torch.randn(2, 3)
loss = nn.MSELoss()(m(x), torch.zeros(2, 3))
tree(loss.grad_fn)
print(Counter(f.name() for f in walk(loss.grad_fn)))
names = {id(p): n for n, p in m.named_parameters()}
for f in walk(loss.grad_fn):
    if hasattr(f, "variable"): print(names[id(f.variable)], f.variable.is_leaf, f.next_functions)
SAVED = "_saved_"
for f in walk(loss.grad_fn):
    attrs = {}
    for a in dir(f):
        if not a.startswith(SAVED): continue
        v = getattr(f, a)
        a = a[len(SAVED):]
        if torch.is_tensor(v): attrs[a] = "[saved tensor]" + str(tuple(v.shape))
        elif isinstance(v, tuple) and any(torch.is_tensor(t) for t in v): attrs[a] = "[saved tensors]"
        else: attrs[a] = str(v)
    print(f.name(), attrs)
a = torch.tensor([1., 2., 3.], requires_grad=True)
ops = {"chain": lambda: (a.exp().log() + a.sin() * a.cos()).sum(), "matmul": lambda: (a[None] @ a[:, None]).squeeze(), "outer": lambda: torch.outer(a, a).trace(), "einsum": lambda: torch.einsum("i,i->", a, a), "norm": lambda: (a / a.norm()).sum(), "softmax": lambda: -torch.log_softmax(a, 0)[1], "cat": lambda: torch.cat([a, a * 2]).reshape(2, 3).t().prod(0).sum(), "index": lambda: a[torch.tensor([0, 0, 2])].sum(), "where": lambda: torch.where(a > 1.5, a, a ** 2).mean(), "cumsum": lambda: a.cumsum(0)[-1], "std": lambda: a.std(), "lse": lambda: a.logsumexp(0), "clamp": lambda: a.clamp(1.5, 2.5).sum(), "pow": lambda: (2 ** a).sum(), "split": lambda: sum(p.sum() for p in a.split(2)), "unbind": lambda: torch.stack(a.unbind()).sum(), "mask": lambda: a[a > 1].sum(), "max": lambda: a.max(), "sort": lambda: (a.sort(descending=True)[0] * torch.arange(3.)).sum(), "expand": lambda: a.expand(2, 3).sum(), "roll": lambda: (a * a.roll(1)).sum(), "diff": lambda: a.diff().pow(2).sum(), "tri": lambda: torch.outer(a, a).tril().sum(), "bmm": lambda: torch.bmm(a.view(1, 3, 1), a.view(1, 1, 3)).sum(), "mv": lambda: (torch.eye(3) @ a).sum(), "cov": lambda: torch.cov(torch.stack([a, a ** 2])).sum(), "to": lambda: a.double().sum(), "abs": lambda: a.neg().abs().sum(), "repeat": lambda: a.repeat(2).sum(), "kron": lambda: torch.kron(a, a).sum(), "cdist": lambda: torch.cdist(a.view(3, 1), a.view(3, 1)).sum(), "lerp": lambda: torch.lerp(a, a * 2, .5).sum(), "addmm": lambda: torch.addmm(torch.ones(1, 1), a[None], a[:, None]).sum(), "var": lambda: torch.var_mean(a)[0], "flip": lambda: (a.flip(0) * a).sum(), "gather": lambda: a.gather(0, torch.tensor([1, 1])).sum(), "meshgrid": lambda: sum(g.sum() for g in torch.meshgrid(a, a, indexing="ij")), "hypot": lambda: torch.hypot(a, a).sum(), "interp": lambda: nn.functional.interpolate(a.view(1, 1, 3), size=5, mode="linear").sum()}
for k, f in ops.items():
    y = f()
    print(f"{k:9s} {y.item():10.4f}", " -> ".join(g.name() for g in walk(y.grad_fn)))
print(loss.grad_fn.metadata, loss.grad_fn.name(), type(loss.grad_fn), isinstance(loss.grad_fn, torch.autograd.graph.Node))
print(a.grad_fn, hasattr(loss.grad_fn, "variable"), loss.grad_fn == loss.grad_fn, len({loss.grad_fn, loss.grad_fn}))
