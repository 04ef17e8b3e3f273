# A derivative of your own
# Watch: f takes two numbers and gives three, so its Jacobian would be 3 × 2.
# Watch: backward receives three numbers, one dL/dy per output, and returns two, one dL/dx per input.
# Watch: It returns v·J, and nowhere is J itself.
import torch


class Products(torch.autograd.Function):
    @staticmethod
    def forward(ctx, point):
        ctx.save_for_backward(point)
        x, y = point
        return torch.stack((x * x, x * y, y * y))

    @staticmethod
    def backward(ctx, grad):
        (point,) = ctx.saved_tensors
        x, y = point
        a, b, c = grad
        print("comes in:", grad)
        return torch.stack((2 * x * a + y * b, x * b + 2 * y * c))


point = torch.tensor([1.0, 2.0], requires_grad=True)
f = Products.apply(point)
f.backward(torch.ones(3))

print("f        =", f.detach())
print("goes out:", point.grad)
