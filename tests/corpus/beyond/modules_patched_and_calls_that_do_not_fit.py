import torch, torch.nn as nn, torch.nn.functional as F, math, numpy as np
old = F.relu
F.relu = lambda x: x * 0 + 7
print(F.relu(torch.ones(2)), nn.functional.relu(torch.ones(1)))
F.relu = old
print(F.relu(torch.tensor([-1., 2.])))
torch.my_attr = 3; print(torch.my_attr)
math.tau2 = 2 * math.pi; print(math.tau2)
x = torch.ones(2, requires_grad=True)
for f in (lambda: x.sum().backward(retain=True), lambda: x.register_hook(), lambda: x.sum().backward(1, 2, 3, 4, 5), lambda: torch.autograd.grad(x.sum()), lambda: torch.autograd.grad(), lambda: x.detach(1), lambda: x.requires_grad_(foo=1), lambda: x.retain_grad(1), lambda: torch.autograd.backward(), lambda: x.norm(foo=1), lambda: x.item(1), lambda: x.zero_grad(), lambda: x.clone(2), lambda: torch.autograd.functional.jacobian(lambda t: t), lambda: x.backward(gradient=torch.ones(2), x=1)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
p = torch.zeros(2, 3); print(torch.randint_like(p, high=2).shape, torch.randint_like(p, 5).max() < 5, torch.randint_like(p, 2, 5).min() >= 2, torch.randint_like(p, low=0, high=2).dtype)
