"""Mean and variance of rows, and sums of products of rows, as PyTorch's normalising kernels round them.

Each lane of a register has a running mean (Welford's way) of blocks of 16 numbers; the blocks are joined in pairs,
then the lanes with each other and with what filled no register. Source: moments_utils.h and functional_base.h of
PyTorch, for registers of 256 bits; which steps round once was found by trying.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels import registers
from gradviz.imitation.engine.kernels.nearest import fused
from gradviz.imitation.engine.kernels.summation import REGISTER

BLOCK = 16
"""Registers that one running mean goes over."""

Moments = tuple[int, Any, Any]
"""How many numbers, their mean, the sum of their squared distances from it."""


def moments(rows: Any) -> tuple[Any, Any]:
    """Mean and variance along the last of two axes."""
    lanes = REGISTER // rows.itemsize
    whole = rows.shape[1] // lanes
    count, mean, squares = _one_by_one(rows[:, whole * lanes :])
    means = sums = np.zeros((len(rows), 1), rows.dtype)  # a lane of no number: squares that overflow make NaN with it
    if whole:
        means, sums = _of_lanes(rows[:, : whole * lanes].reshape(-1, whole, lanes))
    for lane in range(means.shape[1]):
        count, mean, squares = _with_lane((whole, means[:, lane], sums[:, lane]), (count, mean, squares))
    return mean, squares / rows.dtype.type(rows.shape[1])


def _one_by_one(rows: Any) -> Moments:
    mean = squares = np.zeros(len(rows), rows.dtype)
    for i in range(rows.shape[1]):
        distance = rows[:, i] - mean
        mean = mean + distance / rows.dtype.type(i + 1)
        squares = squares + distance * (rows[:, i] - mean)
    return rows.shape[1], mean, squares


def _of_lanes(x: Any) -> tuple[Any, Any]:
    """Mean and squares of each lane, of (rows, registers, lanes)."""
    parts: list[Moments] = []
    for number, at in enumerate(range(0, x.shape[1], BLOCK), 1):
        parts.append(_block(x[:, at : at + BLOCK]))
        for _ in range((number & -number).bit_length() - 1):  # as digits of a binary number are carried
            parts.append(_joined(parts.pop(), parts.pop()))
    out = parts.pop()
    while parts:
        out = _joined(parts.pop(), out)
    return out[1], out[2]


def _block(block: Any) -> Moments:
    mean = squares = np.zeros_like(block[:, 0])
    for i in range(block.shape[1]):
        x = block[:, i]
        distance = x - mean
        mean = fused(distance, mean.dtype.type(1 / (i + 1)), mean)
        squares = fused(distance, x - mean, squares)
    return block.shape[1], mean, squares


def _joined(new: Moments, old: Moments) -> Moments:
    """Two parts of each lane as one."""
    count, share, distance = _share(new, old)
    step = share * distance
    return count, old[1] + step, fused(distance, step * step.dtype.type(old[0]), old[2] + new[2])


def _with_lane(new: Moments, old: Moments) -> Moments:
    """A lane and what was before it as one."""
    count, share, distance = _share(new, old)
    spread = fused(distance * distance * share, distance.dtype.type(old[0]), new[2])
    return count, fused(share, distance, old[1]), old[2] + spread


def _share(new: Moments, old: Moments) -> tuple[int, Any, Any]:
    count, number = new[0] + old[0], new[1].dtype.type
    return count, number(new[0] / count if count else 0), new[1] - old[1]


# ---- sums along rows ----


def product_sums(a: Any, b: Any, rounds_once: bool) -> Any:
    """Σ a · b along the last axis; see `registers.product_sums`."""
    return registers.product_sums(a, b, rounds_once, REGISTER)[..., 0]


def row_sums(x: Any) -> Any:
    """Σ x along the last axis."""
    return registers.row_sums(x, REGISTER)[..., 0]


def halves(rows: Any) -> Any:
    """The rows as each of two threads has them, (rows of each, 2, numbers); the second may end with a row of zeros."""
    if len(rows) == 1:
        return rows[:, None]
    if len(rows) % 2:
        rows = np.concatenate((rows, np.zeros_like(rows[:1])))
    return rows.reshape(2, -1, *rows.shape[1:]).swapaxes(0, 1)
