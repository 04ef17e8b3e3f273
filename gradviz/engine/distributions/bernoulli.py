"""The Bernoulli distribution: 1 with some probability, else 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gradviz.engine.distributions.distribution import (
    Constraint,
    EitherParameter,
    boolean,
    broadcast_parameters,
    clamp_probabilities,
    real,
    unit_interval,
)
from gradviz.engine.modes import no_grad
from gradviz.engine.sampling import bernoulli
from gradviz.engine.tensor import Tensor, constant, current


class Bernoulli(EitherParameter):
    """1 with the probability `probs`, else 0; or of `logits`, log(p / (1 - p))."""

    arg_constraints = {"probs": unit_interval, "logits": real}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        (given,) = broadcast_parameters(self._take(probs, logits))
        vars(self)["logits" if probs is None else "probs"] = given
        super().__init__(given.shape, validate_args=validate_args)

    def _other(self, name: str) -> Tensor:
        if name == "probs":
            return self.logits.sigmoid()  # type: ignore[no-any-return]
        p = clamp_probabilities(self.probs)
        return p.log() - (-p).log1p()  # type: ignore[no-any-return]

    @property
    def support(self) -> Constraint:
        """0 or 1."""
        return boolean

    @property
    def mean(self) -> Tensor:
        """The mean, p."""
        return self.probs  # type: ignore[no-any-return]

    @property
    def variance(self) -> Tensor:
        """The variance, p (1 - p)."""
        return self.probs * (1 - self.probs)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Samples, which carry no gradient."""
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """value · z - log(1 + e^z), with z the logits."""
        self._check_value(value)
        z, y = broadcast_parameters(self.logits, value)
        return -(_softplus(z) - y * z)

    def entropy(self) -> Tensor:
        """log(1 + e^z) - p z, with z the logits."""
        return _softplus(self.logits) - self.probs * self.logits  # type: ignore[no-any-return]


def _softplus(z: Tensor) -> Tensor:
    """log(1 + e^z), also where e^z overflows."""
    return z.logaddexp(constant(np.zeros((), current(z).array.dtype)[()]))  # type: ignore[no-any-return]
