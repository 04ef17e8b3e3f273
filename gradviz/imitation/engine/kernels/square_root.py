"""Square roots as PyTorch's library has them on a processor with registers of 512 bits.

It starts from the processor's estimate of 1/√x, good to 14 bits, and improves it by Newton's rule, once for float32 and
twice for float64. What that leaves is always too small, by a share of the last digit that follows from the estimate:
one root of 150 is the number below the nearest one. The estimate is linear in 32 pieces of each power of two; which
lines these are was found by asking the processor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels.nearest import DOUBLE, EXTENDED, FEW, SINGLE, fused

STARTS = np.array([
    524265, 516257, 508613, 501298, 494286, 487559, 481101, 474897, 468922, 463169, 457623, 452276, 447106, 442106,
    437279, 432603, 428071, 423683, 419423, 415288, 411277, 407379, 403592, 399907, 396319, 392827, 389430, 386110,
    382879, 379734, 376655, 373658, 370709, 365049, 359644, 354468, 349516, 344759, 340193, 335801, 331581, 327515,
    323589, 319805, 316149, 312618, 309201, 305899, 302695, 299587, 296575, 293657, 290819, 288062, 285380, 282776,
    280242, 277773, 275367, 273022, 270741, 268509, 266336, 264214,
]) * 128  # fmt: skip
"""Where the line of each piece begins, in 512ths of a unit of 2⁻¹⁷; pieces of [1, 2), then of [2, 4)."""
SLOPES = 1 + 2 * np.array([
    500, 477, 457, 438, 420, 403, 387, 373, 359, 346, 334, 323, 312, 301, 292, 283, 274, 266, 258, 250, 243, 236, 230,
    224, 218, 212, 207, 201, 196, 192, 187, 183, 353, 337, 323, 309, 297, 285, 274, 263, 254, 245, 236, 228, 220, 213,
    206, 200, 194, 188, 182, 177, 172, 167, 162, 158, 154, 150, 146, 142, 139, 135, 132, 129,
])  # fmt: skip
"""How far it falls, in the same, for each of the 1024 steps of a piece."""
PIECES, STEPS = 32, 1024

WIDE: dict[Any, Any] = {SINGLE: DOUBLE, DOUBLE: EXTENDED}
"""In what format the rounding of a root is seen."""
LEAST = {SINGLE: 1 - DOUBLE.type(5.6e-9), DOUBLE: 1 - EXTENDED.type(4.5e-17)}
"""A root is no smaller than this times the true one."""


def sqrt(x: Any) -> Any:
    """√x of an array or a numpy scalar, in its dtype; of many float64, and of other dtypes, as numpy has it."""
    dtype = x.dtype
    wide = WIDE.get(dtype)
    if wide is None or (wide is EXTENDED and x.size > FEW):
        return np.sqrt(x)
    root = np.sqrt(x, dtype=wide)
    y = root.astype(dtype)
    root_or_less = root * LEAST[dtype]
    is_near = root_or_less.astype(dtype) < y
    if not is_near.any():
        return y
    if not x.ndim:
        return _improved(x, root)
    y[is_near] = _improved(x[is_near], root[is_near])
    return y


def _improved(x: Any, root: Any) -> Any:
    return _improved_once(x) if x.dtype == SINGLE else _improved_twice(x, root)


def _estimate(x: Any) -> tuple[Any, Any]:
    """The processor's 1/√x of positive x less a power of 4, in units of 2⁻¹⁷; and the power of 2 that x has, whole."""
    fraction, exponent = np.frexp(x)
    place = (fraction * (2 * PIECES * STEPS)).astype(np.int64)
    piece = (place // STEPS) ^ (exponent % 2 * PIECES)
    return (STARTS[piece] - SLOPES[piece] * (place % STEPS)) >> 9, exponent


def _improved_once(x: Any) -> Any:
    """Newton's step of float32, with its roundings."""
    estimate, exponent = _estimate(x)
    half = (exponent - 1) // 2
    scaled, inverse = np.ldexp(x, -2 * half), np.ldexp(estimate.astype(SINGLE), -17)
    about = scaled * inverse
    missing = fused(-about, about, scaled)
    return np.ldexp(fused(inverse * SINGLE.type(0.5), missing, about), half)


def _improved_twice(x: Any, root: Any) -> Any:
    """The root less what two steps leave: of an error e one step leaves 1.5 e² of the root."""
    estimate, _ = _estimate(x)
    error = estimate * np.frexp(root)[0]
    error *= 2.0**-16
    error -= 1
    for _ in range(2):
        error *= error
        error *= 1.5
    return (root - root * error).astype(DOUBLE)
