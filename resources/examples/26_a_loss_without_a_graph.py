# A loss without a graph
# Watch: item() gives a plain Python number, and what is computed from it has no history.
# Watch: The loss then has no grad_fn, and backward has nowhere to go.
# Watch: Kept as a tensor, the same arithmetic reaches w.
import torch

w = torch.tensor(2.0, requires_grad=True)

loss = torch.tensor((3 * w).item() ** 2)
print("requires_grad:", loss.requires_grad)
try:
    loss.backward()
except RuntimeError as error:
    print("refused:", error)

loss = (3 * w) ** 2
loss.backward()
print("w.grad =", w.grad)
