# Blocks with a way past them, a table of layers by hooks, and a net that goes down and up again
from collections import OrderedDict
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
convolve = partial(nn.Conv2d, kernel_size=3, padding=1, bias=False)


class Past(nn.Module):
    """Two convolutions, and the input added to what they make of it."""

    widening = 1

    def __init__(self, fan_in, fan_out, step=1, norm=nn.BatchNorm2d):
        super(Past, self).__init__()
        width = fan_out * self.widening
        self.first, self.first_norm = convolve(fan_in, fan_out, stride=step), norm(fan_out)
        self.second, self.second_norm = convolve(fan_out, width), norm(width)
        self.bend = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if step > 1 or fan_in != width:
            self.shortcut = nn.Sequential(nn.Conv2d(fan_in, width, 1, step, bias=False), norm(width))

    def forward(self, image):
        changed = self.bend(self.first_norm(self.first(image)))
        changed = self.second_norm(self.second(changed))
        changed += self.shortcut(image)
        return self.bend(changed)


class Stages(nn.Module):
    def __init__(self, kind, depths, answers=4):
        super().__init__()
        widths = [4 * 2**stage for stage in range(len(depths))]
        self.stem = nn.Sequential(OrderedDict(conv=nn.Conv2d(3, 4, 5, stride=2, padding=2, bias=False), norm=nn.BatchNorm2d(4), bend=nn.ReLU(True), pool=nn.MaxPool2d(3, 2, 1)))
        fan_in = 4
        for stage, (width, depth) in enumerate(zip(widths, depths), start=1):
            blocks = []
            for block in range(depth):
                blocks.append(kind(fan_in, width, step=2 if stage > 1 and block == 0 else 1))
                fan_in = width * kind.widening
            setattr(self, f"stage{stage}", nn.Sequential(*blocks))
        self.mean = nn.AdaptiveAvgPool2d(1)
        self.answer = nn.Linear(fan_in, answers)
        self.reset()

    def reset(self):
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            if isinstance(module, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(module.weight)
                nn.init.zeros_(module.bias)

    def forward(self, image):
        for part in (self.stem, self.stage1, self.stage2, self.mean):
            image = part(image)
        return self.answer(image.flatten(1))


net = Stages(Past, [1, 2])
print(net)
images = torch.randn(2, 3, 32, 32)
scores = net(images)
print(scores.shape, scores)
scores.square().mean().backward()
print(net.stem.conv.weight.grad.shape, f"{net.answer.weight.grad.norm():.3f}", f"{net.stage2[0].shortcut[0].weight.grad.norm():.4f}")


def table_of(model, *inputs):
    """What each module that has no modules of its own gives, and how many numbers it learns."""
    lines, handles = [], []

    def note(name, module, given, result):
        learned = sum(weight.numel() for weight in module.parameters())
        lines.append((name, type(module).__name__, tuple(result.shape), learned))

    for name, module in model.named_modules():
        if not any(True for _ in module.children()):
            handles.append(module.register_forward_hook(partial(note, name)))
    try:
        model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
    wide = max(len(name) for name, *_ in lines)
    for name, kind, shape, learned in lines:
        print(f"{name:<{wide}}  {kind:<18}{'x'.join(map(str, shape)):>12}{learned:>8,}")
    print("-" * wide, f"{sum(learned for *_, learned in lines):,} numbers in {len(lines)} calls")


table_of(net, images)
print(sum(weight.numel() for weight in net.parameters()), len(net.stem._forward_hooks))


def twice(fan_in, fan_out, between=None):
    between = between or fan_out
    layers = [convolve(fan_in, between), nn.BatchNorm2d(between), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers, convolve(between, fan_out), nn.GroupNorm(2, fan_out), nn.SiLU())


class Climb(nn.Module):
    """Half as many channels at twice the size, beside the image that was kept on the way down."""

    def __init__(self, fan_in, fan_out):
        super().__init__()
        self.enlarge = nn.ConvTranspose2d(fan_in, fan_in // 2, 2, stride=2)
        self.blend = twice(fan_in, fan_out)

    def forward(self, deep, kept):
        deep = self.enlarge(deep)
        missing = [have - want for have, want in zip(kept.shape[:1:-1], deep.shape[:1:-1])]
        border = [part for gap in missing for part in (gap // 2, gap - gap // 2)]
        return self.blend(torch.cat((F.pad(deep, border), kept), 1))


climb = Climb(8, 4)
up = climb(torch.randn(1, 8, 3, 3), torch.randn(1, 4, 7, 7))
print(up.shape, climb.enlarge, f"{up.mean():.4f}")


class Gate(nn.Module):
    """Each channel weighed by a number between 0 and 1 that all channels decide together."""

    def __init__(self, channels, squeeze=2):
        super().__init__()
        self.decide = nn.Sequential(nn.Linear(channels, channels // squeeze, bias=False), nn.Tanh(), nn.Linear(channels // squeeze, channels, bias=False), nn.Sigmoid())

    def forward(self, image):
        return image * self.decide(image.mean((-2, -1)))[..., None, None].expand_as(image)


print(Gate(4)(torch.ones(1, 4, 2, 2))[0, :, 0, 0])
print([name for name, module in net.named_modules() if isinstance(module, nn.Conv2d)], len(list(net.modules())))
body = nn.Sequential(*list(net.children())[:-2])
print(len(body), body(images).shape)
rows = nn.Sequential(OrderedDict((f"row{i}", nn.Linear(4, 4)) for i in range(2)))
print(rows.row0, rows[1].weight.shape, list(dict(rows.named_children())))
net.answer = nn.Identity()
print(net(images).shape)
net.eval()
print(net.training, net.stage1[0].first_norm.training, torch.equal(net(images), net(images)))
