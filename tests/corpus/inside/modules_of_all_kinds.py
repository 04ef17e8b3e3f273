import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import OrderedDict, defaultdict, Counter

torch.manual_seed(42)

class ResidualBlock(nn.Module):
    """A small residual block."""
    expansion = 1

    def __init__(self, in_dim, hidden, dropout=0.1):
        super(ResidualBlock, self).__init__()
        self.fc1 = nn.Linear(in_dim, hidden)
        self.bn1 = nn.BatchNorm1d(hidden)
        self.fc2 = nn.Linear(hidden, in_dim)
        self.drop = nn.Dropout(p=dropout)
        self.act = nn.GELU()

    def forward(self, x):
        residual = x
        out = self.act(self.bn1(self.fc1(x)))
        out = self.drop(out)
        out = self.fc2(out)
        return out + residual

    def extra_repr(self):
        return f"expansion={self.expansion}"

class Net(nn.Module):
    def __init__(self, n_blocks=2):
        super().__init__()
        self.stem = nn.Sequential(OrderedDict([
            ("proj", nn.Linear(4, 8, bias=False)),
            ("norm", nn.LayerNorm(8)),
            ("act", nn.LeakyReLU(0.2)),
        ]))
        self.blocks = nn.ModuleList([ResidualBlock(8, 16) for _ in range(n_blocks)])
        self.heads = nn.ModuleDict({"cls": nn.Linear(8, 3), "reg": nn.Linear(8, 1)})
        self.register_buffer("steps", torch.zeros(1, dtype=torch.long))
        self.register_buffer("tmp", torch.ones(2), persistent=False)
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.register_parameter("nothing", None)

    def forward(self, x, head="cls"):
        self.steps += 1
        x = self.stem(x)
        for i, blk in enumerate(self.blocks):
            x = blk(x)
        return self.heads[head](x) * self.scale

net = Net()
print(net)
print("params:", sum(p.numel() for p in net.parameters()))
print("trainable:", sum(p.numel() for p in net.parameters() if p.requires_grad))
for name, p in net.named_parameters():
    print(f"{name:<25s} {str(tuple(p.shape)):>10} {p.requires_grad}")
for name, b in net.named_buffers():
    print(name, b.shape, b.dtype)
print(list(net.state_dict().keys()))
for n, m in net.named_children():
    print(n, "->", type(m).__name__, m.__class__.__module__)
for n, m in net.named_modules():
    print(repr(n), m.__class__.__name__, m.training)
print(len(list(net.modules())))
def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
        if m.bias is not None:
            nn.init.zeros_(m.bias)
net.apply(init_weights)
net.eval()
x = torch.randn(5, 4)
with torch.no_grad():
    print(net(x))
    print(net(x, head="reg").squeeze(-1))
net.train()
y = net(x)
print(y.shape, y.grad_fn.name())
loss = F.cross_entropy(y, torch.tensor([0, 1, 2, 1, 0]))
print(loss)
loss.backward()
for name, p in net.named_parameters():
    print(name, None if p.grad is None else f"{p.grad.norm():.4f}")
print(net.steps, net.blocks[0].bn1.num_batches_tracked, net.blocks[0].bn1.running_mean[:4])
for p in net.stem.parameters():
    p.requires_grad = False
print([n for n, p in net.named_parameters() if not p.requires_grad])
cnt = Counter(type(m).__name__ for m in net.modules())
print(cnt.most_common(3))
print(cnt)
print(net.heads.keys(), list(net.heads.items())[0][0], "cls" in net.heads, len(net.blocks), net.blocks[-1].fc1)
print(net.blocks[0:1])
net.blocks.append(ResidualBlock(8, 4))
print(net.blocks[2].fc1.weight.shape)
sd = net.state_dict()
print({k: tuple(v.shape) for k, v in sd.items() if "bn1" in k})
try:
    Net(1).load_state_dict(sd)
except RuntimeError as e:
    print("RuntimeError:", e)
res = Net(1).load_state_dict(sd, strict=False)
print(res)
print(type(res), res.unexpected_keys[:2])
print(net.load_state_dict(net.state_dict()))
try:
    net.foo
except AttributeError as e:
    print(e)
try:
    net.heads["nope"]
except KeyError as e:
    print("KeyError", e)
