"""Module hooks beside tensors that take no gradient, forward as a static method, and betas of Adam."""
import torch
from torch import nn


class Area(nn.Module):
    @staticmethod
    def forward(width, height):
        return width * height


area = Area()
area.register_forward_hook(lambda module, given, out: print("forward", type(module).__name__, len(given), out))
area.register_full_backward_hook(lambda module, sent, came: print("backward", sent, came))
width = torch.tensor([2.0, 3.0], requires_grad=True)
area(width, torch.tensor([4.0, 5.0])).sum().backward()
area(torch.tensor([1, 2]), width).sum().backward()
print(width.grad)


class Pair(nn.Module):
    def forward(self, a, b):
        print(a.requires_grad, b.requires_grad, b.grad_fn)
        return a * b, a * 3, b.detach() + 1


pair = Pair()
pair.register_full_backward_pre_hook(lambda module, came: print("pre", came))
pair.register_full_backward_hook(lambda module, sent, came: print("full", sent, came))
first, second, third = pair(torch.ones(2, requires_grad=True), torch.full((2,), 2.0))
print(third, third.requires_grad)
second.sum().backward()
first, second, third = pair(width, width)
(first + second).sum().backward()
print(width.grad)

loss = nn.MSELoss()
loss.register_full_backward_hook(lambda module, sent, came: print("loss", sent, came))
loss(width, torch.zeros(2)).backward()

weight = torch.ones(2, requires_grad=True)
print(torch.optim.Adam([weight], betas=[0.5, 0.9]))
print(torch.optim.AdamW([weight], betas=[0.5, 0.9]).defaults["betas"], torch.optim.Adamax([weight], betas=[0.5, 0.9]).defaults["betas"])
try:
    torch.optim.Adam([weight], lr=2e-4, betas=(0, 0.9))
except ValueError as error:
    print(error)
