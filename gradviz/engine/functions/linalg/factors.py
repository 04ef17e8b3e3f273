"""Determinants, inverses, equations, the Cholesky factor and powers of matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.engine.dtypes import FLOATING, type_name
from gradviz.engine.functions.arguments import need
from gradviz.engine.functions.linalg.matmul import matmul
from gradviz.engine.functions.named import named
from gradviz.engine.functions.numbers.comparison import where
from gradviz.engine.functions.shapes.shaping import contiguous, is_contiguous
from gradviz.engine.generic import OPS
from gradviz.engine.op import Op
from gradviz.engine.tensor import Tensor, apply, constant
from gradviz.engine.warn import warn
from gradviz.errors import TorchError


def _square(function: str, x: Any, name: str = "A") -> Tensor:
    given = need(function, x, name)
    if given.ndim < 2:
        raise TorchError(f"{function}: The input tensor {name} must have at least 2 dimensions.")
    if given.shape[-1] != given.shape[-2]:
        raise TorchError(
            f"{function}: {name} must be batches of square matrices, but they are {given.shape[-2]} by "
            f"{given.shape[-1]} matrices"
        )
    return given


def _floating(function: str, x: Tensor) -> Tensor:
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"{function}: Expected a floating point or complex tensor as input. Got {type_name(x.dtype)}",
            hint="Convert with .float() first.",
        )
    if x.dtype.itemsize == 2 and function in KERNELS:
        raise TorchError(
            f"\"{KERNELS[function]}\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    if x.dtype.itemsize == 2:
        raise TorchError(
            f"{function}: Low precision dtypes not supported. Got {type_name(x.dtype)}",
            hint="Convert with .float() first.",
        )
    return x


KERNELS = {"linalg.det": "lu_cpu", "linalg.solve": "lu_cpu", "linalg.cholesky": "cholesky_cpu"}
"""What refuses numbers of 16 bits, where that is not the function itself."""


def det(input: Tensor) -> Tensor:
    return apply(OPS["det"], (_floating("linalg.det", _square("linalg.det", input)),))


Slogdet = named("linalg_slogdet", "sign", "logabsdet")


def slogdet(input: Tensor) -> Any:
    x = _floating("linalg.slogdet", _square("linalg.slogdet", input))
    return Slogdet(*(apply(OPS["slogdet"], (x,), part=part) for part in range(2)))


def logdet(input: Tensor) -> Tensor:
    x = _floating("logdet", _square("logdet", input))
    sign, value = slogdet(x)
    nan = constant(value.dtype.type(np.nan), x.tape)
    return where(constant(np.asarray(sign.data == -1)[()], x.tape), nan, value)  # type: ignore[no-any-return]


def inverse(input: Tensor) -> Tensor:
    x = _floating("linalg.inv", _square("linalg.inv", input))
    try:
        return apply(OPS["inv"], (x,))
    except np.linalg.LinAlgError:
        raise TorchError(
            f"linalg.inv: The diagonal element {_zero_pivot(x.data)} is zero, the inversion could not be completed "
            "because the input matrix is singular.",
            kind="torch._C._LinAlgError",
        ) from None


def _zero_pivot(x: Any) -> int:
    """The number, from 1, of the first column that depends on those before it."""
    matrix = x.reshape(-1, *x.shape[-2:])[0]
    ranks = [np.linalg.matrix_rank(matrix[:, : k + 1]) for k in range(matrix.shape[1])]
    return next((k + 1 for k, rank in enumerate(ranks) if rank <= k), matrix.shape[1])


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    a, b = _square("linalg.solve", A), need("linalg.solve", B, "B", 2)
    if a.dtype != b.dtype:
        raise TorchError(
            "linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{type_name(a.dtype)} and B of type {type_name(b.dtype)} instead"
        )
    if not left:
        return _solved_from_right(_floating("linalg.solve", a), b)
    _floating("linalg.solve", a)
    is_vector = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    if b.shape[-1 if is_vector else -2] != a.shape[-1]:
        wide = (b.shape[-1], 1) if is_vector else b.shape[-2:]
        raise TorchError(
            "linalg.solve: Incompatible shapes of A and B for the equation AX = B "
            f"({a.shape[-2]}x{a.shape[-1]} and {wide[0]}x{wide[1]})"
        )
    try:
        return apply(OPS["solve_vector" if is_vector else "solve"], (a, b))
    except np.linalg.LinAlgError:
        raise TorchError(
            "torch.linalg.solve: The solver failed because the input matrix is singular.", kind="torch._C._LinAlgError"
        ) from None


def _solved_from_right(a: Tensor, b: Tensor) -> Tensor:
    """The x with x @ a = b."""
    if b.shape[-1] != a.shape[-1]:
        raise TorchError(
            "linalg.solve: Incompatible shapes of A and B for the equation XA = B "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )
    return apply(OPS["solve_right"], (a, b))


def cholesky(input: Tensor, *, upper: bool = False) -> Tensor:
    x = _floating("linalg.cholesky", _square("linalg.cholesky", input))
    return _cholesky("linalg.cholesky", x, OPS["cholesky"], upper)


OLD_CHOLESKY = (
    "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.\n"
    "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
    "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\n"
    "This transform will produce equivalent results for all valid (symmetric positive definite) inputs."
)


OF_OLD = replace(OPS["cholesky"], node="CholeskyBackward0")
"""The same entry, whose node has another name."""


def old_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """`torch.cholesky`."""
    warn(OLD_CHOLESKY, once=True)
    x = _square("cholesky", input)
    if x.dtype.kind != "f":
        raise TorchError(f"\"cholesky_cpu\" not implemented for '{type_name(x.dtype)}'", kind="NotImplementedError")
    return _cholesky("cholesky", x, OF_OLD, upper)


def _cholesky(function: str, x: Tensor, entry: Op, upper: bool) -> Tensor:
    try:
        return apply(entry, (x,), is_upper=upper)
    except np.linalg.LinAlgError:
        raise TorchError(
            f"{function}: The factorization could not be completed because the input is not positive-definite (the "
            f"leading minor of order {_bad_minor(x.data)} is not positive-definite).",
            kind="torch._C._LinAlgError",
        ) from None


def _bad_minor(x: Any) -> int:
    matrix = x.reshape(-1, *x.shape[-2:])[0]
    minors = (np.linalg.eigvalsh(matrix[:k, :k]).min() for k in range(1, len(matrix) + 1))
    return next((k for k, smallest in enumerate(minors, 1) if not smallest > 0), len(matrix))


def matrix_power(input: Tensor, n: int) -> Tensor:
    x = _square("linalg.matrix_power", input)
    if n == 0:
        one = constant(np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape).copy(), x.tape)
        return apply(OPS["copy"], (apply(OPS["clone"], (x,)), one))
    if n == 1:
        return apply(OPS["clone"], (x,)) if is_contiguous(x) else contiguous(x)
    if n < 0:
        x, n = inverse(x), -n
    if n == 3:
        return matmul(matmul(x, x), x)
    made: Tensor | None = None
    for place, bit in enumerate(reversed(f"{n:b}")):
        x = matmul(x, x) if place else x
        if bit == "1":
            made = x if made is None else matmul(made, x)
    assert made is not None
    return made


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "det": det, "slogdet": slogdet, "logdet": logdet, "inverse": inverse, "cholesky": old_cholesky,
    "matrix_power": matrix_power,
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = FUNCTIONS
NEURAL: dict[str, Callable[..., Any]] = {}
LINALG: dict[str, Callable[..., Any]] = {
    "det": det, "slogdet": slogdet, "inv": inverse, "solve": solve, "cholesky": cholesky, "matrix_power": matrix_power,
}  # fmt: skip
