"""Determinants, inverses, equations, the Cholesky factor and powers of matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.linalg.matmul import matmul
from gradviz.imitation.engine.functions.named import named
from gradviz.imitation.engine.functions.numbers.comparison import where
from gradviz.imitation.engine.functions.shapes.shaping import contiguous, is_contiguous
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kernels.equations import zero_pivots
from gradviz.imitation.engine.rules.linalg.factors import bad_minors
from gradviz.imitation.engine.shape_errors import mismatch
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError


def square(function: str, x: Any, name: str = "A") -> Tensor:
    given = need(function, x, name)
    if given.ndim < 2:
        raise TorchError(f"{function}: The input tensor {name} must have at least 2 dimensions.")
    if given.shape[-1] != given.shape[-2]:
        raise TorchError(
            f"{function}: {name} must be batches of square matrices, but they are {given.shape[-2]} by "
            f"{given.shape[-1]} matrices"
        )
    return given


def refuse_numbers(function: str, x: Tensor) -> None:
    """Raise for whole numbers and bools."""
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"{function}: Expected a floating point or complex tensor as input. Got {type_name(x.dtype)}",
            hint="Convert with .float() first.",
        )


def _floating(function: str, x: Tensor) -> Tensor:
    refuse_numbers(function, x)
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
    return apply(OPS["det"], (_floating("linalg.det", square("linalg.det", input)),))


InverseEx = named("linalg_inv_ex", "inverse", "info")
CholeskyEx = named("linalg_cholesky_ex", "L", "info")
SolveEx = named("linalg_solve_ex", "result", "info")
Slogdet = named("linalg_slogdet", "sign", "logabsdet")
OldSlogdet = named("slogdet", "sign", "logabsdet")


def slogdet(input: Tensor) -> Any:
    x = _floating("linalg.slogdet", square("linalg.slogdet", input))
    return Slogdet(*(apply(OPS["slogdet"], (x,), part=part) for part in range(2)))


def old_slogdet(input: Tensor) -> Any:
    """`torch.slogdet`, whose result is of a type of its own."""
    return OldSlogdet(*slogdet(input))


def logdet(input: Tensor) -> Tensor:
    x = _floating("logdet", square("logdet", input))
    sign, value = slogdet(x)
    nan = constant(value.dtype.type(np.nan), x.tape)
    return where(constant(np.asarray(sign.data == -1)[()], x.tape), nan, value)  # type: ignore[no-any-return]


def inverse(input: Tensor) -> Tensor:
    found, info = inverted(input)
    refuse_failed("linalg.inv", info)
    return found


def inverted(A: Tensor) -> tuple[Tensor, Any]:
    """The inverse, and for each matrix the number of its first pivot that is 0, else 0."""
    x = square("linalg.inv", A)
    out = apply(OPS["inv"], (_floating("linalg.inv", x),))
    return out, pivots_of_failed(x, out)


def pivots_of_failed(a: Tensor, out: Tensor) -> Any:
    """For each matrix the number of its first pivot that is 0, else 0; where all is finite none is."""
    if out.data.size and np.isfinite(out.data).all():
        return np.zeros(a.shape[:-2], np.int32)
    return zero_pivots(a.data)


FAILED = {
    "inv": "The diagonal element {} is zero, the inversion could not be completed because the input matrix is "
    "singular.",
    "solve": "The solver failed because the input matrix is singular.",
    "cholesky": "The factorization could not be completed because the input is not positive-definite (the leading "
    "minor of order {} is not positive-definite).",
    "svd": "The algorithm failed to converge because the input matrix contained non-finite values.",
    "eigh": "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
    "eigenvalues (error code: {}).",
}
"""What PyTorch says of a matrix, by a word in the name of the function."""


def refuse_failed(function: str, info: Any) -> None:
    """Raise for the first matrix whose number is not 0."""
    if not info.any():
        return
    first = int((info.reshape(-1) != 0).argmax())
    place = f" (Batch element {first}):" if info.ndim else ""
    told = next(text for word, text in FAILED.items() if word in function)
    number = info.reshape(-1)[first]
    raise TorchError(f"{function}:{place} {told.format(number)}", kind="torch._C._LinAlgError")


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    found, info = inverted(A)
    return InverseEx(found, _info("linalg.inv_ex", found, info, check_errors))


def _info(function: str, x: Tensor, info: Any, check_errors: bool) -> Tensor:
    """The numbers as a tensor, where they need not all be 0."""
    if check_errors:
        refuse_failed(function, info)
    return constant(info[()], x.tape)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    found, info = solved(A, B, left)
    refuse_failed("torch.linalg.solve", info)
    return found


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    found, info = solved(A, B, left)
    return SolveEx(found, _info("torch.linalg.solve_ex", found, info, check_errors))


def is_vector_side(a: Tensor, b: Tensor) -> bool:
    """Whether the right side of an equation is one vector for each matrix."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])


