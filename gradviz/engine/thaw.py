"""Params of a recording back in the form that the rules take: `freeze.plain` undone.

A recording holds them as JSON does: lists for tuples and arrays, text for slices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_IN_BRACKETS = {"index", "copy_slices", "scatter_add_zeros"}
"""Ops whose index has parts, as in x[0, 1:]; that of the others is a number, or one array of places."""


def thawed(op: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Lists as tuples, and an index as it was: numbers, slices and arrays.

    Raises:
        ValueError: an index that is no index.
    """
    index = _parts if op in _IN_BRACKETS else _places
    return {name: index(value) if name == "index" else _tuple(value) for name, value in params.items()}


def _tuple(value: Any) -> Any:
    return tuple(_tuple(item) for item in value) if isinstance(value, list) else value


def _places(value: Any) -> Any:
    return np.asarray(value, np.int64) if isinstance(value, list) else value


def _parts(value: Any) -> tuple[Any, ...]:
    return tuple(_part(part) for part in value)


def _part(part: Any) -> Any:
    if isinstance(part, list):
        return np.asarray(part) if part else np.zeros(0, np.int64)
    if isinstance(part, bool):
        return np.asarray(part)
    if part == "...":
        return ...
    if isinstance(part, str):
        return slice(*(int(bound) if bound else None for bound in part.split(":")))
    return part
