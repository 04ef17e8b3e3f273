"""The categorical distribution: one of n classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gradviz.engine.distributions.distribution import (
    Constraint,
    EitherParameter,
    clamp_probabilities,
    integer_interval,
    real_vector,
    simplex,
)
from gradviz.engine.dtypes import Size
from gradviz.engine.modes import no_grad
from gradviz.engine.sampling import multinomial
from gradviz.engine.tensor import Tensor, constant, current


class Categorical(EitherParameter):
    """One of n classes, with probabilities in proportion to `probs`, or to e to the power of `logits`.

    Args:
        probs: of shape [..., n], and so `logits`. What is kept of them is normalized: probs sum to 1.

    Raises:
        ValueError: both or none of them, no dim, or numbers that are no probabilities.
    """

    arg_constraints = {"probs": simplex, "logits": real_vector}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        given = self._take(probs, logits)
        name = "logits" if probs is None else "probs"
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        with np.errstate(all="ignore"):
            normalized = given - given.logsumexp(-1, True) if probs is None else given / given.sum(-1, True)
        vars(self)[name] = normalized
        self._num_events = int(given.shape[-1])
        super().__init__(given.shape[:-1], validate_args=validate_args)

    def _other(self, name: str) -> Tensor:
        if name == "probs":
            return self.logits.softmax(-1)  # type: ignore[no-any-return]
        return clamp_probabilities(self.probs).log()  # type: ignore[no-any-return]

    @property
    def _param(self) -> Tensor:
        found: Tensor = vars(self)["probs"] if "probs" in vars(self) else vars(self)["logits"]
        return found

    @property
    def support(self) -> Constraint:
        """The numbers of the classes."""
        return integer_interval(0, self._num_events - 1)

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Samples, int64; they carry no gradient."""
        count = Size(sample_shape).numel()
        with no_grad():
            drawn = current(multinomial(self.probs.reshape(-1, self._num_events), count, True)).array
        return constant(np.ascontiguousarray(drawn.T).reshape(self._extended_shape(sample_shape))[()])

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of each class in `value`."""
        self._check_value(value)
        shape = np.broadcast_shapes(tuple(value.shape), tuple(self._batch_shape))
        classes = value.long().expand(shape).unsqueeze(-1)
        return self.logits.expand((*shape, self._num_events)).gather(-1, classes).squeeze(-1)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        """-Σ p log p."""
        least = float(np.finfo(current(self._param).array.dtype).min)
        return -(self.logits.clamp(min=least) * self.probs).sum(-1)  # type: ignore[no-any-return]
