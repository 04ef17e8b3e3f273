"""`torch.linalg`: eigenvalues, singular values, QR, LU, pseudo-inverse."""

# ruff: noqa: ARG001 - the arguments of PyTorch, by their names

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.linalg.factors import inverse, inverted, refuse_failed, solve, square
from gradviz.imitation.engine.functions.linalg.lengths import filled, matrix_norm
from gradviz.imitation.engine.functions.named import named
from gradviz.imitation.engine.functions.numbers.arithmetic import div, mul, reciprocal
from gradviz.imitation.engine.functions.numbers.elementary import nan_to_num
from gradviz.imitation.engine.functions.places.placing import masked_fill
from gradviz.imitation.engine.functions.reducing.reduction import sum as total
from gradviz.imitation.engine.functions.shapes.moving import diagonal, flip, narrow
from gradviz.imitation.engine.functions.shapes.shaping import cat, expand, reshape, squeeze, transpose, unsqueeze
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.indexing.reading import get
from gradviz.imitation.engine.indexing.writing import put_part
from gradviz.imitation.engine.kernels.eigenvectors import is_diagonal_infinite, triangle
from gradviz.imitation.engine.rules.linalg.spectra import lu_parts
from gradviz.imitation.engine.shapes import numel
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import ScriptError, TorchError

Eigh = named("linalg_eigh", "eigenvalues", "eigenvectors")
Svd = named("linalg_svd", "U", "S", "Vh")
OldSvd = named("svd", "U", "S", "V")
Qr = named("linalg_qr", "Q", "R")
OldQr = named("qr", "Q", "R")
Lu = named("linalg_lu", "P", "L", "U")


LOOKS_FIRST = ("linalg.svd", "linalg.qr", "linalg.matrix_exp")
"""Functions that look at the dtype themselves; of others the kernel says that it has none."""


