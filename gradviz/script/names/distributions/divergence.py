"""`torch.distributions.kl_divergence` of two distributions of one kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradviz.engine.functions import NEURAL
from gradviz.errors import TorchError
from gradviz.script.names.distributions.base import F
from gradviz.script.names.distributions.chances import (
    bernoulli_logits,
    bernoulli_probs,
    categorical_logits,
    categorical_probs,
)
from gradviz.script.values import Instance


def _normals(p: Instance, q: Instance) -> Any:
    first, second = p.attributes, q.attributes
    ratio = (first["scale"] / second["scale"]) ** 2
    apart = ((first["loc"] - second["loc"]) / second["scale"]) ** 2
    return 0.5 * (ratio + apart - 1 - F["log"](ratio))


def _categoricals(p: Instance, q: Instance) -> Any:
    share = categorical_probs(p) * (categorical_logits(p) - categorical_logits(q))
    share = F["masked_fill"](share, F["eq"](categorical_probs(q), 0), math.inf)
    return F["sum"](F["masked_fill"](share, F["eq"](categorical_probs(p), 0), 0), -1)


def _bernoullis(p: Instance, q: Instance) -> Any:
    softplus = NEURAL["softplus"]
    chance, first, second = bernoulli_probs(p), bernoulli_logits(p), bernoulli_logits(q)
    return chance * (softplus(-second) - softplus(-first)) + (1 - chance) * (softplus(second) - softplus(first))


KINDS: dict[str, Callable[[Instance, Instance], Any]] = {
    "Normal": _normals, "Categorical": _categoricals, "Bernoulli": _bernoullis,
}  # fmt: skip


def kl_divergence(p: Any, q: Any) -> Any:
    """How far q is from p.

    Raises:
        TorchError: two kinds that there is no formula for.
    """
    if p.cls.name != q.cls.name or p.cls.name not in KINDS:
        raise TorchError(
            f"No KL(p || q) is implemented for p type {p.cls.name} and q type {q.cls.name}", kind="NotImplementedError"
        )
    return KINDS[p.cls.name](p, q)
