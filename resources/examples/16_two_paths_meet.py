# Two paths meet
# Watch: x is used three times, twice in x * x and once by itself.
# Watch: Three gradients come back to x: 3, 3 and 1.
# Watch: They are summed to 2x + 1 = 7; that is the rule for every node with several consumers.
import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x + x
y.backward()

print("y      =", y.item())
print("x.grad =", x.grad)
