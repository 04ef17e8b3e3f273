# Methods and properties added to torch.Tensor and to modules, as some courses do; and what `@` takes.
import torch
import torch.nn as nn


def describe(self):
    return f"{tuple(self.shape)} {self.dtype}"


torch.Tensor.describe = describe
torch.Tensor.rank2 = property(lambda self: len(self.shape))
torch.Tensor.UNIT = 3
x = torch.arange(6.0).view(2, 3)
p = nn.Parameter(x.clone())
print(x.describe(), x.rank2, p.describe(), p.UNIT, (x * 2).rank2, torch.Tensor.describe(x))
print(hasattr(x, "describe"), hasattr(x, "other"))
nn.Module.n_params = lambda self: sum(p.numel() for p in self.parameters())
print(nn.Linear(3, 4).n_params(), nn.Sequential(nn.Linear(1, 1), nn.ReLU()).n_params())
was = nn.ReLU.forward
nn.ReLU.forward = lambda self, x: (print("relu!"), was(self, x))[1]
print(nn.Sequential(nn.ReLU())(torch.tensor([-1.0, 1.0])))
nn.ReLU.forward = was
print(nn.ReLU()(torch.tensor([-1.0, 1.0])))

for call in (
    lambda: x @ 2, lambda: 2 @ x, lambda: x @ 2.5, lambda: x @ "a", lambda: x @ [1, 2], lambda: x @ None,
    lambda: x.matmul(2), lambda: torch.matmul(x, 2),
):
    try:
        call()
    except TypeError as error:
        print(error)


class Outer(torch.optim.Optimizer):
    def __init__(self, inner):
        self.inner = inner
        self.param_groups = inner.param_groups


Outer(torch.optim.SGD([p], lr=0.1)).zero_grad()
