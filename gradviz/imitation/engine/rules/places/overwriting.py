"""Changes in place that forget what was there: `zero_`, `fill_` and `copy_` of a whole tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.rules.calling import number, zeros
from gradviz.imitation.engine.rules.entry import Op, case
from gradviz.imitation.engine.rules.shapes.shaping import fit, shape

X = [[1.0, -2.0, 0.5], [0.3, 1.5, -1.0]]


def _filled(x: Any, value: Any, **_: Any) -> Any:
    is_array = isinstance(value, np.ndarray | np.generic)
    return np.broadcast_to(np.asarray(value, x.dtype) if is_array else number(x, value), x.shape).copy()[()]


def _nothing(g: Any, y: Any, x: Any, *_: Any, **__: Any) -> Any:
    return zeros(g)


def _compared(name: str, symbol: str, compare: Any) -> tuple[Op, Op]:
    """A comparison written into its first operand: with a number, and with a tensor."""
    node = f"{name.capitalize()}Backward"
    return (
        Op(f"{name}_number_", symbol, lambda x, other: compare(x, other).astype(x.dtype), (_nothing,), ("x",), ("g * 0",),
           f"y = 1 where x {symbol} c, else 0", (case(X, other=0.45),), f"{node}0", keeps_integers=True),
        Op(f"{name}_tensor_", symbol, lambda x, other: compare(x, other).astype(x.dtype),
           (_nothing, lambda g, y, x, other: zeros(other)), ("x", "other"), ("g * 0", "other * 0"),
           f"y = 1 where x {symbol} other, else 0", (case(X, 0.45), case(X, [1.1, 2.1, 0.45])), f"{node}1",
           keeps_integers=True),
    )  # fmt: skip


COMPARISONS = {
    "eq": ("=", np.equal), "ne": ("≠", np.not_equal), "lt": ("<", np.less), "le": ("≤", np.less_equal),
    "gt": (">", np.greater), "ge": ("≥", np.greater_equal),
}  # fmt: skip


def _fill_node(number: int) -> Callable[[dict[str, Any], Any], str]:
    """PyTorch's name, which counts on where the tensor itself is filled."""
    return lambda params, _shapes: f"FillBackward{number if params.get('is_apart') else number + 2}"


TABLE = (
    *(op for name, (symbol, compare) in COMPARISONS.items() for op in _compared(name, symbol, compare)),
    Op("zero", "0", lambda x: np.zeros_like(x), (_nothing,), ("x",), ("g * 0",), "y = 0", (case(X),), "ZeroBackward0",
       keeps_integers=True),
    Op("fill_number", "c", _filled, (_nothing,), ("x",), ("g * 0",), "y = a number", (case(X, value=2.5),),
       _fill_node(0), keeps_integers=True),
    Op("fill", "c", _filled, (_nothing, lambda g, y, x, value, **_: F.sum(g)), ("x", "value"), ("g * 0", "sum(g)"),
       "y = value, everywhere", (case(X, 2.5),), _fill_node(1), keeps_integers=True),
    Op("copy", "=", _filled, (_nothing, lambda g, y, x, value: fit(g, shape(value))), ("x", "value"),
       ("g * 0", "fit(g, shape(value))"), "y = value", (case(X, X), case(X, [1.0, 2.0, 3.0])), "CopyBackwards",
       keeps_integers=True),
    Op("drawn", "0/1", lambda x, value, kind: value, (_nothing,), ("x",), ("g * 0",), "y = numbers drawn at random",
       (case(X, value=np.array([[0.25, 0.5, 0.75], [0.0, 1.0, 0.125]]), kind="Uniform"),),
       lambda params, _shapes: f"{params['kind']}Backward{2 if params['kind'] in ('Bernoulli', 'Random') else 0}",
       keeps_integers=True),
    Op("drawn_by", "0/1", lambda x, p, value, kind: value, (_nothing, lambda g, y, x, p, **_: zeros(p)), ("x", "p"),
       ("g * 0", "p * 0"), "y = 1 with the chance p, else 0",
       (case([0.2, 0.9], [0.5, 0.5], value=np.array([0.0, 1.0]), kind="Bernoulli"),), "BernoulliBackward1",
       keeps_integers=True),
)  # fmt: skip

NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {}
