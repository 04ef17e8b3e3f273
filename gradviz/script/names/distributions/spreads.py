"""Distributions of real numbers: normal, Laplace, uniform, exponential."""

from __future__ import annotations

import math
from typing import Any

from gradviz.engine.functions.conversion import to
from gradviz.engine.tensor import Tensor
from gradviz.script.names.distributions.base import (
    NOT_NEGATIVE,
    POSITIVE,
    REAL,
    F,
    begin,
    broadcast,
    call,
    check_sample,
    extended,
    silently,
    views,
)
from gradviz.script.names.library.making import methods
from gradviz.script.values import Class, Instance

ROOT_2_PI = math.log(math.sqrt(2 * math.pi))


def _get(self: Instance, *names: str) -> list[Any]:
    return [self.attributes[name] for name in names]


# ---- normal ----


def _begin_normal(self: Instance, loc: Any, scale: Any, validate_args: Any = None) -> None:
    loc, scale = broadcast(self.machine, loc, scale)
    begin(self, {"loc": loc, "scale": scale}, {"loc": REAL, "scale": POSITIVE}, 0, validate_args)


@silently
def _normal_sample(self: Instance, sample_shape: Any = ()) -> Any:
    shape = extended(self, sample_shape)
    return call(self, "normal", *(F["expand"](x, *shape) for x in _get(self, "loc", "scale")))


def _normal_rsample(self: Instance, sample_shape: Any = ()) -> Any:
    loc, scale = _get(self, "loc", "scale")
    shape = extended(self, sample_shape)
    noise = call(self, "normal", call(self, "zeros", *shape, dtype=None), call(self, "ones", *shape))
    return loc + noise * scale


def _normal_log_prob(self: Instance, value: Any) -> Tensor:
    loc, scale = _get(self, "loc", "scale")
    value = check_sample(self, value, REAL)
    variance = scale**2
    return -((value - loc) ** 2) / (2 * variance) - F["log"](scale) - ROOT_2_PI  # type: ignore[no-any-return]


def _normal_entropy(self: Instance) -> Any:
    return 0.5 + 0.5 * math.log(2 * math.pi) + F["log"](self.attributes["scale"])


def _normal_cdf(self: Instance, value: Tensor) -> Any:
    loc, scale = _get(self, "loc", "scale")
    return 0.5 * (1 + F["erf"]((value - loc) * F["reciprocal"](scale) / math.sqrt(2)))


# ---- Laplace ----


def _laplace_log_prob(self: Instance, value: Any) -> Tensor:
    loc, scale = _get(self, "loc", "scale")
    value = check_sample(self, value, REAL)
    return -F["log"](2 * scale) - F["abs"](value - loc) / scale  # type: ignore[no-any-return]


def _laplace_entropy(self: Instance) -> Any:
    return 1 + F["log"](2 * self.attributes["scale"])


# ---- uniform ----


def _begin_uniform(self: Instance, low: Any, high: Any, validate_args: Any = None) -> None:
    low, high = broadcast(self.machine, low, high)
    begin(self, {"low": low, "high": high}, {"low": REAL, "high": REAL}, 0, validate_args)


def _uniform_rsample(self: Instance, sample_shape: Any = ()) -> Any:
    low, high = _get(self, "low", "high")
    return low + call(self, "rand", *extended(self, sample_shape)) * (high - low)


def _uniform_log_prob(self: Instance, value: Any) -> Tensor:
    low, high = _get(self, "low", "high")
    rule = (f"Interval(lower_bound={low}, upper_bound={high})", lambda x: (x >= low.data) & (x <= high.data))
    value = check_sample(self, value, rule)
    inside = to(F["le"](low, value), low.dtype) * to(F["gt"](high, value), low.dtype)
    return F["log"](inside) - F["log"](high - low)  # type: ignore[no-any-return]


def _uniform_entropy(self: Instance) -> Any:
    low, high = _get(self, "low", "high")
    return F["log"](high - low)


# ---- exponential ----


def _begin_exponential(self: Instance, rate: Any, validate_args: Any = None) -> None:
    (rate,) = broadcast(self.machine, rate)
    begin(self, {"rate": rate}, {"rate": POSITIVE}, 0, validate_args)


def _exponential_rsample(self: Instance, sample_shape: Any = ()) -> Any:
    rate = self.attributes["rate"]
    drawn = self.machine.random.exponential(extended(self, sample_shape), 1.0, rate.dtype.name)
    return self.machine.tensor(drawn) / rate


def _exponential_log_prob(self: Instance, value: Any) -> Tensor:
    rate = self.attributes["rate"]
    return F["log"](rate) - rate * check_sample(self, value, NOT_NEGATIVE)  # type: ignore[no-any-return]


def classes(base: Class) -> dict[str, Class]:
    """By name."""
    normal = methods({
        "__init__": _begin_normal, "sample": _normal_sample, "rsample": _normal_rsample,
        "log_prob": _normal_log_prob, "entropy": _normal_entropy, "cdf": _normal_cdf,
    }) | views({
        "mean": lambda self: self.attributes["loc"], "mode": lambda self: self.attributes["loc"],
        "stddev": lambda self: self.attributes["scale"], "variance": lambda self: self.attributes["scale"] ** 2,
    })  # fmt: skip
    laplace = methods({"__init__": _begin_normal, "log_prob": _laplace_log_prob, "entropy": _laplace_entropy}) | views({
        "mean": lambda self: self.attributes["loc"], "stddev": lambda self: 2**0.5 * self.attributes["scale"],
        "variance": lambda self: 2 * self.attributes["scale"] ** 2,
    })  # fmt: skip
    uniform = methods({
        "__init__": _begin_uniform, "sample": silently(_uniform_rsample), "rsample": _uniform_rsample,
        "log_prob": _uniform_log_prob, "entropy": _uniform_entropy,
    }) | views({
        "mean": lambda self: (self.attributes["high"] + self.attributes["low"]) / 2,
        "variance": lambda self: (self.attributes["high"] - self.attributes["low"]) ** 2 / 12,
        "stddev": lambda self: (self.attributes["high"] - self.attributes["low"]) / 12**0.5,
    })  # fmt: skip
    exponential = methods({
        "__init__": _begin_exponential, "sample": silently(_exponential_rsample), "rsample": _exponential_rsample,
        "log_prob": _exponential_log_prob, "entropy": lambda self: 1.0 - F["log"](self.attributes["rate"]),
    }) | views({
        "mean": lambda self: F["reciprocal"](self.attributes["rate"]),
        "stddev": lambda self: F["reciprocal"](self.attributes["rate"]),
        "variance": lambda self: self.attributes["rate"] ** -2,
    })  # fmt: skip
    tables = {"Normal": normal, "Laplace": laplace, "Uniform": uniform, "Exponential": exponential}
    return {
        name: Class(name, (base,), table, module=f"torch.distributions.{name.lower()}")
        for name, table in tables.items()
    }
