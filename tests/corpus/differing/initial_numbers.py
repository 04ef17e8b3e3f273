import torch
from torch import nn
from torch.nn import init
# ways of initialising
torch.manual_seed(0)
def show(name, t):
    print("%-18s mean % .5f std %.5f min % .4f max % .4f" % (name, t.mean(), t.std(), t.min(), t.max()))
for name, fn in [("xavier_uniform", init.xavier_uniform_), ("xavier_normal", init.xavier_normal_),
                 ("kaiming_uniform", lambda w: init.kaiming_uniform_(w, nonlinearity="relu")),
                 ("kaiming_normal", lambda w: init.kaiming_normal_(w, mode="fan_out")),
                 ("orthogonal", init.orthogonal_), ("trunc", lambda w: init.trunc_normal_(w, std=0.02)),
                 ("normal", lambda w: init.normal_(w, 0.0, 0.02)), ("uniform", lambda w: init.uniform_(w, -0.1, 0.1)),
                 ("const", lambda w: init.constant_(w, 0.3)), ("eye", init.eye_), ("zeros", init.zeros_), ("ones", init.ones_),
                 ("sparse", lambda w: init.sparse_(w, 0.5))]:
    w = torch.empty(6, 4)
    out = fn(w)
    show(name, w.detach())
    assert out is w
print(init.calculate_gain("relu"), init.calculate_gain("leaky_relu", 0.2), init.calculate_gain("tanh"))
print(init._calculate_fan_in_and_fan_out(torch.empty(3, 2, 5, 5)))
class Net(nn.Module):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.a = nn.Linear(3, 3)
        self.b = nn.Conv2d(1, 2, 3)
        self.n = nn.BatchNorm2d(2)
        self.e = nn.Embedding(4, 2)
        self._init_weights()
    def _init_weights(self):
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.kaiming_normal_(m.weight, mode='fan_in', nonlinearity='relu')
                nn.init.constant_(m.bias, 0.01)
            elif isinstance(m, nn.BatchNorm2d):
                m.weight.data.fill_(1); m.bias.data.zero_()
            elif isinstance(m, nn.Embedding):
                nn.init.normal_(m.weight, std=.1)
n = Net()
for k, v in n.state_dict().items():
    print(k, v.flatten()[:4], v.dtype)
def spread(part):
    name = type(part).__name__
    if "Conv" in name or "Norm" in name:
        part.weight.data.normal_("Norm" in name, 0.03)
    if "Norm" in name:
        part.bias.data.fill_(0)
    print("init", name)
n.apply(spread)
print(n.b.weight[0])
print(n.n.weight)
with torch.no_grad():
    n.a.weight.copy_(torch.arange(9.).reshape(3, 3))
    n.a.bias[:] = torch.tensor([1., 2., 3.])
    n.a.weight[0, 0] = 100
    n.a.bias += 1
print(n.a.weight, n.a.bias)
n.a.weight = nn.Parameter(torch.eye(3))
n.a.bias.data = torch.zeros(3)
print(n.a(torch.ones(3)))
n.a.weight.requires_grad = False
out = n.a(torch.ones(2, 3)).sum()
out.backward()
print(n.a.weight.grad, n.a.bias.grad)
for name, p in n.named_parameters():
    if name.startswith("a."):
        print(name, p.data_ptr() == p.data_ptr(), p.is_leaf, p.requires_grad)
for p in n.parameters():
    p.data.clamp_(-0.01, 0.01)
print(max(p.abs().max().item() for p in n.parameters()))
total_norm = torch.sqrt(sum(p.pow(2).sum() for p in n.parameters()))
print(total_norm, type(total_norm))
try:
    n.a.bias[0] = 3
except RuntimeError as e:
    print(e)
try:
    n.a.bias += 1
except RuntimeError as e:
    print(e)
try:
    init.xavier_uniform_(torch.empty(3))
except ValueError as e:
    print(e)
try:
    init.kaiming_normal_(torch.empty(3, 2), mode="both")
except ValueError as e:
    print(e)
try:
    init.calculate_gain("foo")
except ValueError as e:
    print(e)
nn.init.xavier_uniform(n.e.weight)
