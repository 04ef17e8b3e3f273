"""`warnings`: warn, the filters, and `catch_warnings`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.errors.warned import ACTIONS, Filter
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.torch_values import Scoped
from gradviz.imitation.script.values import Class, Instance, Namespace, Native, type_name


def _warn(machine: Machine, message: Any, category: Any = None, stacklevel: int = 1, **_: Any) -> None:
    classes = machine.state["exceptions"]
    if isinstance(message, Instance) and message.cls.is_a(classes["Warning"]):
        category, message = message.cls, str(message)
    category = classes["UserWarning"] if category is None else category
    if not isinstance(category, Class) or not category.is_a(classes["Warning"]):
        raise TorchError(f"category must be a Warning subclass, not '{type_name(category)}'", kind="TypeError")
    machine.warnings.warn(str(message), category.name, cls=category, stacklevel=stacklevel)


def _filter(
    machine: Machine,
    action: str,
    message: str = "",
    category: Any = None,
    module: str = "",
    lineno: int = 0,
    append: bool = False,
) -> None:
    if action not in ACTIONS:
        raise TorchError(f"invalid action: '{action}'", kind="AssertionError")
    is_anywhere = message.startswith(".*")
    start = plain_start(message.removeprefix(".*"))
    new = Filter(action, "Warning" if category is None else category.name, start, lineno, is_anywhere)
    filters = machine.warnings.filters
    machine.warnings.filters = (*filters, new) if append else (new, *filters)
    machine.warnings.forget()


def plain_start(pattern: str) -> str:
    """The beginning of a pattern up to its first special sign: enough to tell PyTorch's warnings apart."""
    pattern = pattern.replace("\\.", ".")
    return next((pattern[:at] for at, sign in enumerate(pattern) if sign in "*+?[](){}^$|\\"), pattern)


def _simple(machine: Machine, action: str, category: Any = None, lineno: int = 0, append: bool = False) -> None:
    _filter(machine, action, "", category, "", lineno, append)


def _reset(machine: Machine) -> None:
    machine.warnings.filters = ()
    machine.warnings.forget()


def _catch(machine: Machine, *, record: bool = False, action: str | None = None, **named: Any) -> Scoped:
    warnings = machine.warnings
    kept: list[tuple[Filter, ...]] = []

    def enter() -> Any:
        kept.append(warnings.filters)
        caught: list[Any] | None = [] if record else None
        warnings.caught.append(caught)
        warnings.forget()
        if action is not None:
            _simple(machine, action, **named)
        return caught

    def leave(_: Any) -> None:
        warnings.filters = kept.pop()
        warnings.caught.pop()
        warnings.forget()

    return Scoped("catch_warnings", enter, leave, gives="result")


def warnings_module(machine: Machine) -> Namespace:
    """The names."""
    made: dict[str, Callable[..., Any]] = {
        "warn": _warn, "filterwarnings": _filter, "simplefilter": _simple, "resetwarnings": _reset,
        "catch_warnings": _catch,
    }  # fmt: skip
    return Namespace("warnings", {name: Native(name, call, needs_machine=True) for name, call in made.items()})
