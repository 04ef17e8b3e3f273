"""Context managers of the library: what `with` enters, told of the error that it leaves with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.errors import GradvizError


class Managed:
    """What stands behind `with`.

    Attributes:
        enter: gives the value of `as`.
        leave: called with the error, or None; true where that is not to go on.
        again: makes another one, for its use as a decorator; None where it is none.
        members: what else a script reaches on it.
    """

    __slots__ = ("again", "enter", "leave", "members", "name")

    def __init__(
        self,
        name: str,
        enter: Callable[[], Any],
        leave: Callable[[GradvizError | None], Any],
        again: Callable[[], Managed] | None = None,
    ) -> None:
        self.name = name
        self.enter = enter
        self.leave = leave
        self.again = again
        self.members: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"<{self.name} object at 0x7f0000000000>"
