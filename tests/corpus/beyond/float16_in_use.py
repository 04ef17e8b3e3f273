# float16 is computed in float32 and rounded once by each kernel, forward and backward.
import numpy as np
import torch
import torch.nn.functional as F
H = torch.float16
torch.manual_seed(0)


def go(name, f, *shapes):
    xs = [torch.randn(shape).to(H).requires_grad_() for shape in shapes]
    y = f(*xs)
    (y * y).sum().backward()
    print(name, y.flatten()[:6].tolist())
    print([x.grad.flatten()[:6].tolist() for x in xs])


for f in (
    torch.tanh, torch.sigmoid, torch.exp, torch.sin, torch.log1p, F.silu, F.gelu, F.softplus, F.mish, F.elu, F.selu, F.hardsigmoid,
    torch.erf, torch.atan, torch.reciprocal, torch.square,
):
    go(f.__name__, f, (6,))
    go(f.__name__, f, ())
go("linear", F.linear, (5, 6), (4, 6), (4,))
go("mm", torch.mm, (5, 6), (6, 3))
go("softmax", lambda x: x.softmax(1), (5, 6))
go("log_softmax", lambda x: x.log_softmax(1), (5, 6))
go("sum", lambda x: x.sum(0), (50, 6))
go("mean", lambda x: x.mean(0), (50, 6))
go("std", lambda x: x.std(0), (50, 6))
go("norm", lambda x: x.norm(dim=0), (50, 6))
go("conv", F.conv1d, (2, 3, 8), (4, 3, 3))
go("cross entropy", lambda x: F.cross_entropy(x, torch.tensor([0, 1, 2, 3, 4])), (5, 6))
go("smooth", F.smooth_l1_loss, (5, 6), (5, 6))
go("lerp", lambda x, y: torch.lerp(x, y, 0.3), (5, 6), (5, 6))
go("addcmul", lambda x, y, z: torch.addcmul(x, y, z, value=0.3), (5, 6), (5, 6), (5, 6))
go("by a number", lambda x: x / 0.3 * 0.7, (5, 6))
for dtype in (H, torch.bfloat16):
    x = torch.linspace(-2, 2, 9).to(dtype)
    print(x / 0.3, torch.div(x, 0.7), torch.mul(x, 1.3), x.div_(1.7))
# one that numpy has made
x = torch.from_numpy(np.array([0.41, 0.55, 0.73], dtype=np.float16)).requires_grad_()
(torch.tanh(x * 1.3) * 1.3).sum().backward()
print(x.grad, x.grad.dtype is torch.half)
