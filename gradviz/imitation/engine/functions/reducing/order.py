"""Functions of order: sort, topk, median, mode, kthvalue, the largest so far, and quantiles."""

# ruff: noqa: ARG001 - `argsort` sorts stably, whether it is told to or not

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.functions.arguments import int_dim, need, refuse_bool
from gradviz.imitation.engine.functions.named import TYPES
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.kernels import chosen_places as chosen
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.memory.layouts import laid
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError


def _found(x: Tensor, axis: int, choose: Callable[[Any], Any]) -> Any:
    """Places along an axis, which is kept; 0 for a 0-d tensor."""
    if not x.ndim:
        return np.int64(0)
    return np.moveaxis(choose(np.moveaxis(x.data, axis, -1)), -1, axis)


def _must_have_some(function: str, x: Tensor, axis: int) -> None:
    if x.ndim and not x.shape[axis]:
        raise TorchError(
            f"{function}(): Expected reduction dim {axis} to have non-zero size.",
            kind="IndexError",
        )


def _result(function: str, op: str, x: Tensor, index: Any, **params: Any) -> Any:
    """Values and indices, chosen at an index that keeps its dim."""
    places = index = laid(op, index, (x.data,))
    if not params.get("keepdim", True) and x.ndim:
        places = index.squeeze(params["dim"])[()]
    values = apply(OPS[op], (x,), index=index, **params)
    indices = constant(places, x.tape)
    return TYPES[function](keep(values, indices=indices), indices)


# ---- in order ----


def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    x = need("sort", input)
    axis = int_dim("sort", dim, x.ndim)
    index = _found(x, axis, lambda rows: chosen.in_order(rows, descending))
    return _result("sort", "sort", x, index, dim=axis, descending=bool(descending), stable=stable)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    x = need("argsort", input)
    axis = int_dim("argsort", dim, x.ndim)
    return constant(laid("sort", _found(x, axis, lambda rows: chosen.in_order(rows, descending)), (x.data,)), x.tape)


def msort(input: Tensor) -> Tensor:
    return sort(need("msort", input), 0)[0]  # type: ignore[no-any-return]


def topk(input: Tensor, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    x = need("topk", input)
    axis, count = int_dim("topk", dim, x.ndim, 2), _whole("topk", "k", k)
    if not 0 <= count <= (x.shape[axis] if x.ndim else 1):
        raise TorchError("selected index k out of range", hint=f"k may be 0 to {x.shape[axis] if x.ndim else 1} here.")
    if x.dtype.kind == "b":
        raise TorchError("topk does not support bool dtypes on CPU", hint="Convert with .int() first.")
    index = _found(x, axis, lambda rows: chosen.topk(rows, count, largest, sorted))
    return _result("topk", "topk", x, index, dim=axis)


def _whole(function: str, name: str, value: Any) -> int:
    if isinstance(value, Tensor) and value.dtype.kind in "iu" and value.data.size == 1:
        return int(value.data.item())
    if isinstance(value, int | np.integer):
        return int(value)
    raise TorchError(
        f"{function}(): argument '{name}' (position 1) must be int, not {kind_name(value)}", kind="TypeError"
    )


# ---- one along a dim ----


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    x = need("kthvalue", input)
    axis, number = int_dim("kthvalue", dim, x.ndim, 2), _whole("kthvalue", "k", k)
    _must_have_some("kthvalue", x, axis)
    if not 0 < number <= (x.shape[axis] if x.ndim else 1):
        raise TorchError(f"kthvalue(): selected number k out of range for dimension {axis}", hint="k counts from 1.")
    if x.ndim:
        refuse_bool(x, "kthvalue_cpu")
    index = _found(x, axis, lambda rows: chosen.kth(rows, number))
    return _result("kthvalue", "kthvalue", x, index, dim=axis, keepdim=keepdim)


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    x = need("mode", input)
    axis = int_dim("mode", dim, x.ndim)
    _must_have_some("mode", x, axis)
    return _result("mode", "mode", x, _found(x, axis, chosen.mode), dim=axis, keepdim=keepdim)


def _median(name: str, skips_nan: bool) -> Callable[..., Any]:
    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
        x = need(name, input)
        if x.dtype.kind == "b":
            kernel = "median_cpu" if dim is None else "median_out"
            raise TorchError(f"\"{kernel}\" not implemented for 'Bool'", kind="NotImplementedError")
        if dim is None:
            return apply(OPS[name], (x,))
        axis = int_dim(name, dim, x.ndim)
        _must_have_some("median", x, axis)
        index = _found(x, axis, lambda rows: chosen.median(rows, skips_nan))
        return _result(name, f"{name}_dim", x, index, dim=axis, keepdim=keepdim)

    function.__name__ = name
    return function


median, nanmedian = _median("median", False), _median("nanmedian", True)


# ---- so far ----


def _so_far(name: str, largest: bool) -> Callable[..., Any]:
    def function(input: Tensor, dim: int) -> Any:
        x = need(name, input)
        if not x.ndim and isinstance(dim, int) and dim not in (0, -1):
            told = f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}"
            raise TorchError(told, kind="IndexError", hint="A number has no other dim.")
        axis = int_dim(name, dim, x.ndim)
        return _result(name, name, x, _found(x, axis, lambda rows: chosen.extremes(rows, largest)), dim=axis)

    function.__name__ = name
    return function


cummax, cummin = _so_far("cummax", True), _so_far("cummin", False)


