import torch, math
from torch import nn, optim
# schedulers side by side
torch.manual_seed(0)
def run(make, n=8, metric=None):
    p = nn.Parameter(torch.zeros(1)); o = optim.SGD([p], lr=0.1, momentum=0.9); s = make(o); out = []
    for i in range(n):
        o.step(); s.step(metric[i]) if metric else s.step(); out.append(round(o.param_groups[0]['lr'], 5))
    return out
L = optim.lr_scheduler
S = {
 'Step': lambda o: L.StepLR(o, 3, 0.5), 'MultiStep': lambda o: L.MultiStepLR(o, [2, 5], gamma=0.1), 'Exp': lambda o: L.ExponentialLR(o, 0.9), 'Lambda': lambda o: L.LambdaLR(o, lambda e: 1 / (1 + e)),
 'Mult': lambda o: L.MultiplicativeLR(o, lambda e: 0.95), 'Const': lambda o: L.ConstantLR(o, 0.5, 3), 'Linear': lambda o: L.LinearLR(o, 0.25, 1.0, 4), 'Poly': lambda o: L.PolynomialLR(o, 5, 2.0),
 'Cos': lambda o: L.CosineAnnealingLR(o, 4, 0.01), 'Warm': lambda o: L.CosineAnnealingWarmRestarts(o, 3, 2), 'Cyc': lambda o: L.CyclicLR(o, 0.01, 0.1, step_size_up=2, mode='triangular2'), 'One': lambda o: L.OneCycleLR(o, 0.3, total_steps=10),
 'Chain': lambda o: L.ChainedScheduler([L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)]), 'Seq': lambda o: L.SequentialLR(o, [L.LinearLR(o, 0.1, total_iters=3), L.ExponentialLR(o, 0.5)], [3]),
}
for k, v in S.items(): print(f'{k:<10}', run(v))
print('Plateau', run(lambda o: L.ReduceLROnPlateau(o, patience=1, factor=0.1, cooldown=1), metric=[1., 0.9, 0.95, 0.96, 0.97, 0.98, 0.99, 1.]))
o = optim.Adam([nn.Parameter(torch.ones(2))], lr=0.01); s = L.StepLR(o, 2)
print(s.state_dict()); sd = s.state_dict(); sd['last_epoch'] = 3; s.load_state_dict(sd); o.step(); s.step(); print(s.last_epoch, s.get_last_lr(), s.base_lrs)
class Noam(L.LRScheduler):
    def __init__(self, opt, d, warm, last_epoch=-1): self.d, self.warm = d, warm; super().__init__(opt, last_epoch)
    def get_lr(self): t = max(self.last_epoch, 1); return [b * self.d ** -0.5 * min(t ** -0.5, t * self.warm ** -1.5) for b in self.base_lrs]
print(run(lambda o: Noam(o, 16, 4), 6))
s2 = L.ExponentialLR(o, 0.9); s2.step(); print(o.param_groups[0]['lr'])
try: s2.step(1, 2, 3)
except TypeError as e: print(e)
try: L.ReduceLROnPlateau(o).step()
except TypeError as e: print(e)
try: L.SequentialLR(o, [s, s2], [1, 2])
except ValueError as e: print(e)
try: L.OneCycleLR(o, 0.1, total_steps=0)
except ValueError as e: print(e)
try: L.CosineAnnealingLR(o)
except TypeError as e: print(e)
try: L.StepLR(o, step_size='a').step()
except TypeError as e: print(e)
print(L.StepLR(o, 2), isinstance(s, L.LRScheduler), isinstance(s, L._LRScheduler))
