# The chain rule, three times
# Watch: z = (2x)³. What goes out of z comes in at y, and is multiplied by 2 there.
# Watch: With v = 0.1 and v = 0.2, every gradient on the way shrinks with v.
# Watch: y and z are not leaves, so they keep no .grad.
import torch

x = torch.tensor([[-1.2095]], requires_grad=True)
y = 2 * x
z = y**3

z.backward(torch.tensor([[1.0]]), retain_graph=True)
print("v = 1.0:", x.grad)

x.grad.zero_()
z.backward(torch.tensor([[0.1]]), retain_graph=True)
print("v = 0.1:", x.grad)

x.grad.zero_()
z.backward(torch.tensor([[0.2]]))
print("v = 0.2:", x.grad)

print("leaves: ", x.is_leaf, y.is_leaf, z.is_leaf)
print("kept:   ", y.grad, z.grad)
