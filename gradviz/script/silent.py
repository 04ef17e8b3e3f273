"""Plotting is taken silently: what a plotting module gives, whatever is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradviz.script.values import Namespace

if TYPE_CHECKING:
    from gradviz.script.machine import Machine

SETTINGS = frozenset(("rcParams", "rcParamsDefault", "style", "use", "set_theme"))


class Silent(Namespace):
    """Any attribute, item or call of it gives the like again; it has no items to loop over."""

    __slots__ = ("machine",)

    def __init__(self, name: str, machine: Machine) -> None:
        super().__init__(name, {})
        self.machine = machine

    def child(self, name: str) -> Silent:
        """Its attribute."""
        return Silent(f"{self.name}.{name}"[-200:], self.machine)

    def called(self) -> Silent:
        """What a call gives. The first that draws says, once, that figures are skipped."""
        if SETTINGS.isdisjoint(self.name.split(".")) and not self.machine.state.get("silent"):
            self.machine.state["silent"] = True
            self.machine.write(f"[gradviz: {self.name.split('.')[0]} figure skipped]\n")
        return self

    def enter(self) -> Silent:
        """`with plt.ioff():`"""
        return self

    def leave(self, _: object) -> None:
        """Nothing was changed."""

    def __iter__(self) -> Iterator[Silent]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self.name}>"
