# Backward a second time
# Watch: pow keeps x for its slope, and lets go of it as soon as its backward has run.
# Watch: The second call finds nothing saved at that node, and PyTorch refuses.
# Watch: With retain_graph=True the saved values stay, and two passes add up.
import torch

x = torch.tensor(3.0, requires_grad=True)

y = x**2
y.backward()
print("x.grad =", x.grad)
try:
    y.backward()
except RuntimeError as error:
    print("refused:", str(error)[:50])

x.grad = None
y = x**2
y.backward(retain_graph=True)
y.backward()
print("x.grad =", x.grad)
