"""The data of a new tensor: what a script gives as nested sequences of any kind, as lists."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import SLOW
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.limits.sizes import check_range
from gradviz.imitation.script.values import Instance, type_name

DEEPEST = 64
"""An array of numpy has at most so many dims, which also ends a list that holds itself."""

NUMBERS = frozenset({int, float, bool, Tensor})
"""Types that need no look; what else is no sequence stays as it is too."""


def is_sequence(value: Any) -> bool:
    """Whether items can be taken from it by their places, as PyTorch asks of data."""
    if isinstance(value, Instance) and not isinstance(value, list | tuple | str | dict):
        return value.cls.find("__getitem__") is not None
    return isinstance(value, list | tuple | range | deque | bytearray | bytes | str)


def as_lists(data: Any, depth: int = 0) -> Any:
    """Lists in place of all sequences but texts; lists and tuples of numbers alone stay what they are.

    Raises:
        TorchError: they are nested too deep, or one has no length.
    """
    if type(data) in NUMBERS or isinstance(data, str | bytes) or not (is_sequence(data) or _is_row(data, depth)):
        return data
    if type(data) in (list, tuple) and NUMBERS.issuperset(map(type, data)):
        return data
    if depth == DEEPEST:
        raise TorchError("too many dimensions 'list'", kind="ValueError", hint="Here a tensor has at most 64 dims.")
    items = list(_items(data))
    if items and isinstance(items[0], np.ndarray):
        if not depth and all(isinstance(item, np.ndarray) for item in items):
            return items  # arrays are put together as they are
        warn(SLOW, once=True)
    return [as_lists(item, depth + 1) for item in items]


def _is_row(data: Any, depth: int) -> bool:
    return depth > 0 and isinstance(data, np.ndarray)


def _items(data: Any) -> Any:
    if isinstance(data, range):
        check_range(data)
    if isinstance(data, np.ndarray) and not data.ndim:
        raise TorchError("len() of unsized object", kind="TypeError", hint="Put its number there: x.item().")
    if not isinstance(data, Instance) or isinstance(data, list | tuple):
        return data
    if data.cls.find("__len__") is None:
        raise TorchError(f"object of type '{type_name(data)}' has no len()", kind="TypeError")
    return data.machine.listed(data)
