# Where to cut a hidden state
# Watch: Without the cut, the second loss would go back through the first chunk too.
# Watch: detach() hands on the number and no history: its box is a new beginning.
# Watch: So the second call needs nothing that the first one has freed.
import torch

w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(1.0)

for chunk in range(2):
    h = h.detach()
    for x in (1.0, 2.0):
        h = w * h + x
    h.backward()
    print(f"chunk {chunk}: h = {h.item():.4f}, w.grad = {w.grad.item():.4f}")
