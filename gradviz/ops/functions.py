"""The functions that rules are written with: one spelling for arrays, for tensors and for symbols.

Fed arrays they compute the numbers of a step. Fed tensors (under create_graph) they make entries of a new graph, so a
derivative of a derivative is an ordinary graph. Fed symbols they write the formula that people read. The operators
+ − * / ** @ need no function: all three have them.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.ops.op import Op
from gradviz.ops.symbols import VOCABULARY, CodeSymbol, Parameter, Symbol, Traced, Word, primitive, word, write

Dims = int | tuple[int, ...] | list[int] | None
"""Which axes a reduction goes over; all where None."""


def plain(x: Any) -> Any:
    """The array of an entry; an array as it is. For masks and indices, which carry no derivative."""
    return x.array if isinstance(x, Traced) else x


def through(op: Op, *given: Any, **params: Any) -> Any:
    """An op of the table, of arrays, tensors or symbols; arrays beside a tensor are constants."""
    for x in given:
        if isinstance(x, Traced):
            return x._through(op, given, params)
    return op.forward(*given, **params)


def is_written(x: Any) -> bool:
    """Whether this is a symbol: what a formula is being written with."""
    return isinstance(x, Symbol)


def is_tensor(x: Any) -> bool:
    """Whether this is a tensor: what a second graph is being made with."""
    return isinstance(x, Traced) and not isinstance(x, Symbol)


def _constant(x: Any, like: Any) -> Any:
    """An array as what `like` is: a constant of the second graph, a number of the formula."""
    return like._constant(x) if isinstance(like, Traced) else x


def constant_like(array: Any, like: Any) -> Any:
    """Numbers that carry no derivative in the dtype of `like`; a constant where that is a tensor."""
    array = np.asarray(array).astype(plain(like).dtype, copy=False)[()]
    return like._constant(array) if is_tensor(like) else array


# ---- element by element ------------------------------------------------------------------------------------------


@primitive(takes_numbers=True)
def exp(x: Any) -> Any:
    """eˣ."""
    return x.exp() if isinstance(x, Traced) else np.exp(x)


@primitive(takes_numbers=True)
def log(x: Any) -> Any:
    """The natural logarithm."""
    return x.log() if isinstance(x, Traced) else np.log(x)


@primitive(takes_numbers=True)
def sin(x: Any) -> Any:
    """The sine."""
    return x.sin() if isinstance(x, Traced) else np.sin(x)


@primitive(takes_numbers=True)
def cos(x: Any) -> Any:
    """The cosine."""
    return x.cos() if isinstance(x, Traced) else np.cos(x)


@primitive(takes_numbers=True)
def sinh(x: Any) -> Any:
    """The hyperbolic sine."""
    return x.sinh() if isinstance(x, Traced) else np.sinh(x)


@primitive(takes_numbers=True)
def cosh(x: Any) -> Any:
    """The hyperbolic cosine."""
    return x.cosh() if isinstance(x, Traced) else np.cosh(x)


@primitive(takes_numbers=True)
def sqrt(x: Any) -> Any:
    """The square root."""
    return x.sqrt() if isinstance(x, Traced) else np.sqrt(x)


@primitive(takes_numbers=True)
def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return x.tanh() if isinstance(x, Traced) else np.tanh(x)


@primitive(takes_numbers=True)
def sigmoid(x: Any) -> Any:
    """1 / (1 + e⁻ˣ), without overflow."""
    if isinstance(x, Traced):
        return x.sigmoid()
    if x.__class__ is not np.ndarray:
        return x.__class__(1 / (1 + math.exp(-x)) if x > -500 else 0.0)
    return 1 / (1 + np.exp(-x))


@primitive("abs", takes_numbers=True)
def absolute(x: Any) -> Any:
    """|x|."""
    return x.abs() if isinstance(x, Traced) else np.abs(x)


@word(takes_numbers=True, is_called=True)
def sign(x: Any) -> Any:
    """−1, 0 or 1; 0 at NaN. Its own derivative is 0 everywhere, so it is a constant."""
    found = np.sign(plain(x))
    return _constant(np.where(np.isnan(found), 0, found).astype(plain(x).dtype)[()], x)


def mask(condition: Any, like: Any) -> Any:
    """A condition as 0 and 1 in the dtype of `like`; a constant where `like` is a tensor."""
    if is_written(condition):
        return condition.astype(plain(like).dtype)
    return _constant(np.asarray(plain(condition)).astype(plain(like).dtype)[()], like)


@primitive(takes_numbers=True)
def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b; a and b may be numbers, but not both."""
    if isinstance(a, Traced) or isinstance(b, Traced):
        if is_written(condition):
            return write("where", condition, a, b)
        like = a if isinstance(a, Traced) else b
        condition = like._constant(np.asarray(plain(condition))[()])
        a, b = (x if isinstance(x, Traced) else like._constant(like.array.dtype.type(x)) for x in (a, b))
        return like.where(condition, b) if a is like else a.where(condition, b)
    dtype = (a if isinstance(a, np.ndarray | np.generic) else b).dtype
    # A Python number would have numpy choose between numbers of two dtypes, which takes more than twice as long.
    a, b = (x if isinstance(x, np.ndarray | np.generic) else dtype.type(x) for x in (a, b))
    return np.where(plain(condition), a, b).astype(dtype, copy=False)[()]


