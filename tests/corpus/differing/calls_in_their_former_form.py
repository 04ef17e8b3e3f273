# An optimizer as they were written for years, and what came of their calls.
import torch
import torch.nn as nn
torch.manual_seed(0)
class OldAdam(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-2, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group['betas']
            for p in group['params']:
                state = self.state[p]
                if not state:
                    state['step'], state['m'], state['v'] = 0, torch.zeros_like(p), torch.zeros_like(p)
                state['step'] += 1
                g = p.grad.data.add(group['weight_decay'], p.data)
                state['m'].mul_(b1).add_(1 - b1, g)
                state['v'].mul_(b2).addcmul_(1 - b2, g, g)
                p.data.addcdiv_(-group['lr'] / (1 - b1 ** state['step']), state['m'], state['v'].sqrt().add_(group['eps']))
net = nn.Linear(3, 1)
opt = OldAdam(net.parameters())
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    net.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward(); opt.step()
    print(i, loss.item())
print(net.weight, torch.addmm(1, torch.ones(2, 2), 2, torch.eye(2), torch.eye(2)), torch.sub(x[0], 2, x[1]))
w = torch.ones(2, requires_grad=True)
print(w.add(2, w), torch.addcmul(w, 2, w, w))
# a Sequential whose module has a name, and attributes that become modules
seq = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
seq.add_module("out", nn.Linear(2, 1))
try:
    seq.insert(1, nn.Tanh())
except KeyError as e:
    print("KeyError", e, len(seq))
class Late(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = None
        self.scale = 1.0
        self.register_module("hole", None)
        self.body = nn.Linear(1, 1)
late = Late()
late.head = nn.ReLU()
del late.scale
late.scale = nn.Parameter(torch.ones(1))
print(late, list(late.state_dict()))
from torch.nn.utils.rnn import pack_padded_sequence
packed = pack_padded_sequence(torch.arange(12.).view(2, 6, 1), torch.tensor([7, 4]), batch_first=True)
print(packed.batch_sizes, packed.data.shape)
for _ in range(2):
    with torch.autocast("cuda"):
        pass
fused = torch.nn.utils.fuse_conv_bn_eval(nn.Conv2d(1, 2, 3).eval(), nn.BatchNorm2d(2).eval())
print(fused, fused.weight.requires_grad, torch.is_autocast_enabled())
try:
    w.add_(-0.1, "g")
except TypeError as e:
    print(e)
nn.GRU(1, 1)(packed)
