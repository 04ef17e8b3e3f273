"""Sums formed in the order in which PyTorch forms them, so that float32 results agree to the last digit.

PyTorch keeps several partial sums, as many as a processor register holds, and adds long columns in blocks of blocks;
numpy adds in another order, whose rounding differs in the last digit of half of all sums of ten numbers.
Source: cascade_sum in PyTorch's SumKernel.cpp, for registers of 256 bits.
"""

from __future__ import annotations

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

_add = np.add.reduce
_running = np.add.accumulate


def total(x: Any, axes: tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
    """Sum over axes (all where None) of an array; a numpy scalar for shape ()."""
    if x.dtype.kind != "f" or x.itemsize < 4 or not 1 < x.size < THREADED:
        return x.sum(axis=axes, keepdims=keepdims) + x.dtype.type(0)
    shape = x.shape
    size = () if axes is None else tuple([n for i, n in enumerate(shape) if i not in axes])
    out = _laid_out(x, axes, x.size // max(1, prod(size))) + x.dtype.type(0)  # a sum starts from 0, so that none is −0
    if keepdims:
        size = tuple([1 if axes is None or i in axes else n for i, n in enumerate(shape)])
    return out if out.shape == size else out.reshape(size)[()]


def _laid_out(x: Any, axes: tuple[int, ...] | None, count: int) -> Any:
    """The sums of `count` numbers each; most often they are vectors and matrices that lie in one piece."""
    if not x.flags.c_contiguous:
        return _by_layout(x, frozenset(range(x.ndim) if axes is None else axes))
    if count == x.size:
        return _all(x.reshape(-1))
    if x.ndim == 2 and count > 1:
        lanes = REGISTER // x.itemsize
        if axes == (0,):
            return _outer(x, AT_ONCE * lanes if x.shape[1] >= lanes else AT_ONCE)
        return _inner(x) if x.shape[1] >= lanes else _row(x[..., None])[..., 0]
    return _by_layout(x, frozenset(axes or ()))


def _all(x: Any) -> Any:
    """Sum of a vector that lies in one piece."""
    lanes = REGISTER // x.itemsize
    if x.size < lanes:
        return _few(x)
    count = x.size // lanes
    held = _registers(x[: count * lanes], count, lanes)
    out = x.dtype.type(0)
    for part in (x[count * lanes :], held):
        for number in part:
            out = out + number
    return out


def _registers(x: Any, count: int, lanes: int) -> Any:
    """`_row` for one vector, without a call too much: sums of so few numbers are the most frequent."""
    rows = count // AT_ONCE
    if not rows:
        held = x[:lanes]
        for i in range(1, count):
            held = held + x[i * lanes : (i + 1) * lanes]
        return held
    width = AT_ONCE * lanes
    parts = x[:width] if rows == 1 else _column(x[: rows * width].reshape(rows, width))
    held = parts[:lanes]
    for i in range(rows * AT_ONCE, count):
        held = held + x[i * lanes : (i + 1) * lanes]
    for k in range(1, AT_ONCE):
        held = held + parts[k * lanes : (k + 1) * lanes]
    return held


def _few(x: Any) -> Any:
    """Sum of fewer numbers than a register holds."""
    count = len(x) // AT_ONCE * AT_ONCE
    first, rest = x[0], x[1:AT_ONCE] if count else x[1:]
    for number in x[count:] if count else ():
        first = first + number
    for number in rest:
        first = first + number
    return first


# ---- layouts: which numbers are next to each other in memory decides the order ----


def _by_layout(x: Any, taken: frozenset[int]) -> Any:
    """The sums, flat over the axes that stay, in their order."""
    kept = [i for i in range(x.ndim) if i not in taken and x.shape[i] > 1]
    summed = sorted((i for i in taken if x.shape[i] > 1), key=lambda i: -abs(x.strides[i]))
    place = {axis: number for number, axis in enumerate(sorted((*kept, *summed)))}
    squeezed = x.reshape([n for n in x.shape if n > 1]) if 1 in x.shape else x
    ordered = squeezed.transpose([place[i] for i in (*kept, *summed)])
    staying, going = _groups(ordered, 0, len(kept)), _groups(ordered, len(kept), ordered.ndim)
    return _summed(ordered.reshape(staying + going), len(staying))


def _groups(x: Any, first: int, last: int) -> list[int]:
    """Sizes of the axes from first to last, with those joined that lie one in another without gaps."""
    sizes: list[int] = []
    for axis in range(first, last):
        if sizes and x.strides[axis - 1] == x.strides[axis] * x.shape[axis]:
            sizes[-1] *= x.shape[axis]
        else:
            sizes.append(x.shape[axis])
    return sizes


def _summed(x: Any, kept: int) -> Any:
    """Sums over all axes from `kept` on; those are in order of falling distance in memory."""
    if kept == x.ndim:
        return x
    lanes = REGISTER // x.itemsize
    is_near = x.strides[-1] == x.itemsize and x.shape[-1] >= lanes
    if x.ndim - kept > 1:
        rows = _inner(x) if is_near else _row(x[..., None])[..., 0]
        return _running(rows.reshape(*rows.shape[:kept], prod(rows.shape[kept:])), axis=-1)[..., -1]
    if is_near:
        return _inner(x)
    is_beside = kept > 0 and x.strides[kept - 1] == x.itemsize and x.shape[kept - 1] >= lanes
    if not is_beside and (kept == 0 or abs(x.strides[-1]) < abs(x.strides[kept - 1])):
        return _row(x[..., None])[..., 0]
    return _outer(np.swapaxes(x, -1, -2), AT_ONCE * lanes if is_beside else AT_ONCE)


# ---- the sums themselves ----


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
    width = x.shape[-1]
    parts = _column(x[..., : count * AT_ONCE, :].reshape(*x.shape[:-2], count, AT_ONCE * width))
    out = parts[..., :width]
    for i in range(count * AT_ONCE, x.shape[-2]):
        out = out + x[..., i, :]
    for k in range(1, AT_ONCE):
        out = out + parts[..., k * width : (k + 1) * width]
    return out


def _column(x: Any) -> Any:
    """Sums over the last axis but one, in order, in blocks of at least 16, the blocks' sums in blocks again."""
    count = x.shape[-2]
    step = 1 << max(4, (count - 1).bit_length() // LEVELS)
    if count < step:
        return _in_order(x)
    out = None
    for level in range(LEVELS):
        blocks = x.shape[-2] // step if level < LEVELS - 1 else 0
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
