# A vector in, a vector out
# Watch: y has five elements, so backward needs a v of five elements.
# Watch: Element i of y depends on element i of x alone, so the Jacobian is diagonal.
# Watch: v of ones picks that diagonal, 2x, and no matrix is ever built.
import torch

x = torch.linspace(-1, 1, 5, requires_grad=True)
y = x**2
y.backward(torch.ones_like(y))

print("x      =", x.detach())
print("x.grad =", x.grad)
