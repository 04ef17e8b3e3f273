"""Results with names, such as that of `sort`: a tuple that prints as `torch.return_types.sort`."""

from __future__ import annotations

from collections import namedtuple
from typing import Any


class Named:
    """The base of all of them, beside tuple."""

    __slots__ = ()
    _fields: tuple[str, ...]

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"torch.return_types.{type(self).__name__}(\n" + ",\n".join(parts) + ")"


def named(name: str, *fields: str) -> Any:
    """The class of the results of one function."""
    made = type(name, (Named, namedtuple(name, fields)), {"__slots__": (), "shown_as": f"torch.return_types.{name}"})
    TYPES[name] = made
    return made


def into_out(found: tuple[Any, ...], targets: list[Any]) -> tuple[Any, ...]:
    """The results of a function that wrote them into `out`, which have a class of their own."""
    name = f"{type(found).__name__}_out"
    if not isinstance(found, Named):
        return tuple(targets)
    return (TYPES.get(name) or named(name, *found._fields))(*targets)  # type: ignore[no-any-return]


TYPES: dict[str, Any] = {}
"""By the name of the function."""

for _name in ("max", "min", "median", "nanmedian", "mode", "kthvalue", "sort", "topk", "cummax", "cummin"):
    named(_name, "values", "indices")
named("aminmax", "min", "max")
named("histogram", "hist", "bin_edges")
