import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.BatchNorm1d(3), nn.Linear(3, 1))
def weight_reset(m):
    if hasattr(m, 'reset_parameters'): m.reset_parameters()
for l in net.children(): print(type(l).__name__, hasattr(l, 'reset_parameters'), hasattr(l, 'reset_running_stats'))
net.apply(weight_reset); print(net[0].weight, torch.rand(1)); net(torch.randn(4, 2)); print(net[2].running_mean); net[2].reset_running_stats(); print(net[2].running_mean, net[2].num_batches_tracked); net[2].reset_parameters()
for m in (nn.Conv2d(1, 2, 2), nn.Embedding(3, 2, padding_idx=1), nn.LSTM(1, 2), nn.GRUCell(1, 1), nn.LayerNorm(2), nn.Bilinear(1, 1, 1), nn.ConvTranspose1d(1, 1, 1)):
    torch.manual_seed(3); m.reset_parameters(); print(type(m).__name__, [round(p.sum().item(), 4) for p in m.parameters()], torch.rand(1))
class MyLinear(nn.Linear):
    def reset_parameters(self):
        print('mine', self.in_features); nn.init.xavier_uniform_(self.weight)
        if self.bias is not None: nn.init.zeros_(self.bias)
torch.manual_seed(1); l = MyLinear(3, 2); print(l.weight, l.bias, torch.rand(1))
class Both(nn.Linear):
    def reset_parameters(self): super().reset_parameters(); self.bias.data.zero_()
torch.manual_seed(1); print(Both(2, 1).weight, Both(2, 1, bias=True).bias)
w = torch.ones(2, 2); p = nn.Parameter(w); w[0, 0] = 9.; print(p, p.is_leaf, p.grad_fn, p._base); (p * p).sum().backward(); print(p.grad, w.requires_grad, w.grad); o = torch.optim.SGD([p], 1.); h = o.register_step_pre_hook(lambda o, a, k: print('pre', a, k)); o.register_step_post_hook(lambda *a: print('post')); o.step(); h.remove(); o.step(); print(w, p)
v = torch.randn(2, 3, requires_grad=True); q = nn.Parameter(v * 2); print(q.is_leaf, q.requires_grad, v.requires_grad); e = nn.Parameter(torch.arange(4.)[::2]); print(e); z = nn.Parameter(torch.tensor(3.)); print(z); c = nn.Linear(1, 1); c.weight = nn.Parameter(torch.full_like(c.weight, 2.)); c.weight.data.mul_(2); print(c.weight)
