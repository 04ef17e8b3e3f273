import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import OrderedDict, defaultdict

class ConvBNAct(nn.Sequential):
    def __init__(self, c_in, c_out, k=3, s=1, g=1, act=nn.SiLU):
        super().__init__(OrderedDict([
            ('conv', nn.Conv2d(c_in, c_out, k, s, k // 2, groups=g, bias=False)),
            ('bn', nn.BatchNorm2d(c_out)),
            ('act', act(inplace=True) if act is not nn.Identity else act()),
        ]))

class SE(nn.Module):
    def __init__(self, c, r=4):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(nn.Conv2d(c, c // r, 1), nn.ReLU(True), nn.Conv2d(c // r, c, 1), nn.Hardsigmoid())
    def forward(self, x):
        return x * self.fc(self.pool(x))

class MBConv(nn.Module):
    def __init__(self, c_in, c_out, expand=2, s=1):
        super().__init__()
        mid = c_in * expand
        self.use_res = s == 1 and c_in == c_out
        self.block = nn.Sequential(ConvBNAct(c_in, mid, 1), ConvBNAct(mid, mid, 3, s, mid), SE(mid), ConvBNAct(mid, c_out, 1, act=nn.Identity))
    def forward(self, x):
        return x + self.block(x) if self.use_res else self.block(x)

class Net(nn.Module):
    cfg = [(8, 8, 2, 1), (8, 12, 2, 2), (12, 12, 2, 1)]
    def __init__(self, n_classes=4):
        super().__init__()
        self.stem = ConvBNAct(3, 8, 3, 2)
        self.blocks = nn.ModuleList(MBConv(*c) for c in self.cfg)
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Dropout(p=0.1), nn.Linear(12, n_classes))
        self.apply(self._init)
    @staticmethod
    def _init(m):
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode='fan_out', nonlinearity='relu')
            if m.bias is not None:
                nn.init.zeros_(m.bias)
        elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
            nn.init.ones_(m.weight); nn.init.zeros_(m.bias)
        elif isinstance(m, nn.Linear):
            nn.init.trunc_normal_(m.weight, std=.02)
            nn.init.constant_(m.bias, 0)
    def forward(self, x, return_features=False):
        feats = []
        x = self.stem(x)
        for b in self.blocks:
            x = b(x); feats.append(x)
        out = self.head(x)
        return (out, feats) if return_features else out

torch.manual_seed(2024)
model = Net()
print(model)
n_params = sum(p.numel() for p in model.parameters())
print(f'{n_params:,} parameters, {n_params * 4 / 1024:.1f} KiB')
shapes = {}
hooks = [m.register_forward_hook(lambda mod, i, o, name=n: shapes.__setitem__(name, tuple(o.shape))) for n, m in model.named_modules() if isinstance(m, nn.Conv2d)]
x = torch.randn(2, 3, 16, 16)
out, feats = model(x, return_features=True)
for h in hooks: h.remove()
for k, v in shapes.items(): print(f'{k:<24}{v}')
print([f.shape for f in feats])
model.train()
opt = torch.optim.SGD([
    {'params': [p for n, p in model.named_parameters() if p.ndim > 1], 'weight_decay': 1e-4},
    {'params': [p for n, p in model.named_parameters() if p.ndim <= 1], 'weight_decay': 0.},
], lr=0.05, momentum=0.9)
sched = torch.optim.lr_scheduler.SequentialLR(opt, [
    torch.optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=2),
    torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=3)], milestones=[2])
target = torch.tensor([1, 3])
for it in range(4):
    opt.zero_grad()
    l = F.cross_entropy(model(x), target, label_smoothing=0.1)
    l.backward(); opt.step(); sched.step()
    print(it, f'{l.item():.3f}', [f'{g["lr"]:.4f}' for g in opt.param_groups])
model.eval()
a, b = model(x[:1]), model(x)[:1]
print(torch.allclose(a, b, atol=1e-5))
print(model.stem.bn.num_batches_tracked, model.stem.bn.running_mean.shape)
for bad in (lambda: model(x[0]), lambda: model(x[:, :2]), lambda: model(x.byte()), lambda: model.train()(x[:1, :, :2, :2]),
            lambda: nn.Conv2d(3, 8, 3, groups=2), lambda: nn.Conv2d(3, 8, 3)(torch.zeros(1, 3, 2, 2)),
            lambda: nn.MaxPool2d(2)(torch.zeros(3)), lambda: nn.MaxPool2d(3, padding=2)(torch.zeros(1, 1, 4, 4)),
            lambda: nn.Linear(12, 4)(torch.zeros(2, 12, 3)), lambda: nn.BatchNorm2d(3)(torch.zeros(2, 4, 2, 2)),
            lambda: nn.BatchNorm1d(3)(torch.zeros(1, 3)), lambda: nn.Conv2d(3, 8), lambda: nn.GroupNorm(3, 8),
            lambda: nn.ConvTranspose2d(2, 2, 3, stride=2, output_padding=2)(torch.zeros(1, 2, 3, 3)),
            lambda: nn.Upsample(scale_factor=2, mode='linear')(torch.zeros(1, 1, 3, 3)), lambda: nn.PixelShuffle(2)(torch.zeros(1, 3, 2, 2)),
            lambda: nn.Flatten(0, 5)(torch.zeros(2, 3)), lambda: nn.Unflatten(1, (2, 2))(torch.zeros(2, 3)), lambda: model.head[7],
            lambda: model.blocks['a'], lambda: nn.Dropout(1.5), lambda: nn.LayerNorm(4)(torch.zeros(2, 3)), lambda: model.foo):
    try:
        r = bad(); print('ok', getattr(r, 'shape', r))
    except Exception as e:
        print(type(e).__name__, '->', e)
