import torch
class MyReLU(torch.autograd.Function):
    """doc"""
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)
    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input
torch.manual_seed(3)
x = torch.randn(4, 3)
w1 = torch.randn(3, 5, requires_grad=True)
w2 = torch.randn(5, 2, requires_grad=True)
relu = MyReLU.apply
y = relu(x.mm(w1)).mm(w2)
loss = y.pow(2).sum()
loss.backward()
print(loss.item())
print(w1.grad)
print(w2.grad)
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
a = torch.tensor([1., -2.], requires_grad=True)
out = Scale.apply(a, 10)
print(out)
out.sum().backward()
print(a.grad)
