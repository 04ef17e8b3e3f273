# What grad_fn is
# Watch: Every box that is no leaf has a backward node; y.grad_fn is the one of y.
# Watch: next_functions are the boxes that it sends gradients to, one per input.
# Watch: At a leaf stands AccumulateGrad: it adds what arrives to .grad.
import torch

x = torch.tensor(2.0, requires_grad=True)
y = torch.exp(x * x)

node = y.grad_fn
while node is not None:
    print(node.name())
    node = node.next_functions[0][0] if node.next_functions else None

y.backward()
print("x.grad =", f"{x.grad.item():.4f}")
