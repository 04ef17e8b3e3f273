"""Plotting is taken silently: what a plotting module gives, whatever is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradviz.script.values import Namespace

if TYPE_CHECKING:
    from gradviz.script.machine import Machine

DRAWN = frozenset((
    "plot", "scatter", "imshow", "bar", "barh", "hist", "contour", "contourf", "quiver", "plot_surface", "semilogx",
    "semilogy", "loglog", "fill_between", "errorbar", "boxplot", "pie", "matshow", "pcolormesh", "stem", "step",
    "lineplot", "scatterplot", "heatmap", "line", "streamplot", "plot_wireframe", "make_dot",
))  # fmt: skip


class Silent(Namespace):
    """Any attribute, item or call of it gives the like again; it has no items to loop over."""

    __slots__ = ("machine",)
    is_callable = True

    def __init__(self, name: str, machine: Machine) -> None:
        super().__init__(name, {})
        self.machine = machine

    def child(self, name: str) -> Silent:
        """Its attribute."""
        return Silent(f"{self.name}.{name}"[-200:], self.machine)

    def __call__(self, *_: object, **__: object) -> Silent:
        """What a call gives. What is drawn is named beside the output as skipped."""
        root, *path = self.name.split(".")
        if path and path[-1] in DRAWN:
            self.machine.warnings.note(f"{root}: the figure of {path[-1]}() is skipped")
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
