"""`torch.nn.utils.parametrizations.orthogonal`, for the machine to read.

A product of Householder reflectors is made of products of matrices here; PyTorch has one kernel for it.
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

def _from_reflectors(x):
    below = x.tril(diagonal=-1)
    lengths = 2.0 / (1.0 + (below * below).sum(dim=-2))
    return _reflected(below, lengths) * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

def _cayley(skew):
    one = torch.eye(skew.size(-1), dtype=skew.dtype)
    return torch.linalg.solve(torch.add(one, skew, alpha=-0.5), torch.add(one, skew, alpha=0.5))

def _of_square(turn):
    def from_columns(x):
        rows, columns = x.shape[-2:]
        lower = x.tril()
        if rows == columns:
            return turn(lower - lower.mT)
        empty = x.new_zeros(rows, rows - columns).expand(*x.shape[:-2], -1, -1)
        wide = torch.cat([lower, empty], dim=-1)
        return turn(wide - wide.mT)[..., :columns]
    return from_columns

_MADE = {"matrix_exp": _of_square(torch.matrix_exp), "cayley": _of_square(_cayley), "householder": _from_reflectors}

class _Orthogonal(nn.Module):
    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)
    def _upright(self, x): return x.mT if x.size(-2) < x.size(-1) else x
    def forward(self, X):
        made = _MADE[self.orthogonal_map](self._upright(X))
        if hasattr(self, "base"):
            made = self.base @ made
        return made.mT if X.size(-2) < X.size(-1) else made
    @torch.no_grad()
    def right_inverse(self, Q):
        if self.shape != Q.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}.")
        upright = self._upright(Q)
        if hasattr(self, "base"):
            self.base = self._whole(upright)
            start = torch.zeros_like(Q)
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return start
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False.")
        packed, lengths = geqrf(upright)
        signs = packed.diagonal(dim1=-2, dim2=-1)
        signs.sign_()
        signs[lengths == 0.0] *= -1
        return packed if upright is Q else packed.mT
    def _whole(self, upright):
        *many, rows, columns = upright.shape
        if rows == columns:
            return upright.clone() if _is_orthogonal(upright) else _make_orthogonal(upright)
        more = torch.randn(*many, rows, rows - columns, dtype=upright.dtype)
        return _make_orthogonal(torch.cat([upright, more], dim=-1))

def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    weight = _weight(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    square = weight.size(-2) == weight.size(-1)
    chosen = ("matrix_exp" if square else "householder") if orthogonal_map is None else orthogonal_map
    if chosen not in _MADE:
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {chosen}')
    made = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)
'''
