# Small things that people try out while they read the reference, page by page.
import math

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(3)

# hooks and their handles
v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
h = v.register_hook(lambda grad: grad * 2)
v.backward(torch.tensor([1.0, 2.0, 3.0]))
print(v.grad, h.remove(), h.remove())
w = torch.tensor([1.0, 2.0], requires_grad=True)
for hook in (lambda p: p.add_(p.grad, alpha=-0.1), lambda p: 3, lambda p: p.grad, lambda p: torch.zeros(3)):
    h = w.register_post_accumulate_grad_hook(hook)
    try:
        w.backward(torch.tensor([1.0, -1.0]))
        print(w)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
    h.remove()
layer = nn.Linear(2, 1)
print(layer.register_forward_hook(lambda *a: None).remove())

# rows of a Jacobian at once
x = torch.randn(3, requires_grad=True)
y = x**2
print(torch.vmap(lambda v: torch.autograd.grad(y, x, v))(torch.eye(3)))
try:
    torch.vmap(lambda v: torch.autograd.grad(y, x, v))(torch.eye(3))
except RuntimeError as e:
    print(str(e)[:60])

# from what there is
a = np.array([1.0, 2.0, 3.0])
print(torch.as_tensor(torch.ones(2), dtype=torch.float64), torch.as_tensor(np.float64(2.5)))
print(torch.asarray(a, dtype=torch.float32), torch.asarray(a).dtype, torch.asarray(np.float64(0.5)))
shared = torch.asarray(a)
shared[0] = 9
copied = torch.asarray(a, copy=True)
copied[1] = 7
print(a, torch.asarray([1, 2], dtype=torch.float64))
p = torch.tensor([1.0, 2.0], requires_grad=True)
print(torch.asarray(p * 2, requires_grad=False), torch.asarray(p * 2, requires_grad=True), torch.asarray(p) is p)
print(torch.asarray(p, copy=True), torch.asarray(p, dtype=torch.float64))
for wrong in (lambda: torch.asarray(a, dtype=torch.float32, copy=False), lambda: torch.asarray([1.0], copy=False)):
    try:
        wrong()
    except ValueError as e:
        print(e)
print(torch.typename(p), torch.typename(layer), torch.typename(nn.Linear), torch.typename(3), torch.typename([1]))

# sizes
up = nn.ConvTranspose2d(1, 2, 3, stride=2, padding=1)
image = torch.randn(1, 1, 6, 6)
print(up(image).shape, up(image, output_size=[1, 2, 12, 12]).shape, up(image, output_size=(12, 11)).shape)
for size in ((15, 12), (12,)):
    try:
        up(image, output_size=size)
    except ValueError as e:
        print(e)
print(torch.empty_strided((2, 3), (1, 2)).stride(), torch.empty_permuted((2, 3, 5), (2, 0, 1)).stride())
print(torch.zeros(2, 3).t().dim_order(), torch.zeros(2, 3).new_empty_strided((2, 2), (1, 2)).stride())

# numbers
print(torch.repeat_interleave(torch.tensor([1, 2, 3])), torch.angle(torch.tensor([1.0, -1.0, math.nan])))
print(torch.angle(p * torch.tensor([1.0, -1.0])), torch.special.xlogy(torch.tensor([1, 2, 3]), 4))
print(torch.gradient(torch.tensor([[1, 2, 4, 8], [10, 20, 40, 80]]), spacing=(torch.tensor([0, 2]), torch.tensor([0, 3, 6, 9]))))
tall = torch.zeros(7, 3)
print(tall.fill_diagonal_(5, wrap=True), torch.zeros(3, 5).fill_diagonal_(1, wrap=True))
print(torch.nonzero_static(torch.tensor([1, 0, 2]), size=4, fill_value=-1), torch.is_storage(tall.untyped_storage()))
try:
    torch.imag(tall)
except RuntimeError as e:
    print(e)

# saved tensors
try:
    with torch.autograd.graph.disable_saved_tensors_hooks("no hooks in here"):
        with torch.autograd.graph.save_on_cpu():
            pass
except RuntimeError as e:
    print(e)
