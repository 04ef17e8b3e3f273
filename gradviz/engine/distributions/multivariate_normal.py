"""The normal distribution of vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gradviz.engine.distributions.distribution import LOG_2_PI, Constraint, Distribution, real_vector
from gradviz.engine.functions.decomposition import cholesky, inv, solve_triangular
from gradviz.engine.sampling import randn
from gradviz.engine.tensor import Tensor


def _is_definite(matrices: Any) -> Any:
    is_symmetric = np.isclose(matrices, matrices.swapaxes(-1, -2), atol=1e-6).all((-2, -1))
    return is_symmetric & (np.linalg.eigvalsh(matrices) > 0).all(-1)


def _is_factor(matrices: Any) -> Any:
    is_lower = (np.tril(matrices) == matrices).all((-2, -1))
    return is_lower & (np.diagonal(matrices, 0, -2, -1) > 0).all(-1)


positive_definite = Constraint("PositiveDefinite()", _is_definite)
lower_cholesky = Constraint("LowerCholesky()", _is_factor)


class MultivariateNormal(Distribution):
    """The normal distribution with mean `loc` and a covariance Σ = L Lᵀ.

    Args:
        loc: of shape (..., n).
        covariance_matrix: Σ of shape (..., n, n); or one of the two others instead.
        precision_matrix: the inverse of Σ.
        scale_tril: L, lower triangular with a positive diagonal.

    Raises:
        ValueError: none or several of the three, too few dims, or matrices that are no such thing.
    """

    arg_constraints = {
        "loc": real_vector, "covariance_matrix": positive_definite, "precision_matrix": positive_definite,
        "scale_tril": lower_cholesky,
    }  # fmt: skip
    has_rsample = True
    loc: Tensor

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        three = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {name: matrix for name, matrix in three.items() if matrix is not None}
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.ndim < 2:
            what = f"{name} matrix" if name == "scale_tril" else name
            raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
        batch = np.broadcast_shapes(tuple(matrix.shape[:-2]), tuple(loc.shape[:-1]))
        self.loc = loc.expand((*batch, loc.shape[-1]))
        vars(self)[name] = matrix.expand((*batch, *matrix.shape[-2:]))
        super().__init__(batch, loc.shape[-1:], validate_args)
        self._factor = _factor_of(name, matrix)

    def __getattr__(self, name: str) -> Any:
        if "_factor" in vars(self) and name in ("covariance_matrix", "precision_matrix", "scale_tril"):
            found = self._factor.expand((*self._batch_shape, *self._factor.shape[-2:]))
            if name != "scale_tril":
                found = found @ found.mT
            vars(self)[name] = inv(found) if name == "precision_matrix" else found
            return vars(self)[name]
        return super().__getattr__(name)

    @property
    def support(self) -> Constraint:
        """Any vector."""
        return real_vector

    @property
    def mean(self) -> Tensor:
        """The mean, `loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The diagonal of Σ."""
        return self._factor.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)  # type: ignore[no-any-return]

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Samples loc + L ε, through which gradients flow."""
        noise = randn(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + (self._factor @ noise.unsqueeze(-1)).squeeze(-1)  # type: ignore[no-any-return]

    def log_prob(self, value: Tensor) -> Tensor:
        """-(n log 2π + |L⁻¹ (value - loc)|²) / 2 - log det L."""
        self._check_value(value)
        away = value - self.loc
        columns = away.unsqueeze(-1)
        batch = np.broadcast_shapes(tuple(columns.shape[:-2]), tuple(self._factor.shape[:-2]))
        factor = self._factor.expand((*batch, *self._factor.shape[-2:]))
        distance = solve_triangular(factor, columns.expand((*batch, *columns.shape[-2:])), upper=False)
        square = distance.squeeze(-1).pow(2).sum(-1)
        return -0.5 * (self._event_shape[0] * LOG_2_PI + square) - self._log_scale()  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        """n (1 + log 2π) / 2 + log det L."""
        found = 0.5 * self._event_shape[0] * (1.0 + LOG_2_PI) + self._log_scale()
        return found.expand(self._batch_shape) if self._batch_shape else found

    def _log_scale(self) -> Tensor:
        return self._factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)  # type: ignore[no-any-return]


def _factor_of(name: str, matrix: Tensor) -> Tensor:
    """L of whichever matrix was given."""
    if name == "scale_tril":
        return matrix
    return cholesky(matrix if name == "covariance_matrix" else inv(matrix))
