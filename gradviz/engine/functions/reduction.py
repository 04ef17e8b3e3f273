"""Sums, means, products, extremes, norms, running sums, order and statistics, as people call them."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from gradviz.engine.apply import apply, cut, function_of
from gradviz.engine.dtypes import DType, dtype_of
from gradviz.engine.errors import refuse_options
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions import shape as s
from gradviz.engine.functions.dims import dim_within, dims_within
from gradviz.engine.operands import array_of, floating, tensor_given
from gradviz.engine.return_types import RETURN_TYPES
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.ops import functions as r
from gradviz.ops.functions import Dims
from gradviz.ops.op import Op
from gradviz.ops.promotion import cast, result_dtype
from gradviz.ops.reduction import (
    AMAX,
    AMIN,
    CUMPROD,
    CUMSUM,
    DIST,
    LOGSUMEXP,
    MAX,
    MAX_ALL,
    MEAN,
    MEAN_ALL,
    MEDIAN,
    MEDIAN_ALL,
    MIN,
    MIN_ALL,
    NORM,
    PROD,
    PROD_ALL,
    SORT,
    STD,
    SUM,
    SUM_ALL,
    TOPK,
    VAR,
)

# ---- what is given ----------------------------------------------------------------------------------------------


def _dims(dim: Any, ndim: int) -> Dims:
    """One dim or several, counted from the front; None for all of them."""
    if dim is None or not ndim:
        for each in dim if isinstance(dim, tuple | list) else () if dim is None else (dim,):
            dim_within(each, ndim)
        return None
    if isinstance(dim, tuple | list):
        return dims_within(dim, ndim) if dim else None
    return dim_within(dim, ndim)


def two_spellings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function take numpy's `axis` and `keepdims` as well, as PyTorch does."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            for numpy_name, name in (("axis", "dim"), ("keepdims", "keepdim")):
                if numpy_name in kwargs:
                    kwargs[name] = kwargs.pop(numpy_name)
        return function(*args, **kwargs)

    return run


def _floats(function: str, x: Any, text: str) -> Tensor:
    now = current(tensor_given(function, x))
    if now.array.dtype.kind != "f":
        raise RuntimeError(text.format(kind=dtype_of(now.array.dtype).type_name))
    return now


# ---- sums -------------------------------------------------------------------------------------------------------

_sum_of_all = function_of(SUM_ALL)
_mean_of_all = function_of(MEAN_ALL)


def sum(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None, axis: Any = None,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The sum of all elements, or over dims. Whole numbers and bools sum to int64."""
    if dim is None and axis is None and dtype is None and not keepdim and not keepdims:
        return _sum_of_all(input)
    x = tensor_given("sum", input)
    if dtype is not None:
        x = e.convert(x, dtype)
    over = _dims(axis if dim is None else dim, current(x).array.ndim)
    if over is None and not keepdim and not keepdims:
        return _sum_of_all(x)
    return apply(SUM, (x,), dim=over, keepdim=keepdim or keepdims)


