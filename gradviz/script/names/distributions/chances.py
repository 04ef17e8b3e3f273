"""Distributions over choices: categorical and Bernoulli, by chances or by logits."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.functions import NEURAL
from gradviz.engine.functions.conversion import to
from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.names.distributions.base import (
    BOOLEAN,
    REAL,
    REALS,
    SIMPLEX,
    UNIT,
    F,
    begin,
    broadcast,
    call,
    check_sample,
    extended,
    kept,
    silently,
    views,
)
from gradviz.script.names.library.making import methods
from gradviz.script.torch_values import Size
from gradviz.script.values import Class, Instance


def _one_of(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise TorchError("Either `probs` or `logits` must be specified, but not both.", kind="ValueError")


def _clamped(probs: Tensor) -> Tensor:
    tiny = float(np.finfo(probs.dtype).eps)
    return F["clamp"](probs, min=tiny, max=1 - tiny)  # type: ignore[no-any-return]


# ---- categorical ----


def _begin_categorical(self: Instance, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
    _one_of(probs, logits)
    name, given = ("logits", logits) if probs is None else ("probs", probs)
    if given.ndim < 1:
        raise TorchError(f"`{name}` parameter must be at least one-dimensional.", kind="ValueError")
    value = logits - F["logsumexp"](logits, -1, True) if probs is None else probs / F["sum"](probs, -1, True)
    begin(self, {name: value}, {"probs": SIMPLEX, "logits": REALS}, 1, validate_args)


categorical_logits = kept("logits", lambda self: F["log"](_clamped(self.attributes["probs"])))
categorical_probs = kept("probs", lambda self: F["softmax"](self.attributes["logits"], -1))


@silently
def _categorical_sample(self: Instance, sample_shape: Any = ()) -> Any:
    probs, shape = categorical_probs(self), tuple(sample_shape)
    rows = F["reshape"](probs, -1, probs.shape[-1])
    drawn = call(self, "multinomial", rows, int(np.prod(shape)), True)
    return F["reshape"](F["t"](drawn), *extended(self, shape)) if extended(self, shape) else F["reshape"](drawn, ())


def _categorical_log_prob(self: Instance, value: Any) -> Tensor:
    logits = categorical_logits(self)
    last = logits.shape[-1] - 1
    rule = (
        f"IntegerInterval(lower_bound=0, upper_bound={last})",
        lambda x: (x % 1 == 0) & (x >= 0) & (x <= last),
    )
    places = F["unsqueeze"](to(check_sample(self, value, rule), np.dtype(np.int64)), -1)
    shape = np.broadcast_shapes(places.shape, logits.shape)
    places = F["expand"](places, *shape) if places.shape != shape else places
    logits = F["expand"](logits, *shape) if logits.shape != shape else logits
    return F["squeeze"](F["gather"](logits, -1, places[..., :1]), -1)  # type: ignore[no-any-return]


def _categorical_entropy(self: Instance) -> Any:
    logits = categorical_logits(self)
    bounded = F["clamp"](logits, min=float(np.finfo(logits.dtype).min))
    return -F["sum"](bounded * categorical_probs(self), -1)


# ---- Bernoulli ----


def _begin_bernoulli(self: Instance, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
    _one_of(probs, logits)
    name, given = ("logits", logits) if probs is None else ("probs", probs)
    begin(self, dict(zip((name,), broadcast(self.machine, given), strict=True)), {"probs": UNIT, "logits": REAL}, 0,
          validate_args)  # fmt: skip


def _logits_of_one(self: Instance) -> Any:
    bounded = _clamped(self.attributes["probs"])
    return F["log"](bounded) - F["log1p"](-bounded)


bernoulli_logits = kept("logits", _logits_of_one)
bernoulli_probs = kept("probs", lambda self: F["sigmoid"](self.attributes["logits"]))


@silently
def _bernoulli_sample(self: Instance, sample_shape: Any = ()) -> Any:
    return call(self, "bernoulli", F["expand"](bernoulli_probs(self), *extended(self, sample_shape)))


def _bernoulli_log_prob(self: Instance, value: Any) -> Any:
    value = check_sample(self, value, BOOLEAN)
    logits, target = broadcast(self.machine, bernoulli_logits(self), value)
    return -NEURAL["binary_cross_entropy_with_logits"](logits, target, reduction="none")


def _bernoulli_entropy(self: Instance) -> Any:
    return NEURAL["binary_cross_entropy_with_logits"](bernoulli_logits(self), bernoulli_probs(self), reduction="none")


def classes(base: Class) -> dict[str, Class]:
    """By name."""
    categorical = methods({
        "__init__": _begin_categorical, "sample": _categorical_sample, "log_prob": _categorical_log_prob,
        "entropy": _categorical_entropy,
    }) | views({
        "probs": categorical_probs, "logits": categorical_logits, "event_shape": lambda _: Size(()),
        "param_shape": lambda self: Size(categorical_probs(self).shape),
        "mode": lambda self: F["argmax"](categorical_probs(self), -1),
    })  # fmt: skip
    bernoulli = methods({
        "__init__": _begin_bernoulli, "sample": _bernoulli_sample, "log_prob": _bernoulli_log_prob,
        "entropy": _bernoulli_entropy,
    }) | views({
        "probs": bernoulli_probs, "logits": bernoulli_logits, "mean": bernoulli_probs,
        "variance": lambda self: bernoulli_probs(self) * (1 - bernoulli_probs(self)),
    })  # fmt: skip
    tables = {"Categorical": categorical, "Bernoulli": bernoulli}
    return {
        name: Class(name, (base,), table, module=f"torch.distributions.{name.lower()}")
        for name, table in tables.items()
    }
