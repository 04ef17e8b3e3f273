"""Modules of Python's library that gradviz has not got: a script may import them, and is refused where it uses them.

Many scripts import what they never call, or call only where a file is to be read.
"""

from __future__ import annotations

from typing import Any

from gradviz.errors import ScriptError
from gradviz.imitation.script.readers import READERS
from gradviz.imitation.script.values import Namespace, Native


class Unread(Namespace):
    """Such a module.

    Attributes:
        hint: what to do without it.
    """

    __slots__ = ("hint",)

    def __init__(self, name: str, hint: str) -> None:
        super().__init__(name, {})
        self.hint = hint

    def member(self, name: str) -> Native:
        """What `from module import name` binds."""

        def run(*_: Any, **__: Any) -> None:
            raise self.refusal(name)

        return Native(name, run)

    def refusal(self, name: str) -> ScriptError:
        """The error where a script wants something of it."""
        return ScriptError(f"'{self.name}.{name}' is not supported by gradviz", hint=self.hint)


def _refused(machine: Any, owner: Unread, name: str) -> Any:
    raise owner.refusal(name)


READERS[Unread] = _refused