def mean(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None, axis: Any = None,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The mean of all elements, or over dims.

    Raises:
        RuntimeError: the elements are no floats.
    """
    x = tensor_given("mean", input)
    if dtype is not None:
        x = e.convert(x, dtype)
    now = x if x.extra is None else current(x)
    if now.array.dtype.kind != "f":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            + dtype_of(now.array.dtype).type_name
        )
    over = _dims(axis if dim is None else dim, now.array.ndim)
    if over is None and not keepdim and not keepdims:
        return _mean_of_all(now)
    return apply(MEAN, (now,), dim=over, keepdim=keepdim or keepdims)


@two_spellings
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The product of all elements, or along a dim."""
    x = tensor_given("prod", input) if dtype is None else e.convert(input, dtype)
    ndim = current(x).array.ndim
    if dim is None or not ndim:
        found = apply(PROD_ALL, (x,))
        return s.reshape(found, (1,) * ndim) if keepdim else found
    return apply(PROD, (x,), dim=dim_within(dim, ndim), keepdim=keepdim)


@two_spellings
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """ln Σ eˣ over dims, without overflow."""
    x = floating(tensor_given("logsumexp", input))
    ndim = x.array.ndim
    over = _dims(dim, ndim)
    if not ndim:
        return e.clone(x)
    return apply(LOGSUMEXP, (x,), dim=tuple(range(ndim)) if over is None else over, keepdim=keepdim)


# ---- variances and norms ----------------------------------------------------------------------------------------


def _spread_given(dim: Any, unbiased: Any, keepdim: bool, correction: float | None) -> tuple[Any, float, bool]:
    """The dims and the correction of var and std, whose first argument may be `unbiased`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 0 if unbiased is False else 1
    return dim, correction, keepdim


def _spread(op: Op, input: Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: float | None) -> Tensor:
    x = _floats(op.name, input, "std and var only support floating point and complex dtypes")
    dim, correction, keepdim = _spread_given(dim, unbiased, keepdim, correction)
    return apply(op, (x,), dim=_dims(dim, x.array.ndim), correction=correction, keepdim=keepdim)


@two_spellings
def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Tensor:  # fmt: skip
    """The variance of all elements, or over dims; divided by n − correction, 1 where nothing is said."""
    return _spread(VAR, input, dim, unbiased, keepdim, correction)


@two_spellings
def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Tensor:  # fmt: skip
    """The standard deviation of all elements, or over dims: the root of the variance."""
    return _spread(STD, input, dim, unbiased, keepdim, correction)


@two_spellings
def var_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The variance and the mean."""
    over = None if isinstance(dim, bool) else dim
    return var(input, dim, unbiased, keepdim, correction=correction), mean(input, over, keepdim)


@two_spellings
def vector_norm(
    x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The p-norm of all elements taken as one vector, or over dims."""
    given = x if dtype is None else e.convert(x, dtype)
    now = _floats("linalg_vector_norm", given, "linalg.vector_norm: Expected a floating point or complex tensor as "
                  "input. Got {kind}")  # fmt: skip
    return apply(NORM, (now,), p=ord, dim=_dims(dim, now.array.ndim), keepdim=keepdim)


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of the difference."""
    x, y = current(tensor_given("dist", input)), current(tensor_given("dist", other, "other", 2))
    dtype = dtype_of(result_dtype(x.array, y.array, default=state.dtype))
    if not dtype.is_floating_point:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {dtype.type_name} instead."
        )
    return apply(DIST, (e.convert(x, dtype), e.convert(y, dtype)), p=p)


# ---- extremes ---------------------------------------------------------------------------------------------------


def _extreme_function(name: str, all_op: Op, dim_op: Op, pick: Callable[..., Any]) -> Callable[..., Any]:
    pair: Callable[[Tensor, Tensor], Any] = e.maximum if name == "max" else e.minimum
    result = RETURN_TYPES[name]

    def function(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
        x = tensor_given(name, input)
        if isinstance(dim, Tensor):
            other, dim = dim, None
        if other is not None:
            return pair(x, other)
        array = current(x).array
        if dim is None:
            if not array.size:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                    "dim with the 'dim' argument."
                )
            return apply(all_op, (x,))
        at = dim_within(dim, array.ndim)
        if not array.ndim:
            return result(e.clone(x), constant(np.int64(0)))
        if not array.shape[at]:
            raise IndexError(f"{name}(): Expected reduction dim {at} to have non-zero size.")
        return _selected(result, dim_op, x, at, keepdim, pick(array, at))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {name} of all elements; with a dim, values and indices; of two tensors, elementwise."
    return two_spellings(function)


def _selected(result: Any, op: Op, x: Tensor, dim: int, keepdim: bool, index: Any) -> Any:
    """The elements that an index names along dim, and the index."""
    index = np.asarray(index, dtype=np.int64)
    values = apply(op, (x,), dim=dim, keepdim=keepdim, index=index)
    return result(values, constant(np.expand_dims(index, dim) if keepdim else index[()]))


max = _extreme_function("max", MAX_ALL, MAX, np.argmax)
min = _extreme_function("min", MIN_ALL, MIN, np.argmin)


def _over(function: str, x: Any, dim: Any) -> Dims:
    """The dims of an extreme, none of which may be empty."""
    shape = current(tensor_given(function, x)).array.shape
    over = _dims(dim, len(shape))
    for at in range(len(shape)) if over is None else (over,) if isinstance(over, int) else over:
        if not shape[at]:
            raise IndexError(f"{function}(): Expected reduction dim {at} to have non-zero size.")
    return over


@two_spellings
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The largest over dims; equal ones share the gradient."""
    return apply(AMAX, (input,), dim=_over("amax", input, dim), keepdim=keepdim)


@two_spellings
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The smallest over dims; equal ones share the gradient."""
    return apply(AMIN, (input,), dim=_over("amin", input, dim), keepdim=keepdim)


def _position_function(name: str, find: Callable[..., Any]) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        array = np.asarray(current(tensor_given(name, input)).array)
        if not array.size and dim is None:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        if dim is not None and not isinstance(dim, int | np.integer):
            raise TypeError(f"{name}(): argument 'dim' (position 1) must be int, not {type(dim).__name__}")
        at = None if dim is None else dim_within(dim, array.ndim)
        found = np.asarray(find(array, at, keepdims=keepdim), dtype=np.int64)[()] if array.ndim else np.int64(0)
        made = constant(found)
        cut(made, input, name)
        return made

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Where the {name[3:]} stands: in the tensor laid out flat, or along dim."
    return two_spellings(function)


argmax = _position_function("argmax", np.argmax)
argmin = _position_function("argmin", np.argmin)


def _test_function(name: str, test: Callable[..., Any]) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        array = current(tensor_given(name, input)).array
        found = test(array, axis=r.axes_of(_dims(dim, array.ndim)), keepdims=keepdim)
        return constant(np.asarray(found).astype(np.uint8 if array.dtype == np.uint8 else np.bool_)[()])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Whether {name} elements are not 0, of all or over dims."
    return two_spellings(function)


any = _test_function("any", np.any)
all = _test_function("all", np.all)


@two_spellings
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not 0, of all or over dims."""
    array = current(tensor_given("count_nonzero", input)).array
    return constant(np.asarray(np.count_nonzero(array, axis=_dims(dim, array.ndim)), dtype=np.int64)[()])


# ---- running ----------------------------------------------------------------------------------------------------


def _running_function(name: str, op: Op) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
        x = tensor_given(name, input) if dtype is None else e.convert(input, dtype)
        return apply(op, (x,), dim=dim_within(dim, current(x).array.ndim))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{op.equation}."
    return two_spellings(function)


cumsum = _running_function("cumsum", CUMSUM)
cumprod = _running_function("cumprod", CUMPROD)


# ---- order ------------------------------------------------------------------------------------------------------


def _order(array: Any, dim: int, descending: bool = False) -> Any:
    """The index that sorts along dim; equal elements keep their order, NaN counts as the largest."""
    if not descending:
        return np.argsort(array, dim, kind="stable")
    turned = np.argsort(np.flip(array, dim), dim, kind="stable")
    return np.flip(array.shape[dim] - 1 - turned, dim)


@two_spellings
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """The elements in order along a dim, and where each stood. Always stable here."""
    array = current(tensor_given("sort", input)).array
    at = dim_within(dim, array.ndim)
    if not array.ndim:
        return RETURN_TYPES["sort"](e.clone(input), constant(np.int64(0)))
    index = _order(array, at, descending)
    return RETURN_TYPES["sort"](apply(SORT, (input,), dim=at, index=index), constant(index))


@two_spellings
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """The index that puts the elements in order along a dim."""
    array = current(tensor_given("argsort", input)).array
    at = dim_within(dim, array.ndim)
    return constant(_order(array, at, descending) if array.ndim else np.int64(0))


def topk(input: Tensor, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest (or smallest) elements along a dim, in order, and where each stood.

    Raises:
        RuntimeError: there are fewer than k.
    """
    array = current(tensor_given("topk", input)).array
    at, k = dim_within(dim, array.ndim), operator.index(k)
    if not 0 <= k <= (array.shape[at] if array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if not array.ndim:
        return RETURN_TYPES["topk"](e.clone(input), constant(np.int64(0)))
    index = np.take(_order(array, at, descending=largest), range(k), at)
    return RETURN_TYPES["topk"](apply(TOPK, (input,), dim=at, index=index), constant(index))


@two_spellings
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of all elements, or along a dim with its index; of two in the middle the lower."""
    array = current(tensor_given("median", input)).array
    if dim is None:
        return apply(MEDIAN_ALL, (input,))
    at = dim_within(dim, array.ndim)
    if not array.ndim:
        return RETURN_TYPES["median"](e.clone(input), constant(np.int64(0)))
    n, missing = array.shape[at], np.isnan(array).sum(at, keepdims=True)
    # A NaN stands behind all numbers; where there is one, it is the median.
    middle = np.where(missing > 0, n - missing, (n - 1) // 2)
    index = np.take_along_axis(_order(array, at), middle, at).squeeze(at)
    return _selected(RETURN_TYPES["median"], MEDIAN, input, at, keepdim, index)


@two_spellings
def quantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, **others: Any) -> Tensor:
    """The quantiles at q, a number or a vector, of all elements or along a dim; several stand in a new first dim.

    Raises:
        RuntimeError: q is not from 0 to 1.
        Beyond: an interpolation other than along straight lines.
    """
    refuse_options("quantile", others, "interpolation")
    x = _floats("quantile", input, "quantile() input tensor must be either float or double dtype")
    wanted = np.asarray(array_of(q), dtype=np.float64)
    if wanted.size and (wanted.min() < 0 or wanted.max() > 1):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    if not x.array.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    ndim = x.array.ndim
    at = 0 if dim is None else dim_within(dim, ndim)
    values = sort(s.ravel(x) if dim is None or not ndim else x, at)[0]
    ordered = current(values).array
    n, missing = ordered.shape[at], np.isnan(ordered).sum(at, keepdims=True)
    place = wanted.reshape(-1, *(1,) * (ordered.ndim - at - 1)) * (n - 1)
    rank = np.where(missing > 0, n - 1, place)  # NaN stands behind all numbers, and is every quantile of its row
    low, high = np.floor(rank).astype(np.int64), np.ceil(rank).astype(np.int64)
    weight = constant((rank - low).astype(ordered.dtype))
    found = e.lerp(values.gather(at, constant(low)), values.gather(at, constant(high)), weight)
    kept = [1] * ndim if dim is None else [1 if i == at else m for i, m in enumerate(ordered.shape[:ndim])]
    shown = kept if keepdim else [] if dim is None else [m for i, m in enumerate(ordered.shape[:ndim]) if i != at]
    if not wanted.ndim:
        return s.reshape(found, tuple(shown))
    return s.reshape(s.movedim(found, at, 0), (wanted.size, *shown))


# ---- neighbours -------------------------------------------------------------------------------------------------


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences between neighbours along a dim, n times.

    Raises:
        RuntimeError: no dims, or n below 0.
    """
    ndim = current(tensor_given("diff", input)).array.ndim
    if not ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    at = dim_within(dim, ndim)
    parts = [x for x in (prepend, input, append) if x is not None]
    found = s.cat(parts, at) if len(parts) > 1 else input
    for _ in range(builtins.min(n, current(found).array.shape[at])):  # then there is nothing left
        m = current(found).array.shape[at]
        later, earlier = s.narrow(found, at, 1, m - 1), s.narrow(found, at, 0, m - 1)
        found = e.bitwise_xor(later, earlier) if current(found).array.dtype == bool else e.sub(later, earlier)
    return found


def cov(input: Tensor, *, correction: int = 1, **others: Any) -> Tensor:
    """The covariances between the rows of a matrix."""
    refuse_options("cov", others, "fweights aweights")
    x = s.atleast_2d(input)
    away = e.sub(x, mean(x, 1, True))
    found: Tensor = e.div(away @ s.t(away), builtins.max(current(x).array.shape[1] - correction, 0))
    return s.squeeze(found) if current(found).array.size == 1 else found


def corrcoef(input: Tensor) -> Tensor:
    """The correlations between the rows of a matrix."""
    found = cov(input)
    if not current(found).array.ndim:
        return e.div(found, found)
    size = e.sqrt(s.diagonal(found))
    scaled = e.div(e.div(found, s.unsqueeze(size, 1)), s.unsqueeze(size, 0))
    return e.clamp(scaled, -1, 1)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of equal bins between bounds; the tensor's own where both are the same."""
    array = _floats("histc", input, "histogram_cpu not implemented for '{kind}'").array
    low, high = (float(array.min()), float(array.max())) if min == max and array.size else (min, max)
    if low == high:
        low, high = low - 1, high + 1
    return constant(cast(np.histogram(array, bins, (low, high))[0], array.dtype))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: globals()[name]
    for name in """
    all amax amin any argmax argmin argsort corrcoef count_nonzero cov cumprod cumsum diff dist histc logsumexp max mean
    median min prod quantile sort std sum topk var
    """.split()
}
"""What is a function of torch and a method of tensors alike."""
NAMESPACE: dict[str, Callable[..., Any]] = {"var_mean": var_mean}
"""What is a function of torch but no method of tensors."""
IN_PLACE = "cumprod cumsum"
"""What is also done in place, under the name with an underscore."""
