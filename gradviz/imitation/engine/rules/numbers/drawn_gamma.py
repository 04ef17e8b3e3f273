"""Gamma numbers and shares drawn at random, and how they move with their concentration.

A draw is held at its place in the distribution: dx/dα = −(∂F/∂α) / f, of the distribution function F and the density f.
PyTorch has no closed form of it, but approximations, each for a part of the plane, good to some four digits; so
these are its. Source: ATen/native/Distributions.h (series for small x, Rice's saddle point for large α, a fitted
quotient of polynomials between them).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.backward_ops.once import gradient_node, in_a_node
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.numbers.special import digamma_array

FEW, NEAR, FAR = float(np.float32(0.8)), float(np.float32(0.9)), float(np.float32(1.1))
GAMMA = np.array([
    [[0.16009398, -0.094634809, 0.025146376, -0.0030648343], [1, 0.32668115, 0.10406089, 0.0014179084]],
    [[0.53487893, 0.1298071, 0.065735949, -0.0015649758], [0.16639465, 0.020070113, -0.0035938915, -0.00058392623]],
    [[0.040121004, -0.0065914022, -0.0026286047, -0.0013441777],
     [0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07]],
])  # fmt: skip
"""By power of ln(x/α): numerator and denominator, by power of ln α."""
SHARE = np.array([
    [[[1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
      [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
      [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013]],
     [[0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
      [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
      [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05]],
     [[-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
      [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
      [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05]]],
    [[[1, -0.02924021934, -0.04438342661, 0.007285809825],
      [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
      [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149]],
     [[0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
      [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
      [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05]],
     [[0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
      [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
      [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06]]],
])  # fmt: skip
"""Numerator and denominator, by power of ln x, of ln(α/x) and of what is left of ln(α + β)."""


def _each(function: Callable[..., Any], work: type) -> Callable[..., Any]:
    """A function of numbers of the dtype `work`, on those of arrays of one dtype, which the result has."""

    def run(*arrays: Any) -> Any:
        flat: list[Any] = [np.ravel(np.asarray(x, work)) for x in arrays]
        with np.errstate(all="ignore"):
            found = [function(*numbers) for numbers in zip(*flat, strict=True)]
        return np.array(found, arrays[0].dtype).reshape(arrays[0].shape)[()]

    return run


def _polynomial(factors: Any, x: Any) -> Any:
    total = factors[-1]
    for factor in factors[-2::-1]:
        total = factor + x * total
    return total


def _or_zero(slope: Any) -> Any:
    return slope.dtype.type(0) if np.isnan(slope) else slope


# ---- gamma ----


def _gamma_slope(alpha: Any, x: Any) -> Any:
    if x < FEW:
        return _or_zero(_of_few(alpha, x))
    if alpha > 8:
        return _near_the_mean(alpha, x) if NEAR * alpha <= x <= FAR * alpha else _of_many(alpha, x)
    u, v = np.log(x / alpha), np.log(alpha)
    above, below = (_polynomial(factors, v) for factors in _polynomial(GAMMA, u))
    return np.exp(above / below)


def _of_few(alpha: Any, x: Any) -> Any:
    term, step, shares, squares = np.float64(1), alpha, 1 / alpha, 1 / (alpha * alpha)
    for i in range(1, 6):
        term, step = term * (-x / i), step + 1
        shares, squares = shares + term / step, squares + term / (step * step)
    power = x**alpha
    moved = (np.log(x) - digamma_array(alpha)) * (power * shares) - power * squares
    return -moved / (x ** (alpha - 1) * np.exp(-x))


def _near_the_mean(alpha: Any, x: Any) -> Any:
    front = 1 + 24 * alpha * (1 + 12 * alpha)
    rest = 1440 * (alpha * alpha) + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x)
    return front * rest / (1244160 * (alpha * alpha) * (alpha * alpha))


def _of_many(alpha: Any, x: Any) -> Any:
    root, ratio = np.sqrt(8 * alpha), np.log(x / alpha)
    apart = (x - alpha - alpha * ratio) ** -1.5
    inner = root / (alpha - x) + (-apart if x < alpha else apart)
    whole = ratio * inner - np.sqrt(2 / alpha) * (alpha + x) / ((alpha - x) * (alpha - x))
    return -(1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha))) * (x * whole) / root


gamma_slopes = _each(_gamma_slope, np.float64)


# ---- shares ----


def _share_slope(x: Any, alpha: Any, total: Any) -> Any:
    """How a share moves with its concentration, over 1 − x."""
    beta, edge = total - alpha, total * x * (1 - x)
    if x <= 0.5 and edge < 2.5:
        return _of_small_share(x, alpha, beta)
    if x >= 0.5 and edge < 0.75:
        return -_of_small_rest(1 - x, beta, alpha)
    x, alpha, total = np.float64(x), np.float64(alpha), np.float64(total)
    if alpha > 6 and beta > 6:
        return _of_large_shares(x, alpha, total - alpha)
    u = np.log(x)
    a = np.log(alpha) - u
    b = np.log(total) - a
    above, below = (sum(u**i * a**j * _polynomial(part[i][j], b) for i in range(3) for j in range(3)) for part in SHARE)
    return above / below * (x * (digamma_array(total) - digamma_array(alpha)) / (total - alpha))


def _of_small_share(x: Any, alpha: Any, beta: Any) -> Any:
    kind = x.dtype.type
    factor = digamma_array(alpha) - digamma_array(alpha + beta) - np.log(x)
    term = kind(1)
    series = term / alpha * (factor + 1 / alpha)
    for i in map(kind, range(1, 11)):
        term *= (i - beta) * x / i
        series += term / (alpha + i) * (factor + 1 / (alpha + i))
    return _or_zero(x * (1 - x) ** -beta * series)


def _of_small_rest(x: Any, alpha: Any, beta: Any) -> Any:
    kind = x.dtype.type
    factor = digamma_array(alpha + beta) - digamma_array(beta)
    term, product, slope, series = kind(1), kind(1), kind(0), factor / alpha
    for i in map(kind, range(1, 9)):
        term *= -x / i
        slope, product = slope * (beta - i) + product, product * (beta - i)
        series += term / (alpha + i) * (slope + factor * product)
    return _or_zero(-((1 - x) ** (1 - beta)) * series)


def _of_large_shares(x: Any, alpha: Any, beta: Any) -> Any:
    total = alpha + beta
    mean = alpha / total
    spread = np.sqrt(alpha * beta / (total + 1)) / total
    if mean - 0.1 * spread <= x <= mean + 0.1 * spread:
        return _at_the_mean(x, alpha, beta, total)
    front = -x / np.sqrt(2 * alpha * beta / total) * (_stirling(alpha) * _stirling(beta) / _stirling(total))
    apart = alpha * (x - 1) + beta * x
    first = 2 * (alpha * alpha) * (x - 1) + alpha * beta * (x - 1) - x * (beta * beta)
    first /= np.sqrt(2 * alpha / beta) * total**1.5 * apart * apart
    height = beta * np.log(beta / (total * (1 - x))) + alpha * np.log(alpha / (total * x))
    steep = height**-1.5 if x < mean else -(height**-1.5)
    return front * (first + 0.5 * np.log(alpha / (total * x)) * (np.sqrt(8 * alpha * beta / total) / apart + steep))


def _stirling(n: Any) -> Any:
    return 1 + 1 / (12 * n) + 1 / (288 * n * n)


def _at_the_mean(x: Any, alpha: Any, beta: Any, total: Any) -> Any:
    square = beta * beta
    parts = (
        47 * x * square * square, (43 + 20 * (16 + 27 * beta) * x) * square * beta,
        3 * (59 + 180 * beta - 90 * x) * square, (453 + 1620 * beta * (1 - x) - 455 * x) * beta,
        8 * (1 - x) * (135 * beta - 11),
    )  # fmt: skip
    front = (1 + 12 * alpha) * (1 + 12 * beta) / (total * total)
    return front / (1 - x) * _polynomial(parts, alpha) / (12960 * alpha**3 * square * (1 + 12 * total))


def share_slopes(x: Any, alpha: Any, total: Any) -> Any:
    """How drawn shares of a whole move with the concentration of each, over 1 − x: arrays of one shape and dtype."""
    return _each(_share_slope, x.dtype.type)(x, alpha, total)


# ---- the entry ----

SLOPE = gradient_node(
    "standard_gamma_grad", "Γ′", "StandardGammaGradBackward0", ("a",), "_standard_gamma_grad",
    "PyTorch has no second derivative of a draw.",
)  # fmt: skip


def _rule(g: Any, y: Any, a: Any, drawn: Any) -> Any:
    return g * in_a_node(SLOPE, (a,), lambda alpha: gamma_slopes(alpha, plain(y)))


DRAWN = np.array([0.02, 0.3, 2.0, 9.0, 14.0])
TABLE = (
    Op("standard_gamma", "Γ", lambda a, drawn: drawn, (_rule,), ("a",), ("g * gamma_slope(a, y)",), "y drawn from Γ(a)",
       (case([0.4, 0.7, 3.0, 9.5, 9.5], drawn=DRAWN),), "StandardGammaBackward0", saves("a y"),
       note="As the concentration moves, the draw stays at its place in the distribution; PyTorch knows the gradient "
            "to some four digits."),
)  # fmt: skip
NAMES: dict[str, Any] = {"gamma_slope": gamma_slopes}
