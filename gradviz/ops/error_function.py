"""The error function of arrays, which numpy does not have.

Near 0 its power series; further out erfc z = t · exp(−z²) · p(t) with t = 2 / (2 + z), where p is so smooth that a
short Chebyshev series gives it. The series is fitted once to what Python's math gives.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

NEAR = 0.5
"""Up to here the power series is used."""
FEW = 64
"""So many numbers are faster one by one."""
BLOCK = 8192
"""So many numbers at once stay in the processor's cache through all steps."""
FAR = 26.0
"""Beyond this erfc is 0 in double precision."""


def _scaled_complement(z: float) -> float:
    """erfc z · exp(z²) for z ≥ 0, by a continued fraction where the product would underflow (7.1.14, Abramowitz)."""
    if z < 5:
        return math.erfc(z) * math.exp(z * z)
    found = 0.0
    for k in range(60, 0, -1):
        found = 0.5 * k / (z + found)
    return 1 / math.sqrt(math.pi) / (z + found)


@lru_cache(2)
def _terms(itemsize: int) -> tuple[list[float], list[float]]:
    """The power series of erf x / x in x², and the Chebyshev series in 2 t − 1, long enough for a precision."""
    near, far = (7, 12) if itemsize == 4 else (14, 30)
    series = [2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(near)]
    nodes = 64
    angles = [math.pi * (i + 0.5) / nodes for i in range(nodes)]
    values = []
    for angle in angles:
        t = (math.cos(angle) + 1) / 2
        values.append(_scaled_complement(2 / t - 2) / t)
    chebyshev = [
        sum(v * math.cos(k * angle) for v, angle in zip(values, angles, strict=True)) * 2 / nodes for k in range(far)
    ]
    return series, chebyshev


def _complement(z: Any) -> Any:
    """erfc z of an array of z ≥ 0."""
    chebyshev = _terms(z.dtype.itemsize)[1]
    t = 2 / (2 + z)
    u = 4 * t - 2
    last, before = np.zeros_like(z), np.zeros_like(z)
    for term in chebyshev[:0:-1]:  # Clenshaw's recurrence
        following = u * last
        following -= before
        following += term
        last, before = following, last
    total = u * last * 0.5 - before + chebyshev[0] * 0.5
    return t * total * np.exp(-z * z)


def _near(x: Any) -> Any:
    """erf x of an array of small x."""
    series = _terms(x.dtype.itemsize)[0]
    square = x * x
    total = np.full_like(x, series[-1])
    for term in series[-2::-1]:
        total *= square
        total += term
    return total * x


def _one_by_one(function: Any, x: Any) -> Any:
    found = [function(value) for value in np.ravel(x).tolist()]
    return np.array(found, x.dtype).reshape(x.shape)[()]


def _in_blocks(function: Any, x: Any) -> Any:
    """A function of flat arrays, block by block."""
    flat = np.ravel(x)
    found = np.empty_like(flat)
    for i in range(0, flat.size, BLOCK):
        found[i : i + BLOCK] = function(flat[i : i + BLOCK])
    return found.reshape(x.shape)


def _erf(x: Any) -> Any:
    size = np.minimum(np.abs(x), FAR)
    found = np.copysign(1 - _complement(size), x)
    is_near = size < NEAR
    if is_near.any():
        found = np.where(is_near, _near(np.where(is_near, x, 0)), found)
    return np.where(np.isnan(x), x, found)


def _erfc(x: Any) -> Any:
    complement = _complement(np.minimum(np.abs(x), FAR))
    return np.where(np.isnan(x), x, np.where(x < 0, 2 - complement, complement))


def erf(x: Any) -> Any:
    """erf x = 2/√π ∫₀ˣ exp(−t²) dt, of an array of floats."""
    return _one_by_one(math.erf, x) if np.size(x) < FEW else _in_blocks(_erf, x)


def erfc(x: Any) -> Any:
    """erfc x = 1 − erf x, of an array of floats, without losing digits where it is small."""
    return _one_by_one(math.erfc, x) if np.size(x) < FEW else _in_blocks(_erfc, x)
