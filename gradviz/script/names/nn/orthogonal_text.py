"""`torch.nn.utils.parametrizations.orthogonal`, for the machine to read.

A product of Householder reflectors is made of products of matrices here; PyTorch has one kernel for it.
Source: torch/nn/utils/parametrizations.py.
"""

from __future__ import annotations

MAPS = '''
def _reflected(a, tau):
    """The first columns of the product of the reflectors below the diagonal of a."""
    n, k = a.size(-2), a.size(-1)
    v = a.tril(-1) + torch.eye(n, k, dtype=a.dtype)
    q = torch.eye(n, k, dtype=a.dtype)
    for i in reversed(range(k)):
        each = v[..., i : i + 1]
        q = q - tau[..., i, None, None] * each @ (each.mT @ q)
    return q

def _is_orthogonal(q):
    n, k = q.size(-2), q.size(-1)
    return torch.allclose(q.mT @ q, torch.eye(k, dtype=q.dtype), atol=10.0 * n * torch.finfo(q.dtype).eps)

def _make_orthogonal(a):
    x, tau = geqrf(a)
    return _reflected(x, tau) * x.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)

class _Orthogonal(nn.Module):
    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)
    def forward(self, X):
        transposed = X.size(-2) < X.size(-1)
        if transposed:
            X = X.mT
        n, k = X.size(-2), X.size(-1)
        if self.orthogonal_map == "householder":
            A = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
            Q = _reflected(A, tau) * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            Q = self._turned(X, n, k)
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if transposed else Q
    def _turned(self, X, n, k):
        X = X.tril()
        if n != k:
            X = torch.cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
        A = X - X.mT
        if self.orthogonal_map == "matrix_exp":
            Q = torch.matrix_exp(A)
        else:
            one = torch.eye(n, dtype=A.dtype)
            Q = torch.linalg.solve(torch.add(one, A, alpha=-0.5), torch.add(one, A, alpha=0.5))
        return Q[..., :k] if n != k else Q
    def right_inverse(self, Q):
        with torch.no_grad():
            return self._inverse(Q)
    def _inverse(self, Q):
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        given = Q
        transpose = Q.size(-2) < Q.size(-1)
        if transpose:
            Q = Q.mT
        n, k = Q.size(-2), Q.size(-1)
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            A, tau = geqrf(Q)
            A.diagonal(dim1=-2, dim2=-1).sign_()
            A.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return A.mT if transpose else A
        if n != k:
            Q = _make_orthogonal(torch.cat([Q, torch.randn(*Q.size()[:-2], n, n - k, dtype=Q.dtype)], dim=-1))
        else:
            Q = Q.clone() if _is_orthogonal(Q) else _make_orthogonal(Q)
        self.base = Q
        made = torch.zeros_like(given)
        made.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return made

def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    weight = _weight(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, made, unsafe=True)
    return module
'''
