"""Params of a recording back in the form that the rules take: `freeze.plain` undone.

A recording holds them as JSON does: lists for tuples and arrays, text for slices. Which of them a list was, the
examples of the rule table tell: they hold every param in the form that the rule takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradviz.imitation.engine.op import Op


def thawed(op: Op, params: Mapping[str, Any], dtype: str = "float64") -> dict[str, Any]:
    """Lists as tuples or arrays, and an index as it was: numbers, slices and arrays.

    Args:
        op: the entry of the rule table they belong to.
        params: as a recording has them.
        dtype: of the arrays that hold floating point numbers: that of the node.

    Raises:
        ValueError: something that is no array, or no index.
    """
    forms: dict[str, Any] = {}
    for case in op.example:
        forms |= {name: value for name, value in case["params"].items() if value is not None}
    return {name: _like(forms.get(name), value, dtype) for name, value in params.items()}


def _like(form: Any, value: Any, dtype: str) -> Any:
    if isinstance(form, np.ndarray) and value is not None:
        return np.asarray(value, dtype if form.dtype.kind == "f" else form.dtype)
    if not isinstance(value, list):
        return value
    if isinstance(form, tuple) and any(isinstance(part, np.ndarray | slice) for part in form):
        return tuple(_part(part) for part in value)
    return tuple(_like(None, item, dtype) for item in value)


def _part(part: Any) -> Any:
    """One part of an index in brackets, as in x[0, 1:]."""
    if isinstance(part, list):
        return np.asarray(part) if part else np.zeros(0, np.int64)
    if isinstance(part, bool):
        return np.asarray(part)
    if part == "...":
        return ...
    if isinstance(part, str):
        return slice(*(int(bound) if bound else None for bound in part.split(":")))
    return part
