# The derivative of the derivative
# Watch: With create_graph, the backward pass is itself a graph, and can be differentiated.
# Watch: The first pass gives 3x² = 12, the second goes through the nodes that the first one made.
# Watch: Torch.autograd.grad returns the gradient and leaves x.grad alone.
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**3

(slope,) = torch.autograd.grad(y, x, create_graph=True)
(curvature,) = torch.autograd.grad(slope, x)

print("y         =", y.item())
print("slope     =", slope.item())
print("curvature =", curvature.item())
print("x.grad    =", x.grad)
