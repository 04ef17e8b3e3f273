# The shape of v is that of the output
# Watch: out is one number of shape (), so a v of shape (1,) does not fit and is refused.
# Watch: mean hands a half of what comes in to each of the two elements.
# Watch: The gradient is 12x², element by element.
import torch

x = torch.tensor([[-0.4230], [-1.2352]], requires_grad=True)
out = torch.mean((2 * x) ** 3)

try:
    out.backward(torch.ones(1))
except RuntimeError as error:
    print("refused:", error)

out.backward()
print("x.grad =", x.grad)
