# Arrows on a surface
# Watch: 81 points of a mesh go through a linear layer and a sigmoid at once.
# Watch: With v of ones, each point gets the slope of its own height.
# Watch: X.grad and Y.grad are the arrows: View > Arrow field (Ctrl+Shift+A) draws them over the surface Z.
import torch
from torch import nn

axis = torch.linspace(-4, 4, 9)
X, Y = torch.meshgrid(axis, axis, indexing="ij")
X = X.clone().requires_grad_()
Y = Y.clone().requires_grad_()
XY = torch.stack((X, Y), dim=-1).reshape(81, 2)

layer = nn.Linear(2, 1)
with torch.no_grad():
    layer.weight.copy_(torch.tensor([[1.0, -0.5]]))
    layer.bias.zero_()

Z = torch.sigmoid(layer(XY))
Z.backward(torch.ones(81, 1))

print("arrows of shape", tuple(X.grad.shape), "and", tuple(Y.grad.shape))
print("at the centre:  ", X.grad[4, 4].item(), Y.grad[4, 4].item())
print("steepest along X:", X.grad.max().item())
print("flattest along X:", f"{X.grad.min().item():.5f}")
