"""Reductions: many numbers to fewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, DType, type_name
from gradviz.imitation.engine.functions.arguments import dims_of, int_dim, need
from gradviz.imitation.engine.functions.named import TYPES
from gradviz.imitation.engine.functions.numbers.comparison import maximum, minimum
from gradviz.imitation.engine.functions.numbers.conversion import applied_as, asked_dtype
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.shapes import axes_of, one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError

DIM = " Specify the reduction dim with the 'dim' argument."
SEVERAL_DIMS = """{name}() received an invalid combination of arguments - got ({kind}), but expected one of:
 * ()
      didn't match because some of the arguments have invalid types: (!{kind} of ({kinds})!)
 * (Tensor other)
      didn't match because some of the arguments have invalid types: (!{kind} of ({kinds})!)
 * (int dim, bool keepdim = False)
"""


NOT_NAMED = object()
"""No dim given, not even None."""


def _dims(dim: Any, x: Tensor) -> Any:
    """The dims to reduce; () and None stand for every one, in the node of a call that names its dims."""
    if dim is NOT_NAMED:
        return None
    return tuple(range(x.ndim or 1)) if dim in ((), [], None) else dims_of(dim, x)


def sum(input: Tensor, dim: Any = NOT_NAMED, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    x = need("sum", input)
    return applied_as(OPS["sum"], x, dtype, dim=_dims(dim, x), keepdim=keepdim)


def mean(input: Tensor, dim: Any = NOT_NAMED, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    x = need("mean", input)
    what, asked = ("Input", x.dtype) if dtype is None else ("Optional", asked_dtype(dtype))
    if asked.kind not in FLOATING:
        raise TorchError(
            f"mean(): could not infer output dtype. {what} dtype must be either a floating point or complex dtype. "
            f"Got: {type_name(asked)}",
            hint="Convert with .float() first.",
        )
    return applied_as(OPS["mean"], x, dtype, dim=_dims(dim, x), keepdim=keepdim)


def _whole(name: str) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        x = need(name, input)
        dims = dims_of(None if dim in ((), []) else dim, x)
        _must_have_some(name, x, None if dims is None else dim if isinstance(dim, list | tuple) else (dim,))
        return apply(OPS[name], (x,), dim=dims, keepdim=keepdim)

    function.__name__ = name
    return function


def _must_have_some(name: str, x: Tensor, dims: Any, kind: str = "RuntimeError", advice: str = DIM) -> None:
    """Raise where the numbers to choose from are none."""
    if x.data.size:
        return
    if dims is None:
        raise TorchError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{advice}", kind=kind)
    for d in dims:
        if x.ndim and not x.shape[d]:
            raise TorchError(f"{name}(): Expected reduction dim {d} to have non-zero size.", kind="IndexError")


amax, amin = _whole("amax"), _whole("amin")


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    return _extreme("max", need("max", input), dim, keepdim)


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    return _extreme("min", need("min", input), dim, keepdim)


def _extreme(name: str, x: Tensor, dim: Any, keepdim: bool) -> Any:
    if dim is None:
        _must_have_some(name, x, None)
        return apply(OPS[name], (x,), dim=None, keepdim=False)
    if isinstance(dim, Tensor):
        return (maximum if name == "max" else minimum)(x, dim)
    if isinstance(dim, list | tuple):
        raise TorchError(
            SEVERAL_DIMS.format(name=name, kind=kind_name(dim), kinds=", ".join(kind_name(d) for d in dim)),
            kind="TypeError",
            hint=f"Use a{name}, which takes several dims.",
        )
    axis = one_dim(dim, x.ndim)
    _must_have_some(name, x, (axis,))
    index: Any = np.int64(0)
    if x.ndim:
        index = (np.argmax if name == "max" else np.argmin)(x.data, axis=axis, keepdims=True)
    values = apply(OPS[f"{name}_dim"], (x,), dim=axis, keepdim=keepdim, index=index)
    places = index if keepdim or x.ndim == 0 else index.squeeze(axis)[()]
    indices = constant(places, x.tape)
    return TYPES[name](keep(values, indices=indices), indices)


def _place(choose: Any) -> Callable[..., Tensor]:
    name = choose.__name__

    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        x = need(name, input)
        if x.dtype.kind == "b":
            raise TorchError(f"{name}(): does not support bool input", hint="Convert with .int() first.")
        axis = None if dim is None else int_dim(name, dim, x.ndim)
        _must_have_some(name, x, None if axis is None else (axis,), "IndexError", "")
        if axis is None or not x.ndim:
            place = np.int64(choose(x.data))
            return constant(np.full((1,) * x.ndim, place)[()] if keepdim else place, x.tape)
        return constant(choose(x.data, axis=axis, keepdims=keepdim), x.tape)

    function.__name__ = name
    return function


argmax, argmin = _place(np.argmax), _place(np.argmin)


def _logical(name: str, reduce: Any) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        x = need(name, input)
        if dim in ((), []):  # reduces nothing, where most functions reduce all
            found = x.data != 0
        else:
            found = reduce(x.data, axis=axes_of(dims_of(dim, x), x.ndim), keepdims=keepdim)
        dtype = np.uint8 if x.dtype == np.uint8 else np.bool_
        return constant(np.asarray(found, dtype)[()], x.tape)

    function.__name__ = name
    return function


all, any = _logical("all", np.all), _logical("any", np.any)
