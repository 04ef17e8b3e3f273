"""The functions that rules are written with: one spelling for arrays and for tensors.

Fed arrays they compute the numbers of a step. Fed tensors (under create_graph) they make entries of a new graph, so a
derivative of a derivative is an ordinary graph. The operators + − * / ** @ need no function: both overload them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.tensor import Tensor, constant

Dims = int | tuple[int, ...] | list[int] | None
"""Which axes a reduction goes over; all where None."""


def plain(x: Any) -> Any:
    """The array of an entry; an array as it is. For masks and indices, which carry no derivative."""
    return x.array if isinstance(x, Tensor) else x


def exp(x: Any) -> Any:
    """eˣ."""
    return x.exp() if isinstance(x, Tensor) else np.exp(x)


def log(x: Any) -> Any:
    """The natural logarithm."""
    return x.log() if isinstance(x, Tensor) else np.log(x)


def sin(x: Any) -> Any:
    """The sine."""
    return x.sin() if isinstance(x, Tensor) else np.sin(x)


def cos(x: Any) -> Any:
    """The cosine."""
    return x.cos() if isinstance(x, Tensor) else np.cos(x)


def sqrt(x: Any) -> Any:
    """The square root."""
    return x.sqrt() if isinstance(x, Tensor) else np.sqrt(x)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return x.tanh() if isinstance(x, Tensor) else np.tanh(x)


def sigmoid(x: Any) -> Any:
    """1 / (1 + e⁻ˣ), without overflow."""
    if isinstance(x, Tensor):
        return x.sigmoid()
    if x.__class__ is not np.ndarray:
        return x.__class__(1 / (1 + math.exp(-x)) if x > -500 else 0.0)
    return 1 / (1 + np.exp(-x))


def absolute(x: Any) -> Any:
    """|x|."""
    return x.abs() if isinstance(x, Tensor) else np.abs(x)


def sign(x: Any) -> Any:
    """−1, 0 or 1; 0 at NaN. Its own derivative is 0 everywhere, so it is a constant."""
    found = np.sign(plain(x))
    found = np.where(np.isnan(found), 0, found).astype(plain(x).dtype)[()]
    return constant(found) if isinstance(x, Tensor) else found


def mask(condition: Any, like: Any) -> Any:
    """A condition as 0 and 1 in the dtype of `like`; a constant where `like` is a tensor."""
    numbers = np.asarray(plain(condition)).astype(plain(like).dtype)[()]
    return constant(numbers) if isinstance(like, Tensor) else numbers


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b; a and b may be numbers, but not both."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        like = a if isinstance(a, Tensor) else b
        condition = constant(np.asarray(plain(condition))[()])
        a, b = (x if isinstance(x, Tensor) else constant(like.array.dtype.type(x)) for x in (a, b))
        return like.where(condition, b) if a is like else a.where(condition, b)
    dtype = (a if isinstance(a, np.ndarray | np.generic) else b).dtype
    # A Python number would have numpy choose between numbers of two dtypes, which takes more than twice as long.
    a, b = (x if isinstance(x, np.ndarray | np.generic) else dtype.type(x) for x in (a, b))
    return np.where(plain(condition), a, b).astype(dtype, copy=False)[()]


def kept_where(condition: Any, g: Any) -> Any:
    """g where the condition holds, else 0, whatever stands there (0 times infinity would be NaN)."""
    return where(condition, g, 0.0)


def total(x: Any, dim: Dims = None, keepdim: bool = False) -> Any:
    """The sum over axes."""
    if isinstance(x, Tensor):
        return x.sum() if dim is None and not keepdim else x.sum(_every(dim, x.array.ndim), keepdim=keepdim)
    found: Any = np.add.reduce  # whose types know no call with all three
    return found(x, axes_of(dim), keepdims=keepdim)


def _every(dim: Dims, ndim: int) -> Dims:
    return tuple(range(ndim)) if dim is None else dim


def axes_of(dim: Dims) -> int | tuple[int, ...] | None:
    """numpy's axes for PyTorch's dim: no dims at all means all of them."""
    if dim is None or isinstance(dim, int):
        return dim
    return tuple(dim) or None


def reshape(x: Any, shape: Sequence[int]) -> Any:
    """The same numbers in another shape."""
    if isinstance(x, Tensor):
        return x if x.array.shape == tuple(shape) else x.reshape(tuple(shape))
    return x.reshape(shape)


def expand(x: Any, shape: tuple[int, ...]) -> Any:
    """x repeated to a shape that it broadcasts to."""
    if isinstance(x, Tensor):
        return x if x.array.shape == shape else x.expand(shape)
    out = np.empty(
        shape, x.dtype
    )  # a copy: products of matrices are slow on an array that repeats one number in memory
    out[...] = x
    return out[()]


def permute(x: Any, dims: Sequence[int]) -> Any:
    """The axes in another order."""
    return x.permute(tuple(dims)) if isinstance(x, Tensor) else np.transpose(x, dims)


def transpose(x: Any, dim0: int = -1, dim1: int = -2) -> Any:
    """Two axes exchanged; the last two where none are given."""
    if x.__class__ is np.ndarray or not isinstance(x, Tensor):
        return x.swapaxes(dim0, dim1)
    return x.t() if x.array.ndim == 2 else x.transpose(dim0, dim1)


def kept_shape(shape: Sequence[int], dim: Dims) -> tuple[int, ...]:
    """The shape after a reduction that keeps the reduced axes as 1."""
    axes = axes_of(dim)
    if axes is None:
        return (1,) * len(shape)
    reduced = {axis % max(len(shape), 1) for axis in ((axes,) if isinstance(axes, int) else axes)}
    return tuple(1 if i in reduced else size for i, size in enumerate(shape))


def spread(g: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    """The gradient of a sum: each summed element gets a copy of what comes in, in the shape of x."""
    shape = plain(x).shape
    return expand(g if keepdim else reshape(g, kept_shape(shape, dim)), shape)


def kept(y: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    """A reduced result with its reduced axes kept as 1, so that it broadcasts against x."""
    return y if keepdim else reshape(y, kept_shape(plain(x).shape, dim))


def count_reduced(x: Any, dim: Dims) -> int:
    """How many elements of x go into one element of its reduction."""
    shape = plain(x).shape
    return math.prod(n for n, k in zip(shape, kept_shape(shape, dim), strict=True) if k == 1 or n == 1)


def take(x: Any, index: Any) -> Any:
    """x[index]."""
    return x[index] if isinstance(x, Tensor) else np.asarray(x)[index]


def put(g: Any, shape: tuple[int, ...], index: Any) -> Any:
    """Zeros of a shape with g added at an index: the adjoint of `take`, where what repeats adds up."""
    if isinstance(g, Tensor):
        return g.put_into(shape, index)
    out = np.zeros(shape, dtype=g.dtype)
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(part, np.ndarray) and part.dtype != bool for part in parts):
        np.add.at(out, index, g)
    else:
        out[index] = g
    return out


def zeros_like(x: Any) -> Any:
    """Zeros of the shape and dtype of x."""
    return constant(np.zeros_like(x.array)) if isinstance(x, Tensor) else np.zeros_like(x)[()]
