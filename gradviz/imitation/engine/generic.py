"""The functions that rules are written with. One spelling, two readers.

Fed numpy arrays they compute the numbers of a step; fed tensors (create_graph) they make new nodes, so the
derivative of a derivative is an ordinary graph. The arithmetic operators need no entry here: arrays and
tensors overload them both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, DType, result_dtype
from gradviz.imitation.engine.kernels import nearest, products, registers
from gradviz.imitation.engine.kernels.summation import total
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.shapes import Dims, axes_of, kept_shape
from gradviz.imitation.engine.tensor import Tensor, apply, binary, constant, unary

OPS: dict[str, Op] = {}
"""The rule table, by name. Filled by the modules of `engine.rules`."""


def plain(x: Any) -> Any:
    """The array of a tensor; an array as it is. For masks and indices, which carry no derivative."""
    return x.data if isinstance(x, Tensor) else x


def _unary(name: str, array: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return unary(OPS[name], x) if isinstance(x, Tensor) else array(x)

    function.__name__ = name
    function.__doc__ = f"{name}, elementwise."
    return function


def sigmoid_array(x: Any) -> Any:
    """1 / (1 + exp(-x)) without overflow, in the dtype of x."""
    below = 1.0 + registers.exp(-x)
    # Of a numpy scalar a quotient takes a sixth of the time of a reciprocal; of an array it takes longer.
    return np.reciprocal(below) if isinstance(below, np.ndarray) else 1.0 / below


exp = _unary("exp", nearest.exp)
loop_exp = _unary("exp", registers.exp)
register_exp = _unary("exp", registers.polynomial_exp)
log = _unary("log", nearest.log)
sin = _unary("sin", nearest.sin)
cos = _unary("cos", nearest.cos)
sqrt = _unary("sqrt", np.sqrt)


def fused(a: Any, b: Any, c: Any) -> Any:
    """a · b + c; of arrays with one rounding, as PyTorch's kernels compute it. c may be a number."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return a * b + c
    return nearest.fused(a, b, c if hasattr(c, "dtype") else a.dtype.type(c))


def one_minus_square(y: Any) -> Any:
    """1 − y²; of arrays of float32 with one rounding, as `fused`."""
    return -y * y + 1.0 if isinstance(y, Tensor) else nearest.one_minus_square(y)


def sign(x: Any) -> Any:
    """−1, 0 or 1; 0 at NaN, as in PyTorch. Its own derivative is 0 everywhere."""
    return unary(OPS["sgn"], x) if isinstance(x, Tensor) else np.nan_to_num(np.sign(x))


def mask(condition: Any, like: Any) -> Any:
    """A condition (an array of bool) as 0 and 1 in the dtype of `like`; a constant where `like` is a tensor."""
    numbers = np.asarray(plain(condition)).astype(plain(like).dtype)
    return like.tape.tensor(numbers) if isinstance(like, Tensor) else numbers


