import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

def t(name, f):
    x = torch.tensor([0.3, -0.5, 0.0, 0.7, -1.0], requires_grad=True)
    w = torch.tensor([0.2, 0.4, 0.6, 0.8, 1.0], requires_grad=True)
    y = x * 2
    try:
        z = f(y, w)
        print(name, z is y, z.grad_fn.name())
        z.sum().backward()
        print(x.grad, w.grad)
    except RuntimeError as e:
        print(name, e)
for n in "leaky_relu elu selu celu hardtanh relu relu6 silu mish hardswish hardsigmoid".split():
    t(n, lambda y, w: getattr(F, n)(y, inplace=True))
t("leaky", lambda y, w: F.leaky_relu(y, -0.1, inplace=True))
t("elu", lambda y, w: F.elu(y, -0.1, inplace=True))
t("threshold", lambda y, w: F.threshold(y, 0.1, 20, inplace=True))
t("changed", lambda y, w: F.leaky_relu(y, inplace=True).add_(1))
t("changed", lambda y, w: F.silu(y, inplace=True).add_(1))
for n in "relu_ leaky_relu_ elu_ selu_ celu_ hardtanh_".split():
    t(n, lambda y, w: getattr(F, n)(y))
for n in "sin cos tan exp log sqrt tanh sigmoid abs neg square log1p sinh atan erf rsqrt reciprocal floor".split():
    t(n, lambda y, w: getattr(y, n + "_")())
for n in "mul div add sub pow atan2 hypot copysign xlogy".split():
    t(n, lambda y, w: getattr(y, n + "_")(w))
t("torch.exp_", lambda y, w: torch.exp_(y))
t("pow_", lambda y, w: y.pow_(2))
t("clamp_", lambda y, w: y.clamp_(-1, 1))
t("itself", lambda y, w: y.mul_(y))
t("view", lambda y, w: y[1:].sin_())
t("twice", lambda y, w: y.sin_().cos_())
net = nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU(0.1, inplace=True), nn.Linear(2, 2), nn.ELU(inplace=True))
torch.manual_seed(0)
for p in net.parameters():
    nn.init.normal_(p)
net(torch.ones(1, 2)).sum().backward()
print(net[0].weight.grad)
x = torch.ones(2, requires_grad=True)
show(lambda: F.leaky_relu(x, inplace=True))
show(lambda: F.relu_(x))
