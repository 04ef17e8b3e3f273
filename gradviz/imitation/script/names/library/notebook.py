"""`IPython.display`: values shown as a notebook shows them, and what is shown as pictures named by its class."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import natives, plain_class
from gradviz.imitation.script.values import Class, Instance, Namespace, Native

RICH = ("HTML", "Markdown", "Latex", "Math", "Image", "SVG", "Audio", "Video", "JSON", "IFrame", "Javascript", "Code")
"""What a page shows as something else than text."""


def display(machine: Machine, *values: Any, **_: Any) -> None:
    """`display(x)`: as the last value of a cell in a notebook, and as `print` in a script."""
    from gradviz.imitation.script.showing.pretty import pretty

    if machine.state["source"].kind == "notebook":
        machine.write("".join(f"{pretty(value)}\n" for value in values))
    else:
        machine.write(" ".join(map(str, values)) + "\n")


def _rich(machine: Machine, name: str) -> Class:
    begin = Native("__init__", lambda self, *_, **__: None, is_method=True)
    return plain_class(machine, name, "IPython.core.display", {"__init__": begin, "__repr__": SHOWN})


def _shown(self: Instance) -> str:
    return f"<IPython.core.display.{self.cls.name} object>"


SHOWN = Native("__repr__", _shown, is_method=True)


def shown(machine: Machine) -> Native:
    """The function that every notebook has."""
    return Native("display", lambda *values, **named: display(machine, *values, **named))


def module(machine: Machine) -> Namespace:
    """`IPython`."""
    page = Namespace("IPython.display", {
        "display": shown(machine), **{name: _rich(machine, name) for name in RICH},
        **natives({"clear_output": lambda *_, **__: None, "set_matplotlib_formats": lambda *_: None}),
    })  # fmt: skip
    return Namespace("IPython", {
        "display": page, "core": Namespace("IPython.core", {"display": page}), "__version__": "8.0.0",
        "get_ipython": Native("get_ipython", lambda: machine.state.get("shell")),
    })  # fmt: skip
