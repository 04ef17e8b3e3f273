# The derivative of the derivative
# Watch: with create_graph, the backward pass is itself a graph, and can be differentiated.
# Watch: the first pass gives 3x² = 12, the second goes through the nodes that the first one made.
# Watch: torch.autograd.grad returns the gradient and leaves x.grad alone.
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**3

(slope,) = torch.autograd.grad(y, x, create_graph=True)
(curvature,) = torch.autograd.grad(slope, x)

print("y         =", y.item())
print("slope     =", slope.item())
print("curvature =", curvature.item())
print("x.grad    =", x.grad)