def solved(A: Tensor, B: Tensor, left: bool) -> tuple[Tensor, Any]:
    """The solution, and for each matrix the number of its first pivot that is 0, else 0."""
    function = "linalg.solve"
    a, b = need("linalg_solve", A, "A"), need("linalg_solve", B, "B", 2)
    refuse_numbers(function, a)
    if a.dtype != b.dtype:
        raise TorchError(
            f"{function}: Expected A and B to have the same dtype, but found A of type {type_name(a.dtype)} and B of "
            f"type {type_name(b.dtype)} instead"
        )
    is_vector = is_vector_side(a, b)
    check_equation(function, a, (*b.shape, 1) if is_vector else b.shape, left)
    if is_vector and not left:
        raise TorchError(
            f"{function}: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    out = apply(OPS["solve_vector" if is_vector else "solve" if left else "solve_right"], (_floating(function, a), b))
    return out, pivots_of_failed(a, out)


def check_equation(function: str, a: Tensor, shape: tuple[int, ...], left: bool) -> None:
    """Raise where a matrix and a right side of that shape make no equation."""
    square(function, a)
    if len(shape) < 2:
        raise TorchError(f"{function}: The input tensor B must have at least 2 dimensions.")
    if a.shape[-1] != shape[-2 if left else -1]:
        raise TorchError(
            f"{function}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({a.shape[-2]}x{a.shape[-1]} and {shape[-2]}x{shape[-1]})"
        )
    if found := mismatch(shape[:-2], a.shape[:-2]):
        raise found


def cholesky(input: Tensor, *, upper: bool = False) -> Tensor:
    found, info = _factored(input, upper)
    refuse_failed("linalg.cholesky", info)
    return found


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    found, info = _factored(A, upper)
    return CholeskyEx(found, _info("linalg.cholesky_ex", found, info, check_errors))


def _factored(A: Tensor, upper: bool) -> tuple[Tensor, Any]:
    """The Cholesky factor, and for each matrix the order of the first minor that is not positive, else 0."""
    x = _floating("linalg.cholesky", square("linalg.cholesky", A))
    return apply(OPS["cholesky"], (x,), is_upper=upper), bad_minors(x.data, upper)


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
    x = square("cholesky", input)
    if x.dtype.kind != "f":
        raise TorchError(f"\"cholesky_cpu\" not implemented for '{type_name(x.dtype)}'", kind="NotImplementedError")
    refuse_failed("cholesky", bad_minors(x.data, upper))
    return apply(OF_OLD, (x,), is_upper=upper)


def matrix_power(input: Tensor, n: int) -> Tensor:
    x = square("linalg.matrix_power", input)
    if n == 0:
        one = constant(np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape).copy(), x.tape)
        out = apply(OPS["copy"], (apply(OPS["clone"], (x,)), one))
        out.more.first_version = 1
        return out
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
    "det": det, "slogdet": old_slogdet, "logdet": logdet, "inverse": inverse, "cholesky": old_cholesky,
    "matrix_power": matrix_power,
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = FUNCTIONS
NEURAL: dict[str, Callable[..., Any]] = {}
LINALG: dict[str, Callable[..., Any]] = {
    "det": det, "slogdet": slogdet, "inv": inverse, "solve": solve, "cholesky": cholesky, "matrix_power": matrix_power,
    "inv_ex": inv_ex, "solve_ex": solve_ex, "cholesky_ex": cholesky_ex,
}  # fmt: skip
