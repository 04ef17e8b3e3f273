"""The warnings of a run: Python's filters, each said once a place, and what came through."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gradviz.imitation.engine.warn import Once
from gradviz.errors import TorchError
from gradviz.recording import Warned
from gradviz.imitation.script.values import Class, Instance

if TYPE_CHECKING:
    from gradviz.imitation.script.machine import Machine

ACTIONS = ("default", "error", "ignore", "always", "all", "module", "once")

NOTE = "Note"
"""The class of what gradviz says of itself, such as a figure that it does not draw."""

MOST = 1_000
"""Warnings kept of one run; a loop that warns with another text each time gives no more."""


LONGEST = 10_000
"""Characters of a line on the error stream."""


class Filter(NamedTuple):
    """What is done with warnings of a class whose text begins so.

    Attributes:
        start: how the message begins, whatever the case of its letters.
        line: of the script, or 0 for all.
        is_anywhere: `start` may stand anywhere in the message.
    """

    action: str
    category: str = "Warning"
    start: str = ""
    line: int = 0
    is_anywhere: bool = False

    def holds(self, message: str, kinds: frozenset[str], line: int) -> bool:
        """Whether a warning falls under it; `kinds` are its class and those it is derived from."""
        at = message.lower().find(self.start.lower())
        return self.category in kinds and (at == 0 or (at > 0 and self.is_anywhere)) and self.line in (0, line)


class WarningMessage:
    """What `catch_warnings(record=True)` collects: the warning as a script sees it."""

    FIELDS = ("category", "filename", "lineno", "message")

    def __init__(self, machine: Machine, warned: Warned) -> None:
        classes = machine.state["exceptions"]
        self.category = classes.get(warned.category, classes["UserWarning"])
        self.message = Instance(self.category, machine)
        self.message.attributes["args"] = (warned.message,)
        self.lineno = warned.line
        self.filename = "script.py"


class Warnings:
    """What a run warns of.

    Attributes:
        filters: the first that holds decides.
        given: what was said, in order.
        caught: the lists of `catch_warnings(record=True)`, innermost last; None for one that does not record.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.filters: tuple[Filter, ...] = (
            Filter("ignore", "PendingDeprecationWarning"), Filter("ignore", "ImportWarning"),
            Filter("ignore", "ResourceWarning"),
        )  # fmt: skip
        self.given: list[Warned] = []
        self.caught: list[list[WarningMessage] | None] = []
        self._aside = ""
        self._said: set[tuple[str, str, int | str]] = set()
        self._said_by_pytorch: set[Once] = set()

    def warn(
        self, message: str, category: str = "UserWarning", once: bool | str = False, cls: Class | None = None,
        stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Warn of something at the line that runs, as the filters say.

        Args:
            category: the name of its class.
            once: it comes from one place, whatever the line; or the name of that place.
            cls: the class itself, where the script has written it.
            stacklevel: 2 for the line that called the function that runs, 3 for the line that called that one.

        Raises:
            TorchError: of the kind `category`, where a filter makes errors of warnings.
        """
        if isinstance(once, Once):
            if once in self._said_by_pytorch:
                return
            self._said_by_pytorch.add(once)
        line = self._line(stacklevel)
        action = self._action(message, cls or self._machine.state["exceptions"].get(category), line)
        if action == "ignore":
            return
        if action == "error":
            raise TorchError(message, kind=category)
        inside = once if isinstance(once, str) else ""
        place = (message, category, line if action == "default" and not once else inside)
        if place in self._said and (once or action not in ("always", "all")):
            return
        self._said.add(place)
        self._say(Warned(message, category, line or None, self._machine.written))

    def _line(self, stacklevel: int) -> int:
        line, level = self._machine.line, self._machine.level
        for _ in range(stacklevel - 1):
            while level.outer is not None and level.number >= 0:
                level = level.outer
            if level.outer is None:
                break
            line, level = level.line or line, level.outer
        return line

    def note(self, message: str) -> None:
        """Say something of gradviz's own about the line that runs, once a place."""
        place = (message, NOTE, self._machine.line)
        if place not in self._said:
            self._said.add(place)
            self._say(Warned(message, NOTE, self._machine.line or None, self._machine.written))

    def _action(self, message: str, cls: Class | None, line: int) -> str:
        kinds = frozenset(("Warning",) if cls is None else (each.name for each in cls.mro))
        return next((each.action for each in self.filters if each.holds(message, kinds, line)), "default")

    def _say(self, warned: Warned) -> None:
        caught = self.caught[-1] if self.caught else None
        if caught is not None:
            caught.append(WarningMessage(self._machine, warned))
        elif len(self.given) < MOST:
            self.given.append(warned)

    def aside(self, text: str) -> None:
        """What is written on the error stream, told line by line: it is no part of the output."""
        self._machine.spend(1 + len(text) // 16)
        *lines, rest = (self._aside + text).split("\n")
        self._aside = rest[-LONGEST:]
        for line in lines[: max(0, MOST - len(self.given))]:
            self.given.append(Warned(line[:LONGEST], "stderr", self._machine.line or None, self._machine.written))

    def forget(self) -> None:
        """The filters changed: every place may warn again."""
        self._said.clear()

    def forget_places(self) -> None:
        """Python's own memory is gone, as when PyTorch made filters for a while: lines and modules may warn again."""
        self._said = {said for said in self._said if not said[0] or not said[2]}


def compiler_loaded(machine: Machine) -> None:
    """With a script's first parameters or gradient function PyTorch loads its compiler, and Python's memory is gone."""
    if not machine.state.get("compiler is loaded"):
        machine.state["compiler is loaded"] = True
        machine.warnings.forget_places()
