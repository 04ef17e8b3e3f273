import torch
from torch.autograd import Function, gradcheck

class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result

class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias

class Wrong(Function):
    @staticmethod
    def forward(ctx, x):
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g

x = torch.tensor([0.5, -1.0], dtype=torch.double, requires_grad=True)
y = Exp.apply(x)
y.sum().backward()
print(y, x.grad)
print(gradcheck(Exp.apply, (x,), eps=1e-6, atol=1e-4))
torch.manual_seed(3)
inputs = (torch.randn(4, 3, dtype=torch.double, requires_grad=True), torch.randn(2, 3, dtype=torch.double, requires_grad=True))
print(gradcheck(LinearFunction.apply, inputs, eps=1e-6, atol=1e-4))
try:
    gradcheck(Wrong.apply, (x,))
except RuntimeError as e:
    print(e)
print(gradcheck(Wrong.apply, (x,), raise_exception=False))
