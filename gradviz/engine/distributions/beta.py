"""The beta distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradviz.engine.distributions.distribution import (
    Constraint,
    Distribution,
    broadcast_parameters,
    positive,
    unit_interval,
)
from gradviz.engine.errors import Beyond
from gradviz.engine.functions.shape import stack
from gradviz.engine.tensor import Tensor, current


class Beta(Distribution):
    """The distribution of shares in [0, 1] with density proportional to xᵃ⁻¹ (1 - x)ᵇ⁻¹.

    Args:
        concentration1: a, and `concentration0`, b.
    """

    arg_constraints = {"concentration1": positive, "concentration0": positive}
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        a, b = broadcast_parameters(concentration1, concentration0)
        if not a.dtype.is_floating_point:
            a, b = a.float(), b.float()
        self._both = stack([a, b], -1)
        super().__init__(a.shape, validate_args=validate_args)
        if self._validate_args and not (current(self._both).array > 0).all():
            shape = tuple(self._both.shape)
            raise ValueError(
                f"Expected parameter concentration (Tensor of shape {shape}) of distribution "
                f"Dirichlet(concentration: {self._both.shape}) to satisfy the constraint "
                f"IndependentConstraint({positive!r}, 1), but found invalid values:\n{self._both}"
            )

    @property
    def concentration1(self) -> Tensor:
        """a, the exponent of x plus one."""
        return self._both.select(-1, 0)  # type: ignore[no-any-return]

    @property
    def concentration0(self) -> Tensor:
        """b, the exponent of 1 - x plus one."""
        return self._both.select(-1, 1)  # type: ignore[no-any-return]

    @property
    def support(self) -> Constraint:
        """Numbers from 0 to 1."""
        return unit_interval

    @property
    def mean(self) -> Tensor:
        """a / (a + b)."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Samples are not drawn here.

        Raises:
            Beyond: always.
        """
        raise Beyond("drawing from torch.distributions.Beta")

    def log_prob(self, value: Tensor) -> Tensor:
        """(a - 1) log x + (b - 1) log(1 - x) - log B(a, b)."""
        self._check_value(value)
        a, b = self.concentration1, self.concentration0
        return (a - 1) * value.log() + (b - 1) * (1 - value).log() - self._log_integral()  # type: ignore[no-any-return]

    def _log_integral(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        return a.lgamma() + b.lgamma() - (a + b).lgamma()  # type: ignore[no-any-return]
