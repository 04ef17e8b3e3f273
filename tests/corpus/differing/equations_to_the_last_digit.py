"""Inverses, determinants and solutions of small systems, all digits."""
import torch

g = torch.Generator().manual_seed(1)
for dtype in (torch.float64, torch.float32):
    for n in range(1, 9):
        A = torch.randn(n, n, generator=g, dtype=dtype)
        v, B = torch.randn(n, generator=g, dtype=dtype), torch.randn(n, 3, generator=g, dtype=dtype)
        print(dtype, n, torch.linalg.inv(A).tolist())
        print(torch.linalg.solve(A, v).tolist(), torch.linalg.solve(A, B).tolist())
        print(torch.det(A).item(), [part.item() for part in torch.linalg.slogdet(A)], torch.det(A.T).item())
        A.requires_grad_()
        print(torch.autograd.grad(torch.det(A), A)[0].tolist())
        print(torch.autograd.grad(torch.linalg.slogdet(A)[1], A)[0].tolist())

for rows in ([[1., 2.], [3., 4.]], [[4., 7.], [2., 6.]], [[1., 2., 3.], [0., 1., 4.], [5., 6., 0.]], [[2., 4.], [1., 2.]]):
    A = torch.tensor(rows, requires_grad=True)
    d = torch.det(A)
    d.backward()
    print(d, A.grad)
    try:
        I = torch.inverse(A)
        print(I, A @ I)
    except RuntimeError as e:
        print(type(e).__name__, e)
batch = torch.stack([torch.eye(3) * 2, torch.ones(3, 3) + torch.eye(3)])
print(torch.det(batch), torch.linalg.inv(batch), torch.linalg.solve(batch, torch.ones(2, 3, 1)).squeeze())
