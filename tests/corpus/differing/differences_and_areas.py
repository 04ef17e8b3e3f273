# numerical calculus: diff, gradient, trapezoid, cov, corrcoef
import math
import torch

t = torch.linspace(0, math.pi, 7, dtype=torch.float64)
y = torch.sin(t).requires_grad_()
area = torch.trapezoid(y, t)
print(area, torch.trapz(y, dx=math.pi / 6).item())
area.backward()
print(y.grad)
print(torch.cumulative_trapezoid(y, t))

y.grad = None
d = torch.diff(y)
print(d, [(node.name(), number) for node, number in d.grad_fn.next_functions])
d.square().sum().backward()
print(y.grad)
print(torch.diff(y.detach(), n=2), torch.diff(y.detach(), prepend=torch.zeros(1, dtype=torch.float64)))

slope, = torch.gradient(y, spacing=math.pi / 6)
print(slope, slope.grad_fn.name())
print(torch.gradient(y.detach(), spacing=(t ** 2,))[0])
print(torch.gradient(torch.arange(9.0).reshape(3, 3) ** 2, edge_order=2, dim=1))

# total variation of an image
img = torch.tensor([[1.0, 2.0, 4.0], [0.0, 1.0, 3.0]], requires_grad=True)
tv = img.diff(dim=0).abs().sum() + img.diff(dim=1).abs().sum()
tv.backward()
print(tv.item(), img.grad)

X = torch.tensor([[0.0, 2.0, 1.0, 4.0], [2.0, 0.0, 1.5, -1.0]], requires_grad=True)
C = torch.cov(X)
print(C, C.grad_fn.name(), torch.corrcoef(X).detach(), torch.cov(X[0]).item(), sep="\n")
C.diagonal().sum().backward()
print(X.grad)
print(torch.allclose(C.diagonal(), X.var(dim=1)), torch.cov(X.detach(), correction=0))
print(torch.cov(X.detach(), fweights=torch.tensor([1, 2, 1, 1])))

# undo broadcasting by hand
g = torch.ones(4, 2, 3)
print(g.sum_to_size(3), g.sum_to_size(1, 2, 1).shape, X.sum_to_size(1, 4))
print(torch.logaddexp(torch.tensor([0.0, 1000.0]), torch.tensor([0.0, 1000.0])))
for part in torch.tensor_split(torch.arange(7), 3):
    print(part)

for bad in (lambda: torch.diff(torch.tensor(1.0)), lambda: torch.diff(img, append=torch.zeros(3)),
            lambda: torch.trapezoid(y, torch.zeros(3)), lambda: torch.gradient(img[:1]),
            lambda: torch.cov(torch.zeros(2, 2, 2)), lambda: X.sum_to_size(3), lambda: torch.gradient(img, edge_order=5),
            lambda: torch.renorm(X[0], 2, 0, 1.0), lambda: torch.diff(img, n=-1)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
