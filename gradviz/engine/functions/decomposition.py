"""Linear algebra as people call it: determinants, inverses, equations, factorizations, norms of matrices, distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.apply import apply
from gradviz.engine.dtypes import DType, dtype_of
from gradviz.engine.errors import Beyond, refuse_options
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions import linalg, reduction
from gradviz.engine.functions import shape as s
from gradviz.engine.functions.dims import dim_within
from gradviz.engine.operands import floating, tensor_given
from gradviz.engine.return_types import RETURN_TYPES
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.ops.decomposition import (
    CDIST,
    CHOLESKY,
    CROSS,
    DET,
    EUCLIDEAN,
    INVERSE,
    LOGDET,
    PDIST,
    PINV,
    SLOGDET,
    SLOGDET_SIGN,
    SOLVE,
    SOLVE_VECTOR,
    SVD_S,
    TRACE,
    eigh_of,
    svd_of,
)
from gradviz.ops.linalg import turned

MANY_ROWS = 25


# ---- what people call -------------------------------------------------------------------------------------------


def _square(function: str, x: Any, name: str = "A") -> Tensor:
    """A tensor of square matrices of floats.

    Raises:
        RuntimeError: it is none.
    """
    now = current(tensor_given(f"linalg_{function}", x, name))
    shape = now.array.shape
    if len(shape) < 2:
        raise RuntimeError(f"linalg.{function}: The input tensor {name} must have at least 2 dimensions.")
    if shape[-1] != shape[-2]:
        raise RuntimeError(
            f"linalg.{function}: {name} must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} "
            "matrices"
        )
    return _of_floats(function, now)


def _of_floats(function: str, now: Tensor) -> Tensor:
    if now.array.dtype.kind != "f":
        kind = dtype_of(now.array.dtype).type_name
        raise RuntimeError(f"linalg.{function}: Expected a floating point or complex tensor as input. Got {kind}")
    return now


def _matrices(function: str, x: Any) -> Tensor:
    now = current(tensor_given(f"linalg_{function}", x, "A"))
    if now.array.ndim < 2:
        raise RuntimeError(f"linalg.{function}: The input tensor A must have at least 2 dimensions.")
    return _of_floats(function, now)


def det(A: Tensor) -> Tensor:
    """The determinant of square matrices."""
    return apply(DET, (_square("det", A),))


def slogdet(A: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its size."""
    return _slogdet("linalg_slogdet", A)


def _slogdet(name: str, A: Tensor) -> Any:
    x = _square("slogdet", A)
    return RETURN_TYPES[name](apply(SLOGDET_SIGN, (x,)), apply(SLOGDET, (x,)))


def old_slogdet(input: Tensor) -> Any:
    """`torch.slogdet`: the sign of the determinant, and the logarithm of its size."""
    return _slogdet("slogdet", input)


def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; NaN where that is below 0."""
    return apply(LOGDET, (_square("logdet", input),))


def inv(A: Tensor) -> Tensor:
    """The inverse of square matrices.

    Raises:
        LinAlgError: one is singular.
    """
    return apply(INVERSE, (_square("inv", A),))


def pinv(A: Tensor, rcond: float | None = None, hermitian: bool = False, *, rtol: float | None = None) -> Tensor:
    """The pseudo-inverse of matrices."""
    x = _matrices("pinv", A)
    limit = rtol if rcond is None else rcond
    if limit is None:
        limit = float(np.finfo(x.array.dtype).eps * max(x.array.shape[-2:]))
    return apply(PINV, (x,), rcond=limit)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with A @ X = B; with left=False, X @ A = B.

    Raises:
        LinAlgError: A is singular.
        RuntimeError: the shapes do not fit.
    """
    a, b = _square("solve", A), current(tensor_given("linalg_solve", B, "B", 2))
    if not left:
        return s.transpose(solve(turned(A), turned(B)), -1, -2)
    is_vector = b.array.ndim == 1 or (b.array.ndim == a.array.ndim - 1 and b.array.shape == a.array.shape[:-1])
    if b.array.shape[-1 if is_vector else -2] != a.array.shape[-1]:
        raise RuntimeError(
            "linalg.solve: Incompatible shapes of A and B for the equation AX = B "
            f"({a.array.shape[-2]}x{a.array.shape[-1]} and {'x'.join(map(str, b.array.shape[-2:]))})"
        )
    return apply(SOLVE_VECTOR if is_vector else SOLVE, (a, b))


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, **others: Any) -> Tensor:
    """X with A @ X = B for a triangle A, of which nothing but that triangle is read."""
    refuse_options("torch.linalg.solve_triangular", others, "unitriangular")
    return solve(s.triu(A) if upper else s.tril(A), B, left=left)


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangle L with A = L @ Lᵀ of positive definite matrices, or its transpose.

    Raises:
        LinAlgError: one is not positive definite.
    """
    x = _square("cholesky", A)
    found = apply(CHOLESKY, (x,))
    return turned(found) if upper else found


def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """X with L @ Lᵀ @ X = B, for a Cholesky factor L."""
    return solve(turned(L) @ L if upper else L @ turned(L), B)


def svd(A: Tensor, full_matrices: bool = True) -> Any:
    """U, the singular values S, and Vᵀ, with A = U @ diag(S) @ Vᵀ."""
    x = _matrices("svd", A)
    u, sizes, vh = svd_of(constant(x.array) if full_matrices and not x.tracked else x)
    m, n = x.array.shape[-2:]
    if full_matrices and m != n:
        whole = np.linalg.svd(x.array)
        u, vh = (constant(whole[0]), vh) if m > n else (u, constant(whole[2]))
    return RETURN_TYPES["linalg_svd"](u, sizes, vh)


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """The eigenvalues, the smallest first, and the eigenvectors of symmetric matrices."""
    x = _square("eigh", A)
    return RETURN_TYPES["linalg_eigh"](*eigh_of(turned(x) if UPLO == "U" else x))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of symmetric matrices, the smallest first."""
    found: Tensor = eigh(A, UPLO)[0]
    return found


