# One return for every input
# Watch: forward takes two arguments, so backward returns two values, in the same order.
# Watch: For what is no tensor, the power here, the value is None.
# Watch: What goes out to x has the shape of x.
import torch


class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, power):
        ctx.save_for_backward(x)
        ctx.power = power
        return x**power

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.power * x ** (ctx.power - 1), None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Power.apply(x, 3)
y.backward(torch.tensor([1.0, 10.0]))
print("x.grad =", x.grad)
