# U-Net / ResNet-like toys and layer inspection utilities
import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import partial
from collections import OrderedDict
torch.manual_seed(0)
def conv3x3(i, o, stride=1, groups=1, dilation=1):
    """3x3 convolution with padding"""
    return nn.Conv2d(i, o, kernel_size=3, stride=stride, padding=dilation, groups=groups, bias=False, dilation=dilation)
class BasicBlock(nn.Module):
    expansion = 1
    def __init__(self, inplanes, planes, stride=1, downsample=None, norm_layer=None):
        super(BasicBlock, self).__init__()
        if norm_layer is None: norm_layer = nn.BatchNorm2d
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride
    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None: identity = self.downsample(x)
        out += identity
        return self.relu(out)
class ResNet(nn.Module):
    def __init__(self, block, layers, num_classes=4):
        super().__init__()
        self.inplanes = 4
        self.conv1 = nn.Conv2d(3, 4, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 4, layers[0])
        self.layer2 = self._make_layer(block, 8, layers[1], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8 * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d): nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1); nn.init.constant_(m.bias, 0)
    def _make_layer(self, block, planes, blocks, stride=1):
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(nn.Conv2d(self.inplanes, planes * block.expansion, 1, stride, bias=False), nn.BatchNorm2d(planes * block.expansion))
        layers = [block(self.inplanes, planes, stride, downsample)]
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks): layers.append(block(self.inplanes, planes))
        return nn.Sequential(*layers)
    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer2(self.layer1(x))
        return self.fc(torch.flatten(self.avgpool(x), 1))
net = ResNet(BasicBlock, [1, 2]); print(net)
x = torch.randn(2, 3, 32, 32); y = net(x); print(y.shape, y)
y.sum().backward(); print(net.conv1.weight.grad.shape, "%.3f" % net.fc.weight.grad.norm())
def summary(model, inp):
    rows, hooks = [], []
    def reg(m):
        def hook(mod, i, o):
            rows.append((f"{mod.__class__.__name__}-{len(rows) + 1}", list(o.size()), sum(p.numel() for p in mod.parameters())))
        if not isinstance(m, (nn.Sequential, nn.ModuleList)) and m != model: hooks.append(m.register_forward_hook(hook))
    model.apply(reg); model(inp)
    for h in hooks: h.remove()
    print("-" * 64); print("{:>20}  {:>25} {:>15}".format("Layer (type)", "Output Shape", "Param #")); print("=" * 64)
    for n, s, p in rows: print("{:>20}  {:>25} {:>15}".format(n, str(s), "{0:,}".format(p)))
    print(f"Total params: {sum(p.numel() for p in model.parameters()):,}")
summary(net, x)
class DoubleConv(nn.Module):
    """(convolution => [BN] => ReLU) * 2"""
    def __init__(self, i, o, mid=None):
        super().__init__()
        mid = mid or o
        self.double_conv = nn.Sequential(nn.Conv2d(i, mid, 3, padding=1), nn.BatchNorm2d(mid), nn.ReLU(inplace=True), nn.Conv2d(mid, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))
    def forward(self, x): return self.double_conv(x)
class Up(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.up = nn.ConvTranspose2d(i, i // 2, kernel_size=2, stride=2); self.conv = DoubleConv(i, o)
    def forward(self, x1, x2):
        x1 = self.up(x1)
        dY, dX = x2.size()[2] - x1.size()[2], x2.size()[3] - x1.size()[3]
        x1 = F.pad(x1, [dX // 2, dX - dX // 2, dY // 2, dY - dY // 2])
        return self.conv(torch.cat([x2, x1], dim=1))
up = Up(8, 4); print(up(torch.randn(1, 8, 3, 3), torch.randn(1, 4, 7, 7)).shape, up.up)
class SE(nn.Module):
    def __init__(self, c, r=2):
        super().__init__(); self.fc = nn.Sequential(nn.Linear(c, c // r, bias=False), nn.ReLU(inplace=True), nn.Linear(c // r, c, bias=False), nn.Sigmoid())
    def forward(self, x):
        b, c, _, _ = x.size(); y = x.mean((2, 3)); return x * self.fc(y).view(b, c, 1, 1).expand_as(x)
print(SE(4)(torch.ones(1, 4, 2, 2)).flatten()[:4], sum(1 for _ in net.modules()), [n for n, m in net.named_modules() if isinstance(m, nn.Conv2d)])
body = nn.Sequential(*list(net.children())[:-2]); print(len(body), body(x).shape)
enc = nn.Sequential(OrderedDict((f"l{i}", nn.Linear(4, 4)) for i in range(2))); print(enc.l0, enc[1].weight.shape, dict(enc.named_children()).keys())
net.fc = nn.Identity(); print(net(x).shape); net.eval(); print(net.training, net.layer1[0].bn1.training)
