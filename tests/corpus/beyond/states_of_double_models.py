# Models with one state keep numbers of their own: what one learns afterwards the others do not.
import copy

import torch
from torch import nn


def made(kind):
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    return {"plain": lambda: net, "double": net.double, "half": net.half}[kind]()


def sums(tensors):
    return [round(float(t.detach().double().sum()), 4) for t in tensors]


torch.manual_seed(0)
for kind in ("plain", "double", "half"):
    first, second, third = made(kind), made(kind), made(kind)
    state = first.state_dict()
    second.load_state_dict(state)
    fourth = copy.deepcopy(first)
    third.load_state_dict(copy.deepcopy(state))
    with torch.no_grad():
        for t in [*first.parameters(), *first.buffers()]:
            t.add_(1)
    print(kind, [sums(net.state_dict().values()) for net in (second, third, fourth)], sums(state.values()))
    with torch.no_grad():
        for a, b in zip(first.parameters(), second.parameters()):
            b.copy_(a)
        for a in first.parameters():
            a.mul_(2)
    print(sums(second.parameters()))
    mean = torch.optim.swa_utils.AveragedModel(first, use_buffers=True)
    mean.update_parameters(first)
    with torch.no_grad():
        for t in [*first.parameters(), *first.buffers()]:
            t.mul_(2)
    print(sums(mean.module.state_dict().values()))

a, b = nn.Linear(2, 1).double(), nn.Linear(2, 1).double()
b.load_state_dict(a.state_dict())
before = b.weight.detach().clone()
step = torch.optim.SGD(a.parameters(), lr=0.1)
a(torch.ones(3, 2, dtype=torch.float64)).sum().backward()
step.step()
print((b.weight - before).abs().sum().item(), a.weight.data_ptr() == b.weight.data_ptr())
