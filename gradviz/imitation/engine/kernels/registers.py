"""What PyTorch's kernels compute by whole registers of 512 bits, to the same last digit.

The exponential of a register is a polynomial of its own (SLEEF's, one unit in the last place); of the numbers that
fill no register it is the C library's, which rounds rightly. Sums of rows are kept per lane and folded in halves.
Sources: vec512_float.h, functional_base.h and Loops.h of PyTorch; expf of SLEEF.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kernels.nearest import DOUBLE, SINGLE, fused
from gradviz.imitation.engine.kernels.vector_log import vector_log1p

LANES = 16
"""Numbers of float32 in a register."""
AT_ONCE = 2 * LANES
"""Numbers that a loop over elements takes at once; what is left is done one by one."""

_F32, _F64, _WIDE = np.float32, np.float64, np.longdouble
_ONE, _LOG2_E = np.array(1, _F32), np.array(1.442695, _F32)
_MINUS_LN2 = np.array(-float(_F32(0.693145751953125)) - float(_F32(1.4286068e-06)))
"""ln 2 is kept in two parts of float32, whose sum is exact in float64."""
SERIES = tuple(
    np.array(float(_F32(c))) for c in (0.00019852762, 0.0013930436, 0.008333361, 0.041666485, 0.16666667, 0.5)
)
"""p in eˢ = 1 + s + s² p(s), from its highest power down. As arrays numpy takes numbers in two thirds of the time."""


def _exp_single(x: Any) -> Any:
    """Rounded to float32 where the rounding can reach the result; products of float32 are exact in float64."""
    q = np.rint(x * _LOG2_E)
    exact = q.astype(DOUBLE)
    exact *= _MINUS_LN2
    exact += x
    s = exact.astype(SINGLE)
    square = s * s
    s = s.astype(DOUBLE)
    p = s * SERIES[0]
    for coefficient in SERIES[1:-2]:
        p += coefficient
        p *= s
    p += SERIES[-2]
    p = p.astype(SINGLE).astype(DOUBLE)
    p *= s
    p += SERIES[-1]
    p = p.astype(SINGLE).astype(DOUBLE)
    p *= square.astype(DOUBLE)
    p += s
    p = p.astype(SINGLE)
    p += _ONE
    return np.ldexp(p, q.astype(np.int32))


WIDE_LOG2_E, WIDE_LN2 = 1.4426950408889634, (0.6931471805596630, 2.8235290563031577e-13)
WIDE_SERIES = (
    2.08860621107283687536341e-09, 2.51112930892876518610661e-08, 2.75573911234900471893338e-07,
    2.75572362911928827629423e-06, 2.4801587159235272998791e-05, 0.000198412698960509205564975,
    0.00138888888889774492207962, 0.00833333333331652721664984, 0.0416666666666665047591422,
)  # fmt: skip
LAST_OF_SERIES = (0.166666666666666851703837, 0.5, 1.0, 1.0)
"""The coefficients of eˢ from s¹² down."""
MANY = 20_000
"""float64 numbers beyond which the time of the widest format is not worth the last digit."""


def _exp_double(x: Any) -> Any:
    """In the widest numbers of this machine, rounded to float64 where the rounding can reach the result."""
    q = np.rint(x * WIDE_LOG2_E)
    s = (_WIDE(-WIDE_LN2[0]) * q + x).astype(_F64)
    s = (_WIDE(-WIDE_LN2[1]) * q + s).astype(_F64)
    p = s * WIDE_SERIES[0]
    for coefficient in WIDE_SERIES[1:]:
        p += coefficient
        p *= s
    p += LAST_OF_SERIES[0]
    wide = s.astype(_WIDE)
    for coefficient in LAST_OF_SERIES[1:]:
        p = (wide * p + coefficient).astype(_F64)
    return np.ldexp(p, q.astype(np.int32))


LIMITS: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "f": (_exp_single, np.array(-104, _F32), np.array(89, _F32)),
    "d": (_exp_double, np.array(-745.2), np.array(710.0)),
}
"""How, and from where to where: beyond, the result is 0 or infinite."""
PIECE = 8192
"""Numbers taken at once: what is kept between the steps stays near the processor."""


def polynomial_exp(x: Any) -> Any:
    """e^x of an array as a register holds it; of other than float32 and float64, and of many, as numpy has it."""
    if x.dtype.char not in LIMITS or (x.dtype.char == "d" and x.size > MANY):
        return np.exp(x)
    exponential, lowest, highest = LIMITS[x.dtype.char]
    within: Any = np.minimum(np.maximum(x, lowest), highest)
    if x.size <= PIECE:
        return exponential(within)
    row = within.ravel()
    pieces = [exponential(row[at : at + PIECE]) for at in range(0, x.size, PIECE)]
    return np.concatenate(pieces).reshape(x.shape)


def one_exp(x: Any) -> Any:
    """e^x as the C library has it."""
    if type(x) is _F64:
        return nearest.exp_of_library(x)
    return nearest.extended(np.exp, x, few=MANY) if x.dtype.char == "d" else nearest.exp(x)


_BITS = tuple(
    np.array([0x3F317180, 0x3717F7D1, 0x3F2AAAAB, 0x3ECCCCCD, 0x3E924925, 0x3E638E29, 0x3E3A3325, 0x3E1CD04F,
              0x3E178897], np.uint32).view(_F32)
)  # fmt: skip
"""Bits of the two parts of ln 2, and of the seven coefficients."""


def _log1p_single(x: Any) -> Any:
    """ln(1 + x) of an array of float32 in float32 arithmetic, x above −1."""
    one, half = _F32(1), _F32(0.5)
    near = (x > _F32(-0.2929)) & (x < _F32(0.41422))
    above = one + x
    bits = above.view(np.int32)
    k = (bits >> 23) - 127
    rest = np.where(k > 0, one - (above - x), x - (above - one)) / above
    fraction = bits & 0x7FFFFF
    low = fraction < 0x3504F7
    scaled = np.where(low, fraction | 0x3F800000, fraction | 0x3F000000).astype(np.int32).view(_F32)
    power_of_2 = np.where(near, _F32(0), np.where(low, k, k + 1).astype(_F32))
    f = np.where(near, x, scaled - one)
    square = half * f * f
    s = f / (_F32(2) + f)
    z = s * s
    series = _BITS[8]
    for coefficient in _BITS[7:1:-1]:
        series = coefficient + z * series
    inner = s * (square + z * series)
    high, lower = _BITS[:2]
    far = power_of_2 * high - ((square - (inner + (power_of_2 * lower + np.where(near, _F32(0), rest)))) - f)
    return np.where(power_of_2 == 0, f - (square - inner), far)


def one_log1p(x: Any) -> Any:
    """ln(1 + x) as the C library has it."""
    if x.dtype != _F32:
        return nearest.log1p(x)
    x = np.asarray(x)
    return np.where((x > -1) & (x < _F32(1e30)) & (abs(x) > _F32(1e-9)), _log1p_single(x), nearest.log1p(x))


CENTRES = np.array([
    1.398907162146528, 1.3403141896637998, 1.286432210124115, 1.2367150214269895, 1.1906977166711752,
    1.1479821020556429, 1.1082251448272158, 1.0711297413057381, 1.036437278977283, 1.0, 0.9492859795739057,
    0.8951049428609004, 0.8476821620351103, 0.8050314851692001, 0.7664671008843108, 0.731428603316328,
])  # fmt: skip
"""1 / c for the middle c of each sixteenth of a power of 2, from 0.7 up."""
LOG_SERIES = (-0.25089342214237154, 0.333456765744066, -0.4999997485802103)
OFFSET, SIXTEENTHS = 0x3F330000, 23 - 4
"""Bits of the lowest number of the sixteenths, and how far to the right they stand."""


def one_log(x: Any) -> Any:
    """ln x as the C library has it; it is 1 in 100 times not the nearest float32 where x is between 1 and 2."""
    if x.dtype != _F32:
        return nearest.log(x)
    x = np.asarray(x)
    above = x.view(np.int32) - OFFSET
    power = above >> 23
    centre = CENTRES[above >> SIXTEENTHS & 15]
    r = np.ldexp(x, -power).astype(_F64) * centre - 1
    square = r * r
    y = (LOG_SERIES[0] * square + (LOG_SERIES[1] * r + LOG_SERIES[2])) * square
    y += (power * math.log(2) - np.log(centre)) + r
    return np.where((x >= _F32(2e-38)) & (x < _F32(np.inf)), y.astype(_F32), nearest.log(x))


def exp(x: Any) -> Any:
    """e^x as in a loop over all elements of an array or a numpy scalar."""
    return in_loop(polynomial_exp, one_exp, x)


def log1p_exp(x: Any) -> Any:
    """ln(1 + e^x) as in a loop over all elements; above 80 infinite or rounded."""
    return in_loop(lambda z: vector_log1p(polynomial_exp(z)), lambda z: one_log1p(one_exp(z)), x)


def in_loop(register: Callable[[Any], Any], one: Callable[[Any], Any], x: Any) -> Any:
    """Whole registers by one function, the numbers left by another, in the order in which they lie in memory."""
    if not x.ndim:
        return one(x)
    at_once = AT_ONCE * 4 // x.itemsize
    if x.size < at_once or x.dtype.char not in LIMITS:
        return one(x)
    if not x.flags.c_contiguous:
        return in_loop(register, one, x.T).T if x.flags.f_contiguous else one(x)
    flat = x.reshape(-1)
    whole = x.size // at_once * at_once
    y = register(flat[:whole])
    return (y if whole == x.size else np.concatenate((y, one(flat[whole:])))).reshape(x.shape)


def row_sums(x: Any, size: int = 64) -> Any:
    """The sum of each row along the last axis, which is kept as 1, by registers of so many bytes."""
    lanes, count = size // x.itemsize, x.shape[-1]
    if count < lanes:
        return np.add.accumulate(x, axis=-1)[..., -1:] if count else x.sum(axis=-1, keepdims=True)
    return folded(held(x, lanes), lanes)


def product_sums(a: Any, b: Any, rounds_once: bool = True, size: int = 64) -> Any:
    """The sum of a · b along the last axis, which is kept as 1, by registers of so many bytes.

    `rounds_once`: what fills no register is multiplied and added in one rounding, as all else is not.
    """
    lanes, count = size // a.itemsize, a.shape[-1]
    whole = count // lanes * lanes
    if not whole or whole == count or not rounds_once:
        return row_sums(a * b, size)
    lane = held(a[..., :whole] * b[..., :whole], lanes)
    left = fused(a[..., whole:], b[..., whole:], lane[..., : count - whole])
    return folded(np.concatenate((left, lane[..., count - whole :]), axis=-1), lanes)


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
    """The sum of the lanes of a register, as 1: halves added to halves; of float64 one after the other."""
    if lane.dtype.char == "d":
        return np.add.accumulate(lane, axis=-1)[..., -1:]
    while lanes > 1:
        lanes //= 2
        lane = lane[..., :lanes] + lane[..., lanes : 2 * lanes]
    return lane
