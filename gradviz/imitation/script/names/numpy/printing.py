"""How arrays are printed: numpy's own options, with the script's functions as formatters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.errors import LimitError
from gradviz.imitation.script.errors.overheard import told
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.numpy.calls import plain
from gradviz.imitation.script.syntax.calls import callable_value
from gradviz.imitation.script.values import Native

USUALLY: dict[str, Any] = {
    "precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 75, "suppress": False, "nanstr": "nan",
    "infstr": "inf", "sign": "-", "floatmode": "maxprec", "formatter": None, "legacy": False,
}  # fmt: skip
"""What arrays are printed by before a script says otherwise."""

WIDEST = 1_000
"""Digits, or blanks before them: numpy makes room for as many as are asked for."""


class Formatter:
    """A function of the script that makes the text of one number."""

    __slots__ = ("function", "machine")

    def __init__(self, machine: Machine, function: Any) -> None:
        self.machine = machine
        self.function = function

    def __call__(self, number: Any) -> Any:
        return self.machine.call(self.function, (number,), {})


def _value(machine: Machine, value: Any) -> Any:
    """An option as numpy takes it."""
    if isinstance(value, dict):
        return {key: Formatter(machine, each) if callable_value(each) else each for key, each in value.items()}
    return plain(value)


def _given(machine: Machine, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    return [_value(machine, each) for each in arguments], {key: _value(machine, each) for key, each in named.items()}


def _narrow(precision: Any) -> None:
    if isinstance(precision, int) and precision > WIDEST:
        raise LimitError(f"a precision of {precision:,} digits is too large", hint=f"Use {WIDEST:,} or fewer.")


def _set(machine: Machine, /, *arguments: Any, **named: Any) -> None:
    _narrow(named.get("precision", arguments[0] if arguments else None))
    given, options = _given(machine, arguments, named)
    told(np.set_printoptions, *given, **options)


def _now() -> dict[str, Any]:
    """`np.get_printoptions()`: formatters are the script's functions again."""
    options: dict[str, Any] = dict(np.get_printoptions())
    if isinstance(options["formatter"], dict):
        options["formatter"] = {key: getattr(each, "function", each) for key, each in options["formatter"].items()}
    return options


def _within(machine: Machine, /, *arguments: Any, **named: Any) -> Managed:
    """`with np.printoptions(...)`."""
    _narrow(named.get("precision", arguments[0] if arguments else None))
    given, options = _given(machine, arguments, named)
    entered: list[Any] = []

    def enter() -> dict[str, Any]:
        entered.append(np.printoptions(*given, **options))
        entered[-1].__enter__()
        return _now()

    return Managed("contextlib._GeneratorContextManager", enter, lambda _: entered.pop().__exit__(None, None, None))


def _as_text(make: Callable[..., str]) -> Callable[..., str]:
    def run(machine: Machine, array: Any, /, *arguments: Any, **named: Any) -> str:
        _narrow(named.get("precision", arguments[1] if len(arguments) > 1 else None))
        given, options = _given(machine, arguments, named)
        return str(told(make, np.asarray(plain(array)), *given, **options))

    return run


def _of_one(make: Callable[..., str]) -> Callable[..., str]:
    """`np.format_float_positional` and its kin."""

    def run(x: Any, *arguments: Any, **named: Any) -> str:
        for width in (*arguments, *named.values()):
            _narrow(width)
        return str(told(make, plain(x), *map(plain, arguments), **{key: plain(each) for key, each in named.items()}))

    return run


def members() -> dict[str, Any]:
    """The names."""
    with_machine: dict[str, Callable[..., Any]] = {
        "set_printoptions": _set, "printoptions": _within,
        **{make.__name__: _as_text(make) for make in (np.array2string, np.array_repr, np.array_str)},
    }  # fmt: skip
    alone: dict[str, Callable[..., Any]] = {
        "get_printoptions": _now,
        **{make.__name__: _of_one(make) for make in (np.format_float_positional, np.format_float_scientific)},
    }
    return {
        **{name: Native(name, run, needs_machine=True) for name, run in with_machine.items()},
        **{name: Native(name, run) for name, run in alone.items()},
    }
