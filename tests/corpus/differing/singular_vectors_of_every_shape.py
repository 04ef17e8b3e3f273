import torch

torch.set_default_dtype(torch.float64)


def numbers(*shape):
    count = torch.Size(shape).numel()
    return torch.sin(torch.arange(1, count + 1) ** 2 * 1.7 + shape[-1]).reshape(shape)


print(torch.linalg.svd(torch.tensor([[1., 2., 3.], [4., 5., 6.]])))
print(torch.linalg.svd(torch.tensor([[-0., -0.5], [-1., 0.5], [1.5, -0.5]]), full_matrices=False))
print(torch.svd(torch.tensor([[3., 0., -1.], [1., 2., 0.5]]), some=False))
for shape in ((1, 1), (1, 3), (2, 3), (2, 4), (3, 4), (3, 5), (4, 7), (2, 39), (2, 40), (3, 61), (2, 1), (3, 2), (4, 3), (5, 4), (7, 5), (8, 6), (2, 2, 5)):
    for full in (False, True):
        u, s, vt = torch.linalg.svd(numbers(*shape), full_matrices=full)
        print(shape, full, u.shape, s, vt.shape)
        print(u[..., :6], vt[..., :6, :6], sep="\n")
x = numbers(2, 4).requires_grad_()
u, s, vt = torch.linalg.svd(x, full_matrices=False)
(u[0, 0] + s[1] + vt[1, 2]).backward()
print(x.grad)
x = numbers(5, 4).requires_grad_()
u, s, vt = torch.linalg.svd(x, full_matrices=False)
((u[0, 0] * vt[0, 1]) + u[3, 3]).backward()
print(x.grad)
for driver in ("gesvd", "gesvdj"):
    try:
        torch.linalg.svd(x, driver=driver)
    except Exception as error:
        print(error)
