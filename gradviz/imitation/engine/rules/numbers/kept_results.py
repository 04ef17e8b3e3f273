"""Activations in place whose node keeps the result, since x is gone, and what is drawn at random from x."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import number, zeros
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.numbers.activation import X, elu_forward
from gradviz.errors import TorchError

NOISE = np.array([0.2, 0.3, 1.0, 1.0])
SLOPE = (
    "In-place {name} backward calculation is triggered with a negative slope which is not supported. This is caused by "
    "calling in-place forward function with a negative slope, please call out-of-place version instead."
)
LEAKY = SLOPE.format(name="leakyReLu") + (
    " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward "
    "calculation with negative slope"
)


def _leaky(x: Any, negative_slope: float) -> Any:
    return np.asarray(np.where(x > 0, x, x * number(x, negative_slope)))[()]


def leaky_rule(g: Any, y: Any, x: Any, negative_slope: float) -> Any:
    """g, and g · slope where the result is not above 0.

    Raises:
        TorchError: a slope below 0, with which the sign of the result says nothing of x.
    """
    if negative_slope < 0:
        raise TorchError(LEAKY, hint="Leave out inplace=True.")
    return F.where(plain(y) > 0, g, g * negative_slope)


def elu_rule(g: Any, y: Any, x: Any, alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    """g · scale above 0, g · (y + α · scale) at 0 and below.

    Raises:
        TorchError: an α below 0, with which the sign of the result says nothing of x.
    """
    if alpha < 0:
        raise TorchError(SLOPE.format(name="elu"), hint="Leave out inplace=True.")
    return F.where(plain(y) <= 0, g * input_scale * (y + alpha * scale), g * scale)


ELU = ("where(y <= 0, g * input_scale * (y + alpha * scale), g * scale)",)

TABLE = (
    Op("leaky_relu_", "ReLU", _leaky, (leaky_rule,), ("x",), ("where(y > 0, g, g * negative_slope)",),
       "y = x above 0, else slope · x", (case(X, negative_slope=0.01),), "LeakyReluBackward1", saves("y"),
       note="At x = 0 the gradient is the slope."),
    Op("elu_", "ELU", elu_forward, (elu_rule,), ("x",), ELU, "y = x above 0, else α (eˣ − 1)",
       (case(X, alpha=1.0, scale=1.0, input_scale=1.0), case(X, alpha=1.6, scale=1.05, input_scale=1.0)),
       "EluBackward1", saves("y"), note="At x = 0 the gradient is α."),
    Op("celu_", "CELU", elu_forward, (elu_rule,), ("x",), ELU, "y = x above 0, else α (e^(x/α) − 1)",
       (case(X, alpha=2.0, scale=1.0, input_scale=0.5),), "CeluBackward1", saves("y")),
    Op("threshold_", "step", lambda x, threshold, value: np.asarray(
        np.where(x <= threshold, number(x, value), x))[()],
       (lambda g, y, x, threshold, value: F.zero_where(plain(x) <= threshold, g),), ("x",),
       ("where(x <= threshold, 0, g)",), "y = x above the threshold, else a value",
       (case(X, threshold=0.1, value=20.0),), "ThresholdBackward1", saves("x"),
       note="At the threshold the gradient is 0."),
    Op("rrelu", "ReLU", lambda x, noise: x * noise_like(x, noise), (lambda g, y, x, noise: g * noise_like(g, noise),), ("x",),
       ("g * noise",), "y = x above 0, else slope · x, each slope drawn at random", (case(X, noise=NOISE),),
       "RreluWithNoiseBackward0", saves("x")),
    Op("rrelu_", "ReLU", lambda x, noise: x * noise_like(x, noise), (lambda g, y, x, noise: g * noise_like(g, noise),), ("x",),
       ("g * noise",), "y = x above 0, else slope · x, each slope drawn at random", (case(X, noise=NOISE),),
       "RreluWithNoiseBackward1", saves("y")),
    Op("bernoulli", "0/1", lambda x, drawn: noise_like(x, drawn), (lambda g, y, x, drawn: zeros(g),), ("x",), ("g * 0",),
       "y = 1 with the chance x, else 0", (case([0.2, 0.9], drawn=np.array([0.0, 1.0])),), "BernoulliBackward0",
       note="A draw has no derivative: no gradient flows through it."),
)  # fmt: skip


def noise_like(g: Any, noise: Any) -> Any:
    """The slopes in the shape of g, which an empty list does not tell; a constant where g is a tensor."""
    slopes = np.reshape(noise, plain(g).shape)[()]
    return F.constant(slopes, g.tape) if isinstance(g, F.Tensor) else slopes


NAMES: dict[str, Any] = {}
