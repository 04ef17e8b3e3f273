"""The session that cells run in: what was typed and shown before, as `In`, `Out`, `_` and `_3`, and its shell."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import methods, plain_class
from gradviz.imitation.script.values import Instance, Native

LAST = ("_", "__", "___")
BEFORE = ("_i", "_ii", "_iii")


class Session:
    """The history of a notebook, under the names that IPython keeps it by.

    They stand among the builtins, so that what a script itself calls `_` goes before them and none of them is taken
    for one of its variables.

    Attributes:
        count: the number of the cell that runs, from 1; empty cells have none.
        typed: the texts of the cells so far, with "" before the first.
        shown: the values of cells, by number.
    """

    def __init__(self, machine: Machine, cells: list[str]) -> None:
        self._names = machine.builtins
        self._machine = machine
        self._cells = cells
        self._last: list[Any] = [""] * len(LAST)
        self.count = 0
        self.typed = [""]
        self.shown: dict[int, Any] = {}
        self._names |= {"In": self.typed, "_ih": self.typed, "Out": self.shown, "_oh": self.shown}
        self._names |= dict.fromkeys((*LAST, *BEFORE), "")
        shell = machine.state["shell"] = _shell(machine)
        self._names["get_ipython"] = Native("get_ipython", lambda: shell)

    def begin(self, count: int) -> None:
        """A cell begins; those since the last that were no code have been passed."""
        while self.count < count:
            self._names |= dict(zip(BEFORE, [*self.typed[: -len(BEFORE) - 1 : -1], "", ""], strict=False))
            self.typed.append(self._cells[self.count])
            self.count += 1
            self._names[f"_i{self.count}"] = self.typed[-1]

    def show(self, value: Any) -> None:
        """Keep the value of a cell; `_` is left to a script that has one of its own."""
        if value is self.shown:
            return
        self._last = [value, *self._last[:-1]]
        if not any(name in self._machine.state["module"].vars for name in LAST):
            self._names |= dict(zip(LAST, self._last, strict=True))
        self._names[f"_{self.count}"] = self.shown[self.count] = value


class Heard:
    """What cells under `%%capture` print: heard by nobody, and kept under the name that the magic gives."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._parts: list[str] = []

    def begin(self) -> None:
        """The cell begins."""
        self._parts = []
        self._machine.writers.append(self._parts.append)

    def end(self, name: str = "") -> None:
        """The cell ends; `name` is given what was printed, if it is one."""
        self._machine.writers.pop()
        if name:
            self._machine.state["module"].vars[name] = self._kept("".join(self._parts))

    def _kept(self, text: str) -> Instance:
        show = lambda *_: self._machine.write(text)  # noqa: E731 - three methods in one
        members = methods({"show": show, "__call__": show, "__str__": lambda _: text})
        fields = {"stdout": text, "stderr": "", "outputs": []}
        return Instance(
            plain_class(self._machine, "CapturedIO", "IPython.utils.capture", members | fields), self._machine
        )


def _shell(machine: Machine) -> Instance:
    """The shell, whose magics do nothing."""
    passed = {name: lambda *_, **__: None for name in ("run_line_magic", "run_cell_magic", "system")}
    members = methods(passed | {"getoutput": lambda *_, **__: []}) | {"config": {"IPKernelApp": {}}}
    return Instance(plain_class(machine, "ZMQInteractiveShell", "ipykernel.zmqshell", members), machine)
