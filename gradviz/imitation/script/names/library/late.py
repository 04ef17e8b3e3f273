"""A module that is made when a script first looks into it."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.values import Namespace


class Late(Namespace):
    """A module that is made when a script first looks into it."""

    __slots__ = ("make",)

    def __init__(self, name: str, make: Any) -> None:
        self.name = name
        self.make = make

    def __getattr__(self, name: str) -> Any:
        if name != "members":
            raise AttributeError(name)
        self.members: dict[str, Any] = self.make()
        return self.members
