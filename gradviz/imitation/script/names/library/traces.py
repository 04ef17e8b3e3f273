"""`traceback`: an error and its line, as text on the error stream or in a file of the script's."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.errors.exceptions import TRACE, value_of
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.values import Class, Instance, Namespace


def last_line(value: Instance) -> str:
    """An exception as the last line of its traceback."""
    text = str(value)
    cls: Class = value.cls
    name = f"{cls.module}.{cls.qualname}" if cls.module not in ("", "__main__") else cls.qualname
    return f"{name}: {text}\n" if text else f"{name}\n"


def whole(error: Instance | None, limit: int | None) -> list[str]:
    """The lines of a traceback, of which the line of the error alone is known; a limit of 0 leaves that out."""
    if error is None:
        return ["NoneType: None\n"]
    line = error.attributes[TRACE].tb_lineno if TRACE in error.attributes else None
    place = [] if line is None else [f'  File "script.py", line {line}\n']
    return [*(["Traceback (most recent call last):\n", *place] if limit != 0 else []), *alone(error)]


def alone(error: Instance) -> list[str]:
    """The last line, and the notes below it."""
    return [last_line(error), *(f"{note}\n" for note in error.attributes.get("__notes__", ()))]


def _handled(machine: Machine) -> Instance | None:
    return value_of(machine, machine.handling[-1]) if machine.handling else None


def _given(error: Any, value: Any) -> Instance | None:
    """The exception of a call in its new form, the exception alone, or in the old one, its class first."""
    return error if isinstance(error, Instance) else value if isinstance(value, Instance) else None


def _format_exc(machine: Machine, limit: int | None = None, chain: bool = True) -> str:
    return "".join(whole(_handled(machine), limit))


def _print_exc(machine: Machine, limit: int | None = None, file: Any = None, chain: bool = True) -> None:
    _say(machine, whole(_handled(machine), limit), file)


def _format_exception(
    machine: Machine, exc: Any, value: Any = None, tb: Any = None, limit: int | None = None, chain: bool = True
) -> list[str]:
    return whole(_given(exc, value), limit)


def _print_exception(
    machine: Machine, exc: Any, value: Any = None, tb: Any = None, limit: int | None = None, file: Any = None,
    chain: bool = True,
) -> None:  # fmt: skip
    _say(machine, whole(_given(exc, value), limit), file)


def _format_exception_only(machine: Machine, exc: Any, value: Any = None) -> list[str]:
    error = _given(exc, value)
    return ["NoneType: None\n"] if error is None else alone(error)


def _say(machine: Machine, lines: list[str], file: Any) -> None:
    if file is None:
        machine.warnings.aside("".join(lines))
    else:
        machine.call(machine.builtins["print"], ("".join(lines),), {"end": "", "file": file})


def module(machine: Machine) -> Namespace:
    """The names; the frames between are not shown."""
    return Namespace("traceback", with_machine({
        "format_exc": _format_exc, "print_exc": _print_exc, "format_exception_only": _format_exception_only,
        "print_stack": lambda machine, *_, **__: None, "format_exception": _format_exception,
        "print_exception": _print_exception,
    }))  # fmt: skip
