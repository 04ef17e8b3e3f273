# A sum by Python itself
# Watch: Python's sum adds one by one, 0 + x[0] + x[1], so each addition is a node.
# Watch: An addition hands on what comes in, unchanged, to both of its inputs.
# Watch: The second graph is new, and v = 100 goes through it as 100.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)

y = sum(x)
y.backward()
print("x.grad =", x.grad)

x.grad = None
y = sum(x)
y.backward(torch.tensor(100.0))
print("x.grad =", x.grad)
