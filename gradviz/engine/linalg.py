"""`torch.linalg`: linear algebra under PyTorch's names."""

from __future__ import annotations

from gradviz.engine.known import missing_of
from gradviz.engine.ops.decomposition import (
    LinAlgError,
    cholesky,
    cholesky_ex,
    cond,
    cross,
    det,
    eig,
    eigh,
    eigvalsh,
    inv,
    inv_ex,
    lstsq,
    matrix_exp,
    matrix_norm,
    matrix_power,
    matrix_rank,
    norm,
    pinv,
    qr,
    slogdet,
    solve,
    solve_triangular,
    svd,
    svdvals,
    tensorsolve,
    vander,
    vecdot,
)
from gradviz.engine.ops.linalg import matmul, multi_dot
from gradviz.engine.ops.reduction import vector_norm
from gradviz.engine.ops.shape import diagonal as _diagonal
from gradviz.engine.tensor import Tensor


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices."""
    return _diagonal(A, offset, dim1, dim2)


__getattr__ = missing_of("torch.linalg")


__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvalsh", "inv",
    "inv_ex", "lstsq", "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot",
    "norm", "pinv", "qr",
    "slogdet", "solve", "solve_triangular", "svd", "svdvals", "tensorsolve", "vander", "vecdot", "vector_norm",
]  # fmt: skip
