"""How PyTorch lays the numbers of a result in memory, where numpy would lay them otherwise.

It shows in `stride()`, decides which views a result allows, and in which order later sums are taken.
Source: TensorIterator.cpp, and the meta functions of the ops named here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def in_rows(value: Any, _inputs: Sequence[Any] = ()) -> Any:
    """The last axis closest together, however the inputs lie."""
    return np.ascontiguousarray(value)


def in_columns(value: Any, inputs: Sequence[Any]) -> Any:
    """Matrix by matrix, each column after column, as LAPACK has them; a row for each matrix as a row."""
    return value if value.ndim < inputs[0].ndim else _column_after_column(value)


def _column_after_column(value: Any, _inputs: Sequence[Any] = ()) -> Any:
    if value.ndim < 2:
        return value
    return np.array(value.swapaxes(-1, -2), order="C").swapaxes(-1, -2)  # a copy: one of no numbers passes for either


def _in_room(value: Any, inputs: Sequence[Any]) -> Any:
    """The columns of a solution, or one, in room that has as many rows as the right side too, as LAPACK has them."""
    left, is_vector = inputs[0], value.ndim < inputs[0].ndim
    if value.ndim < left.ndim - 1:
        return value
    columns = value[..., None] if is_vector else value
    rows = max(left.shape[-2:])
    room = np.empty((*columns.shape[:-2], columns.shape[-1], rows), value.dtype).swapaxes(-1, -2)
    out = room[..., : columns.shape[-2], :]
    out[...] = columns
    return out[..., 0] if is_vector else out


def as_first(value: Any, inputs: Sequence[Any]) -> Any:
    """In the order of axes of the first input, which has the same shape."""
    return in_loop(value, inputs[:1])


def in_loop(value: Any, inputs: Sequence[Any]) -> Any:
    """As a loop over the elements of all inputs lays its result: the first that tells two axes apart decides.

    Args:
        value: the result, of the shape to which the inputs broadcast.
        inputs: arrays or numpy scalars.
    """
    first = inputs[0]
    if value.ndim < 2 or (first.flags.c_contiguous and first.shape == value.shape):
        return in_rows(value) if value.ndim else value
    return in_order(value, [_steps(x, value.shape) for x in inputs])


def in_order(value: Any, steps: Sequence[Sequence[int]]) -> Any:
    """A result in the order of axes that follows from the steps of each input along each of them, 0 where repeated."""
    order = loop_order(value.shape, steps)
    back = sorted(range(value.ndim), key=order.__getitem__)
    return np.ascontiguousarray(value.transpose(order)).transpose(back)


def loop_order(shape: tuple[int, ...], steps: Sequence[Sequence[int]]) -> list[int]:
    """The axes from the outermost to the innermost, as PyTorch's loops over elements go through them.

    Args:
        shape: of the result.
        steps: for each input its step along each axis, 0 where it is repeated.
    """
    order = [*range(len(shape))]
    for i in range(len(shape) - 2, -1, -1):
        at = i
        for other in range(i + 1, len(shape)):
            turn = _compared(order[other], order[at], shape, steps)
            if turn < 0:
                break
            if turn > 0:
                order[at], order[other] = order[other], order[at]
                at = other
    return order


def _compared(inner: int, outer: int, shape: tuple[int, ...], steps: Sequence[Sequence[int]]) -> int:
    """1 where the inner axis is to lie outside of the outer one, −1 where they stay, 0 where nothing tells."""
    for each in steps:
        a, b = abs(each[inner]), abs(each[outer])
        if not a or not b:
            continue
        if a != b:
            return 1 if a > b else -1
        if shape[inner] > shape[outer]:
            return 1
    return 0


def _steps(x: Any, shape: tuple[int, ...]) -> list[int]:
    front = len(shape) - x.ndim
    own = (0 if m == 1 != n else step for m, n, step in zip(x.shape, shape[front:], x.strides, strict=True))
    return [0] * front + [*own]


def _outer_product(value: Any, inputs: Sequence[Any]) -> Any:
    added, a, b = inputs
    return in_loop(value, (added, a[:, None], b))


def at_places(value: Any, x: Any, index: Sequence[Any]) -> Any:
    """`x[index]` of arrays and slices of whole axes: the axes of the places lie as those of the arrays do."""
    at = [i for i, part in enumerate(index) if isinstance(part, np.ndarray)]
    arrays: list[Any] = []
    for i in at:
        arrays += index[i].nonzero() if index[i].dtype.kind == "b" else (index[i],)
    size = np.broadcast_shapes(*(array.shape for array in arrays))
    kept, dim = [], 0
    for part in index:
        if isinstance(part, np.ndarray):
            dim += part.ndim if part.dtype.kind == "b" else 1
        else:
            kept.append(x.strides[dim])
            dim += 1
    kept += x.strides[dim:]
    front = at[0] if at[-1] - at[0] + 1 == len(at) else 0
    before, after = kept[:front], kept[front:]
    return in_order(
        value,
        [
            [*before, *[0] * len(size), *after],
            *([*[0] * front, *_steps(array, size), *[0] * len(after)] for array in arrays),
        ],
    )


def laid(name: str, value: Any, inputs: Sequence[Any]) -> Any:
    """The result of the op of that name as PyTorch lays it; the same array where it lies so."""
    way = LAYOUTS.get(name)
    return value if way is None or not value.ndim else way(value, inputs)


ROWS = """
trilinear cdist euclidean_dist renorm prod cumprod logcumsumexp cummax cummin mvlgamma constant_pad_nd reflection_pad
replication_pad gather masked_fill masked_fill_tensor scatter scatter_value scatter_add index_add index_copy
scatter_reduce index_reduce masked_scatter batch_norm batch_norm_plain batch_norm_given batch_norm_given_plain
layer_norm layer_norm_plain group_norm group_norm_plain cross diag_embed solve_right topk kthvalue mode median_dim
nanmedian_dim lu_unpack
"""
COLUMNS = "inv solve cholesky solve_triangular cholesky_solve cholesky_inverse qr svd eigh lu_factor"
LOOPS = """
add sub mul div pow_tensor maximum minimum fmod remainder div_rounded atan2 hypot logaddexp logaddexp2 xlogy xlog1py
fmax fmin copysign ldexp where addcmul addcdiv lerp lerp_number clamp_tensor clamp_min_tensor clamp_max_tensor
"""

LAYOUTS: dict[str, Callable[[Any, Sequence[Any]], Any]] = {
    **dict.fromkeys(ROWS.split(), in_rows),
    **dict.fromkeys(COLUMNS.split(), in_columns),
    **dict.fromkeys(LOOPS.split(), in_loop),
    **dict.fromkeys(("sort", "flip", "put"), as_first),
    **dict.fromkeys(("lstsq", "lstsq_vector"), _in_room),
    "addr": _outer_product,
    "solve_vector": _column_after_column,
}
"""By the name of the op; the others come from numpy as they do from PyTorch, or are laid where they are made."""
