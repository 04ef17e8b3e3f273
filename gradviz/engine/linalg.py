"""`torch.linalg`: linear algebra under PyTorch's names."""

from __future__ import annotations

from gradviz.engine.functions.decomposition import (
    cholesky,
    cross,
    det,
    eigh,
    eigvalsh,
    inv,
    matrix_exp,
    matrix_power,
    norm,
    pinv,
    slogdet,
    solve,
    solve_triangular,
    svd,
)
from gradviz.engine.functions.linalg import matmul
from gradviz.engine.functions.reduction import vector_norm
from gradviz.engine.known import missing_of
from gradviz.ops.decomposition import LinAlgError

__getattr__ = missing_of("torch.linalg")

__all__ = [
    "LinAlgError", "cholesky", "cross", "det", "eigh", "eigvalsh", "inv", "matmul", "matrix_exp", "matrix_power", "norm", "pinv",
    "slogdet", "solve", "solve_triangular", "svd", "vector_norm",
]  # fmt: skip
