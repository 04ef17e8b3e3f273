import torch
from torch.autograd import Function

class RoundSTE(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)
    @staticmethod
    def backward(ctx, g):
        return g

class GradReverse(Function):
    @staticmethod
    def forward(ctx, x, lamb):
        ctx.lamb = lamb
        return x.view_as(x)
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.lamb, None

x = torch.tensor([0.2, 0.7, 1.5, 2.5], requires_grad=True)
y = RoundSTE.apply(x)
print(y)
(y * torch.arange(4.)).sum().backward()
print(x.grad)
x.grad = None
torch.round(x).sum().backward()
print(x.grad)
x.grad = None
z = GradReverse.apply(x, 0.5)
print(z)
z.sum().backward()
print(x.grad)
# the same without a Function
q = x + (x.round() - x).detach()
x.grad = None
q.sum().backward()
print(q, x.grad)

class Bad(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b
    @staticmethod
    def backward(ctx, g):
        return g
Bad.apply(x, x).sum().backward()
