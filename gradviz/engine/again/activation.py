"""Activations: most of their derivatives are an op of their own."""

from __future__ import annotations

from typing import Any

from gradviz.engine import generic as F  # noqa: N812 - the name rules are read with
from gradviz.engine.rules.activation import sigmoid, tanh
from gradviz.engine.rules.activation_again import KEPT
from gradviz.engine.rules.calling import call


def _own(name: str, of_result: bool) -> Any:
    return lambda g, y, x, **params: call(f"{name}_backward", g, y if of_result else x, **params)


def _silu(g: Any, y: Any, x: Any) -> Any:
    s = sigmoid(x)
    slope = 1.0 + x * (1.0 - s)
    return g * s * slope


def _mish(g: Any, y: Any, x: Any) -> Any:
    s = sigmoid(x)
    t = tanh(call("log1p", F.exp(x)))
    rest = 1.0 - t * t
    return g * (t + x * s * rest)


RULES: dict[str, Any] = {name: (_own(name, kept == "y"),) for name, kept in KEPT.items()} | {
    "silu": (_silu,), "mish": (_mish,),
}  # fmt: skip
