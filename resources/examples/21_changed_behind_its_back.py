# Changing a tensor that backward still needs
# Watch: exp saves its result; y.mul_(2) changes it, and PyTorch notices and refuses.
# Watch: A change through .data is not noticed, and the gradient is silently wrong.
# Watch: The right slope of x² at 2 is 4, and the second pass says 6.
import torch

x = torch.tensor(0.0, requires_grad=True)
y = torch.exp(x)
y.mul_(2)
try:
    y.sum().backward()
    print("not noticed")
except RuntimeError as error:
    print("noticed:", str(error).split(":")[0])

x = torch.tensor(2.0, requires_grad=True)
y = x**2
x.data += 1
y.backward()
print("x.grad =", x.grad)
