"""Activations: most of their derivatives are an op of their own."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.create_graph.steps import gradients
from gradviz.imitation.engine.rules.backward_ops.activation import KEPT, prelu_double
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.numbers.activation import sigmoid, tanh


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


def _threshold_in_place(g: Any, y: Any, x: Any, **params: Any) -> Any:
    return call("threshold_backward", g, call("clone", x), **params)  # of x before it was written over


def _prelu(needs: Any, g: Any, y: Any, x: Any, weight: Any) -> tuple[Any, ...]:
    return gradients("prelu_backward", needs, g, x, weight)


def _prelu_twice(came: Any, made: Any, sources: Any, needs: Any) -> tuple[Any, ...]:
    v, x, weight = sources
    return prelu_double([*came, None][:2], v, x, weight)


AT_ONCE: dict[str, Any] = {"prelu": _prelu}
OF_RESULTS: dict[str, Any] = {"prelu_backward": _prelu_twice}
RULES: dict[str, Any] = {name: (_own(name, kept == "y"),) for name, kept in KEPT.items()} | {
    "threshold_": (_threshold_in_place,), "silu": (_silu,), "mish": (_mish,),
}  # fmt: skip
