"""How the tables of the library are written: a name, and the function of ours behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from gradviz.errors import TorchError
from gradviz.imitation.script.classes.extended import special_methods
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.syntax.calls import Parameters
from gradviz.imitation.script.values import Class, Native

if TYPE_CHECKING:
    from gradviz.imitation.script.syntax.calls import Parameters

Table = dict[str, Callable[..., Any]]


def natives(table: Table) -> dict[str, Any]:
    """Functions by the names that scripts know them by."""
    return {name: Native(name, run) for name, run in table.items()}


def with_machine(table: Table) -> dict[str, Any]:
    """The same, each called with the machine first."""
    return {name: Native(name, run, needs_machine=True) for name, run in table.items()}


def methods(table: Table) -> dict[str, Any]:
    """Methods of a class of ours, each called with the object first."""
    return {name: Native(name, run, is_method=True) for name, run in table.items()}


def plain_class(machine: Machine, name: str, module: str, attributes: dict[str, Any]) -> Class:
    """A class whose objects a script makes and derives from as from its own."""
    return Class(name, (machine.builtins["object"],), attributes, module=module)


def builtin_class(machine: Machine, kind: type, module: str, make: Callable[..., Any], base: str = "object") -> Class:
    """A class that stands for a type of Python's library."""
    made = Native(kind.__name__, make, needs_machine=True)
    cls = Class(
        kind.__name__, (machine.builtins[base],), special_methods(kind), python=(kind,), make=made, module=module
    )
    # Before its base, so that `type(x)` finds it first.
    machine.state["types"].insert(0, cls)
    return cls


def parameters(
    name: str, positional: Iterable[str], defaults: dict[str, Any], keyword_only: Iterable[str] = ()
) -> Parameters:
    """The parameters of a function made here, which says what is missing in Python's words."""
    made = object.__new__(Parameters)
    made.name, made.positional, made.keyword_only = name, list(positional), list(keyword_only)
    made.by_keyword = {*made.positional, *made.keyword_only}
    made.rest = made.keywords = None
    made.positional_only = frozenset()
    made.defaults = defaults
    return made


def bound(machine: Machine, names: Parameters, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name."""
    frame = Frame(machine, None)
    names.bind(frame, arguments, keywords)
    return frame.vars


def refusal(what: str, instead: str) -> Native:
    """A function that scripts name and gradviz has not got.

    Its call raises TorchError: an AttributeError would look like a fault of the script.
    """

    def run(*_: Any, **__: Any) -> None:
        raise TorchError(f"{what} is not supported by gradviz", kind="NotImplementedError", hint=instead)

    return Native(what, run)