_BITS = {2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def zero_where(condition: Any, g: Any) -> Any:
    """g with 0 where the condition (an array of bool, of the shape of g) holds, whatever stands there.

    A product with 0 and 1 would keep NaN and make −0 of negative numbers. numpy's `where` takes six times as long
    as a comparison; masking the bits of the numbers takes as long as one.
    """
    if isinstance(g, Tensor):
        return apply(OPS["masked_fill"], (g,), index=np.asarray(condition), value=0)
    if not isinstance(g, np.ndarray):
        return g.dtype.type(0) if condition else g
    bits: Any = _BITS[g.itemsize]
    keep = condition.astype(bits)
    keep -= 1
    keep &= g.view(bits)
    return keep.view(g.dtype)


def kept_where(condition: Any, g: Any) -> Any:
    """g where the condition holds, else 0: `zero_where` the other way round, of tensors a choice."""
    return where(condition, g, 0.0) if isinstance(g, Tensor) else zero_where(~np.asarray(condition), g)


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b; a number is taken as a constant."""
    tensors = [x for x in (a, b) if isinstance(x, Tensor)]
    if not tensors:
        dtype = (a if isinstance(a, (np.ndarray, np.generic)) else b).dtype
        return np.where(plain(condition), a, b).astype(dtype, copy=False)[()]
    like = tensors[0]
    a, b = (x if isinstance(x, Tensor) else constant(like.dtype.type(x), like.tape) for x in (a, b))
    holds = condition if isinstance(condition, Tensor) else constant(np.asarray(condition), like.tape)
    return apply(OPS["where"], (holds, a, b))


def sum(x: Any, dim: Dims = None, keepdim: bool = False) -> Any:
    """Sum over dims (all where None)."""
    if isinstance(x, Tensor):
        return apply(OPS["sum"], (x,), dim=dim, keepdim=keepdim)
    return total(x, axes_of(dim, x.ndim), keepdim)


def broadcast_to(x: Any, shape: tuple[int, ...]) -> Any:
    """x repeated to a shape that it broadcasts to."""
    if isinstance(x, Tensor):
        return x if x.shape == shape else apply(OPS["expand"], (x,), size=shape)
    if x.size != 1:
        return np.broadcast_to(x, shape)
    # One number, as it comes from a loss: numpy's own way takes eight times as long.
    out: Any = np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
    out.flags.writeable = False
    return out


def reshape(x: Any, shape: tuple[int, ...]) -> Any:
    """The same numbers in another shape."""
    if isinstance(x, Tensor):
        return x if x.shape == shape else apply(OPS["view"], (x,), size=shape)
    return x.reshape(shape)


def permute(x: Any, dims: Sequence[int]) -> Any:
    """Axes in another order."""
    if isinstance(x, Tensor):
        return apply(OPS["permute"], (x,), dims=tuple(dims))
    return np.transpose(x, dims)


def T(x: Any) -> Any:  # noqa: N802 - the field's name
    """The last two axes exchanged."""
    if isinstance(x, Tensor):
        return apply(OPS["t"], (x,)) if x.ndim == 2 else apply(OPS["transpose"], (x,), dim0=x.ndim - 2, dim1=x.ndim - 1)
    return x.swapaxes(-1, -2)


def matmul(a: Any, b: Any) -> Any:
    """Matrix product; leading axes broadcast."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        like = a if isinstance(a, Tensor) else b
        a, b = (x if isinstance(x, Tensor) else constant(np.asarray(x), like.tape) for x in (a, b))
        return binary(OPS["matmul"], a, b)
    return products.matmul(a, b)


def to(x: Any, dtype: DType) -> Any:
    """The same numbers in another dtype."""
    if plain(x).dtype is dtype:
        return x
    return apply(OPS["to"], (x,), dtype=dtype.name) if isinstance(x, Tensor) else x.astype(dtype)


def as_of_both(x: Any, a: Any, b: Any) -> Any:
    """The numbers of a floating dtype in the one that a and b decide on: a result in place may be too narrow for it."""
    given, wanted = plain(x).dtype, result_dtype(plain(a), plain(b))
    return to(x, wanted) if given.kind in FLOATING and wanted.kind in FLOATING else x


def outer(a: Any, b: Any) -> Any:
    """a_i · b_j for two vectors."""
    return reshape(a, (*plain(a).shape, 1)) * reshape(b, (1, *plain(b).shape))


def spread(g: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    """The gradient of a sum: each summed element gets a copy. From the reduced shape back to the shape of x."""
    shape = plain(x).shape
    if not keepdim and isinstance(g, Tensor):
        for axis in sorted(axes_of(dim, len(shape)) or ()):
            g = apply(OPS["unsqueeze"], (g,), dim=axis)
    elif not keepdim:
        g = reshape(g, kept_shape(shape, dim))
    return broadcast_to(g, shape)


def kept(y: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    """A reduced result with its reduced axes kept as 1, so that it broadcasts against x."""
    return y if keepdim else reshape(y, kept_shape(plain(x).shape, dim))


def count(x: Any, dim: Dims) -> int:
    """How many elements of x go into one element of its reduction."""
    shape = plain(x).shape
    axes = axes_of(dim, len(shape))
    return prod(shape) if axes is None else prod(shape[axis] for axis in axes)


def scatter(g: Any, shape: tuple[int, ...], index: Any) -> Any:
    """Zeros of a shape with g added at an index: the adjoint of indexing, where repeated places add up."""
    if isinstance(g, Tensor) and has_arrays(index):
        return apply(OPS["index_put_impl"], (constant(np.zeros(shape, g.dtype), g.tape), g), index=index)
    if isinstance(g, Tensor):
        return apply(OPS["scatter_add_zeros"], (g,), size=shape, index=index)
    out = np.zeros(shape, dtype=g.dtype)
    np.add.at(out, index, g) if has_arrays(index) else out.__setitem__(index, g)
    return out


def take(x: Any, index: Any) -> Any:
    """x[index] with an index of slices, numbers, None and integer or bool arrays."""
    if not isinstance(x, Tensor):
        return np.asarray(x)[index]
    parts = index if isinstance(index, tuple) else (index,)
    if not all(isinstance(part, int) or (isinstance(part, slice) and (part.step or 1) > 0) for part in parts):
        return apply(OPS["index"], (x,), index=index)
    return _by_steps(x, parts)


def _by_steps(x: Tensor, parts: Sequence[Any]) -> Tensor:
    """One select or slice after the other, as PyTorch's rules take parts."""
    dim = 0
    for part in parts:
        if isinstance(part, int):
            x = apply(OPS["select"], (x,), dim=dim, index=part % x.shape[dim])
            continue
        start, end, step = part.indices(x.shape[dim])
        if (start, end, step) != (0, x.shape[dim], 1):
            x = apply(OPS["slice"], (x,), dim=dim, start=start, end=max(start, end), step=step)
        dim += 1
    return x


def has_arrays(index: Any) -> bool:
    """Whether an index holds arrays, whose places may repeat."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(part, np.ndarray) for part in parts)


__all__ = [
    "OPS", "T", "Tensor", "apply", "binary", "broadcast_to", "constant", "cos", "count", "exp", "fused", "has_arrays",
    "kept", "kept_where", "log", "loop_exp", "mask", "matmul", "one_minus_square", "outer", "permute", "plain",
    "register_exp", "reshape", "scatter", "sigmoid_array", "sign", "sin", "spread", "sqrt", "sum", "take", "to",
    "where", "zero_where",
]  # fmt: skip
