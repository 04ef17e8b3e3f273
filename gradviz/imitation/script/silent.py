"""Plotting is taken silently: what a plotting module gives, whatever is asked of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.arrays.operands import refuse_grad
from gradviz.imitation.script.values import Namespace, Native

if TYPE_CHECKING:
    from gradviz.imitation.script.machine import Machine

DRAWN = frozenset((
    "plot", "scatter", "imshow", "bar", "barh", "hist", "contour", "contourf", "quiver", "plot_surface", "semilogx",
    "semilogy", "loglog", "fill_between", "errorbar", "boxplot", "pie", "matshow", "pcolormesh", "stem", "step",
    "lineplot", "scatterplot", "heatmap", "line", "streamplot", "plot_wireframe", "make_dot",
))  # fmt: skip
PLACED = frozenset((
    "axhline", "axvline", "hlines", "vlines", "xlim", "ylim", "set_xlim", "set_ylim", "xticks", "yticks", "hist2d",
))  # fmt: skip
"""What takes numbers besides."""
NUMBERS = frozenset(("x", "y", "c", "height", "xerr", "yerr"))
OF_ARRAYS = ("matplotlib", "pylab", "mpl_toolkits")
"""The modules that make arrays of all they draw."""
COLOURS = frozenset(("cm", "get_cmap", "colormaps"))
LENGTHS = {
    "xlim": 2, "ylim": 2, "get_xlim": 2, "get_ylim": 2, "axis": 4, "colors": 10, "by_key": 10,
    "tab20.colors": 20, "tab20b.colors": 20, "tab20c.colors": 20, "Set1.colors": 9, "Set2.colors": 8,
    "Set3.colors": 12, "Paired.colors": 12, "Pastel1.colors": 9, "Pastel2.colors": 8, "Accent.colors": 8,
    "Dark2.colors": 8,
}  # fmt: skip
"""How many numbers or colours it has, by its name or by its last two: loops and remainders go by them."""
MOST_PARTS = 100_000
ALONE = 2  # names in the path of `matplotlib.pyplot.subplots` after its root; a figure's own `subplots` has more


def refuse_recorded(given: list[Any]) -> None:
    """Raise for a tensor that requires grad, alone or in lists, as an array made of it does."""
    seen: set[int] = set()
    while given:
        value = given.pop()
        if isinstance(value, Tensor):
            refuse_grad(value)
        elif isinstance(value, list | tuple) and id(value) not in seen:
            seen.add(id(value))
            given += value


class Silent(Namespace):
    """Any attribute, item, call or sum of it gives the like again; alone it has hardly any items to loop over."""

    __slots__ = ("machine",)
    is_callable = True

    def __init__(self, name: str, machine: Machine) -> None:
        super().__init__(name, {})
        self.machine = machine

    def child(self, name: str) -> Silent:
        """Its attribute."""
        return Silent(f"{self.name}.{name}"[-200:], self.machine)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """What a call gives. What is drawn is named beside the output as skipped."""
        root, *path = self.name.split(".")
        if root in OF_ARRAYS and path and (path[-1] in DRAWN or path[-1] in PLACED):
            refuse_recorded([*given, *(named[name] for name in NUMBERS & named.keys())])
        if path and path[-1] in DRAWN:
            self.machine.warnings.note(f"{root}: the figure of {path[-1]}() is skipped")
        elif path and path[-1] == "subplots" and not {"GridSpec", "add_gridspec"}.intersection(path):
            axes = self._axes(*given, **named)
            return axes if len(path) > ALONE else (Figure(self.name, self.machine, _listed(axes)), axes)
        elif path and path[-1] == "figure":
            return Figure(self.name, self.machine, [])
        elif given and isinstance(given[0], np.ndarray | Tensor | list | tuple) and COLOURS.intersection(path):
            return self._each((*np.shape(getattr(given[0], "data", given[0])), 4))
        return self

    def _axes(self, nrows: Any = 1, ncols: Any = 1, *_: Any, squeeze: Any = True, **__: Any) -> Any:
        """What `subplots` gives: one for each place, which loops and indices go over as over matplotlib's."""
        for kind, count in (("rows", nrows), ("columns", ncols)):
            if not isinstance(count, int | np.integer) or count <= 0:
                text = f"Number of {kind} must be a positive integer, not {count!r}"
                raise TorchError(text, kind="ValueError")
        axes = self._each((int(nrows), int(ncols)))
        return axes if not squeeze else axes.squeeze() if axes.size != 1 else self

    def _each(self, shape: tuple[int, ...]) -> Any:
        if math.prod(shape) > MOST_PARTS:
            raise ScriptError(f"a figure has {MOST_PARTS:,} parts at most here", hint="Draw fewer at a time.")
        places = np.empty(shape, dtype=object)
        places.fill(self)
        return places

    def enter(self) -> Silent:
        """`with plt.ioff():`"""
        return self

    def leave(self, _: object) -> None:
        """Nothing was changed."""

    def __iter__(self) -> Iterator[Silent]:
        return iter((self,) * len(self))

    def __len__(self) -> int:
        path = self.name.split(".")
        return LENGTHS.get(".".join(path[-2:]), LENGTHS.get(path[-1], 0))

    def __bool__(self) -> bool:
        return True

    def number(self) -> NoReturn:
        """What `float()` asks for.

        Raises:
            ScriptError: always, as nothing is measured where nothing is drawn.
        """
        raise ScriptError(
            f"what '{self.name}' measures in a figure is not known, as gradviz draws no figures",
            hint="Write the number, or work it out from the data.",
        )

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Figure(Silent):
    """A figure of a script's, which knows how many axes it has, for the loops over them.

    Attributes:
        parts: its axes.
    """

    __slots__ = ("parts",)

    def __init__(self, name: str, machine: Machine, parts: list[Silent]) -> None:
        super().__init__(name, machine)
        self.parts = parts

    def child(self, name: str) -> Any:
        """Its attribute."""
        if name == "axes":
            return self.parts[:]
        if name == "get_axes":
            return Native(name, lambda: self.parts[:])
        made = super().child(name)
        return Adding(made.name, self.machine, self.parts) if name in ADDING else made


class Adding(Figure):
    """A method that gives a figure more axes."""

    __slots__ = ()

    def __call__(self, *given: Any, **named: Any) -> Any:
        """What the method gives."""
        made = super().__call__(*given, **named)
        if "cax" not in named and len(self.parts) < MOST_PARTS:
            self.parts += _listed(made)
        return made


ADDING = frozenset(("add_subplot", "add_axes", "subplots", "colorbar"))


def _listed(axes: Any) -> list[Silent]:
    """The axes of a grid, or the only one."""
    return [*axes.flat] if isinstance(axes, np.ndarray) else [axes]


def _computed(silent: Silent, *_: Any) -> Silent:
    return silent


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Silent, f"__{_name}__", _computed)
    setattr(Silent, f"__r{_name}__", _computed)
for _name in ("neg", "pos", "abs", "lt", "le", "gt", "ge", "round"):
    setattr(Silent, f"__{_name}__", _computed)
for _name in ("float", "int", "index"):
    setattr(Silent, f"__{_name}__", Silent.number)


def beside(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """What `zip` goes over: a silent one of unknown length has as many items as stand beside it."""
    unknown = [isinstance(each, Silent) and not len(each) for each in items]
    if all(unknown) or not any(unknown):
        return items
    return tuple(repeat(each) if is_unknown else each for each, is_unknown in zip(items, unknown, strict=True))