def kept_where(condition: Any, g: Any) -> Any:
    """g where the condition holds, else 0, whatever stands there (0 times infinity would be NaN)."""
    return where(condition, g, 0.0)


def zeros_like(x: Any) -> Any:
    """Zeros of the shape and dtype of x."""
    if is_written(x):
        return np.zeros_like(x) if isinstance(x, CodeSymbol) else Symbol(np.zeros_like(x.value), ast.Constant(0))
    return _constant(np.zeros_like(plain(x))[()], x)


# ---- sums --------------------------------------------------------------------------------------------------------


@primitive("sum")
def total(x: Any, dim: Dims = None, keepdim: bool = False) -> Any:
    """The sum over axes."""
    if isinstance(x, Traced):
        return x.sum() if dim is None and not keepdim else x.sum(_every(dim, x.ndim), keepdim=keepdim)
    found: Any = np.add.reduce  # whose types know no call with all three
    return found(x, axes_of(dim), keepdims=keepdim)


def _every(dim: Dims, ndim: int) -> Dims:
    return tuple(range(ndim)) if dim is None else dim


def axes_of(dim: Dims) -> int | tuple[int, ...] | None:
    """numpy's axes for PyTorch's dim: no dims at all means all of them."""
    if dim is None or isinstance(dim, int):
        return dim
    return tuple(dim) or None


def kept_shape(shape: Sequence[int], dim: Dims) -> tuple[int, ...]:
    """The shape after a reduction that keeps the reduced axes as 1."""
    axes = axes_of(dim)
    if axes is None:
        return (1,) * len(shape)
    reduced = {axis % max(len(shape), 1) for axis in ((axes,) if isinstance(axes, int) else axes)}
    return tuple(1 if i in reduced else size for i, size in enumerate(shape))


@word("{0} copied to every element that was summed", takes_numbers=True)
def spread(g: Any, x: Any, dim: Dims = None, keepdim: bool = False) -> Any:
    """The gradient of a sum: each summed element gets a copy of what comes in, in the shape of x."""
    shape = plain(x).shape
    return expand(g if keepdim else reshape(g, kept_shape(shape, dim)), shape)


@word("{0}", takes_numbers=True)
def kept(y: Any, x: Any, dim: Dims = None, keepdim: bool = False) -> Any:
    """A reduced result with its reduced axes kept as 1, so that it broadcasts against x."""
    return y if keepdim else reshape(y, kept_shape(plain(x).shape, dim))


