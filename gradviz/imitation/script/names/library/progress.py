"""`tqdm`: goes through the items in silence; its bar is drawn on the error stream anyway."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.readers import READERS, members_of
from gradviz.imitation.script.values import Class, Namespace, Native

SILENT = (
    "set_description", "set_postfix", "set_postfix_str", "set_description_str", "close", "refresh", "reset", "clear",
    "display", "unpause",
)  # fmt: skip


class Bar(Managed):
    """A bar: the items, and calls that say nothing."""

    shown_as = "tqdm"
    __slots__ = ("items", "n")

    def __init__(self, machine: Machine, items: Any, total: Any) -> None:
        super().__init__("tqdm", lambda: self, lambda _: False)
        self.items = items
        self.n = 0
        self.members = {name: Native(name, lambda *_, **__: None) for name in SILENT}
        self.members |= {"update": Native("update", self._update), "total": total}
        self.members["write"] = Native("write", lambda text, **_: machine.write(f"{text}\n"))

    def _update(self, n: int = 1) -> None:
        self.n += n
        self.members["n"] = self.n

    def __iter__(self) -> Iterator[Any]:
        return iter(() if self.items is None else self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return True


def module(machine: Machine) -> Namespace:
    """`tqdm`, and its forms for notebooks."""

    def bar(iterable: Any = None, *_: Any, total: Any = None, **__: Any) -> Bar:
        return Bar(machine, iterable, total)

    def span(*bounds: int, **_: Any) -> Bar:
        return Bar(machine, range(*bounds), None)

    cls = Class("tqdm", python=(Bar,), make=Native("tqdm", bar), module="tqdm.std")
    cls.attributes["write"] = Native("write", lambda text, **_: machine.write(f"{text}\n"))
    members = {"tqdm": cls, "trange": Native("trange", span), "tqdm_notebook": cls}
    forms = {name: Namespace(f"tqdm.{name}", dict(members)) for name in ("auto", "notebook", "std", "autonotebook")}
    return Namespace("tqdm", {**members, **forms})


READERS[Bar] = members_of
