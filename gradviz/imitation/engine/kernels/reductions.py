"""Lengths, products and plain sums in the order in which PyTorch adds and multiplies, down to the last digit.

Source: ReduceOpsKernel.cpp and Reduce.h of PyTorch, for registers of 256 bits and one thread.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels.summation import AT_ONCE, REGISTER

Axes = tuple[int, ...] | None


def in_turn(x: Any, axes: Axes, keepdims: bool) -> Any:
    """Sum of numbers one after the other, as they lie in memory."""
    rows = _rows(x, axes)
    sums = np.add.accumulate(rows, axis=-1)[..., -1].copy() if rows.shape[-1] else rows.sum(axis=-1)
    return _shaped(sums, x, axes, keepdims)


def length(x: Any, axes: Axes, keepdims: bool) -> Any:
    """√Σ x²; over numbers that lie in one piece as many partial sums as a register holds."""
    lanes = REGISTER // x.itemsize
    rows = _rows(x, axes)
    if not rows.shape[-1]:
        squares = rows.sum(axis=-1)
    elif not _is_one_piece(x, axes):
        squares = np.add.accumulate(rows * rows, axis=-1)[..., -1]
    else:
        squares = _squares(rows, lanes)
    return _shaped(np.sqrt(squares), x, axes, keepdims)


def _squares(rows: Any, lanes: int) -> Any:
    """The sum of what fills registers, then numbers in fours, then the last ones with a single rounding each."""
    whole = rows.shape[-1] // lanes * lanes
    body = rows[..., :whole].reshape(*rows.shape[:-1], whole // lanes, lanes)
    held = (
        np.add.accumulate(body * body, axis=-2)[..., -1, :]
        if whole
        else np.zeros_like(rows, shape=(*rows.shape[:-1], 1))
    )
    rest = rows[..., whole:]
    fours = rest.shape[-1] // AT_ONCE * AT_ONCE
    out = np.add.accumulate(np.concatenate((held, rest[..., :fours] ** 2), axis=-1), axis=-1)[..., -1]
    for i in range(fours, rest.shape[-1]):
        exact = np.square(rest[..., i], dtype=np.float64)
        out = (out + exact).astype(rows.dtype)
    return out


def product(x: Any, axes: Axes, keepdims: bool) -> Any:
    """Π x; 32 numbers that lie in one piece at once (16 of float64), the rest one after the other."""
    rows = _rows(x, axes)
    block = AT_ONCE * REGISTER // x.itemsize
    whole = rows.shape[-1] // block * block
    if not whole or x.dtype.kind != "f" or not _is_one_piece(x, axes):
        return _shaped(_in_turn(rows), x, axes, keepdims)
    parts = np.multiply.reduce(
        rows[..., :whole].reshape(*rows.shape[:-1], whole // block, AT_ONCE, block // AT_ONCE), axis=-3
    )
    held = (parts[..., 0, :] * parts[..., 1, :]) * (parts[..., 2, :] * parts[..., 3, :])
    first = _in_turn(held)[..., None]
    return _shaped(_in_turn(np.concatenate((first, rows[..., whole:]), axis=-1)), x, axes, keepdims)


def _in_turn(rows: Any) -> Any:
    return (
        np.multiply.accumulate(rows, axis=-1)[..., -1] if rows.shape[-1] else np.ones_like(rows, shape=rows.shape[:-1])
    )


# ---- layouts ----


def _axes(x: Any, axes: Axes) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axes is None else axes


def _rows(x: Any, axes: Axes) -> Any:
    """What goes into each result along the last axis, the axes that stay before it."""
    x = np.asarray(x)
    taken = _axes(x, axes)
    kept = [i for i in range(x.ndim) if i not in taken]
    order = (*kept, *sorted(taken, key=lambda i: -abs(x.strides[i])))
    return x.transpose(order).reshape(*(x.shape[i] for i in kept), prod(x.shape[i] for i in taken))


def _is_one_piece(x: Any, axes: Axes) -> bool:
    """Whether the numbers of each result are next to each other in memory."""
    step = x.itemsize
    for i in sorted((i for i in _axes(x, axes) if x.shape[i] > 1), key=lambda i: abs(x.strides[i])):
        if x.strides[i] != step:
            return False
        step *= x.shape[i]
    return True


def _shaped(out: Any, x: Any, axes: Axes, keepdims: bool) -> Any:
    if not keepdims:
        return out[()]
    taken = _axes(x, axes)
    return out.reshape([1 if i in taken else n for i, n in enumerate(x.shape)])[()]
