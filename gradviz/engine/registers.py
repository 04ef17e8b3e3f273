"""What PyTorch's kernels compute by whole registers of 512 bits, to the same last digit.

The exponential of a register is a polynomial of its own (SLEEF's, one unit in the last place); of the numbers that
fill no register it is the C library's, which rounds rightly. Sums of rows are kept per lane and folded in halves.
Sources: vec512_float.h, functional_base.h and Loops.h of PyTorch; expf of SLEEF.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine import nearest
from gradviz.engine.nearest import DOUBLE, SINGLE, fused

LANES = 16
"""Numbers of float32 in a register."""
AT_ONCE = 2 * LANES
"""Numbers that a loop over elements takes at once; what is left is done one by one."""

_single = np.float32
LOG2_E = _single(1.44269504088896341)
LN2_HIGH, LN2_LOW = _single(0.693145751953125), _single(1.428606765330187045e-06)
TERMS = tuple(
    _single(term) for term in (0.00139304355252534, 0.00833336077630520, 0.0416664853692055, 0.166666671633720, 0.5)
)
FIRST = _single(0.000198527617612854)
SMALLEST = _single(-104)
"""Below it e^x is 0 in float32."""


def polynomial_exp(x: Any) -> Any:
    """e^x of a float32 array as a register holds it."""
    whole = np.rint(x * LOG2_E)
    rest = fused(-whole, LN2_LOW, fused(-whole, LN2_HIGH, x))
    y = np.full(x.shape, FIRST, SINGLE)
    for term in TERMS:
        y = fused(y, rest, term)
    y = fused(rest * rest, y, rest) + _single(1)
    # Beyond ±200 the result is 0 or infinite anyway; NaN is no whole number.
    steps = np.nan_to_num(np.clip(whole, -200, 200), nan=0.0).astype(np.int32)
    y = np.ldexp(y, steps)
    y[x < SMALLEST] = 0
    y[x == np.inf] = np.inf
    return y


def exp(x: Any) -> Any:
    """e^x as in a loop over all elements of an array or a numpy scalar."""
    if x.dtype.char == "f":
        return _by_loop(polynomial_exp, nearest.exp, x) if x.size >= AT_ONCE else nearest.exp(x)
    if x.dtype.char == "d" and x.size < AT_ONCE // 2:
        return np.exp(x, dtype=np.longdouble).astype(DOUBLE)
    return np.exp(x)


def _by_loop(register: Callable[[Any], Any], one: Callable[[Any], Any], x: Any) -> Any:
    """Whole registers by one function, the numbers left by another, in the order in which they lie in memory."""
    if not x.flags.c_contiguous:
        return _by_loop(register, one, x.T).T if x.flags.f_contiguous else one(x)
    flat = x.reshape(-1)
    whole = x.size // AT_ONCE * AT_ONCE
    y = register(flat[:whole])
    return (y if whole == x.size else np.concatenate((y, one(flat[whole:])))).reshape(x.shape)


def row_sums(x: Any) -> Any:
    """The sum of each row along the last axis, which is kept as 1."""
    lanes, count = LANES * 4 // x.itemsize, x.shape[-1]
    if count < lanes:
        return np.add.accumulate(x, axis=-1)[..., -1:] if count else x.sum(axis=-1, keepdims=True)
    return folded(held(x, lanes), lanes)


def held(x: Any, lanes: int) -> Any:
    """What each lane of a register holds after all registers of a row were added."""
    whole = x.shape[-1] // lanes * lanes
    lane = x[..., :lanes]
    for at in range(lanes, whole, lanes):
        lane = lane + x[..., at : at + lanes]
    left = x.shape[-1] - whole
    if left:
        lane = np.concatenate((lane[..., :left] + x[..., whole:], lane[..., left:]), axis=-1)
    return lane


def folded(lane: Any, lanes: int) -> Any:
    """The sum of the lanes of a register: halves added to halves."""
    while lanes > 1:
        lanes //= 2
        lane = lane[..., :lanes] + lane[..., lanes : 2 * lanes]
    return lane
