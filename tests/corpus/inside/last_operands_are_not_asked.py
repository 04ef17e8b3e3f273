import torch
x = torch.ones(2)
print(None or x, 0 or torch.zeros(3), torch.ones(1) and x, (lambda t: print("seen") or t)(x))
print(1 < 2 < torch.tensor([1, 5]), 0 < 1 == torch.ones(2))
try:
    x or 1
except RuntimeError as e:
    print(e)
try:
    0 < x < 2
except RuntimeError as e:
    print(e)
