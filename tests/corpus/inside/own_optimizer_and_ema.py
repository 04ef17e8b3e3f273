import torch
import torch.nn as nn
# Custom optimizers, schedulers, EMA class, gradient checks by finite differences
class MySGD(torch.optim.Optimizer):
    def __init__(self, params, lr=0.01, momentum=0.0):
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
                state = self.state[p]
                if len(state) == 0: state['step'] = 0; state['buf'] = torch.zeros_like(p)
                state['step'] += 1
                state['buf'].mul_(group['momentum']).add_(p.grad)
                p.add_(state['buf'], alpha=-group['lr'])
        return loss
torch.manual_seed(0)
net = nn.Linear(2, 1); opt = MySGD(net.parameters(), lr=.1, momentum=.5); print(opt, opt.defaults)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad(); l = (net(x) - y).pow(2).mean(); l.backward(); opt.step(); print(i, f"{l.item():.5f}", opt.state[net.weight]['step'])
print({k: (v if not torch.is_tensor(v) else v.shape) for k, v in opt.state_dict()['state'][0].items()}, opt.state_dict()['param_groups'])
class Warmup(torch.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer, warmup, last_epoch=-1): self.warmup = warmup; super().__init__(optimizer, last_epoch)
    def get_lr(self): return [b * min(1.0, (self.last_epoch + 1) / self.warmup) for b in self.base_lrs]
s = Warmup(opt, 4); lrs = []
for _ in range(5): lrs.append(round(opt.param_groups[0]['lr'], 4)); opt.step(); s.step()
print(lrs, s.get_last_lr())
class NoamOpt:
    def __init__(self, size, factor, warmup, optimizer): self.optimizer, self._step, self.warmup, self.factor, self.size, self._rate = optimizer, 0, warmup, factor, size, 0
    def step(self):
        self._step += 1; rate = self.rate()
        for p in self.optimizer.param_groups: p['lr'] = rate
        self._rate = rate; self.optimizer.step()
    def rate(self, step=None):
        step = step or self._step
        return self.factor * (self.size ** (-0.5) * min(step ** (-0.5), step * self.warmup ** (-1.5)))
n = NoamOpt(512, 1, 4000, torch.optim.Adam(net.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9)); n.step(); print(n._rate, [n.rate(i) for i in (1, 4000)])
class EMA:
    def __init__(self, model, decay): self.model, self.decay, self.shadow, self.backup = model, decay, {}, {}; self.register()
    def register(self):
        for name, p in self.model.named_parameters():
            if p.requires_grad: self.shadow[name] = p.data.clone()
    def update(self):
        for name, p in self.model.named_parameters():
            if p.requires_grad:
                assert name in self.shadow
                self.shadow[name] = ((1.0 - self.decay) * p.data + self.decay * self.shadow[name]).clone()
    def apply_shadow(self):
        for name, p in self.model.named_parameters(): self.backup[name] = p.data; p.data = self.shadow[name]
    def restore(self):
        for name, p in self.model.named_parameters(): p.data = self.backup[name]
        self.backup = {}
e = EMA(net, .9); net.weight.data += 1; e.update(); w = net.weight.clone(); e.apply_shadow(); print((net.weight - w).detach()); e.restore(); print(torch.equal(net.weight, w), e.backup)
def numerical(f, x, eps=1e-3):
    g = torch.zeros_like(x); flat = x.view(-1)
    for i in range(flat.numel()):
        old = flat[i].item(); flat[i] = old + eps; a = f(x).item(); flat[i] = old - eps; b = f(x).item(); flat[i] = old; g.view(-1)[i] = (a - b) / (2 * eps)
    return g
xx = torch.tensor([[1., 2.], [3., 4.]], dtype=torch.double); f = lambda t: (t.sin() * t).sum(); xr = xx.clone().requires_grad_(); f(xr).backward(); print(numerical(f, xx), xr.grad, torch.allclose(numerical(f, xx), xr.grad, atol=1e-4))
opt2 = torch.optim.Adam([{'params': [net.weight], 'lr': 1e-3}, {'params': [net.bias]}], lr=1e-2); print(opt2); sd = opt2.state_dict(); sd['param_groups'][0]['lr'] = 7; opt2.load_state_dict(sd); print(opt2.param_groups[0]['lr'])
print(torch.optim.Adam(net.named_parameters(), lr=.1)); print(isinstance(opt, torch.optim.Optimizer), type(opt).__name__, opt.__class__.__mro__[1], hasattr(opt, "zero_grad"))
MySGD(net.parameters(), lr=-1)
