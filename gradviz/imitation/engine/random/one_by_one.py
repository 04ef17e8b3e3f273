"""Gamma, Poisson and binomial numbers out of PyTorch's stream, drawn one by one as its CPU kernels draw them.

Sources: Marsaglia and Tsang, A simple method for generating gamma variables (2000); Hoermann, The transformed
rejection method for generating Poisson random variables (1993) and The generation of binomial random variates (1993);
ATen/native/Distributions.h for the order of draws.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine.random.generator import Generator


def gamma(numbers: Generator, alpha: Any) -> Any:
    """One gamma number with scale 1 for each of `alpha`, in float64."""
    return _each(lambda a: _gamma_one(numbers, a, alpha.dtype.type), alpha)


def poisson(numbers: Generator, rate: Any) -> Any:
    """One Poisson number for each rate, of its dtype."""
    return _each(lambda r: _poisson_one(numbers, float(r)), rate).astype(rate.dtype)


def binomial(numbers: Generator, count: Any, chance: Any) -> Any:
    """How many of `count` trials succeed, for each of two arrays of one shape."""
    pairs = zip(np.ravel(count).tolist(), np.ravel(chance).tolist(), strict=True)
    return np.array([_binomial_one(numbers, n, p) for n, p in pairs]).astype(count.dtype).reshape(np.shape(count))


def _each(draw: Any, given: Any) -> Any:
    drawn = [draw(x) for x in np.ravel(given)]
    return np.array(drawn, np.float64).reshape(np.shape(given))


def _uniform(numbers: Generator) -> float:
    return float(numbers.uniform((), 0.0, 1.0, "float64"))


def _normal(numbers: Generator) -> float:
    return float(np.ravel(numbers.normal((1,), 0.0, 1.0, "float64"))[0])


def _gamma_one(numbers: Generator, alpha: Any, kind: Any) -> float:
    scale = 1.0
    if alpha < 1:
        if alpha == 0:
            return 0.0
        scale = (1 - _uniform(numbers)) ** float(kind(1) / alpha)
        alpha = alpha + kind(1)
    d = float(alpha - kind(np.float32(1) / np.float32(3)))
    c = 1 / math.sqrt(9 * d)
    while True:
        y = 0.0
        while y <= 0:
            x = _normal(numbers)
            y = 1 + c * x
        v, u, square = y * y * y, 1 - _uniform(numbers), x * x
        if u < 1 - float(np.float32(0.0331)) * square * square or math.log(u) < 0.5 * square + d * (
            1 - v + math.log(v)
        ):
            return scale * d * v


def _poisson_one(numbers: Generator, rate: float) -> float:
    if rate >= 10:
        return _poisson_many(numbers, rate)
    if rate == 0:
        return 0.0
    least, count, product = math.exp(-rate), 0, _uniform(numbers)
    while product > least:
        count += 1
        product *= _uniform(numbers)
    return float(count)


def _poisson_many(numbers: Generator, rate: float) -> float:
    root, log_rate = math.sqrt(rate), math.log(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse, limit = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = _uniform(numbers) - 0.5, _uniform(numbers)
        apart = 0.5 - abs(u)
        k = math.floor((2 * a / apart + b) * u + rate + 0.43)
        if apart >= 0.07 and v <= limit:
            return float(k)
        if k < 0 or (apart < 0.013 and v > apart):
            continue
        if math.log(v) + math.log(inverse) - math.log(a / (apart * apart) + b) <= -rate + k * log_rate - math.lgamma(
            k + 1
        ):
            return float(k)


def _binomial_one(numbers: Generator, count: float, chance: float) -> float:
    if count <= 0 or chance <= 0:
        return 0.0
    if chance >= 1:
        return count
    rarer = min(chance, 1 - chance)
    drawn = _binomial_many(numbers, count, rarer) if count * rarer >= 10 else _binomial_few(numbers, count, rarer)
    return drawn if chance <= 0.5 else count - drawn


def _binomial_few(numbers: Generator, count: float, chance: float) -> float:
    log_miss, passed, successes = math.log1p(-chance), 0.0, 0
    while True:
        passed += math.ceil(math.log(_uniform(numbers)) / log_miss)
        if passed > count:
            return float(successes)
        successes += 1


def _binomial_many(numbers: Generator, count: float, p: float) -> float:
    spread = math.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    limit, ratio, alpha, mode = 0.92 - 4.2 / b, p / (1 - p), (2.83 + 5.1 / b) * spread, math.floor((count + 1) * p)
    while True:
        u, v = _uniform(numbers) - 0.5, _uniform(numbers)
        apart = 0.5 - abs(u)
        k = math.floor((2 * a / apart + b) * u + count * p + 0.5)
        if apart >= 0.07 and v <= limit:
            return float(k)
        if k < 0 or k > count:
            continue
        most = (
            (mode + 0.5) * math.log((mode + 1) / (ratio * (count - mode + 1)))
            + (count + 1) * math.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * math.log(ratio * (count - k + 1) / (k + 1))
            + _stirling(mode) + _stirling(count - mode) - _stirling(k) - _stirling(count - k)
        )  # fmt: skip
        if math.log(v * alpha / (a / (apart * apart) + b)) <= most:
            return float(k)


def _stirling(k: float) -> float:
    """What Stirling's formula leaves of log k!."""
    if k <= 9:
        return math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))
    square = (k + 1) ** 2
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