def matrix_power(A: Tensor, n: int) -> Tensor:
    """The product of n factors A; of the inverse for n below 0."""
    x = _square("matrix_power", A)
    if n < 0:
        return matrix_power(inv(x), -n)
    if not n:
        return constant(np.broadcast_to(np.eye(x.array.shape[-1], dtype=x.array.dtype), x.array.shape))
    found: Tensor | None = None
    square = x
    while n:
        if n % 2:
            found = square if found is None else linalg.matmul(found, square)
        n //= 2
        square = linalg.matmul(square, square) if n else square
    assert found is not None
    return found


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix.

    Raises:
        RuntimeError: it is no matrix.
    """
    ndim = current(tensor_given("trace", input)).array.ndim
    if ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {ndim}")
    return apply(TRACE, (input,))


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three numbers.

    Raises:
        RuntimeError: they have another size.
    """
    a, b = current(tensor_given("cross", input)).array, current(tensor_given("cross", other, "other", 2)).array
    at = dim_within(dim, a.ndim)
    if a.shape[at] != 3 or b.shape[dim_within(dim, b.ndim)] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a.shape[at]} and "
                           f"{b.shape[dim_within(dim, b.ndim)]}")  # fmt: skip
    shape = np.broadcast_shapes(a.shape, b.shape)
    first, second = (x if each.shape == shape else s.expand(x, shape) for x, each in ((input, a), (other, b)))
    return apply(CROSS, (first, second), dim=dim_within(dim, len(shape)))


def old_cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """`torch.cross`: the cross product along dim, by default the first of size 3."""
    shape = current(tensor_given("cross", input)).array.shape
    return cross(input, other, dim=shape.index(3) if dim is None else dim)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "") -> Tensor:
    """The p-distance of each row of x1 from each row of x2.

    Raises:
        RuntimeError: the rows have different sizes.
    """
    a, b = current(tensor_given("cdist", x1, "x1")).array, current(tensor_given("cdist", x2, "x2", 2)).array
    if a.ndim < 2 or b.ndim < 2:
        which, ndim = ("X1", a.ndim) if a.ndim < 2 else ("X2", b.ndim)
        raise RuntimeError(f"cdist only supports at least 2D tensors, {which} got: {ndim}D")
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: {b.shape[-1]}")
    if p == 2 and a.ndim == 2 and max(a.shape[0], b.shape[0]) > MANY_ROWS:
        return s.reshape(apply(EUCLIDEAN, (x1, x2), p=2.0), (a.shape[0], b.shape[0]))
    return apply(CDIST, (x1, x2), p=float(p))


def _vector(x: Tensor, ord: float, dim: Any, keepdim: bool) -> Tensor:
    found: Tensor = reduction.vector_norm(x, ord, dim, keepdim)
    return found


@reduction.two_spellings
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, dtype: DType | None = None) -> Tensor:
    """The p-norm of all elements taken as one vector, or over dims; of a matrix also "nuc" and, for 2, the largest
    singular value.

    Raises:
        Beyond: another norm of matrices.
    """
    x = A if dtype is None else e.convert(A, dtype)
    array = current(tensor_given("linalg_norm", x, "A")).array
    if ord in (None, "fro"):
        return _vector(x, 2, dim, keepdim)
    if array.ndim < 2 or isinstance(dim, int):
        return _vector(x, ord, dim, keepdim)
    if ord not in (2, "nuc") or array.ndim != 2:
        raise Beyond(f"the norm {ord!r} of matrices")
    sizes = apply(SVD_S, (_matrices("norm", x),))
    found = reduction.sum(sizes) if ord == "nuc" else reduction.amax(sizes)
    return s.reshape(found, (1, 1)) if keepdim else found


@reduction.two_spellings
def old_norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: DType | None = None
) -> Tensor:
    """`torch.norm`: the p-norm of all elements taken as one vector, or over dims; "nuc" of a matrix."""
    x = input if dtype is None else e.convert(input, dtype)
    return norm(x, p, dim, keepdim) if p in ("nuc", "fro", None) else _vector(x, p, dim, keepdim)


def matrix_exp(A: Tensor) -> Tensor:
    """eˣ of square matrices: the Taylor series of x / 2ᵏ, squared k times (Moler and Van Loan, 2003)."""
    x = _square("matrix_exp", A)
    size = np.abs(x.array).sum(-1).max(initial=0)
    halvings = int(np.ceil(np.log2(size / 0.5))) if 0.5 < size < np.inf else 0
    unit = constant(np.eye(x.array.shape[-1], dtype=x.array.dtype))
    small, found = x / 2**halvings, unit
    for n in range(15, 0, -1):
        found = unit + small @ found / n
    for _ in range(halvings):
        found = found @ found
    return found


def pdist(input: Tensor, p: float = 2) -> Tensor:
    """The p-distances of all pairs of rows."""
    return apply(PDIST, (floating(tensor_given("pdist", input)),), p=float(p))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "cholesky_solve": cholesky_solve, "cross": old_cross, "det": det, "inverse": inv, "logdet": logdet,
    "matrix_exp": matrix_exp, "matrix_power": matrix_power, "norm": old_norm, "slogdet": old_slogdet, "trace": trace,
}  # fmt: skip
"""What is a function of torch and a method of tensors alike."""
NAMESPACE: dict[str, Callable[..., Any]] = {"cdist": cdist, "pdist": pdist}
"""What is a function of torch but no method of tensors."""
