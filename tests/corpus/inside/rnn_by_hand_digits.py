# training loops whose losses are printed with all their digits
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np

torch.manual_seed(5)
X, Y = torch.randn(12, 5), torch.randint(0, 3, (12,))
net = nn.Sequential(nn.Linear(5, 18), nn.Sigmoid(), nn.Linear(18, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
for step in range(30):
    loss = F.cross_entropy(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 9:
        print(step, loss.item(), net[0].weight.grad.norm().item())
line = nn.Linear(1, 1)
x = torch.linspace(0, 1, 11).unsqueeze(1)
for step in range(30):
    mse = ((line(x) - 3 * x + 1) ** 2).mean()
    line.zero_grad()
    mse.backward()
    with torch.no_grad():
        for p in line.parameters():
            p -= 0.3 * p.grad
print(mse.item(), line.weight.item(), line.bias.item())
q, k = torch.randn(2, 6, 4), torch.randn(2, 6, 4, requires_grad=True)
att = F.softmax(q @ k.transpose(1, 2) / 2, dim=-1)
att.pow(2).sum().backward()
print(att[0, 0].tolist(), k.grad[1].sum().item())
print(type(torch.device("cpu")), type(x.shape), torch.zeros(1).new(x.size()).shape)
print(np.sqrt(x[:3]), np.maximum(line.weight.data, 0).shape, [t.item() for t in reversed(x[:3, 0])])
w = x.data
w[0] = 4
print(x._version, w._version, x[0])
print(torch.optim.RMSprop(line.parameters()).state_dict()["param_groups"])
try:
    torch.autograd.grad(x.sum(), x)
except RuntimeError as error:
    print(error)
with torch.no_grad():
    print(line.bias.numpy().shape)
