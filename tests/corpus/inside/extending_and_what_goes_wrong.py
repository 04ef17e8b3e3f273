"""Notes on extending torch.autograd (reading group, week 3)."""
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

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
        print("needs", ctx.needs_input_grad)
        return grad_input, grad_weight, grad_bias


linear = LinearFunction.apply
inp = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
wt = torch.randn(2, 3, dtype=torch.double, requires_grad=True)
out = linear(inp, wt, None)
print(out.grad_fn, out.grad_fn.name(), type(out.grad_fn).__name__)
print(type(out.grad_fn).__mro__[1].__name__, isinstance(out.grad_fn, torch.autograd.function.BackwardCFunction))
out.sum().backward()
print(inp.grad.shape, wt.grad.shape)
print(out.grad_fn.needs_input_grad)
try:
    print(out.grad_fn.saved_tensors)
except RuntimeError as e:
    print(e)


class MulConstant(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensor, constant = inputs
        ctx.constant = constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


print(MulConstant.apply(torch.tensor([1., 2.], requires_grad=True), 5.5))


class Cube(Function):
    @staticmethod
    def forward(x):
        return x ** 3, 3 * x ** 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, = inputs
        result, dx = output
        ctx.save_for_backward(x, dx)

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        return grad_output * dx + grad_dx * 6 * x


def my_cube(x):
    result, _ = Cube.apply(x)
    return result


x = torch.tensor([1.5, -2.], requires_grad=True)
y = my_cube(x)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
print(y, g)
gg, = torch.autograd.grad(g.sum(), x)
print(gg)


class NumpyExp(Function):
    @staticmethod
    def forward(ctx, i):
        result = torch.as_tensor(__import__("numpy").exp(i.detach().numpy())) if False else i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result


x = torch.zeros(2, requires_grad=True)
g, = torch.autograd.grad(NumpyExp.apply(x).sum(), x, create_graph=True)
print(g, g.grad_fn)
try:
    g.sum().backward()
except RuntimeError as e:
    print("RuntimeError", e)

# ---- what goes wrong ---------------------------------------------------------


class TooMany(Function):
    @staticmethod
    def forward(ctx, a):
        return a.clone()

    @staticmethod
    def backward(ctx, g):
        return g, g


class TooFew(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, g):
        return g


class WrongShape(Function):
    @staticmethod
    def forward(ctx, a):
        return a.sum()

    @staticmethod
    def backward(ctx, g):
        return torch.ones(7)


class WrongType(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return "gradient"


class NoBackward(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2


class NoForward(Function):
    @staticmethod
    def backward(ctx, g):
        return g


class NotStatic(Function):
    def forward(ctx, a):
        return a * 2

    def backward(ctx, g):
        return g


class ReturnsList(Function):
    @staticmethod
    def forward(ctx, a):
        return [a * 2, a * 3]

    @staticmethod
    def backward(ctx, *gs):
        return gs[0]


class SavesNumber(Function):
    @staticmethod
    def forward(ctx, a, k):
        ctx.save_for_backward(a, k)
        return a * k

    @staticmethod
    def backward(ctx, g):
        return g, None


class SavesTwice(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        ctx.save_for_backward(a * 2)
        return a * 2

    @staticmethod
    def backward(ctx, g):
        print(len(ctx.saved_tensors), ctx.saved_tensors)
        return g * 2


t = torch.ones(3, requires_grad=True)
for cls, args in [(TooMany, (t,)), (TooFew, (t, t)), (WrongShape, (t,)), (WrongType, (t,)), (NoBackward, (t,)),
                  (NoForward, (t,)), (NotStatic, (t,)), (ReturnsList, (t,)), (SavesNumber, (t, 3)), (SavesTwice, (t,)),
                  (MulConstant, (t,)), (LinearFunction, (t, 1, 2, 3))]:
    t.grad = None
    try:
        r = cls.apply(*args)
        r.sum().backward()
        print(cls.__name__, "fine", t.grad)
    except Exception as e:
        print(cls.__name__, "->", type(e).__name__, ":", e)
try:
    TooMany()(t)
except Exception as e:
    print(type(e).__name__, e)
try:
    LinearFunction.apply(input=t)
except Exception as e:
    print(type(e).__name__, e)