def matrix(function: str, x: Any, name: str = "A", kernel: str = "", *, is_square: bool = False) -> Tensor:
    """A matrix, or a stack of them.

    Raises:
        TorchError: fewer than two dims, not square where it must be, or no floating point.
    """
    given = need(function, x, name)
    if given.ndim < 2:
        raise TorchError(f"{function}: The input tensor {name} must have at least 2 dimensions.")
    if is_square and given.shape[-1] != given.shape[-2]:
        raise TorchError(
            f"{function}: {name} must be batches of square matrices, but they are {given.shape[-2]} by "
            f"{given.shape[-1]} matrices"
        )
    if given.dtype.kind not in FLOATING and function in LOOKS_FIRST:
        text = f"{function}: Expected a floating point or complex tensor as input. Got {type_name(given.dtype)}"
        raise TorchError(text, hint="Convert with .float() first.")
    if given.dtype.kind not in FLOATING or given.dtype.itemsize == 2:
        raise TorchError(
            f"\"{kernel or function.replace('.', '_')}_cpu\" not implemented for '{type_name(given.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    return given


def _parts(name: str, x: Tensor, count: int, **params: Any) -> tuple[Tensor, ...]:
    """All results of one call, which share a backward node."""
    return tuple(apply(OPS[name], (x,), part=part, **params) for part in range(count))


# ---- eigenvalues ----


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    x = matrix("linalg.eigh", A, kernel="linalg_eigh", is_square=True)
    if UPLO.upper() not in ("L", "U"):
        raise TorchError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    _refuse_non_finite(x, UPLO.upper(), 1)
    return Eigh(*_parts("eigh", x, 2, uplo=UPLO.upper()))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    x = matrix("linalg.eigh", A, kernel="linalg_eigh", is_square=True)
    _refuse_non_finite(x, UPLO.upper(), 1 if x.requires_grad and x.tape.grad_enabled else 2)
    return apply(EIGVALSH, (x,), part=0, uplo=UPLO.upper())


def _refuse_non_finite(x: Tensor, uplo: str, left: int) -> None:
    """Of a matrix from three rows on, PyTorch's library says that all values but so many were not found.

    It is content where the diagonal alone is infinite; asked for values alone, where the ends of that are.
    """
    read = triangle(x.data, uplo)
    is_found = np.isfinite(read).all(axis=(-2, -1)) | is_diagonal_infinite(read)
    if left == 2:
        is_found &= np.isfinite(np.diagonal(read, axis1=-2, axis2=-1)[..., 1:-1]).all(axis=-1)
    if x.shape[-1] > 2:
        refuse_failed("linalg.eigh", np.where(is_found, 0, max(x.shape[-1] - left, 0)))


EIGVALSH, SVDVALS = replace(OPS["eigh"], among=(0, 2)), replace(OPS["svd"], among=(1, 3))
"""The same entries, of whose nodes one result is asked for."""


def eig(A: Tensor) -> Any:
    """Refused: its results are complex."""
    matrix("linalg.eig", A, is_square=True)
    raise ScriptError(
        "the results of linalg.eig are complex, and complex tensors are not supported by gradviz",
        hint="Of a symmetric matrix, use linalg.eigh.",
    )


# ---- singular values ----


def _decomposed(A: Tensor, driver: str | None) -> Tensor:
    x = matrix("linalg.svd", A, kernel="linalg_svd")
    if driver is not None:
        raise TorchError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    refuse_failed("linalg.svd", np.isnan(x.data).any(axis=(-2, -1)))
    return x


def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    return Svd(*_parts("svd", _decomposed(A, driver), 3, full_matrices=bool(full_matrices)))


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    return apply(SVDVALS, (_decomposed(A, driver),), part=1, full_matrices=False)


def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """`torch.svd`, with V in the place of its transpose."""
    if need("svd", input).ndim < 2:
        found = f"but has {input.ndim} dimensions instead"
        raise TorchError(f"linalg.svd: input should have at least 2 dimensions, {found}")
    x = matrix("linalg.svd", input, kernel="linalg_svd")
    u, s, vt = svd(x, full_matrices=not some)
    return OldSvd(u, s, transpose(vt, -2, -1))


def matrix_rank(
    A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:  # fmt: skip
    x = need("torch.linalg.matrix_rank", A, "input")
    if x.ndim < 2:
        raise TorchError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if hermitian and x.data.size:
        square("linalg.eigh", x)
    values = _sizes(x, hermitian, is_bounded=tol is not None or rtol is not None)
    absolute = _bound(tol if tol is not None else atol)
    if tol is not None or rtol is not None:
        relative = _bound(None if tol is not None else rtol)
    else:
        relative = np.where(absolute > 0, 0.0, max(x.shape[-2:]) * float(np.finfo(x.dtype).eps))
    largest = values.max(-1, keepdims=True, initial=0)
    bound = np.maximum(absolute[..., None], largest * relative[..., None].astype(x.dtype))
    return filled(x, np.asarray((values > bound).sum(-1), np.int64))


def _sizes(x: Tensor, hermitian: bool, is_bounded: bool) -> Any:
    """The singular values, of a symmetric matrix by its eigenvalues."""
    if x.dtype.kind not in FLOATING or x.dtype.itemsize == 2:
        if not is_bounded:
            raise TorchError("This function doesn't handle types other than float and double")
        matrix("linalg.svd", x)
    if hermitian and x.data.size:
        return np.abs(eigvalsh(x).data)
    return np.linalg.svd(x.data, compute_uv=False)


def _bound(x: Any) -> Any:
    return np.asarray(0.0 if x is None else x.data if isinstance(x, Tensor) else x)


def cumprod(x: Tensor, dim: int) -> Tensor:
    """`torch.cumprod`."""
    from gradviz.imitation.engine.functions import FUNCTIONS as EVERY

    return EVERY["cumprod"](x, dim)  # type: ignore[no-any-return]


def _number(x: Any) -> float:
    return 0.0 if x is None else float(x.data) if isinstance(x, Tensor) else float(x)


def pinv(
    A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:  # fmt: skip
    x = need("linalg.pinv", A, "A")
    if x.ndim < 2 or x.dtype not in (np.float32, np.float64):
        raise TorchError(
            f"linalg.pinv({type_name(x.dtype)}{{{list(x.shape)}}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types"
        )
    refuse_failed("linalg.svd", np.isnan(x.data).any(axis=(-2, -1)))
    given = {name: None if value is None else _number(value) for name, value in (("atol", atol), ("rtol", rtol))}
    if rcond is not None:
        given["rtol"] = _number(rcond)
    return apply(OPS["pinv"], (x,), **given)


def cond(A: Tensor, p: Any = None) -> Tensor:
    x = need("linalg_cond", A)
    if isinstance(p, str):
        square(f"linalg.cond(ord={p})", x)
    elif x.ndim < 2:
        raise TorchError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p not in (None, 2, -2, "fro", "nuc", 1, -1, float("inf"), float("-inf")):
        raise TorchError(f"linalg.cond got an invalid norm type: {p}")
    if not x.data.size:
        return filled(x, np.zeros(x.shape[:-2], x.dtype))
    if p == "nuc":
        values = svdvals(x)
        return mul(total(values, -1), total(reciprocal(values), -1))
    if p in (None, 2, -2):
        values = svdvals(x)
        count = values.shape[-1]
        first, last = narrow(values, -1, 0, 1), narrow(values, -1, count - 1, 1)
        return squeeze(div(last, first) if p == -2 else div(first, last), -1)
    square(f"linalg.cond(ord={p})", x)
    turned, info = inverted(x)
    failed = constant((info != 0)[..., None, None], x.tape)
    sizes = mul(matrix_norm(x, p), matrix_norm(masked_fill(turned, failed, np.inf), p))
    out = nan_to_num(sizes, np.inf, np.inf, -np.inf)
    out.more.first_version = 1
    return out


# ---- QR and LU ----


def qr(A: Tensor, mode: str = "reduced") -> Any:
    x = matrix("linalg.qr", A, kernel="geqrf")
    if mode not in ("reduced", "complete", "r"):
        raise TorchError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return Qr(*_parts("qr", x, 2, mode=mode))


QR_OLD = (
    "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe boolean "
    "parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould be replaced "
    "with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
)


def old_qr(input: Tensor, some: bool = True) -> Any:
    """`torch.qr`."""
    warn(QR_OLD, once=True)
    return OldQr(*qr(input, "reduced" if some else "complete"))


def lu(A: Tensor, *, pivot: bool = True) -> Any:
    x = need("linalg_lu", A, "A")
    if x.ndim < 2:
        text = f"linalg.lu: Expected tensor with 2 or more dimensions. Got size: {list(x.shape)} instead"
        raise TorchError(text)
    x = matrix("linalg.lu", x, kernel="lu")
    if not pivot:
        raise TorchError("linalg.lu: LU without pivoting is not implemented on the CPU", hint="Leave it out.")
    return Lu(constant(lu_parts(x.data)[0], x.tape), *_parts("lu", x, 2))


# ---- functions of matrices ----


def matrix_exp(A: Tensor) -> Tensor:
    return apply(OPS["matrix_exp"], (matrix("linalg.matrix_exp", A, is_square=True),))


# ---- products ----


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    a, b = need("linalg.vecdot", x, "x"), need("linalg.vecdot", y, "y", 2)
    if a.dtype.kind not in FLOATING:
        raise TorchError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {type_name(a.dtype)}"
        )
    if a.dtype != b.dtype:
        names = f"x of type {type_name(a.dtype)} and y of type {type_name(b.dtype)} instead"
        raise TorchError(f"linalg.vecdot: Expected x and y to have the same dtype, but found {names}")
    return total(mul(a, b), dim)


def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    x = need("linalg.tensorinv", A, "A")
    if ind <= 0:
        raise TorchError("Expected a strictly positive integer for 'ind'")
    if ind > x.ndim:
        raise TorchError(f"ArrayRef: invalid slice, N = {ind}; size = {x.ndim}")
    first, second = x.shape[:ind], x.shape[ind:]
    if numel(first) != numel(second):
        raise TorchError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{numel(second)} != {numel(first)}"
        )
    return reshape(inverse(reshape(x, numel(second), numel(first))), (*second, *first))


def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    x, b = need("linalg.tensorsolve", A, "A"), need("linalg.tensorsolve", B, "B", 2)
    if dims is not None:
        from gradviz.imitation.engine.functions.shapes.moving import movedim

        x = movedim(x, tuple(dims), tuple(range(x.ndim - len(dims), x.ndim)))
    if b.ndim > x.ndim:
        raise TorchError("cannot create std::vector larger than max_size()")
    rest = x.shape[b.ndim :]
    if numel(rest) != b.data.size:
        raise TorchError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {numel(rest)} != {b.data.size}"
        )
    found = solve(reshape(x, numel(rest), numel(rest)), reshape(b, -1))
    return reshape(found, rest)