@word(name="count", takes_numbers=True)
def count_reduced(x: Any, dim: Dims = None) -> int:
    """How many elements of x go into one element of its reduction: the n of a mean."""
    shape = plain(x).shape
    return math.prod(n for n, k in zip(shape, kept_shape(shape, dim), strict=True) if k == 1 or n == 1)


# ---- shapes ------------------------------------------------------------------------------------------------------

VOCABULARY["shape"] = Word(np.shape, "the shape of {0}")


@primitive(phrase="{0} in {1}")
def reshape(x: Any, shape: Sequence[int]) -> Any:
    """The same numbers in another shape."""
    if isinstance(x, Traced):
        return x if not is_written(x) and x.array.shape == tuple(shape) else x.reshape(_as_given(shape))
    return x.reshape(shape)


def _as_given(shape: Sequence[int]) -> Sequence[int]:
    return shape if isinstance(shape, Parameter) else tuple(shape)


def unsqueeze(x: Any, dim: int) -> Any:
    """x with a new dim of size 1 at a position."""
    return x.unsqueeze(dim) if is_tensor(x) else np.expand_dims(x, dim)


@primitive(phrase="{0} repeated to {1}")
def expand(x: Any, shape: tuple[int, ...]) -> Any:
    """x repeated to a shape that it broadcasts to."""
    if isinstance(x, Traced):
        return x if not is_written(x) and x.array.shape == shape else x.expand(shape)
    out = np.empty(
        shape, x.dtype
    )  # a copy: products of matrices are slow on an array that repeats one number in memory
    out[...] = x
    return out[()]


@primitive()
def permute(x: Any, dims: Sequence[int]) -> Any:
    """The axes in another order."""
    return x.permute(_as_given(dims)) if isinstance(x, Traced) else np.transpose(x, dims)


@primitive("T", phrase="{0} with dims {1} and {2} exchanged", takes_numbers=True)
def transpose(x: Any, dim0: int = -1, dim1: int = -2) -> Any:
    """Two axes exchanged; the last two where none are given."""
    if x.__class__ is np.ndarray or not isinstance(x, Traced):
        return x.swapaxes(dim0, dim1) if x.ndim else x
    last = dim0.__class__ is int and (dim0, dim1) == (-1, -2)
    if is_written(x):
        return write("T", x) if last else write("T", x, dim0, dim1)
    return x.t() if last and x.array.ndim == 2 else x.transpose(dim0, dim1)


@word("the mean of {0}", takes_numbers=True)
def mean_kept(x: Any, dim: Dims = None) -> Any:
    """The mean over dims, which stay as 1."""
    return total(x, dim, keepdim=True) * (1 / count_reduced(x, dim))


def summed_to(g: Any, shape: Sequence[int]) -> Any:
    """The sum over the axes along which something of a shape was broadcast."""
    g = np.asarray(g)
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple([axis for axis, size in enumerate(shape) if size == 1])
    return g.sum(axis=ones, keepdims=True) if ones else g


# ---- parts -------------------------------------------------------------------------------------------------------


@word("{1} along {0}")
def at(dim: int, index: Any) -> tuple[Any, ...]:
    """An index of one dim: all of those before it."""
    if dim > 64:  # numpy has no more; a recording from elsewhere may say so
        raise IndexError(f"there is no dim {dim}")
    return (*(slice(None),) * dim, index)


@word("{0} at {1}")
def take(x: Any, index: Any) -> Any:
    """x[index]."""
    return x[index] if isinstance(x, Traced) else np.asarray(x)[index]


@word("{0} put back at {2}, 0 elsewhere", is_called=True)
def put(g: Any, shape: tuple[int, ...], index: Any) -> Any:
    """Zeros of a shape with g added at an index: the adjoint of `take`, where what repeats adds up."""
    if isinstance(g, Traced):
        return g.put_into(shape, index)
    out = np.zeros(shape, dtype=g.dtype)
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(part, np.ndarray) and part.dtype != bool for part in parts):
        np.add.at(out, index, g)
    else:
        out[index] = g
    return out
