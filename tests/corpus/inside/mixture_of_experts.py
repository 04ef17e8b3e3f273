# Notebook export: Mixture of Experts + load balancing + temperature
# %%
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.set_printoptions(precision=3, sci_mode=False)
torch.manual_seed(17)
# %%
class Expert(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.w1 = nn.Linear(d, h); self.w2 = nn.Linear(h, d)
    def forward(self, x):
        return self.w2(F.silu(self.w1(x)))

class TopKRouter(nn.Module):
    def __init__(self, d, n, k, noise=0.1):
        super().__init__()
        self.gate = nn.Linear(d, n, bias=False)
        self.k, self.noise = k, noise
    def forward(self, x):
        logits = self.gate(x)
        if self.training and self.noise:
            logits = logits + torch.randn_like(logits) * self.noise
        top, idx = logits.topk(self.k, dim=-1)
        gates = torch.zeros_like(logits).scatter(-1, idx, top.softmax(-1))
        return gates, idx, logits

class MoE(nn.Module):
    def __init__(self, d=6, h=8, n=4, k=2):
        super().__init__()
        self.router = TopKRouter(d, n, k)
        self.experts = nn.ModuleList([Expert(d, h) for _ in range(n)])
        self.n = n
    def forward(self, x):
        B, T, D = x.shape
        flat = x.reshape(-1, D)
        gates, idx, logits = self.router(flat)
        out = torch.zeros_like(flat)
        for e, expert in enumerate(self.experts):
            rows = (idx == e).any(-1).nonzero(as_tuple=True)[0]
            if rows.numel() == 0:
                continue
            y = expert(flat[rows]) * gates[rows, e].unsqueeze(-1)
            out.index_add_(0, rows, y)
        load = (gates > 0).float().mean(0)
        importance = F.softmax(logits, -1).mean(0)
        aux = self.n * (load * importance).sum()
        z = torch.logsumexp(logits, -1).pow(2).mean()
        return out.view(B, T, D), aux, z, load

moe = MoE()
print(moe)
# %%
x = torch.randn(4, 5, 6)
target = torch.roll(x, 1, dims=-1)
opt = torch.optim.AdamW(moe.parameters(), lr=1e-2)
for it in range(5):
    y, aux, z, load = moe(x)
    loss = F.mse_loss(y, target) + 0.01 * aux + 1e-3 * z
    opt.zero_grad(set_to_none=True); loss.backward(); opt.step()
    print(it, f"{loss.item():.4f}", f"{aux.item():.3f}", load)
# %%
print({n: (p.grad is None or bool(p.grad.abs().sum() > 0)) for n, p in moe.named_parameters()})
moe.eval()
with torch.no_grad():
    y1, *_ = moe(x); y2, *_ = moe(x)
print(torch.equal(y1, y2), y1[0, 0])
gates, idx, logits = moe.router(x[0])
print(gates, idx)
print(idx.unique(return_counts=True))
print(torch.histc(idx.float(), bins=4, min=0, max=3))
print(F.gumbel_softmax(logits[:2], tau=0.5, hard=True))
print(F.one_hot(idx, 4).sum(1))
soft = F.gumbel_softmax(logits, tau=1.0); soft.sum().backward() if soft.requires_grad else None
print(moe.router.gate.weight.grad.norm())
ent = -(logits.softmax(-1) * logits.log_softmax(-1)).sum(-1)
print(ent, torch.special.entr(logits.softmax(-1)).sum(-1))
try:
    logits.topk(5)
except RuntimeError as e: print(e)
try:
    torch.zeros_like(logits).scatter(-1, idx.float(), logits)
except RuntimeError as e: print(e)
try:
    F.one_hot(idx, 2)
except RuntimeError as e: print(e)
try:
    F.one_hot(logits)
except RuntimeError as e: print(e)
try:
    moe.experts.append(3)
except TypeError as e: print(e)
try:
    moe.experts[4]
except IndexError as e: print(e)
out = torch.zeros(2, 2)
try:
    out.index_add_(0, torch.tensor([0, 5]), torch.ones(2, 2))
except (IndexError, RuntimeError) as e: print(type(e).__name__, e)
