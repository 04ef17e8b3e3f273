"""Gradient flow: vanishing, clipping, dead ReLU, init"""
import torch
from torch import nn
torch.manual_seed(42)
def make(act, depth=6, width=10, init=None):
    layers = []
    for i in range(depth):
        lin = nn.Linear(width, width)
        if init: init(lin.weight)
        layers += [lin, act()]
    return nn.Sequential(*layers, nn.Linear(width, 1))
x = torch.randn(16, 10)
y = torch.randn(16, 1)
for name, act, init in [('sigmoid', nn.Sigmoid, None), ('tanh', nn.Tanh, nn.init.xavier_uniform_), ('relu', nn.ReLU, nn.init.kaiming_normal_), ('leaky', nn.LeakyReLU, lambda w: nn.init.kaiming_uniform_(w, a=0.01, nonlinearity='leaky_relu')), ('orth', nn.Tanh, nn.init.orthogonal_)]:
    torch.manual_seed(0)
    net = make(act, init=init)
    loss = nn.MSELoss()(net(x), y)
    loss.backward()
    norms = [p.grad.norm().item() for n, p in net.named_parameters() if 'weight' in n]
    print(f"{name:8s} loss={loss.item():.4f} " + " ".join(f"{v:.2e}" for v in norms))
total = nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.5)
print(total, sum(p.grad.norm() ** 2 for p in net.parameters()) ** 0.5)
nn.utils.clip_grad_value_(net.parameters(), 0.01)
print(max(p.grad.abs().max() for p in net.parameters()))
dead = nn.Linear(3, 4); nn.init.constant_(dead.bias, -10.)
out = torch.relu(dead(torch.rand(5, 3))); out.sum().backward()
print(out.sum(), dead.weight.grad.eq(0).all(), dead.bias.grad)
for fn in (torch.sigmoid, torch.tanh, torch.relu, nn.functional.elu, nn.functional.softplus):
    t = torch.tensor([-10., -1., 0., 1., 10.], requires_grad=True)
    fn(t).sum().backward(); print(fn.__name__, t.grad)
w = torch.ones(3, requires_grad=True)
for i in range(3):
    (w.prod() * (i + 1)).backward(); print(i, w.grad)
opt = torch.optim.SGD([w], lr=0.1); opt.zero_grad(); print(w.grad)
acc = 4
for step in range(8):
    ((w * step).sum() / acc).backward()
    if (step + 1) % acc == 0:
        print(step, w.grad.tolist()); opt.step(); opt.zero_grad(set_to_none=False); print(w, w.grad)
for p in net[0].parameters(): p.requires_grad_(False)
print(sum(p.numel() for p in net.parameters()), sum(p.numel() for p in net.parameters() if p.requires_grad))
net.zero_grad(); nn.MSELoss()(net(x), y).backward(); print(net[0].weight.grad, net[2].weight.grad.shape)
vec = nn.utils.parameters_to_vector(net[2].parameters()); print(vec.shape, vec[:3], vec.grad_fn.name())
