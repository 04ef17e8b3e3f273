"""What attention, eigenvalues and LU factors make of infinities and NaN, and which products of zeros are −0."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
inf, nan = float("inf"), float("nan")

for dtype in (torch.float32, torch.float64):
    for keys in (3, 10, 17):
        for bad in (nan, inf, -inf):
            for place in (0, keys - 1):
                for mask in (None, torch.zeros(4, keys, dtype=dtype)):
                    q, k, v = (torch.randn(1, 1, n, 4, dtype=dtype) for n in (4, keys, keys))
                    k[0, 0, place, 1] = bad
                    q[0, 0, 1] = bad
                    seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
                    print(dtype, keys, bad, place, mask is None, seen.isnan().int().flatten().tolist())


def tried(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


for n in (2, 3, 4):
    for name, numbers in {
        "first": {(0, 0): inf}, "last": {(-1, -1): -inf}, "all": {(i, i): inf for i in range(n)},
        "beside": {(-1, 0): inf}, "a NaN": {(0, 0): nan},
    }.items():
        x = torch.arange(float(n * n)).reshape(n, n)
        x = x + x.T
        for (i, j), number in numbers.items():
            x[i, j] = x[j, i] = number
        tried(f"eigh {n} {name}", lambda: torch.linalg.eigh(x))
        tried(f"eigvalsh {n} {name}", lambda: torch.linalg.eigvalsh(torch.stack([torch.eye(n), x])))
        y = x.clone().requires_grad_()
        tried(f"gradient {n} {name}", lambda: torch.autograd.grad(torch.linalg.eigvalsh(y).sum(), y))

for n in (2, 3, 5):
    for place in range(n):
        x = torch.eye(n, dtype=torch.float64)
        x[:, 0] = torch.arange(n)
        x[place, 0] = nan
        print(n, place, torch.linalg.lu_factor_ex(x).pivots)

for dtype in (torch.float64, torch.float32):
    for rows, columns in ((1, 1), (2, 1), (1, 3), (2, 3), (20, 20)):
        a, b = torch.full((rows, 1), 2.0, dtype=dtype), torch.full((1, columns), -0.0, dtype=dtype)
        print(dtype, rows, columns, [torch.signbit(y).any().item() for y in (a @ b, torch.bmm(a[None], b[None]))])
