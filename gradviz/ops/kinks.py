"""Where ops may have kinks: at fixed numbers, at bounds, where elements are equal. What the slopes are is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.ops.op import Kinks

Numbers = np.ndarray[Any, np.dtype[Any]]
Params = Mapping[str, Any]


def at(*given: float | str, elsewhere: str = "") -> Kinks:
    """At fixed numbers, or at params by their names, "-lambd" for the negative of one."""

    def places(slot: int, arrays: Sequence[Numbers], params: Params) -> Numbers | None:
        if slot:
            return None
        found = np.zeros(arrays[0].shape, dtype=np.bool_)
        for each in given:
            number = params.get(each.lstrip("-")) if isinstance(each, str) else each
            if isinstance(number, int | float):
                number = -number if isinstance(each, str) and each.startswith("-") else number
                found |= arrays[0] == arrays[0].dtype.type(number)
        return found

    return Kinks(places, elsewhere=elsewhere)


def _bounded(slot: int, arrays: Sequence[Numbers], params: Params) -> Numbers | None:
    """At the bounds of a clamp, which are params or other inputs."""
    if slot:
        return None
    found: Numbers = at("min", "max", "min_val", "max_val").places(0, arrays, params)
    for bound in arrays[1:]:
        found = found | (arrays[0] == bound)
    return found


def _equal(slot: int, arrays: Sequence[Numbers], _params: Params) -> Numbers | None:
    """Where both inputs are equal."""
    if len(arrays) < 2:
        return None
    both = np.asarray(arrays[0] == arrays[1])
    mine = arrays[slot]
    if mine.shape == both.shape:
        return both
    return both if not both.ndim else np.asarray(np.isin(mine, np.broadcast_to(mine, both.shape)[both]))


def tied(extreme: Callable[..., Any]) -> Kinks:
    """Where several elements are the largest, or the least."""

    def places(slot: int, arrays: Sequence[Numbers], params: Params) -> Numbers | None:
        x, dim = arrays[0], params.get("dim")
        axes = tuple(dim) if isinstance(dim, list | tuple) and dim else dim if isinstance(dim, int) else None
        if slot or not x.size:
            return None
        is_it = x == extreme(x, axis=axes, keepdims=True)
        found: Numbers = is_it & (is_it.sum(axis=axes, keepdims=True) > 1)
        return found

    return Kinks(places, is_tie=True)


BOUNDS = Kinks(_bounded)
EQUAL = Kinks(_equal, is_tie=True)
