import torch

torch.set_default_dtype(torch.float64)


def symmetric(n, *batch):
    count = torch.Size((*batch, n, n)).numel()
    x = torch.sin(torch.arange(1, count + 1) ** 2 * 1.3 + n).reshape(*batch, n, n)
    return x + x.mT


for n in (1, 2, 3, 4, 5, 8, 12):
    print(torch.linalg.eigh(symmetric(n)))
x = symmetric(4).tril() + torch.ones(4, 4).triu(1)
for uplo in "LU":
    print(torch.linalg.eigh(x, UPLO=uplo).eigenvectors)
print(torch.linalg.eigh(symmetric(3, 2, 2))[1])
print(torch.linalg.eigh(symmetric(5).float())[1], torch.linalg.eigh(symmetric(4) * 1e-160)[1], torch.linalg.eigh(symmetric(4) * 1e200)[1])
for diagonal in ([2.0, 2.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0]):
    print(torch.linalg.eigh(torch.diag(torch.tensor(diagonal)) - torch.diag(torch.ones(3), 1) - torch.diag(torch.ones(3), -1)).eigenvectors.float())
print(torch.linalg.eigh(torch.diag(torch.tensor([3.0, 1.0, -2.0]))), torch.linalg.eigh(torch.eye(4))[1], torch.linalg.eigh(torch.zeros(3, 3))[1])
print(torch.linalg.eigh(torch.tensor([[2.0, 1, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1], [0, 0, 1, 3.5]]))[1])
points = torch.tensor([[2.5, 2.4, 0.5], [0.5, 0.7, 1.1], [2.2, 2.9, -0.4], [1.9, 2.2, 0.9], [3.1, 3.0, 0.2]])
values, axes = torch.linalg.eigh(torch.cov(points.T))
print((points - points.mean(0)) @ axes[:, -2:])
x = symmetric(4).requires_grad_()
values, vectors = torch.linalg.eigh(x)
(vectors[0, 0] + vectors[2, 3] * values[1]).backward()
print(x.grad)
