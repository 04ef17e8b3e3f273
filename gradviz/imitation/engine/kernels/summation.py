"""Sums formed in the order in which PyTorch forms them, so that float32 results agree to the last digit.

PyTorch keeps several partial sums, as many as a processor register holds, and adds long columns in blocks of blocks;
numpy adds in another order, whose rounding differs in the last digit of half of all sums of ten numbers.
The order follows from how the numbers lie in memory. It is worked out once per layout and kept as a function, since
that takes longer than a small sum.
Source: cascade_sum in PyTorch's SumKernel.cpp, for registers of 256 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

REGISTER = 32
"""Bytes that are added at once."""
AT_ONCE = 4
"""Partial sums that a row of numbers, or of registers, is split into."""
LEVELS = 4
"""Blocks, blocks of blocks, and so on."""
THREADED = 32768
"""From so many numbers on PyTorch shares the work out to threads: its order depends on the machine, ours is numpy's."""

Way = Callable[[Any], Any]
"""From an array of one layout to its sums."""

_add = np.add.reduce
_running = np.add.accumulate


def total(x: Any, axes: tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
    """Sum over axes (all where None) of an array; a numpy scalar for shape ()."""
    return _way(x.shape, x.strides, x.dtype, axes, keepdims)(x)


@lru_cache(maxsize=4096)
def _way(
    shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any, axes: tuple[int, ...] | None, keepdims: bool
) -> Way:
    """How arrays of this layout are summed."""
    zero = dtype.type(0)  # a sum starts from 0, so that none is −0
    if dtype.kind != "f" or dtype.itemsize < 4 or not 0 < prod(shape) < THREADED:
        return lambda x: x.sum(axis=axes, keepdims=keepdims) + zero
    taken = frozenset(range(len(shape)) if axes is None else axes)
    size = tuple([1 if i in taken else n for i, n in enumerate(shape) if keepdims or i not in taken])
    return _shaped(_by_layout(shape, strides, taken, zero.itemsize), size, zero)


def _shaped(sums: Way, size: tuple[int, ...], zero: Any) -> Way:
    def shaped(x: Any) -> Any:
        out = sums(x) + zero
        return out if out.shape == size else out.reshape(size)[()]

    return shaped


# ---- layouts: which numbers are next to each other in memory decides the order ----


def _by_layout(shape: tuple[int, ...], strides: tuple[int, ...], taken: frozenset[int], itemsize: int) -> Way:
    """The sums, flat over the axes that stay, in their order."""
    axes = [i for i, n in enumerate(shape) if n > 1]
    kept = [i for i in axes if i not in taken]
    summed = sorted((i for i in axes if i in taken), key=lambda i: -abs(strides[i]))
    staying, going = (_groups([(shape[i], strides[i]) for i in part]) for part in (kept, summed))
    sums = _summed([*staying, *going], len(staying), itemsize)
    grouped = tuple([n for n, _ in (*staying, *going)])
    order = tuple([axes.index(i) for i in (*kept, *summed)])
    if order == tuple(range(len(order))):
        return sums if grouped == shape else lambda x: sums(x.reshape(grouped))
    squeezed = tuple([shape[i] for i in axes])
    return lambda x: sums(x.reshape(squeezed).transpose(order).reshape(grouped))


def _groups(axes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """(size, stride) of axes, with those joined that lie one in another without gaps."""
    joined: list[tuple[int, int]] = []
    for size, stride in axes:
        if joined and joined[-1][1] == stride * size:
            joined[-1] = joined[-1][0] * size, stride
        else:
            joined.append((size, stride))
    return joined


def _summed(axes: list[tuple[int, int]], kept: int, itemsize: int) -> Way:
    """Sums over all axes (size, stride) from `kept` on; those are in order of falling distance in memory."""
    if kept == len(axes):
        return lambda x: x
    lanes = REGISTER // itemsize
    size, stride = axes[-1]
    is_near = stride == itemsize and size >= lanes
    if len(axes) - kept > 1:
        return _rows_of_rows(kept, _inner if is_near else _apart)
    if not kept and stride == itemsize:
        return _vector(size, lanes) if is_near else _few(size)
    if is_near:
        return _inner
    is_beside = kept > 0 and axes[kept - 1][1] == itemsize and axes[kept - 1][0] >= lanes
    if not is_beside and (kept == 0 or abs(stride) < abs(axes[kept - 1][1])):
        return _apart
    group = AT_ONCE * lanes if is_beside else AT_ONCE
    return lambda x: _outer(x.swapaxes(-1, -2), group)


# ---- one vector, without a call too much: sums of so few numbers are the most frequent ----


def _few(size: int) -> Way:
    """Sum of fewer numbers than a register holds."""
    whole = size // AT_ONCE * AT_ONCE
    if whole in (0, size):
        return lambda x: _running(x)[-1]
    order = (0, *range(whole, size), *range(1, whole))
    return lambda x: _running(x.take(order))[-1]


def _vector(size: int, lanes: int) -> Way:
    """Sum of a vector that lies in one piece: what is left over, then the numbers of a register."""
    if size == lanes:
        return lambda x: _running(x)[-1]
    registers = size // lanes
    whole, rows, width = registers * lanes, registers // AT_ONCE, AT_ONCE * lanes
    even = rows * width

    def held(x: Any) -> Any:
        """As `_row`."""
        if not rows:
            return _add(x[:whole].reshape(registers, lanes), axis=0)
        parts = x[:even] if rows == 1 else _column(x[:even].reshape(rows, width))
        if even < whole:
            parts = np.concatenate((parts[:lanes], x[even:whole], parts[lanes:]))
        return _add(parts.reshape(-1, lanes), axis=0)

    if size == whole:
        return lambda x: _running(held(x))[-1]
    return lambda x: _running(np.concatenate((x[whole:], held(x))))[-1]


# ---- the sums themselves ----


def _apart(x: Any) -> Any:
    """Sums over the last axis, whose numbers are taken one by one."""
    return _row(x[..., None])[..., 0]


def _rows_of_rows(kept: int, inner: Way) -> Way:
    """Sums over the last axis first, then over the rest that is summed, one after the other."""

    def rows_of_rows(x: Any) -> Any:
        rows = inner(x)
        return _running(rows.reshape(*rows.shape[:kept], prod(rows.shape[kept:])), axis=-1)[..., -1]

    return rows_of_rows


def _outer(x: Any, group: int) -> Any:
    """Sums over the last axis but one: whole groups of columns in order, the columns left over as rows."""
    whole = x.shape[-1] // group * group
    if whole == x.shape[-1]:
        return _column(x)
    if not whole:
        return _row(x)
    return np.concatenate((_column(x[..., :whole]), _row(x[..., whole:])), axis=-1)


def _inner(x: Any) -> Any:
    """Sums over the last axis, whose numbers are next to each other: registers first, then what is in them."""
    lanes = REGISTER // x.itemsize
    count = x.shape[-1] // lanes
    held = _row(x[..., : count * lanes].reshape(*x.shape[:-1], count, lanes))
    parts = np.concatenate((x[..., count * lanes :], held), axis=-1)
    return _running(parts, axis=-1)[..., -1]


def _row(x: Any) -> Any:
    """Sums over the last axis but one of four interleaved parts; what is left over goes into the first."""
    count = x.shape[-2] // AT_ONCE
    if not count:
        return _in_order(x)
    whole = count * AT_ONCE
    parts, left = x[..., :whole, :], x[..., whole:, :]
    if count > 1:
        *outer, _, width = x.shape
        parts = _column(parts.reshape(*outer, count, AT_ONCE * width)).reshape(*outer, AT_ONCE, width)
    if left.shape[-2]:
        parts = np.concatenate((parts[..., :1, :], left, parts[..., 1:, :]), axis=-2)
    return _in_order(parts)


def _column(x: Any) -> Any:
    """Sums over the last axis but one, in order, in blocks of at least 16, the blocks' sums in blocks again."""
    count = x.shape[-2]
    step = 1 << max(4, (count - 1).bit_length() // LEVELS)
    if count < step:
        return _in_order(x)
    out = None
    for level in range(LEVELS):
        blocks = x.shape[-2] // step if level < LEVELS - 1 else 0
        if x.shape[-2] > blocks * step:
            rest = _in_order(x[..., blocks * step :, :])
            out = rest if out is None else out + rest
        if not blocks:
            break
        x = _in_order(x[..., : blocks * step, :].reshape(*x.shape[:-2], blocks, step, x.shape[-1]))
    return out


def _in_order(x: Any) -> Any:
    """Sums over the last axis but one, one number after the other."""
    if x.shape[-2] == 1:
        return x[..., 0, :]
    if x.shape[-1] == 1 or x.strides[-1] != x.itemsize:
        # numpy's own sum keeps the order only where its inner loop runs along another axis.
        return _running(x, axis=-2)[..., -1, :] if x.shape[-2] else _add(x, axis=-2)
    return _add(x, axis=-2)
