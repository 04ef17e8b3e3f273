"""Ops of the table called from rules: on arrays they give arrays, on tensors new nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import stored
from gradviz.imitation.engine.generic import OPS, plain
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.tensor import Tensor, apply, binary, constant, unary


def call(name: str, *xs: Any, **params: Any) -> Any:
    """An op of the table, by name; arrays among tensors are taken as constants."""
    op = OPS[name]
    like = next((x for x in xs if isinstance(x, Tensor)), None)
    if like is None:
        return op.forward(*xs, **params)
    tensors = tuple(x if isinstance(x, Tensor) else constant(np.asarray(x)[()], like.tape) for x in xs)
    if op.plain_inputs == 1:
        return unary(op, *tensors)
    return binary(op, *tensors) if op.plain_inputs == 2 else apply(op, tensors, **params)


def shared_out(numerator: float, x: Any) -> float:
    """A number over how many numbers x has; infinite over none, as in C++."""
    count = plain(x).size
    return numerator / count if count else math.copysign(math.inf, numerator)


def gradient(name: str, slot: int, g: Any, y: Any, *xs: Any, **params: Any) -> Any:
    """The gradient for an input of an op of the table, by its rule."""
    rule = OPS[name].vjp[slot]
    assert rule is not None
    return rule(g, y, *xs, **params)


def names_of_gradients(op: Op) -> Callable[[Any, dict[str, Any]], dict[str, Any]]:
    """What `to_x(g)` and its like stand for in formulas of an entry whose rules are too long to be read."""

    def names(xs: Any, params: dict[str, Any]) -> dict[str, Any]:
        def to(slot: int) -> Any:
            def sent(g: Any) -> Any:
                found = gradient(op.name, slot, g, None, *xs, **params)
                return zeros(xs[slot]) if found is None else found

            return sent

        return {f"to_{name}": to(slot) for slot, name in enumerate(op.inputs)}

    return names


def zeros(like: Any) -> Any:
    """Zeros of the same shape and dtype; a constant where `like` is a tensor."""
    numbers = np.zeros(plain(like).shape, plain(like).dtype)[()]
    return constant(numbers, like.tape) if isinstance(like, Tensor) else numbers


def number(x: Any, value: float) -> Any:
    """A number in the dtype of an array.

    Raises:
        TorchError: it is too large for that.
    """
    return stored(value, x.dtype)
