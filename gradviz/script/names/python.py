"""Python's builtins, as far as scripts of this kind use them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.tensor import Tensor
from gradviz.errors import ScriptError, TorchError
from gradviz.script import attributes
from gradviz.script.exceptions import exception_classes
from gradviz.script.formatting import formatted
from gradviz.script.machine import Machine
from gradviz.script.names import iteration
from gradviz.script.names.iteration import callable_value, dict_, frozenset_, len_, list_, set_, tuple_
from gradviz.script.names.neural import is_parameter
from gradviz.script.operators import BINARY
from gradviz.script.torch_values import Size
from gradviz.script.values import Class, Instance, Native, OnClass, Property, Static, type_name


def print_(
    machine: Machine, *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> None:
    between, last = " " if sep is None else sep, "\n" if end is None else end
    machine.write(between.join(str(value) for value in values) + last)


def abs_(x: Any) -> Any:
    return F["abs"](x) if isinstance(x, Tensor) else abs(x)


def pow_(x: Any, y: Any, mod: Any = None) -> Any:
    return BINARY[ast.Pow](x, y) if mod is None else pow(x, y, mod)


def round_(x: Any, digits: int | None = None) -> Any:
    if isinstance(x, Tensor):
        raise TorchError("round() of a tensor is not supported", kind="TypeError", hint="Use round(x.item(), 4).")
    return round(x, digits) if digits is not None else round(x)


def isinstance_(machine: Machine, x: Any, kinds: Any) -> bool:
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if not isinstance(kind, Class):
            raise TorchError("isinstance() arg 2 must be a type, a tuple of types, or a union", kind="TypeError")
        if isinstance(x, Instance) and x.cls.is_a(kind):
            return True
        if kind.python and isinstance(x, kind.python):
            return kind.name != "Parameter" or is_parameter(x)
        if kind.name == "object":
            return True
    return False


def issubclass_(cls: Any, kinds: Any) -> bool:
    return any(cls.is_a(kind) for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))


def hasattr_(machine: Machine, x: Any, name: str) -> bool:
    try:
        attributes.get(machine, x, name)
    except TorchError as error:
        if error.kind != "AttributeError":
            raise
        return False
    return True


def getattr_(machine: Machine, x: Any, name: str, *default: Any) -> Any:
    try:
        return attributes.get(machine, x, name)
    except TorchError as error:
        if error.kind == "AttributeError" and default:
            return default[0]
        raise


def setattr_(machine: Machine, x: Any, name: str, value: Any) -> None:
    attributes.put(machine, x, name, value)


def type_(machine: Machine, x: Any) -> Any:
    if isinstance(x, Instance):
        return x.cls
    if isinstance(x, Tensor):
        return machine.state["Parameter" if x.extra is not None and x.extra.is_parameter else "Tensor"]
    for cls in machine.state["types"]:
        if type(x) in cls.python:
            return cls
    cls = Class(type_name(x), python=(type(x),), make=_no_more(type_name(x)), module="")
    machine.state["types"].append(cls)
    return cls


def _no_more(name: str) -> Native:
    def run(*_: Any, **__: Any) -> None:
        raise TorchError(f"cannot create '{name}' instances", kind="TypeError")

    return Native(name, run)


def property_(fget: Any = None, fset: Any = None, fdel: Any = None, doc: Any = None) -> Property:
    return Property(fget, fset)


def int_(x: Any = 0, base: Any = None) -> int:
    if isinstance(x, str) and len(x) > 4000:
        raise TorchError("Exceeds the limit (4000 digits) for integer string conversion", kind="ValueError")
    return int(x) if base is None else int(x, base)


def not_here(name: str, why: str) -> Native:
    """A builtin that exists in Python but not for a script."""

    def run(*_: Any, **__: Any) -> None:
        raise ScriptError(f"'{name}' is not available in gradviz", hint=why)

    return Native(name, run)


READS_NOTHING = "A script cannot read or write files here; put the numbers into the script."
RUNS_NOTHING = "A script cannot run text as code here; write the code itself."
HIDDEN = {
    "open": READS_NOTHING,
    "input": "There is nobody to ask; assign a value instead.",
    "exec": RUNS_NOTHING,
    "eval": RUNS_NOTHING,
    "compile": RUNS_NOTHING,
    "__import__": "Use an import statement of a module that gradviz knows.",
    "globals": RUNS_NOTHING,
    "locals": RUNS_NOTHING,
    "vars": RUNS_NOTHING,
    "breakpoint": "Step through the picture instead.",
    "exit": "Let the script run to its end.",
    "quit": "Let the script run to its end.",
    "memoryview": READS_NOTHING,
}


def _type(name: str, python: tuple[type, ...], make: Callable[..., Any], *, needs_machine: bool = False) -> Class:
    return Class(name, python=python, make=Native(name, make, needs_machine=needs_machine), module="")


def builtins(machine: Machine) -> dict[str, Any]:
    """The names every script has."""
    object_ = Class("object", (), {"__setattr__": attributes.SET_PLAIN}, module="")
    types = [
        _type("bool", (bool,), bool),
        _type("int", (int,), int_),
        _type("float", (float,), lambda x=0.0: float(x)),
        _type("str", (str,), lambda x="": str(x)),
        _type("tuple", (tuple, Size), tuple_, needs_machine=True),
        _type("list", (list,), list_, needs_machine=True),
        _type("dict", (dict,), dict_, needs_machine=True),
        _type("set", (set,), set_, needs_machine=True),
        _type("frozenset", (frozenset,), frozenset_, needs_machine=True),
        _type("range", (range,), range),
    ]
    machine.state["types"] = types
    exceptions = machine.state["exceptions"] = exception_classes(object_)
    plain: dict[str, Callable[..., Any]] = {
        "abs": abs_, "len": len_, "round": round_, "repr": repr, "ascii": ascii, "divmod": divmod, "pow": pow_,
        "callable": callable_value, "issubclass": issubclass_, "id": id, "hash": hash, "chr": chr, "ord": ord,
        "bin": bin, "hex": hex, "oct": oct, "format": lambda x, spec="": formatted(x, spec), "slice": slice,
        "staticmethod": Static, "classmethod": OnClass, "property": property_,
    }  # fmt: skip
    with_machine: dict[str, Callable[..., Any]] = {
        "print": print_, "isinstance": isinstance_, "hasattr": hasattr_, "getattr": getattr_, "setattr": setattr_,
        **iteration.functions(),
    }  # fmt: skip
    return {
        "object": object_,
        "__name__": "__main__",
        "__file__": "script.py",
        "__doc__": None,
        "Ellipsis": ...,
        "NotImplemented": NotImplemented,
        **{cls.name: cls for cls in types},
        **exceptions,
        **{name: Native(name, run) for name, run in plain.items()},
        **{name: Native(name, run, needs_machine=True) for name, run in with_machine.items()},
        **{name: not_here(name, why) for name, why in HIDDEN.items()},
        "type": Class("type", python=(Class,), make=Native("type", type_, needs_machine=True), module=""),
    }
