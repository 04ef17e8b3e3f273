"""`torch.linalg.lu_factor` and `lu_solve`, `torch.lu_unpack`, and the old names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.linalg.spectra import matrix
from gradviz.imitation.engine.functions.named import named
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.rules.linalg.lu import exchange, factors_of, order_of, pivots_of
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

Factor = named("linalg_lu_factor", "LU", "pivots")
FactorEx = named("linalg_lu_factor_ex", "LU", "pivots", "info")
Unpacked = named("lu_unpack", "P", "L", "U")
OLD = (
    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a "
    "future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
    "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n"
    "should be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
)
OLD_SOLVE = (
    "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch release.\n"
    "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be "
    "replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
)


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    x = need("linalg_lu_factor_ex", A, "A")
    if x.ndim < 2:
        raise TorchError(
            f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(x.shape)} instead"
        )
    x = matrix("torch.lu_factor", x, kernel="lu")
    if not pivot:
        raise TorchError("linalg.lu_factor: LU without pivoting is not implemented on the CPU", hint="Leave it out.")
    made = apply(OPS["lu_factor"], (x,))
    count = min(x.shape[-2:])
    pivots = pivots_of(factors_of(x.data)[1])[..., :count]
    is_zero = np.diagonal(made.data, axis1=-2, axis2=-1) == 0
    first = is_zero.argmax(-1) + 1 if count else np.zeros(x.shape[:-2])
    info = np.where(is_zero.any(-1), first, 0).astype(np.int32)
    if check_errors and info.any():
        raise _singular("linalg.lu_factor_ex", info)
    return FactorEx(made, constant(pivots, x.tape), constant(info[()], x.tape))


def _singular(function: str, info: Any) -> TorchError:
    first = int(np.argmax(info.reshape(-1) > 0))
    place = f"(Batch element {first}): " if info.ndim else ""
    number = int(info.reshape(-1)[first])
    return TorchError(
        f"{function}: {place}U[{number},{number}] is zero and using it on lu_solve would result in a division by "
        "zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
        "linalg.lu_factor_ex(A, pivot)"
    )


def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    made = lu_factor_ex(A, pivot=pivot)
    if made.info.data.any():
        raise _singular("torch.linalg.lu_factor", made.info.data)
    return Factor(made.LU, made.pivots)


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    x, pivots = need("lu_unpack", LU_data, "LU_data"), need("lu_unpack", LU_pivots, "LU_pivots", 2)
    empty = constant(np.zeros(0, x.dtype), x.tape)
    turned = empty
    if unpack_pivots:
        if pivots.dtype != np.int32:
            raise TorchError(
                "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
                "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
            )
        turned = constant(exchange(order_of(pivots.data, x.shape[-2]), x.dtype), x.tape)
    parts = [apply(OPS["lu_unpack"], (x,), part=part) for part in range(2)] if unpack_data else [empty, empty]
    return Unpacked(turned, *parts)


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    both = need("linalg_lu_solve", LU, "LU")
    matrix("torch.linalg.lu_solve", both, kernel="linalg_lu_solve", is_square=True)
    order, b = need("linalg_lu_solve", pivots, "pivots", 2), need("linalg_lu_solve", B, "B", 3)
    if order.dtype != np.int32:
        raise TorchError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    if b.dtype != both.dtype:
        raise TorchError(
            f"linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {type_name(both.dtype)} "
            f"and B of type {type_name(b.dtype)} instead"
        )
    if b.ndim < 2:
        raise TorchError("linalg.lu_solve: The input tensor B must have at least 2 dimensions.")
    n = both.shape[-1]
    if order.shape[-1:] != (n,):
        raise TorchError("linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix")
    if b.shape[-2 if left else -1] != n:
        raise TorchError(
            f"linalg.lu_solve: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({both.shape[-2]}x{n} and {b.shape[-2]}x{b.shape[-1]})"
        )
    return apply(OPS["lu_solve"], (both, b), order=order_of(order.data, n), left=left, adjoint=adjoint)


def old_lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """`torch.lu`."""
    warn(OLD, once=True)
    if not isinstance(pivot, bool):
        text = f"_lu_with_info(): argument 'pivot' must be bool, not {kind_name(pivot)}"
        raise TorchError(text, kind="TypeError")
    return tuple(lu_factor_ex(A, pivot=pivot))[: 3 if get_infos else 2]


def old_lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """`torch.lu_solve`."""
    warn(OLD_SOLVE, once=True)
    return lu_solve(LU_data, LU_pivots, b)


FUNCTIONS: dict[str, Callable[..., Any]] = {"lu": old_lu, "lu_solve": old_lu_solve, "lu_unpack": lu_unpack}
METHODS: dict[str, Callable[..., Any]] = {"lu": old_lu, "lu_solve": old_lu_solve}
NEURAL: dict[str, Callable[..., Any]] = {}
LINALG: dict[str, Callable[..., Any]] = {f.__name__: f for f in (lu_factor, lu_factor_ex, lu_solve)}
