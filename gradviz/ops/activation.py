"""Activation functions and softmax.

At NaN the piecewise ones let the gradient pass, as PyTorch does, so it is never lost where something went wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.ops import elementwise as e
from gradviz.ops import functions as r
from gradviz.ops.kinks import BOUNDS, at
from gradviz.ops.op import Op, example, names
from gradviz.ops.symbols import Traced, word

POINTS = [-2.5, -0.7, -0.2, 0.3, 0.9, 3.6]
FAR = [-4.1, -2.5, -0.7, 0.3, 0.9, 4.6]
GRID = [[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]]

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772
"""Klambauer and others (2017): with these, layers of SELU keep mean 0 and variance 1."""
GELU_TANH, GELU_CUBE = math.sqrt(2 / math.pi), 0.044715
"""Hendrycks and Gimpel (2016): Φ(x) is nearly (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2."""


@word("softplus({0})", takes_numbers=True, is_called=True)
def softplus_of(x: Any) -> Any:
    """ln(1 + eˣ), without overflow."""
    if isinstance(x, Traced):
        return r.through(SOFTPLUS, x, beta=1.0, threshold=20.0)
    return np.logaddexp(x, x.dtype.type(0))


def _normal_cdf(x: Any) -> Any:
    """Φ(x), the share of a standard normal distribution below x."""
    return (erf_of(x * math.sqrt(0.5)) + 1) * 0.5


def erf_of(x: Any) -> Any:
    """erf x, of all that rules are fed."""
    return r.through(e.ERF, x)


def _gelu(x: Any, approximate: str) -> Any:
    if approximate == "none":
        return x * _normal_cdf(x)
    return x * 0.5 * (r.tanh((x + x * x * x * GELU_CUBE) * GELU_TANH) + 1)


def _gelu_rule(g: Any, y: Any, x: Any, approximate: str) -> Any:
    if approximate == "none":
        return g * (_normal_cdf(x) + x * r.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi)))
    t = r.tanh((x + x * x * x * GELU_CUBE) * GELU_TANH)
    return g * ((t + 1) * 0.5 + x * 0.5 * (1 - t * t) * ((x * x * (3 * GELU_CUBE) + 1) * GELU_TANH))


@word("Φ({0})", takes_numbers=True)
def normal_cdf(x: Any) -> Any:
    """Φ(x), the share of a standard normal distribution below x."""
    return _normal_cdf(x)


@word("φ({0})", takes_numbers=True)
def normal_density(x: Any) -> Any:
    """φ(x), the density of a standard normal distribution."""
    return np.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))


def _gelu_form(g: Any, y: Any, x: Any, approximate: str) -> Any:
    if approximate == "none":
        return g * (normal_cdf(x) + x * normal_density(x))
    return _gelu_rule(g, y, x, approximate)


def _elu(x: Any, alpha: float) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))[()]


def _softplus(x: Any, beta: float, threshold: float) -> Any:
    if beta == 1:
        return np.where(x > threshold, x, softplus_of(x))[()]
    return np.where(x * beta > threshold, x, softplus_of(x * beta) / beta)[()]


def _mish_rule(g: Any, y: Any, x: Any) -> Any:
    t = r.tanh(softplus_of(x))
    return g * (t + x * r.sigmoid(x) * (1 - t * t))


def _silu_rule(g: Any, y: Any, x: Any) -> Any:
    s = r.sigmoid(x)
    return g * (s * (1 + x * (1 - s)))


def _hardswish_rule(g: Any, y: Any, x: Any) -> Any:
    a = r.plain(x)
    return r.where(a <= -3, 0.0, r.where(a < 3, g * (x / 3 + 0.5), g))


def _softmax(x: Any, dim: int | None) -> Any:
    powers = np.asarray(x - np.maximum.reduce(x, dim, keepdims=True))
    np.exp(powers, out=powers)
    powers /= np.add.reduce(powers, dim, keepdims=True)
    return powers[()]


def _log_softmax(x: Any, dim: int | None) -> Any:
    y = np.asarray(x - np.maximum.reduce(x, dim, keepdims=True))
    y -= np.log(np.add.reduce(np.exp(y), dim, keepdims=True))
    return y[()]


def _softmax_rule(g: Any, y: Any, x: Any, dim: int | None) -> Any:
    sent = g * y
    shared = r.total(sent, dim, keepdim=True)
    if isinstance(sent, np.ndarray):  # in the same memory, since fresh memory costs more than the arithmetic
        sent -= y * shared
        return sent
    return sent - y * shared


def _log_softmax_rule(g: Any, y: Any, x: Any, dim: int | None) -> Any:
    shared = r.total(g, dim, keepdim=True)
    powers = r.exp(y)
    if isinstance(powers, np.ndarray) and isinstance(g, np.ndarray):
        powers *= shared
        return np.subtract(g, powers, out=powers)
    return g - powers * shared


def _halves(shape: tuple[int, ...], dim: int) -> tuple[Any, Any]:
    """The indices of the first and the second half along a dim."""
    half, before = shape[dim] // 2, (slice(None),) * dim
    return (*before, slice(None, half)), (*before, slice(half, None))


def _glu(x: Any, dim: int) -> Any:
    first, second = _halves(x.shape, dim)
    return x[first] * r.sigmoid(x[second])


@word("a")
def first_half(x: Any, dim: int) -> Any:
    """The first half of x along a dim."""
    return x[_halves(x.shape, dim)[0]]


@word("b")
def second_half(x: Any, dim: int) -> Any:
    """The second half of x along a dim."""
    return x[_halves(x.shape, dim)[1]]


@word("{0}")
def joined(parts: Any, dim: int) -> Any:
    """Arrays one after another along a dim."""
    return np.concatenate(parts, dim)


def _glu_form(g: Any, y: Any, x: Any, dim: int) -> Any:
    a, b = first_half(x, dim), second_half(x, dim)
    return joined((g * r.sigmoid(b), g * a * r.sigmoid(b) * (1 - r.sigmoid(b))), dim)


def _glu_rule(g: Any, y: Any, x: Any, dim: int) -> Any:
    shape = r.plain(x).shape
    first, second = _halves(shape, dim)
    s = r.sigmoid(r.take(x, second))
    return r.put(g * s, shape, first) + r.put(g * r.take(x, first) * (s * (1 - s)), shape, second)


def _row(
    name: str, forward: Callable[..., Any], rule: Callable[..., Any], equation: str, saves: str = "x",
    points: Any = POINTS, *, form: Callable[..., Any] | None = None, node: str = "", note: str = "",
    params: tuple[dict[str, Any], ...] = ({},), keeps_integers: bool = False, is_piecewise: bool = False, **facts: Any,
) -> Op:  # fmt: skip
    examples = tuple(example(points, **each) for each in params)
    return Op(name, forward, (rule,), ("x",), (form,), equation, examples, names(saves), node, note,
              keeps_integers=keeps_integers, is_piecewise=is_piecewise, **facts)  # fmt: skip


RELU = _row(
    "relu", lambda x: np.maximum(x, 0), lambda g, y, x: r.where(r.plain(y) <= 0, 0.0, g), "y = max(x, 0)", "y",
    form=lambda g, y, x: r.where(y > 0, g, 0), keeps_integers=True, is_piecewise=True,
    note="At 0 the gradient is 0; maximum(x, 0) sends half there and clamp(x, min=0) all of it.",
    kinks=at(0.0, elsewhere="JAX takes 0 as well"), sign="ReLU", kind="elementwise",
)  # fmt: skip
LEAKY_RELU = _row(
    "leaky_relu", lambda x, negative_slope: np.where(x > 0, x, x * negative_slope)[()],
    lambda g, y, x, negative_slope: r.where(r.plain(x) > 0, g, g * negative_slope),
    "y = x where x > 0, else negative_slope · x",
    params=({"negative_slope": 0.1},), note="At 0 it is the negative slope.", is_piecewise=True,
    kinks=at(0.0), sign="ReLU", kind="elementwise",
)  # fmt: skip
HARDTANH = _row(
    "hardtanh", lambda x, min_val, max_val: np.clip(x, min_val, max_val).astype(x.dtype, copy=False)[()],
    lambda g, y, x, min_val, max_val: r.where((r.plain(x) <= min_val) | (r.plain(x) >= max_val), 0.0, g),
    "y = x kept between min_val and max_val",
    form=lambda g, y, x, min_val, max_val: r.where((x > min_val) & (x < max_val), g, 0),
    params=({"min_val": -1.0, "max_val": 1.0},), keeps_integers=True, is_piecewise=True,
    note="At the bounds the gradient is 0, while clamp lets it pass there.", kinks=BOUNDS, sign="clip", kind="elementwise",
)  # fmt: skip
ELU = _row(
    "elu", _elu, lambda g, y, x, alpha: r.where(r.plain(x) <= 0, g * (y + alpha), g),
    "y = x where x > 0, else alpha · (eˣ − 1)",
    form=lambda g, y, x, alpha: r.where(x > 0, g, g * alpha * r.exp(x)),
    params=({"alpha": 1.0}, {"alpha": 0.7}), kinks=at(0.0), sign="ELU", kind="elementwise",
)  # fmt: skip
SELU = _row(
    "selu", lambda x: SELU_SCALE * _elu(x, SELU_ALPHA),
    lambda g, y, x: r.where(r.plain(x) <= 0, g * (y + SELU_SCALE * SELU_ALPHA), g * SELU_SCALE),
    "y = 1.0507 · (x where x > 0, else 1.6733 · (eˣ − 1))", node="EluBackward0",
    form=lambda g, y, x: r.where(x > 0, g * SELU_SCALE, g * SELU_SCALE * SELU_ALPHA * r.exp(x)),
    kinks=at(0.0), kind="elementwise",
)  # fmt: skip
GELU = _row(
    "gelu", _gelu, _gelu_rule, "y = x · Φ(x), where Φ is the normal distribution",
    params=({"approximate": "none"}, {"approximate": "tanh"}), form=_gelu_form, sign="GELU", kind="elementwise",
)  # fmt: skip
SILU = _row(
    "silu", lambda x: x * r.sigmoid(x), _silu_rule,
    "y = x · sigmoid(x)", sign="SiLU", kind="elementwise",
)  # fmt: skip
MISH = _row(
    "mish", lambda x: x * np.tanh(softplus_of(x)), _mish_rule,
    "y = x · tanh(ln(1 + eˣ))", kind="elementwise",
)  # fmt: skip
SOFTPLUS = _row(
    "softplus", _softplus,
    lambda g, y, x, beta, threshold: r.where(r.plain(x) * beta > threshold, g, g * r.sigmoid(x * beta)),
    "y = ln(1 + exp(beta · x)) / beta",
    params=({"beta": 1.0, "threshold": 20.0}, {"beta": 2.0, "threshold": 5.0}),
    note="Where beta · x is above the threshold, y is x itself and the gradient passes unchanged.",
    sign="s⁺", kind="elementwise",
)  # fmt: skip
LOG_SIGMOID = _row(
    "log_sigmoid", lambda x: -np.logaddexp(-x, x.dtype.type(0)), lambda g, y, x: g * r.sigmoid(-x),
    "y = ln(1 / (1 + e⁻ˣ))", sign="lnσ", kind="elementwise",
)  # fmt: skip
HARDSIGMOID = _row(
    "hardsigmoid", lambda x: (np.clip(x + 3, 0, 6) / 6).astype(x.dtype, copy=False)[()],
    lambda g, y, x: r.kept_where((r.plain(x) > -3) & (r.plain(x) < 3), g / 6),
    "y = (x + 3) / 6, kept between 0 and 1", points=FAR, note="At the bounds the gradient is 0.", is_piecewise=True,
    kinks=at(-3.0, 3.0), sign="σ", kind="elementwise",
)  # fmt: skip
HARDSWISH = _row(
    "hardswish", lambda x: (x * np.clip(x + 3, 0, 6) / 6).astype(x.dtype, copy=False)[()], _hardswish_rule,
    "y = x · ((x + 3) / 6, kept between 0 and 1)",
    points=FAR, note="At −3 the gradient is 0, at 3 it is 1.", kinks=at(-3.0, 3.0), sign="SiLU", kind="elementwise",
)  # fmt: skip
PRELU = Op(
    "prelu", lambda x, w: np.where(x > 0, x, w * x)[()],
    (lambda g, y, x, w: r.where(r.plain(x) > 0, g, g * w), lambda g, y, x, w: r.where(r.plain(x) > 0, 0.0, g * x)),
    ("x", "weight"), (),
    "y = x where x > 0, else weight · x", (example(GRID, [[0.25]]), example(GRID, [[0.1, 0.2, 0.3]])),
    names("x weight"), "PreluKernelBackward0", is_piecewise=True, kinks=at(0.0), sign="ReLU", kind="elementwise",
)  # fmt: skip
GLU = _row(
    "glu", _glu, _glu_rule, "y = a · sigmoid(b), where a and b are the halves of x",
    points=[[0.5, -1.5, 2.0, 0.3], [3.0, 0.25, -0.75, 1.1]],
    params=({"dim": 1}, {"dim": 0}), form=_glu_form,
)  # fmt: skip
SOFTMAX = _row(
    "softmax", _softmax, _softmax_rule, "y = eˣ / Σ eˣ", "y", GRID,
    form=lambda g, y, x, dim: y * (g - r.total(g * y, dim, True)),
    params=({"dim": 1}, {"dim": 0}), sign="soft", kind="softmax",
)  # fmt: skip
LOG_SOFTMAX = _row(
    "log_softmax", _log_softmax, _log_softmax_rule,
    "y = x − ln Σ eˣ", "y", GRID, params=({"dim": 1}, {"dim": 0}), sign="lsm", kind="softmax",
)  # fmt: skip

TABLE = (
    RELU, LEAKY_RELU, HARDTANH, ELU, SELU, GELU, SILU, MISH, SOFTPLUS, LOG_SIGMOID, HARDSIGMOID, HARDSWISH, PRELU, GLU,
    SOFTMAX, LOG_SOFTMAX,
)  # fmt: skip
"""The rows of this family."""