# ---- both ends ----


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    x = need("aminmax", input)
    if dim is None and not x.data.size:
        raise TorchError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.")
    axis = None if dim is None else int_dim("aminmax", dim, x.ndim, 0)
    if axis is not None and x.ndim and not x.shape[axis]:
        raise TorchError(f"aminmax: Expected reduction dim {axis} to have non-zero size.", kind="IndexError")
    ends = (apply(OPS["aminmax"], (x,), dim=axis, keepdim=keepdim, output=end) for end in (0, 1))
    return TYPES["aminmax"](*ends)


# ---- quantiles: the steps in which PyTorch takes them ----

_ROUNDED: dict[str, Any] = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}
_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(name: str, skips_nan: bool) -> Callable[..., Tensor]:
    def function(
        input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
    ) -> Tensor:
        x = need(name, input)
        at = _checked(name, x, q, interpolation)
        axis = None if dim is None else int_dim(name, dim, x.ndim, 2)
        return _quantiles(x, at, axis, keepdim, interpolation, skips_nan)

    function.__name__ = name
    return function


def _checked(name: str, x: Tensor, q: Any, interpolation: str) -> Any:
    """q as an array of x's dtype."""
    if not isinstance(q, Tensor | int | float):
        raise TorchError(
            f"{name}() received an invalid combination of arguments - got ({kind_name(q)}), but expected one of:\n"
            ' * (Tensor q, int dim = None, bool keepdim = False, *, str interpolation = "linear")\n'
            ' * (float q, int dim = None, bool keepdim = False, *, str interpolation = "linear")\n',
            kind="TypeError",
            hint="Give q as a number or a tensor.",
        )
    if isinstance(q, int | float) and not 0 <= q <= 1:
        raise TorchError(f"quantile() q must be in the range [0, 1] but got {q}")
    if not x.data.size:
        raise TorchError("quantile() input tensor must be non-empty")
    if type_name(x.dtype) not in ("Float", "Double"):
        raise TorchError("quantile() input tensor must be either float or double dtype", hint="Convert with .float().")
    at = np.asarray(q.data if isinstance(q, Tensor) else x.dtype.type(q))
    if at.ndim > 1:
        raise TorchError("quantile() q must be a scalar or 1D tensor")
    if at.dtype != x.dtype:
        raise TorchError("quantile() q tensor must be same dtype as the input tensor")
    if interpolation not in _INTERPOLATIONS:
        raise TorchError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            f"{interpolation}"
        )
    if not ((at >= 0) & (at <= 1)).all():
        raise TorchError("quantile() q values must be in the range [0, 1]")
    return at


def _in_rows(x: Tensor, axis: int | None) -> Tensor:
    """The sorted numbers, those of a row along the last dim."""
    from gradviz.imitation.engine.functions.shapes.shaping import flatten, transpose, unsqueeze

    if axis is None:
        return sort(flatten(x))[0]  # type: ignore[no-any-return]
    if axis == x.ndim - 1:
        return sort(x)[0]  # type: ignore[no-any-return]
    return sort(transpose(unsqueeze(x, -1), axis, -1))[0]  # type: ignore[no-any-return]


def _quantiles(x: Tensor, q: Any, axis: int | None, keepdim: bool, interpolation: str, skips_nan: bool) -> Tensor:
    from gradviz.imitation.engine.functions.places.placing import gather
    from gradviz.imitation.engine.functions.shapes.shaping import view

    rows = _in_rows(x, axis)
    if keepdim:
        kept = tuple(1 if axis is None or i == axis else n for i, n in enumerate(x.shape))
    else:
        kept = () if axis is None else tuple(n for i, n in enumerate(x.shape) if i != axis)
    rows = view(rows, *kept, rows.shape[-1] if rows.ndim else 1)
    ranks = _ranks(rows.data, q, skips_nan)
    if interpolation in _ROUNDED:
        ranks = _ROUNDED[interpolation](ranks)
    below = ranks.astype(np.int64)
    out = gather(rows, -1, constant(below, x.tape))
    if interpolation in ("linear", "midpoint"):
        weight = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below.astype(ranks.dtype)
        above = gather(rows, -1, constant(np.ceil(ranks).astype(np.int64), x.tape))
        out = apply(OPS["lerp"], (out, above, constant(weight, x.tape)))
    changes = 2 if interpolation in ("linear", "midpoint") else 1
    if not q.ndim:
        return _turned(changes, apply(OPS["squeeze_"], (out,), dim=out.ndim - 1))
    first = apply(OPS["unsqueeze_"], (out,), dim=0)
    turned = apply(OPS["transpose_"], (first,), dim0=0, dim1=first.ndim - 1)
    return _turned(changes + 2, apply(OPS["squeeze_"], (turned,), dim=turned.ndim - 1))


def _turned(changes: int, out: Tensor) -> Tensor:
    """A result that PyTorch changed in place so often, for numbers and for each turn."""
    out.more.first_version = changes
    return out


def _ranks(rows: Any, q: Any, skips_nan: bool) -> Any:
    """Where q lies among the numbers of each row, as a number from 0; at the last one, a NaN, where there is one."""
    nans = np.isnan(rows)
    if skips_nan:
        ranks = q * (rows.shape[-1] - nans.sum(-1, keepdims=True) - 1).astype(rows.dtype)
        return np.maximum(ranks, rows.dtype.type(0))
    last = rows.dtype.type(rows.shape[-1] - 1)
    return np.where(nans.any(-1, keepdims=True), last, q * last)


quantile, nanquantile = _quantile("quantile", False), _quantile("nanquantile", True)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        sort, argsort, msort, topk, kthvalue, mode, median, nanmedian, cummax, cummin, aminmax, quantile, nanquantile,
    )
}  # fmt: skip
METHODS = FUNCTIONS
