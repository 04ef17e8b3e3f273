"""Plotting is taken silently: what matplotlib and its like give, whatever is asked of them, is the like again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from gradviz.errors import GradvizError
from gradviz.trace import pretty

SILENT = frozenset({
    "matplotlib", "pylab", "mpl_toolkits", "seaborn", "plotly", "torchviz", "graphviz", "tqdm", "IPython",
    "ipywidgets", "networkx",
})  # fmt: skip
"""Packages that only show something, for people to look at."""

DRAWN = frozenset({
    "plot", "scatter", "imshow", "bar", "barh", "hist", "contour", "contourf", "quiver", "plot_surface", "semilogx",
    "semilogy", "loglog", "fill_between", "errorbar", "boxplot", "pie", "matshow", "pcolormesh", "stem", "step",
    "lineplot", "scatterplot", "heatmap", "line", "streamplot", "plot_wireframe", "make_dot",
})  # fmt: skip
"""Calls that draw something, which the window says it has skipped."""

COUNTS = {
    "xlim": 2, "ylim": 2, "get_xlim": 2, "get_ylim": 2, "axis": 4, "colors": 10, "by_key": 10,
}  # fmt: skip
"""How many items something has by its name, for loops and unpacking."""

MOST_PARTS = 10_000
"""Axes of one figure."""


@dataclass
class Surroundings:
    """What a run has around it.

    Attributes:
        write: takes what is printed.
        note: takes what gradviz says of itself, such as a figure that it does not draw.
        is_notebook: whether cells run, in which `display` shows values as the last line of a cell does.
        shell: what `get_ipython()` gives; None in a script.
    """

    write: Callable[[str], object]
    note: Callable[[str], object] = lambda _: None
    is_notebook: bool = False
    shell: Any = None


class Silent:
    """Any attribute, item, call or sum of it gives the like again; alone it has hardly any items to loop over."""

    def __init__(self, path: str, around: Surroundings) -> None:
        self._path = path
        self._around = around

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(f"'{self._path}' has no attribute '{name}'")
        return Silent(f"{self._path}.{name}"[-200:], self._around)

    def __call__(self, *given: Any, **named: Any) -> Any:
        root, *path = self._path.split(".")
        last = path[-1] if path else ""
        if last in DRAWN:
            if root in ("matplotlib", "pylab", "mpl_toolkits"):
                for value in given:
                    if hasattr(type(value), "__array__"):
                        np.asarray(value)  # raises for a tensor that requires grad, as matplotlib does
            self._around.note(f"{root}: the figure of {last}() is skipped")
        elif last == "subplots":
            axes = self._grid(*given, **named)
            return axes if len(path) > 2 else (Figure(self._path, self._around, axes), axes)
        elif last in ("figure", "gcf"):
            return Figure(self._path, self._around, None)
        return self

    def _grid(self, nrows: int = 1, ncols: int = 1, *_: Any, squeeze: bool = True, **__: Any) -> Any:
        if not (0 < nrows * ncols <= MOST_PARTS):
            raise ValueError(f"Number of rows and columns must be positive, not {nrows} and {ncols}")
        axes = np.empty((nrows, ncols), dtype=object)
        axes.fill(self)
        return axes if not squeeze else axes.squeeze() if axes.size != 1 else self

    def __setattr__(self, name: str, value: Any) -> None:
        if name[:1] == "_":
            object.__setattr__(self, name, value)

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        return repeat(self, len(self))

    def __len__(self) -> int:
        path = self._path.split(".")
        return COUNTS.get(path[-1], 0)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: Any) -> Silent:
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __contains__(self, key: Any) -> bool:
        return False

    def _measure(self) -> NoReturn:
        raise GradvizError(
            f"what '{self._path}' measures in a figure is not known, as gradviz draws no figures",
            hint="Write the number, or work it out from the data.",
        )

    def __float__(self) -> float:
        self._measure()

    def __int__(self) -> int:
        self._measure()

    def _itself(self, *_: Any) -> Silent:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _itself
    __lt__ = __le__ = __gt__ = __ge__ = _itself
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __neg__ = __abs__ = _itself

    def __repr__(self) -> str:
        return f"<{self._path}>"


class Figure(Silent):
    """A figure, which knows its axes, for the loops over them."""

    def __init__(self, path: str, around: Surroundings, axes: Any) -> None:
        super().__init__(path, around)
        self._parts = [] if axes is None else list(axes.flat) if isinstance(axes, np.ndarray) else [axes]

    def __getattr__(self, name: str) -> Any:
        if name == "axes":
            return list(self._parts)
        if name == "get_axes":
            return lambda: list(self._parts)
        if name in ("add_subplot", "add_axes", "gca"):
            return self._add
        return super().__getattr__(name)

    def _add(self, *_: Any, **__: Any) -> Any:
        made = Silent(f"{self._path}.axes", self._around)
        if len(self._parts) < MOST_PARTS:
            self._parts.append(made)
        return made


class Bar:
    """`tqdm`: goes through the items in silence."""

    def __init__(self, iterable: Any = None, *_: Any, total: Any = None, **__: Any) -> None:
        self.iterable = iterable
        self.total = total
        self.n = 0

    def __iter__(self) -> Iterator[Any]:
        return iter(() if self.iterable is None else self.iterable)

    def __len__(self) -> int:
        return len(self.iterable)

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, n: int = 1) -> None:
        """So many more are done."""
        self.n += n

    def set_description(self, *_: Any, **__: Any) -> None:
        """Nothing is shown."""

    set_postfix = set_postfix_str = set_description_str = close = refresh = reset = clear = unpause = set_description


def _module(path: str, names: Mapping[str, Any]) -> ModuleType:
    """A module of these names; one without a path to look for others in."""
    made = ModuleType(path)
    vars(made).update(names)
    return made


def silent_module(path: str, around: Surroundings) -> Any:
    """A module of a package that only shows something."""
    root = path.partition(".")[0]
    if root == "tqdm":
        return _progress(path)
    if root == "IPython":
        return _notebook(path, around)
    return Silent(path, around)


def _progress(path: str) -> Any:
    bar = type("tqdm", (Bar,), {
        "__module__": "tqdm.std",
        "write": staticmethod(lambda text, **_: print(text)),
    })  # fmt: skip
    names: dict[str, Any] = {"tqdm": bar, "trange": lambda *bounds, **_: bar(range(*bounds)), "tqdm_notebook": bar}
    if path == "tqdm":
        names |= {form: _module(f"tqdm.{form}", names) for form in ("auto", "notebook", "std", "autonotebook")}
    return _module(path, names)


RICH = ("HTML", "Markdown", "Latex", "Math", "Image", "SVG", "Audio", "Video", "JSON", "IFrame", "Javascript", "Code")
"""What a page shows as something else than text."""


class Rich:
    """Something that a page would show."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Nothing is kept."""

    def __repr__(self) -> str:
        return f"<IPython.core.display.{type(self).__name__} object>"


def display_in(around: Surroundings) -> Callable[..., None]:
    """`display(x)`: as the last value of a cell in a notebook, and as `print` in a script."""

    def display(*values: Any, **_: Any) -> None:
        if around.is_notebook:
            around.write("".join(f"{pretty.shown(value)}\n" for value in values))
        else:
            print(*values)

    return display


def _notebook(path: str, around: Surroundings) -> Any:
    shown: dict[str, Any] = {
        "display": display_in(around), "clear_output": lambda *_, **__: None,
        "set_matplotlib_formats": lambda *_: None,
        **{name: type(name, (Rich,), {"__module__": "IPython.core.display"}) for name in RICH},
    }  # fmt: skip
    page = _module("IPython.display", shown)
    if path in ("IPython.display", "IPython.core.display"):
        return page
    return _module(path, {"display": page, "get_ipython": lambda: around.shell, "__version__": "8.0.0"})
