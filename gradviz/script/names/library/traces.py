"""`traceback`: an error and its line, as text or on the error stream."""

from __future__ import annotations

from typing import Any

from gradviz.script.errors.exceptions import value_of
from gradviz.script.machine import Machine
from gradviz.script.names.library.making import with_machine
from gradviz.script.values import Class, Instance, Namespace


def last_line(value: Instance) -> str:
    """An exception as the last line of its traceback."""
    text = str(value)
    cls: Class = value.cls
    name = f"{cls.module}.{cls.qualname}" if cls.module not in ("", "__main__") else cls.qualname
    return f"{name}: {text}\n" if text else f"{name}\n"


def module(machine: Machine) -> Namespace:
    """The names; the frames between are not shown."""

    def now(machine: Machine, *_: Any, **__: Any) -> str:
        if not machine.handling:
            return "NoneType: None\n"
        error = machine.handling[-1]
        place = f'  File "script.py", line {error.line}\n' if error.line is not None else ""
        return f"Traceback (most recent call last):\n{place}{last_line(value_of(machine, error))}"

    def only(machine: Machine, error: Any, value: Any = None, **_: Any) -> list[str]:
        given = error if isinstance(error, Instance) else value
        if isinstance(given, Instance):
            return [last_line(given), *(f"{note}\n" for note in given.attributes.get("__notes__", ()))]
        return ["NoneType: None\n"]

    return Namespace("traceback", with_machine({
        "format_exc": now, "print_exc": lambda machine, *_, **__: machine.warnings.aside(now(machine)),
        "format_exception_only": only, "print_stack": lambda machine, *_, **__: None,
        "format_exception": lambda machine, *given, **_: only(machine, *given),
        "print_exception": lambda machine, *given, **_: machine.warnings.aside("".join(only(machine, *given))),
    }))  # fmt: skip
