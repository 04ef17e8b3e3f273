"""Initial values of parameters: `torch.nn.init`. All functions fill a tensor in place and give it back."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine import sampling
from gradviz.engine.creation import leaf
from gradviz.engine.errors import Beyond
from gradviz.engine.known import missing_of
from gradviz.engine.modes import no_grad
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, current
from gradviz.engine.views import write

GAINS = {
    "linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv_transpose1d": 1.0, "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4,
}  # fmt: skip
"""By how much the weights before a nonlinearity are scaled up, so that variances stay what they are."""


FEWEST_WITHIN = 0.3
"""The share of normal numbers within the bounds up to which PyTorch does not draw anew what falls outside."""


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The recommended gain of a nonlinearity.

    Args:
        param: the negative slope, for "leaky_relu".

    Raises:
        ValueError: there is none for it.

    Source: He et al., Delving deep into rectifiers, 2015.
    """
    if nonlinearity in GAINS:
        return GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    if param is not None and (isinstance(param, bool) or not isinstance(param, int | float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    slope = 0.01 if param is None else param
    return math.sqrt(2.0 / (1 + slope**2))


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many inputs feed an output of a layer with this weight, and how many outputs an input feeds.

    Raises:
        ValueError: the weight has fewer than two dims.
    """
    shape = tensor.shape
    if len(shape) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


_calculate_fan_in_and_fan_out = fans


def _fan(tensor: Tensor, mode: str) -> int:
    wanted = mode.lower()
    if wanted not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return fans(tensor)[wanted == "fan_out"]


_calculate_correct_fan = _fan


def _fill(tensor: Tensor, array: Any) -> Tensor:
    """Give a tensor the numbers of an array, in its own dtype."""
    with no_grad():
        return write(tensor, leaf(np.asarray(array).astype(current(tensor).array.dtype)))


# ---- constants --------------------------------------------------------------------------------------------------


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    return _fill(tensor, np.full(tensor.shape, val))


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill with the identity matrix.

    Raises:
        ValueError: it is no matrix.
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _fill(tensor, np.eye(*tensor.shape))


# ---- random -----------------------------------------------------------------------------------------------------


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with numbers uniform in [a, b)."""
    with no_grad():
        return sampling.uniform_(tensor, a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal numbers."""
    with no_grad():
        return sampling.normal_(tensor, mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Fill with normal numbers within [a, b]: those outside are drawn anew."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )
    low, high = (math.erf((bound - mean) / std / math.sqrt(2)) for bound in (a, b))
    if (high - low) / 2 <= FEWEST_WITHIN:
        raise Beyond("trunc_normal_ between bounds that few numbers fall within")
    with no_grad():
        drawn = np.array(current(sampling.normal_(tensor, mean, std, generator=generator)).array)
        while (outside := (drawn < a) | (drawn > b)).any():
            again = current(sampling.normal_(tensor, mean, std, generator=generator)).array
            drawn = np.where(outside, again, drawn)
        return _fill(tensor, drawn)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with uniform numbers of variance 2 · gain² / (fan_in + fan_out).

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.
    """
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal numbers of variance 2 · gain² / (fan_in + fan_out); see `xavier_uniform_`."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fans(tensor))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Fill with uniform numbers of variance gain² / fan.

    Args:
        a: the negative slope of "leaky_relu".
        mode: "fan_in" keeps the variance of what goes forward, "fan_out" that of gradients.

    Source: He et al., Delving deep into rectifiers, 2015.
    """
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Fill with normal numbers of variance gain² / fan; see `kaiming_uniform_`."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return tensor
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill with a matrix whose rows, or columns, are orthonormal, times a gain.

    Raises:
        ValueError: it has fewer than two dims.

    Source: Saxe et al., Exact solutions to the nonlinear dynamics of learning in deep linear neural networks, 2013.
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return tensor
    rows = tensor.shape[0]
    drawn = leaf(np.zeros((rows, tensor.numel() // rows), current(tensor).array.dtype))
    matrix = current(normal_(drawn, generator=generator)).array
    is_wide = matrix.shape[0] < matrix.shape[1]
    q, r = np.linalg.qr(matrix.T if is_wide else matrix)
    q = q * np.sign(np.diag(r))  # so that the result is uniform over all such matrices
    return _fill(tensor, gain * (q.T if is_wide else q).reshape(tensor.shape))


def _old_name(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function under its old name, without the underscore."""
    new = function.__name__
    old = new.removesuffix("_")

    @functools.wraps(function)
    def fill(*args: Any, **kwargs: Any) -> Tensor:
        warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning)
        return function(*args, **kwargs)

    fill.__name__ = fill.__qualname__ = old
    return fill


normal, constant, xavier_uniform = _old_name(normal_), _old_name(constant_), _old_name(xavier_uniform_)


__getattr__ = missing_of("torch.nn.init")
