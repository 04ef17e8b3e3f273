"""The normal distribution."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from gradviz.engine.distributions.distribution import (
    LOG_2_PI,
    Constraint,
    Distribution,
    broadcast_parameters,
    positive,
    real,
)
from gradviz.engine.modes import no_grad
from gradviz.engine.sampling import normal, randn
from gradviz.engine.tensor import Tensor


class Normal(Distribution):
    """The normal distribution with mean `loc` and standard deviation `scale`, numbers or tensors that broadcast."""

    arg_constraints = {"loc": real, "scale": positive}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_parameters(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """Any number."""
        return real

    @property
    def mean(self) -> Tensor:
        """The mean, `loc`."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """The standard deviation, `scale`."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The variance, `scale` squared."""
        return self.scale**2

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Samples without a graph."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Samples loc + scale · ε, through which gradients flow (the reparametrization of Kingma and Welling, 2014)."""
        noise = randn(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """-(value - loc)² / (2 scale²) - log scale - log √(2π)."""
        self._check_value(value)
        return -((value - self.loc) ** 2) / (2 * self.variance) - self.scale.log() - LOG_2_PI / 2  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        """1/2 + log √(2π) + log scale."""
        return 0.5 + LOG_2_PI / 2 + self.scale.log()  # type: ignore[no-any-return]

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of a sample below the value."""
        self._check_value(value)
        return 0.5 * (1 + ((value - self.loc) / (self.scale * math.sqrt(2))).erf())  # type: ignore[no-any-return]
