import torch
from torch import nn, autograd, optim
from copy import deepcopy
import itertools
torch.manual_seed(0)
# hypergradient of the learning rate by unrolling with higher-like fast weights
class Learner(nn.Module):
    def __init__(self): super().__init__(); self.fc = nn.Linear(3, 1)
    def forward(self, x, params=None):
        if params is None: return self.fc(x)
        return nn.functional.linear(x, params['fc.weight'], params['fc.bias'])
m = Learner(); x = torch.randn(16, 3); y = x @ torch.tensor([[1.], [2.], [-1.]]) + .5
log_lr = nn.Parameter(torch.tensor(-3.)); meta = optim.Adam([log_lr], lr=.2)
for outer in range(5):
    fast = {k: v.clone() for k, v in m.named_parameters()}
    losses = []
    for inner in range(4):
        l = nn.functional.mse_loss(m(x, fast), y); losses.append(l)
        g = autograd.grad(l, list(fast.values()), create_graph=True)
        fast = {k: p - log_lr.exp() * gi for (k, p), gi in zip(fast.items(), g)}
    final = nn.functional.mse_loss(m(x, fast), y)
    meta.zero_grad(); final.backward(); meta.step()
    print(outer, f"{losses[0].item():.4f} -> {final.item():.4f}", f"lr={log_lr.exp().item():.4f}", f"dlr={log_lr.grad.item():.4f}")
print(m.fc.weight.grad is None, [n for n, p in m.named_parameters() if p.grad is not None])
m.zero_grad()
# data reweighting
w = torch.zeros(16, requires_grad=True)
per = nn.functional.mse_loss(m(x), y, reduction='none').squeeze(1)
loss = (per * w).sum()
g = autograd.grad(loss, m.parameters(), create_graph=True)
new = [p - .1 * gi for p, gi in zip(m.parameters(), g)]
val = nn.functional.mse_loss(nn.functional.linear(x[:4], *new), y[:4])
gw, = autograd.grad(val, w); print(gw[:4], gw.shape)
wt = torch.clamp(-gw, min=0); print((wt / wt.sum()).topk(3))
# reptile + ema + lookahead
slow = deepcopy(m.state_dict()); opt = optim.SGD(m.parameters(), .05)
for i in range(3):
    opt.zero_grad(); nn.functional.mse_loss(m(x), y).backward(); opt.step()
m.load_state_dict({k: slow[k] + .5 * (v - slow[k]) for k, v in m.state_dict().items()}); print(m.fc.weight.data)
ema = optim.swa_utils.AveragedModel(m, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(.9))
for i in range(2):
    opt.zero_grad(); nn.functional.mse_loss(m(x), y).backward(); opt.step(); ema.update_parameters(m)
print(ema.module.fc.bias, ema.n_averaged)
class MySGD(optim.Optimizer):
    def __init__(self, params, lr=.1, momentum=0.):
        if lr < 0.0: raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(lr=lr, momentum=momentum))
    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad(): loss = closure()
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None: continue
                st = self.state[p]
                buf = st.setdefault('buf', torch.zeros_like(p))
                buf.mul_(group['momentum']).add_(p.grad)
                p.add_(buf, alpha=-group['lr'])
        return loss
o = MySGD([{'params': [m.fc.weight]}, {'params': [m.fc.bias], 'lr': .01}], momentum=.9); print(o)
for i in range(3):
    def closure():
        o.zero_grad(); l = nn.functional.mse_loss(m(x), y); l.backward(); return l
    print(o.step(closure).item())
print(o.state_dict()['state'].keys(), o.state_dict()['param_groups'])
try: MySGD(m.parameters(), lr=-1)
except ValueError as e: print(e)
try: MySGD([])
except ValueError as e: print(e)
