"""Objects of a script's classes as numpy takes them into arrays: whole, or the items of one that says it has some."""

from __future__ import annotations

from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.values import Object


def items_of(value: Any) -> Any:
    """What numpy makes an array of: what `__array__` gives, the items of a sequence, or the value itself."""
    if type(value) is not Object:
        return value
    if value.cls.has("__array__"):
        return value.special("__array__")
    if not value.cls.has("__len__") or not value.cls.has("__getitem__"):
        return value
    try:
        len(value)
    except TorchError:
        return value  # numpy takes what cannot say its length for one object
    return list(map(items_of, value.machine.listed(value)))
