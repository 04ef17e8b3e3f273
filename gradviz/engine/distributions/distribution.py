"""What all distributions share: shapes, samples, and what their parameters and values must be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gradviz.engine.creation import tensor
from gradviz.engine.dtypes import Size, dtype_of
from gradviz.engine.known import missing_in
from gradviz.engine.modes import no_grad
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, constant, current


class Constraint:
    """What a parameter or a value must be: a text, and a test of each number (or each row, for `Simplex`)."""

    def __init__(self, text: str, test: Any) -> None:
        self._text = text
        self._test = test

    def check(self, value: Tensor) -> Tensor:
        """Where the value fulfils it."""
        with np.errstate(all="ignore"):
            return constant(np.asarray(self._test(current(value).array))[()])

    def __repr__(self) -> str:
        return self._text


real = Constraint("Real()", lambda x: x == x)
positive = Constraint("GreaterThan(lower_bound=0.0)", lambda x: x > 0)
unit_interval = Constraint("Interval(lower_bound=0.0, upper_bound=1.0)", lambda x: (x >= 0) & (x <= 1))
boolean = Constraint("Boolean()", lambda x: (x == 0) | (x == 1))
real_vector = Constraint("IndependentConstraint(Real(), 1)", lambda x: (x == x).all(-1))
simplex = Constraint("Simplex()", lambda x: (x >= 0).all(-1) & (np.abs(x.sum(-1) - 1) < 1e-6))


def integer_interval(least: int, most: int) -> Constraint:
    """Whole numbers from one to another."""
    text = f"IntegerInterval(lower_bound={least}, upper_bound={most})"
    return Constraint(text, lambda x: (x == np.floor(x)) & (x >= least) & (x <= most))


class Distribution:
    """The base class of distributions.

    Args:
        batch_shape: the shape of the parameters: one distribution for each element.
        event_shape: the shape of one sample.
        validate_args: whether parameters and values are checked; yes where it is None.

    Raises:
        ValueError: a parameter that the distribution cannot have.
    """

    arg_constraints: Mapping[str, Constraint] = {}
    has_rsample = False

    def __init__(
        self, batch_shape: Iterable[int] = (), event_shape: Iterable[int] = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        self._validate_args = validate_args is not False
        if self._validate_args:
            self._check_parameters()

    def __getattr__(self, name: str) -> Any:
        """Refuse what a distribution has in PyTorch alone.

        Raises:
            Beyond: PyTorch's distributions have it.
            AttributeError: they have not.
        """
        raise missing_in("torch.distributions.Distribution", self, name)

    def _check_parameters(self) -> None:
        for name, constraint in self.arg_constraints.items():
            if name not in vars(self):
                continue
            value = vars(self)[name]
            if not current(constraint.check(value)).array.all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample."""
        return self._event_shape

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()  # type: ignore[no-any-return]

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Samples without a graph, of shape sample_shape + batch_shape + event_shape."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Samples through which gradients flow to the parameters, where the distribution can give them."""
        raise NotImplementedError

    def _extended_shape(self, sample_shape: Iterable[int]) -> Size:
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def _check_value(self, value: Any) -> None:
        """Refuse a value that is no sample of this distribution.

        Raises:
            ValueError: no tensor, one whose shape does not fit, or numbers that no sample can be.
        """
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        own = self._batch_shape + self._event_shape
        for length, wanted in zip(reversed(value.shape), reversed(own), strict=False):
            if length != wanted and 1 not in (length, wanted):
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {own}.")
        if not current(self.support.check(value)).array.all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({self.support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        given = [(name, vars(self)[name]) for name in self.arg_constraints if name in vars(self)]
        texts = [f"{name}: {value if value.numel() == 1 else value.shape}" for name, value in given]
        return f"{type(self).__name__}({', '.join(texts)})"


def broadcast_parameters(*values: Any) -> tuple[Tensor, ...]:
    """Parameters as tensors of one shape; numbers get the dtype of the tensors, or the default one.

    Raises:
        ValueError: neither numbers nor tensors.
    """
    if not all(isinstance(value, Tensor | int | float) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    given = [value for value in values if isinstance(value, Tensor)]
    dtype = given[0].dtype if given else dtype_of(np.dtype(state.dtype))
    tensors = [value if isinstance(value, Tensor) else tensor(value, dtype=dtype) for value in values]
    try:
        shape = np.broadcast_shapes(*[tuple(each.shape) for each in tensors])
    except ValueError:
        (tensors[0] + tensors[1])  # raises PyTorch's text
        raise
    return tuple(each if tuple(each.shape) == shape else each.expand(shape) for each in tensors)


def clamp_probabilities(probs: Tensor) -> Tensor:
    """Probabilities a little away from 0 and 1, so that their logarithms are finite."""
    eps = float(np.finfo(current(probs).array.dtype).eps)
    return probs.clamp(eps, 1 - eps)  # type: ignore[no-any-return]


class EitherParameter(Distribution):
    """A distribution of `probs` or of `logits`; the other one is computed when it is asked for.

    Raises:
        ValueError: both are given, or none.
    """

    def _take(self, probs: Any, logits: Any) -> Any:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return logits if probs is None else probs

    def __getattr__(self, name: str) -> Any:
        if name not in ("probs", "logits") or name in vars(self) or not {"probs", "logits"} & vars(self).keys():
            return super().__getattr__(name)
        found = self._other(name)
        vars(self)[name] = found
        return found

    def _other(self, name: str) -> Tensor:
        """`probs` out of `logits`, or the reverse."""
        raise NotImplementedError


LOG_2_PI = math.log(2 * math.pi)
