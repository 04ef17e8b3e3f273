"""Python forgets with the first optimizer of a run what it has warned of, and with no later one."""
import torch
import torch.nn as nn
import torch.nn.functional as F

net = nn.Sequential(nn.Linear(2, 3), nn.Softmax())
x = torch.ones(1, 2)
y = net(x)
for step in range(6):
    F.softmax(x)
    net(x)
    torch.tensor(x)
    y.grad
    float(y.sum())
    if step in (2, 4):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        print("made", step)
