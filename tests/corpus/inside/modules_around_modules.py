"""Wrappers that hand on what they have not got, by nn.Module's own __getattr__."""

import torch
from torch import nn


class Wrapped(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module
        self.k = 3

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError as e:
            print("not here:", e)
            return getattr(self.module, name)

    def forward(self, x):
        return self.module(x)


class Ten(nn.Module):
    "Has one name more."

    def __getattr__(self, name):
        return 10 if name == "ten" else nn.Module.__getattr__(self, name)


class Unready(nn.Module):
    def __init__(self):
        for _ in range(2):
            try:
                self.fc
            except AttributeError as e:
                print(e)


torch.manual_seed(0)
w = Wrapped(nn.BatchNorm1d(2))
print(w.num_features, w.weight.shape, w.running_mean, w.k, w.module is w.__getattr__("module"))
w.module.register_parameter("none", None)
print(nn.Module.__getattr__(w.module, "none"), w.module.__getattr__("running_var"))
for name in ("k", "training", "zip"):
    try:
        nn.Module.__getattr__(w, name)
    except AttributeError as e:
        print(e)
print(hasattr(w, "bias"), hasattr(w, "zip"), getattr(w, "lora", "default"))
w(torch.randn(3, 2)).pow(3).sum().backward()
print(w.weight.grad, w.module.weight.grad is w.weight.grad)
t = Ten()
t.fc = nn.Linear(1, 1)
print(t.ten, t.fc, t.__doc__, repr(t), t.__class__.__name__, t.__module__)
try:
    t.eleven
except AttributeError as e:
    print(e)
Unready()
