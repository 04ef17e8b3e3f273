"""Reductions: many numbers to fewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradviz.engine.dtypes import DType, type_name
from gradviz.engine.functions.arguments import dims_of, need
from gradviz.engine.functions.comparison import maximum, minimum
from gradviz.engine.functions.conversion import to
from gradviz.engine.generic import OPS
from gradviz.engine.shapes import axes_of, one_dim
from gradviz.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError


class MaxResult(NamedTuple):
    """What `max(dim)`, `min(dim)` and the like return."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.max(\nvalues={self.values!r},\nindices={self.indices!r})"


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    x = need("sum", input)
    if dtype is not None:
        x = to(x, dtype)
    return apply(OPS["sum"], (x,), dim=dims_of(dim, x), keepdim=keepdim)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    x = need("mean", input)
    if dtype is not None:
        x = to(x, dtype)
    if x.dtype.kind != "f":
        raise TorchError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {type_name(x.dtype)}",
            hint="Convert with .float() first.",
        )
    return apply(OPS["mean"], (x,), dim=dims_of(dim, x), keepdim=keepdim)


def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return apply(OPS["amax"], (need("amax", input),), dim=dims_of(None if dim == () else dim, input), keepdim=keepdim)


def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return apply(OPS["amin"], (need("amin", input),), dim=dims_of(None if dim == () else dim, input), keepdim=keepdim)


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    return _extreme("max", need("max", input), dim, keepdim)


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    return _extreme("min", need("min", input), dim, keepdim)


def _extreme(name: str, x: Tensor, dim: Any, keepdim: bool) -> Any:
    if isinstance(dim, Tensor):
        return (maximum if name == "max" else minimum)(x, dim)
    if x.data.size == 0 and dim is None:
        raise TorchError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )
    if dim is None:
        return apply(OPS[name], (x,), dim=None, keepdim=False)
    axis = one_dim(dim, x.ndim)
    index: Any = np.int64(0)
    if x.ndim:
        index = (np.argmax if name == "max" else np.argmin)(x.data, axis=axis, keepdims=True)
    values = apply(OPS[f"{name}_dim"], (x,), dim=axis, keepdim=keepdim, index=index)
    places = index if keepdim or x.ndim == 0 else index.squeeze(axis)[()]
    return MaxResult(values, constant(places, x.tape))


def _place(choose: Any) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        x = need(choose.__name__, input)
        if dim is None:
            return constant(np.int64(choose(x.data)), x.tape)
        axis = one_dim(dim, x.ndim)
        return constant(choose(np.atleast_1d(x.data), axis=axis, keepdims=keepdim), x.tape)

    return function


argmax, argmin = _place(np.argmax), _place(np.argmin)


def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    x = need("all", input)
    return constant(np.all(x.data, axis=axes_of(dims_of(dim, x), x.ndim), keepdims=keepdim), x.tape)


def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    x = need("any", input)
    return constant(np.any(x.data, axis=axes_of(dims_of(dim, x), x.ndim), keepdims=keepdim), x.tape)
