"""Params of ops between how the rules take them and how a recording has them: plain numbers, texts and lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradviz.ops.op import Op
from gradviz.ops.table import TABLE


def thaw(params: Mapping[str, Any]) -> dict[str, Any]:
    """Lists as tuples; the parts of an index as arrays, slices and "..." again, and places along a dim as one array."""
    special = {"index": _index, "path": _path}
    return {name: special.get(name, _plain)(value, params) for name, value in params.items()}


def _plain(value: Any, _: Mapping[str, Any]) -> Any:
    return _thawed(value)


def _path(value: Any, _: Mapping[str, Any]) -> Any:
    """View ops one after the other, each with its params, from their names.

    Raises:
        ValueError: one of them is not known.
    """
    found = []
    for name, pairs in value:
        params = dict(pairs)
        op = TABLE.find(name, 1, params)
        if op is None:
            raise ValueError(f"there is no view op '{name}'")
        found.append((op, thaw(params)))
    return tuple(found)


def _index(value: Any, params: Mapping[str, Any]) -> Any:
    if not isinstance(value, list):
        return value
    return np.array(value, dtype=np.int64) if "dim" in params else tuple([_part(each) for each in value])


def _thawed(value: Any) -> Any:
    return tuple([_thawed(item) for item in value]) if isinstance(value, list) else value


def _part(value: Any) -> Any:
    """One part of an index: `[0, 2]`, "1:3", "..." or a number."""
    if isinstance(value, list):
        return np.array(value)
    if value == "...":
        return Ellipsis
    if isinstance(value, str) and ":" in value:
        return slice(*[int(bound) if bound else None for bound in value.split(":")])
    return value


def plain(value: Any) -> Any:
    """A param as JSON has it: numbers, texts, lists; a slice as people write it, e.g. "1:"."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, slice):
        bounds = ("" if bound is None else str(bound) for bound in (value.start, value.stop))
        return ":".join(bounds) + ("" if value.step is None else f":{value.step}")
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if value is Ellipsis:
        return "..."
    if isinstance(value, Op):
        return value.name
    if isinstance(value, Mapping):
        return [[name, plain(item)] for name, item in value.items()]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