def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Powers 0, 1, 2, ... of each number along a new last dim."""
    given = need("linalg.vander", x, "x")
    count = given.shape[-1] if N is None else N
    if count <= 1:
        raise TorchError("N must be greater than 1.")
    ones = constant(np.ones((*given.shape, 1), given.dtype), given.tape)
    repeated = expand(unsqueeze(given, given.ndim), *given.shape, count - 1)
    return cat([ones, cumprod(repeated, -1)], -1)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """A matrix of powers of the numbers of a vector, the highest first."""
    given = need("vander", x, "x")
    if given.ndim != 1:
        raise TorchError("x must be a one-dimensional tensor.")
    count = given.shape[0] if N is None else N
    out = constant(np.ones((given.shape[0], count), given.dtype), given.tape)
    if count > 1:
        rest = (slice(None), slice(1, None))
        put_part(out, rest, unsqueeze(given, 1))
        put_part(out, rest, cumprod(get(out, rest), 1))
    return out if increasing else flip(out, (1,))


def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    return diagonal(A, offset, dim1, dim2)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "svd": old_svd, "qr": old_qr, "pinverse": pinv, "matrix_exp": matrix_exp, "vander": vander,
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = dict(FUNCTIONS)
NEURAL: dict[str, Callable[..., Any]] = {}
LINALG: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        eigh, eigvalsh, eig, svd, svdvals, matrix_rank, pinv, cond, qr, lu, matrix_exp,
        vecdot, tensorinv, tensorsolve,
    )
} | {"diagonal": linalg_diagonal, "vander": linalg_vander, "eigvals": eig}  # fmt: skip
