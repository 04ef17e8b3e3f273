"""Equations with matrices: least squares, triangular ones, and those of a Cholesky factor."""

# ruff: noqa: ARG001 - the arguments of PyTorch, by their names

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, convert, type_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.linalg.factors import check_equation, is_vector_side
from gradviz.imitation.engine.functions.linalg.spectra import matrix, matrix_rank
from gradviz.imitation.engine.functions.named import named
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.shape_errors import mismatch
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.errors import TorchError

Lstsq = named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: str | None = None) -> Any:
    a, b = need("linalg_lstsq", A), need("linalg_lstsq", B, "B", 2)
    is_vector = _check_least_squares(a, b)
    if a.dtype not in (np.float32, np.float64):
        raise TorchError("This function doesn't handle types other than float and double")
    if driver not in (None, *DRIVERS):
        raise TorchError(f"torch.linalg.lstsq: parameter `driver` should be one of ({', '.join(DRIVERS)})")
    _refuse_nan(a, b)
    rank = constant(matrix_rank(a).data, a.tape)
    is_full = bool((rank.data == a.shape[-1]).all())
    if driver == "gels" and not (rank.data == min(a.shape[-2:])).all():
        raise TorchError(
            "torch.linalg.lstsq: The least squares solution could not be computed because the input matrix does not "
            "have full rank (error code: 2).",
            kind="torch._C._LinAlgError",
        )
    has_rest = driver not in (None, "gelsy") and is_full and a.shape[-2] > a.shape[-1]
    name = "lstsq_vector" if is_vector else "lstsq"
    solution, rest = (apply(OPS[name], (a, b), part=part, has_rest=has_rest) for part in range(2))
    none = np.zeros(0, a.dtype)
    sizes = constant(np.linalg.svd(a.data, compute_uv=False) if driver in ("gelsd", "gelss") else none, a.tape)
    return Lstsq(solution, rest, constant(none.astype(np.int64), a.tape) if driver == "gels" else rank, sizes)


def _refuse_nan(a: Tensor, b: Tensor) -> None:
    """In PyTorch's words, which are those of a fault of its own."""
    for place, x in ((4, a), (6, b)):
        if np.isnan(x.data).any():
            raise TorchError(
                'false INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp":'
                f"1613, please report a bug to PyTorch. torch.linalg.lstsq: Argument {place} has illegal value. Most "
                "certainly there is a bug in the implementation calling the backend library.",
                hint="Look for the NaN in the two matrices.",
            )


def _check_least_squares(a: Tensor, b: Tensor) -> bool:
    """Whether the right side is one vector for each matrix.

    Raises:
        TorchError: the sides do not fit each other.
    """
    function = "torch.linalg.lstsq"
    if a.ndim < 2:
        raise TorchError(f"{function}: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise TorchError(f"{function}: other must have at least 1 dimension.")
    if a.dtype != b.dtype:
        raise TorchError(
            f"{function}: Expected input and other to have the same dtype, but got input's dtype {type_name(a.dtype)} "
            f"and other's dtype {type_name(b.dtype)}"
        )
    if not 0 <= a.ndim - b.ndim <= 1:
        raise TorchError(
            f"{function}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    is_vector = is_vector_side(a, b)
    if a.shape[-2] != b.shape[-1 if is_vector else -2]:
        raise TorchError(f"{function}: input.size(-2) should match other.size({-1 if is_vector else -2})")
    if found := mismatch(a.shape[:-2], b.shape[: a.ndim - 2]):
        raise found
    return is_vector


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:  # fmt: skip
    a, b = need("linalg.solve_triangular", A), need("linalg.solve_triangular", B, "B", 2)
    check_equation("linalg.solve_triangular", a, b.shape, left)
    matrix("linalg.solve_triangular", a, kernel="triangular_solve")
    params = {"is_upper": upper, "left": left, "unitriangular": unitriangular}
    op = OPS["solve_triangular"]  # which writes into a copy of B in the dtype of A
    return record(op, (a, b), params, op.forward(a.data, convert(b.data, a.dtype), **params))


def _check_equation(b: Tensor, a: Tensor) -> None:
    if a.shape[-1] != a.shape[-2]:
        sizes = f"{a.shape[-2]} by {a.shape[-1]}"
        raise TorchError(f"A must be batches of square matrices, but they are {sizes} matrices")
    if a.shape[-2] != b.shape[-2]:
        raise TorchError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {a.shape[-1]} by {a.shape[-1]} but each b "
            f"matrix is {b.shape[-2]} by {b.shape[-1]}"
        )


def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    b, low = need("cholesky_solve", input), need("cholesky_solve", L, "L", 2)
    if b.ndim < 2:
        raise TorchError(f"b should have at least 2 dimensions, but has {b.ndim} dimensions instead")
    if low.ndim < 2:
        raise TorchError(f"u should have at least 2 dimensions, but has {low.ndim} dimensions instead")
    if b.dtype != low.dtype:
        raise TorchError(
            f"Expected b and A to have the same dtype, but found b of type {type_name(b.dtype)} and A of type "
            f"{type_name(low.dtype)} instead."
        )
    _check_equation(b, low)
    if b.dtype.kind not in FLOATING or b.dtype.itemsize == 2:
        text = f"\"cholesky_solve_cpu\" not implemented for '{type_name(b.dtype)}'"
        raise TorchError(text, kind="NotImplementedError", hint="Convert with .float() first.")
    op, factor = OPS["cholesky_solve"], _triangle(low, upper)
    return record(op, (b, low), {"is_upper": upper}, op.forward(b.data, factor, is_upper=upper))


def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    op, low = OPS["cholesky_inverse"], matrix("cholesky_inverse", L, is_square=True)
    return record(op, (low,), {"is_upper": upper}, op.forward(_triangle(low, upper), is_upper=upper))


def _triangle(factor: Tensor, upper: bool) -> Any:
    """The part of a Cholesky factor that PyTorch reads, whatever stands in the other."""
    return np.triu(factor.data) if upper else np.tril(factor.data)


FUNCTIONS: dict[str, Callable[..., Any]] = {"cholesky_solve": cholesky_solve, "cholesky_inverse": cholesky_inverse}
METHODS: dict[str, Callable[..., Any]] = dict(FUNCTIONS)
NEURAL: dict[str, Callable[..., Any]] = {}
LINALG: dict[str, Callable[..., Any]] = {"lstsq": lstsq, "solve_triangular": solve_triangular}
