"""The names that the formulas of the rule table use: g, y, the inputs, the params, and a few functions.

With them a formula is a true Python expression: evaluated, it gives what the rule gives. A test does so for every
entry of the table, so that what people read is what runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.rules.families import NAMES, OF_PARAMS
from gradviz.imitation.engine.rules.reducing.reduction import places
from gradviz.imitation.engine.rules.shapes.shaping import fit, inverse, shape, written
from gradviz.imitation.engine.rules.shapes.shaping import piece as piece_of


def _transposed(x: Any) -> Any:
    return generic.T(x) if x.ndim > 1 else x


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "T": _transposed,
    "count": generic.count,
    "cos": np.cos,
    "exp": np.exp,
    "fit": fit,
    "inverse": inverse,
    "log": np.log,
    "outer": generic.outer,
    "permute": np.transpose,
    "reshape": np.reshape,
    "scatter": generic.scatter,
    "shape": shape,
    "sign": generic.sign,
    "sin": np.sin,
    "spread": generic.spread,
    "sum": generic.sum,
    "take": generic.take,
    "transpose": lambda x, dim0, dim1: np.swapaxes(x, dim0, dim1) if x.ndim else x,
    "where": np.where,
}
"""Functions of arrays, by the name that formulas use."""
FUNCTIONS |= NAMES


def _place(dim: int, **index: Any) -> dict[str, Any]:
    """The index that a select or slice along dim stands for."""
    part = index["index"] if "index" in index else slice(index["start"], index["end"], index["step"])
    return {"place": (*[slice(None)] * dim, part)}


def _bounds(min: Any, max: Any) -> dict[str, Any]:
    """A bound that is not given never holds anything back."""
    return {"min": -np.inf if min is None else min, "max": np.inf if max is None else max}


_OF_PARAMS: dict[str, Callable[..., dict[str, Any]]] = {
    "select": lambda _, p: _place(**p),
    "slice": lambda _, p: _place(**p),
    "unbind": lambda _, p: _place(**p),
    "max_dim": lambda xs, p: {"place": places(xs[0], p["dim"])},
    "min_dim": lambda xs, p: {"place": places(xs[0], p["dim"])},
    "clamp": lambda _, p: _bounds(p.get("min"), p.get("max")),
    "copy_slices": lambda xs, _: {"at": lambda index: written(xs[0].shape, index)},
    "cat": lambda xs, p: {"piece": lambda g, slot: piece_of(g, xs, p["dim"], slot)},
    "stack": lambda _, p: {"piece": lambda g, slot: np.take(g, slot, p["dim"])},
    "mse_loss": lambda xs, p: {"n": (xs[0] - xs[1]).size if p["reduction"] == "mean" else 1},
}
"""Names that stand for something worked out of the params, by op."""
_OF_PARAMS |= OF_PARAMS


def names_for(op: Op, slot: int, g: Any, y: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """What each name of the formula for input number `slot` stands for.

    Args:
        g: dL/dy, an array of the shape of y.
        inputs: one array per input; params: as the op was given them.
    """
    names: dict[str, Any] = {**FUNCTIONS, "pi": math.pi, "g": g, "y": y, **params, "slot": slot}
    names |= {op.input_name(number): x for number, x in enumerate(inputs)}
    worked_out = _OF_PARAMS.get(op.name)
    return names | worked_out(inputs, params) if worked_out is not None else names
