"""Dot products of all lengths, and the searches of LBFGS, which show every rounding before them."""

import torch
from torch import nn

torch.manual_seed(0)
for n in (1, 3, 7, 16, 31, 32, 47, 48, 49, 52, 63, 64, 65, 80, 97, 112, 127, 128, 191, 300, 1000, 8191, 8192, 10001):
    a, b, c = torch.randn(n), torch.randn(n), torch.randn(2 * n)[::2]
    print(n, a.dot(b).item(), (a @ b).item(), a.dot(c).item(), c.dot(c).item())


def valley(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def plain(value):
    if isinstance(value, list):
        return [plain(each) for each in value if each is not None]
    return value.tolist() if isinstance(value, torch.Tensor) else value


x = torch.tensor([-1.2, 1.0], requires_grad=True)
optimizer = torch.optim.LBFGS([x], line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = valley(x)
    loss.backward()
    print(loss.item(), x.tolist(), x.grad.tolist())
    return loss


for _ in range(2):
    optimizer.step(closure)
state = optimizer.state[x]
print({name: plain(state[name]) for name in sorted(state)})

net = nn.Sequential(nn.Linear(3, 24), nn.Sigmoid(), nn.Linear(24, 1))
inputs = torch.randn(40, 3)
targets = inputs.prod(1, keepdim=True)
for search in (None, "strong_wolfe"):
    steps = torch.optim.LBFGS(net.parameters(), max_iter=6, line_search_fn=search)

    def again():
        steps.zero_grad()
        error = nn.functional.mse_loss(net(inputs), targets)
        error.backward()
        print(error.item())
        return error

    steps.step(again)
