"""Products and running sums: prod, cumprod, cumsum, logcumsumexp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.dtypes import FLOATING, INT64, DType, type_name
from gradviz.imitation.engine.functions.arguments import int_dim, need
from gradviz.imitation.engine.functions.numbers.conversion import applied_as, asked_dtype
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.errors import TorchError


def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    x = need("prod", input)
    if isinstance(dim, list | tuple):
        raise TorchError(
            f"prod() received an invalid combination of arguments - got ({kind_name(dim)}), but expected one of:\n"
            " * (*, torch.dtype dtype = None)\n"
            " * (int dim, bool keepdim = False, *, torch.dtype dtype = None)\n",
            kind="TypeError",
            hint="Multiply along one dim after the other.",
        )
    axis = None if dim is None else int_dim("prod", dim, x.ndim)
    return applied_as(OPS["prod"], x, dtype, dim=axis, keepdim=keepdim)


def _so_far(name: str) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
        x = need(name, input)
        axis = int_dim(name, dim, x.ndim)
        if dtype is not None and asked_dtype(dtype).kind == "b" and x.ndim and x.data.size:
            raise TorchError(f"\"{name}_out_cpu\" not implemented for 'Bool'", kind="NotImplementedError")
        return applied_as(OPS[name], x, INT64 if dtype is None and x.dtype.kind in "iub" else dtype, dim=axis)

    function.__name__ = name
    return function


cumsum, cumprod = _so_far("cumsum"), _so_far("cumprod")


def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    x = need("logcumsumexp", input)
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"\"logcumsumexp_out_cpu\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    return apply(OPS["logcumsumexp"], (x,), dim=int_dim("logcumsumexp", dim, x.ndim))


FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (prod, cumsum, cumprod, logcumsumexp)}
METHODS = FUNCTIONS
