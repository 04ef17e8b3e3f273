"""The Kullback-Leibler divergence KL(p || q) = E_p[log p - log q] of two distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.distributions.bernoulli import Bernoulli
from gradviz.engine.distributions.categorical import Categorical
from gradviz.engine.distributions.distribution import Distribution
from gradviz.engine.distributions.normal import Normal
from gradviz.engine.tensor import Tensor, constant, current

Divergence = Callable[[Any, Any], Tensor]


def _normals(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    distance = ((p.loc - q.loc) / q.scale) ** 2
    return 0.5 * (ratio + distance - 1 - ratio.log())  # type: ignore[no-any-return]


def _bernoullis(p: Bernoulli, q: Bernoulli) -> Tensor:
    """p log(p / q) + (1 - p) log((1 - p) / (1 - q)); the terms with p = 0 or p = 1 are 0."""
    return _expected_log_ratio(p.probs, q.probs) + _expected_log_ratio(1 - p.probs, 1 - q.probs)


def _categoricals(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms = _where(current(q.probs).array == 0, np.inf, terms)
    return _where(current(p.probs).array == 0, 0.0, terms).sum(-1)  # type: ignore[no-any-return]


def _expected_log_ratio(p: Tensor, q: Tensor) -> Tensor:
    with np.errstate(all="ignore"):
        terms = p * (p / q).log()
    return _where(np.broadcast_to(current(p).array == 0, terms.shape), 0.0, terms)


def _where(mask: Any, value: float, x: Tensor) -> Tensor:
    filled: Tensor = x.masked_fill(constant(np.asarray(mask)[()]), value)
    return filled


_PAIRS: dict[tuple[type, type], Divergence] = {
    (Normal, Normal): _normals,
    (Bernoulli, Bernoulli): _bernoullis,
    (Categorical, Categorical): _categoricals,
}


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """KL(p || q), of the shape of the batches.

    Raises:
        NotImplementedError: no formula is known for this pair.
    """
    for kind_p in type(p).__mro__:
        for kind_q in type(q).__mro__:
            if (kind_p, kind_q) in _PAIRS:
                return _PAIRS[kind_p, kind_q](p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )
