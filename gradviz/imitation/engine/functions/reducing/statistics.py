"""Spread around the mean, sums and means without NaN, logsumexp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, DType, type_name
from gradviz.imitation.engine.functions.arguments import dims_of, need
from gradviz.imitation.engine.functions.numbers.arithmetic import div
from gradviz.imitation.engine.functions.numbers.conversion import applied_as, to
from gradviz.imitation.engine.generic import OPS, count
from gradviz.imitation.engine.shapes import axes_of, kept_shape
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

NO_FREEDOM = (
    "{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
    "divided by output numel)."
)


def _spread(name: str) -> Callable[..., Any]:
    """`var` and `std`, and both with the mean beside it."""
    with_mean = name.endswith("_mean")

    def function(
        input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        x = need(name, input)
        if x.dtype.kind not in FLOATING:
            said = name if with_mean else "std and var"
            raise TorchError(
                f"{said} only support floating point and complex dtypes", hint="Convert with .float() first."
            )
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        free = int(unbiased) if correction is None else correction
        given = {"dim": dims_of(dim, x), "correction": free, "keepdim": keepdim}
        has_results = 0 not in kept_shape(x.shape, given["dim"])
        if (count(x.data, given["dim"]) if has_results else 0) <= free:  # PyTorch divides the two numbers of elements
            warn(NO_FREEDOM.format(name=name))
        if not with_mean:
            return apply(OPS[name], (x,), **given)
        return tuple(apply(OPS[name], (x,), **given, output=number) for number in (0, 1))

    function.__name__ = name
    return function


def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    x = need("nansum", input)
    name = "nansum" if x.dtype.kind in FLOATING else "sum"
    return applied_as(OPS[name], x, dtype, dim=dims_of(dim, x), keepdim=keepdim)


def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    x = need("nanmean", input)
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"nanmean(): expected input to have floating point or complex dtype but got {type_name(x.dtype)}",
            hint="Convert with .float() first.",
        )
    if dtype is not None and np.dtype(dtype).kind not in FLOATING:
        raise TorchError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            f"Got: {type_name(np.dtype(dtype))}"
        )
    known = np.sum(~np.isnan(x.data), axis=axes_of(dims_of(dim, x), x.ndim), keepdims=keepdim)
    return div(nansum(x, dim, keepdim, dtype=dtype), constant(np.asarray(known, np.int64)[()], x.tape))


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    x = need("logsumexp", input)
    if dim is None:
        raise TorchError(
            "logsumexp(): argument 'dim' (position 1) must be tuple of ints, not NoneType",
            kind="TypeError",
            hint="Name the dims, e.g. dim=0.",
        )
    x = x if x.dtype.kind in FLOATING else to(x, x.tape.float_dtype)
    if dim in ((), []) and x.ndim and x.data.size and not keepdim:
        raise TorchError(
            f"output with shape [] doesn't match the broadcast shape {[1] * x.ndim}", hint="Name the dims, e.g. dim=0."
        )
    return apply(OPS["logsumexp"], (x,), dim=dims_of(dim, x), keepdim=keepdim)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _spread(name) for name in ("var", "std", "var_mean", "std_mean")},
    "logsumexp": logsumexp, "nansum": nansum, "nanmean": nanmean,
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {
    name: f for name, f in FUNCTIONS.items() if name not in {"var_mean", "std_mean"}
}
