"""Pictures made larger and smaller and what their pixels get back, all digits of float32; and pictures of bytes."""
import torch
import torch.nn.functional as F

g = torch.Generator().manual_seed(3)


def resized(mode, shape, size, corners=None, scale=None):
    x = torch.randn(shape, generator=g, requires_grad=True)
    y = F.interpolate(x, size=size, scale_factor=scale, mode=mode, align_corners=corners)
    y.backward(torch.randn(y.shape, generator=g))
    every = (torch.arange(1.0, y.numel() + 1) * y.detach().flatten()).sum()
    print(mode, shape, tuple(y.shape[2:]), corners, every.item(), y.flatten()[-3:].tolist(), x.grad.flatten()[:4].tolist())


SIZES = [((3, 4), (6, 8)), ((5, 3), (7, 9)), ((4, 6), (2, 3)), ((7, 5), (3, 4)), ((1, 4), (3, 5)), ((6, 6), (100, 29))]
for corners in (False, True):
    for old, new in SIZES:
        for lead in ((1, 1), (2, 3), (1, 9)):
            resized("bilinear", lead + old, new, corners)
        resized("bicubic", (1, 2) + old, new, corners)
    for scale in (2, 1.5, 0.6, 1.1):
        resized("bilinear", (1, 1, 4, 5), None, corners, scale)
        resized("bicubic", (1, 1, 4, 5), None, corners, scale)
        resized("linear", (1, 2, 5), None, corners, scale)
        resized("trilinear", (1, 2, 3, 2, 4), None, corners, scale)
for old, new in SIZES:
    resized("nearest", (1, 2) + old, new)
    resized("nearest-exact", (1, 2) + old, new)

x = torch.tensor([[[1.0, 2.0, 3.0, 4.0, 5.0]]], requires_grad=True)
y = F.interpolate(x, scale_factor=1.1, mode="linear")
y.sum().backward()
print(y, x.grad)
inf = torch.tensor([[[[1.0, float("inf")], [2.0, 3.0]]]])
print(F.interpolate(inf, scale_factor=2, mode="bilinear"), F.interpolate(inf, size=(3, 3), mode="bicubic"))
none = torch.zeros(0, 2, 3, 3, requires_grad=True)
F.interpolate(none, size=(5, 5), mode="bilinear").sum().backward()
print(none.grad.shape)

bytes_ = torch.randint(0, 256, (1, 1, 5, 6), dtype=torch.uint8, generator=g)
for mode in ("bilinear", "bicubic"):
    for smooth in (False, True):
        for size in ((7, 9), (3, 4)):
            print(F.interpolate(bytes_, size=size, mode=mode, antialias=smooth).flatten().tolist())
