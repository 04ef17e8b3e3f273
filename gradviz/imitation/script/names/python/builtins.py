"""Python's builtins, as far as scripts of this kind use them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import LimitError, ScriptError, TorchError
from gradviz.imitation.script import assigned_attributes, attributes
from gradviz.imitation.script.arrays.values import NumpyType
from gradviz.imitation.script.classes.extended import MUTABLE, as_builtin, fill, special_methods
from gradviz.imitation.script.classes.metaclasses import of_type
from gradviz.imitation.script.errors import groups as exception_groups
from gradviz.imitation.script.errors.exceptions import exception_classes, raised
from gradviz.imitation.script.errors.overheard import told
from gradviz.imitation.script.errors.unsupported import Unsupported
from gradviz.imitation.script.machine import MOST, Machine
from gradviz.imitation.script.names.library.files import opened
from gradviz.imitation.script.names.python import iteration
from gradviz.imitation.script.names.python.belonging import NONE_TYPE, isinstance_, issubclass_
from gradviz.imitation.script.names.python.iteration import dict_, frozenset_, len_, list_, set_, tuple_
from gradviz.imitation.script.operators import BINARY, unsupported
from gradviz.imitation.script.plain_methods import PLAIN_METHODS, known_encoding
from gradviz.imitation.script.showing.formatting import formatted
from gradviz.imitation.script.subscripts import set_item
from gradviz.imitation.script.syntax.calls import callable_value
from gradviz.imitation.script.tensors.grad_nodes import GradNode, class_of, listed
from gradviz.imitation.script.tensors.members import TENSOR_ATTRIBUTES, TENSOR_METHODS
from gradviz.imitation.script.torch_values import Scoped, Size
from gradviz.imitation.script.values import (
    Class,
    Function,
    Instance,
    Namespace,
    Native,
    OnClass,
    Property,
    Static,
    type_name,
)


def print_(
    machine: Machine, *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> None:
    for name, given in (("sep", sep), ("end", end)):
        if given is not None and not isinstance(given, str):
            raise TorchError(f"{name} must be None or a string, not {type_name(given)}", kind="TypeError")
    between, last = " " if sep is None else sep, "\n" if end is None else end
    if file is None and not any(isinstance(value, Instance) for value in values):
        machine.write(between.join(map(str, values)) + last)
        return
    # Piece by piece, as Python does it: what writes or fails within a value's own `__str__` comes after what stands
    # before it.
    write = machine.write if file is None else partial(_written_to, machine, attributes.get(machine, file, "write"))
    for number, value in enumerate(values):
        if number:
            write(between)
        write(str(value))
    write(last)


def _written_to(machine: Machine, write: Any, text: str) -> None:
    machine.call(write, (text,), {})


def abs_(x: Any) -> Any:
    return F["abs"](x) if isinstance(x, Tensor) else abs(x)


def pow_(base: Any, exp: Any, mod: Any = None) -> Any:
    x, y = base, exp
    if mod is None:
        return BINARY[ast.Pow](x, y)
    result = x.special("__pow__", y, mod) if isinstance(x, Instance) else NotImplemented
    return pow(x, y, mod) if result is NotImplemented else result


def divmod_(x: Any, y: Any) -> Any:
    if isinstance(x, Instance) or isinstance(y, Instance):
        result = x.special("__divmod__", y) if isinstance(x, Instance) else NotImplemented
        if result is NotImplemented and isinstance(y, Instance):
            result = y.special("__rdivmod__", x)
        if result is not NotImplemented:
            return result
        x, y = (as_builtin(value) if isinstance(value, Instance) else value for value in (x, y))
        if isinstance(x, Instance) or isinstance(y, Instance):
            raise unsupported("divmod()", x, y)
    return divmod(x, y)


def round_(number: Any, ndigits: int | None = None) -> Any:
    if isinstance(number, Tensor):
        text = "type Tensor doesn't define __round__ method"
        raise TorchError(text, kind="TypeError", hint="Use round(x.item(), 4).")
    return round(number, ndigits) if ndigits is not None else round(number)


def _named(name: Any) -> None:
    if not isinstance(name, str):
        raise TorchError(f"attribute name must be string, not '{type_name(name)}'", kind="TypeError")


def float_(x: Any = 0.0) -> float:
    """`float(x)`; of a complex number of numpy's it warns."""
    return told(float, x) if isinstance(x, np.complexfloating) else float(x)


def hasattr_(machine: Machine, x: Any, name: str) -> bool:
    _named(name)
    try:
        attributes.get(machine, x, name)
    except Unsupported:
        return False
    except TorchError as error:
        if error.kind != "AttributeError":
            raise
        return False
    return True


def getattr_(machine: Machine, x: Any, name: str, *default: Any) -> Any:
    _named(name)
    try:
        return attributes.get(machine, x, name)
    except (TorchError, Unsupported) as error:
        if default and (isinstance(error, Unsupported) or error.kind == "AttributeError"):
            return default[0]
        raise


def setattr_(machine: Machine, x: Any, name: str, value: Any) -> None:
    _named(name)
    assigned_attributes.put(machine, x, name, value)


def delattr_(machine: Machine, x: Any, name: str) -> None:
    _named(name)
    assigned_attributes.remove(machine, x, name)


def dir_(machine: Machine, x: Any) -> list[str]:
    """The names that the script gave, and those of methods that are on a list."""
    if isinstance(x, Instance) and x.cls.has("__dir__"):
        return sorted(machine.listed(x.special("__dir__")))
    cls = x if isinstance(x, Class) else type_(machine, x)
    names = {name for ancestor in cls.mro for name in ancestor.attributes}
    names.update(cls.members or ())
    names.update(*(listed for kind, listed in PLAIN_METHODS.items() if isinstance(x, kind)))
    if isinstance(x, Namespace):
        names |= set(x.members)
    elif isinstance(x, GradNode):
        names |= listed(x)
    elif isinstance(x, Tensor):
        names |= {*TENSOR_ATTRIBUTES, *TENSOR_METHODS}
    elif isinstance(x, Instance):
        names |= set(x.attributes)
    return sorted(name for name in names if name[:1] not in " (")


def vars_(machine: Machine, x: Any) -> Any:
    is_slotted = isinstance(x, Instance) and x.cls.slots is not None
    if is_slotted or not isinstance(x, Instance | Class | Function | Namespace):
        raise TorchError("vars() argument must have __dict__ attribute", kind="TypeError")
    return attributes.get(machine, x, "__dict__")


def exit_(machine: Machine, code: Any = None) -> None:
    """End the run, unless the script catches it."""
    raise raised(machine, machine.state["exceptions"]["SystemExit"], *(() if code is None else (code,)))


def type_(machine: Machine, x: Any, bases: Any = None, members: Any = None) -> Any:
    if members is not None:
        return machine.call(machine.builtins["type"], (x, bases, members), {})
    if isinstance(x, Instance):
        return x.cls
    if isinstance(x, Tensor):
        return machine.state["Parameter" if x.extra is not None and x.extra.is_parameter else "Tensor"]
    if isinstance(x, GradNode):
        return class_of(machine, x)
    if isinstance(x, Class) and x.meta is not None:
        return x.meta
    if isinstance(x, Size):
        return _known(machine, Size)
    if isinstance(x, NumpyType):
        module, _, name = x.shown_as.rpartition(".")
        base = machine.modules["numpy"].members["dtype"]
        return machine.state.setdefault(x.shown_as, Class(name, (base,), module=module))
    if isinstance(x, Scoped):
        return machine.state.setdefault(f"{x.module}.{x.name}", Class(x.name, module=x.module))
    for cls in machine.state["types"]:
        if type(x) in cls.python:
            return cls
    cls = _known(machine, type(x))
    machine.state["types"].append(cls)
    return cls


def _known(machine: Machine, kind: type) -> Class:
    """The class by which `torch` names a type of ours, or a new one."""
    for member in machine.modules["torch"].members.values():
        if isinstance(member, Class) and kind in member.python:
            return member
    shown = getattr(kind, "shown_as", "")
    module, _, name = (shown if isinstance(shown, str) and shown else kind.__name__).rpartition(".")
    return Class(name, python=(kind,), make=_no_more(name), module=module or getattr(kind, "shown_in", ""))


def _no_more(name: str) -> Native:
    def run(*_: Any, **__: Any) -> None:
        raise TorchError(f"cannot create '{name}' instances", kind="TypeError")

    return Native(name, run)


def property_(fget: Any = None, fset: Any = None, fdel: Any = None, doc: Any = None) -> Property:
    return Property(fget, fset, fdel, doc)


def int_(x: Any = 0, /, base: Any = None) -> int:
    if isinstance(x, str) and len(x) > LONGEST_NUMBER:
        raise LimitError(f"a number of {len(x):,} characters is too long", hint="Use a shorter one.")
    if isinstance(x, np.complexfloating):
        return int(told(int, x))
    return int(x) if base is None else int(x, base)


LONGEST_NUMBER = 100_000
"""Characters of a text that is read as a whole number."""


def not_here(name: str, why: str) -> Native:
    """A builtin that exists in Python but not for a script."""

    def run(*_: Any, **__: Any) -> None:
        raise ScriptError(f"'{name}' is not available in gradviz", hint=why)

    return Native(name, run)


def _no_frame() -> None:
    raise ScriptError("'locals' and 'globals' can only be called by their names", hint="Write locals() or globals().")


READS_NOTHING = "A script cannot read or write files here; put the numbers into the script."
RUNS_NOTHING = "A script cannot run text as code here; write the code itself."
HIDDEN = {
    "input": "There is nobody to ask; assign a value instead.",
    "exec": RUNS_NOTHING,
    "eval": RUNS_NOTHING,
    "compile": RUNS_NOTHING,
    "__import__": "Use an import statement of a module that gradviz knows.",
    "breakpoint": "Step through the picture instead.",
    "memoryview": READS_NOTHING,
    "help": "Print what you want to know, or read the help of gradviz.",
}


def _type(name: str, python: tuple[type, ...], make: Callable[..., Any], *, needs_machine: bool = False) -> Class:
    """One of Python's types: the call that makes a value of it, and its special methods."""
    cls = Class(name, python=python, make=Native(name, make, needs_machine=needs_machine), module="")
    cls.attributes.update(special_methods(python[0]))
    if python[0] in MUTABLE:
        begin = Native("__init__", lambda machine, value, *given, **named: fill(machine, value, cls, given, named),
                       needs_machine=True, is_method=True)  # fmt: skip
        cls.attributes["__init__"] = begin
    return cls


def _from_keys(machine: Machine, cls: Class, keys: Any, value: Any = None, /) -> Any:
    """`dict.fromkeys`; a derived class gets each key by its own `__setitem__`."""
    if cls is machine.builtins["dict"]:
        return dict.fromkeys(machine.whole(keys), value)
    made = machine.call(cls, (), {})
    for key in machine.whole(keys):
        set_item(made, key, value)
    return made


def _makers(machine: Machine, types: dict[str, Class]) -> None:
    """The class methods of Python's own types."""
    fill_keys = Native("fromkeys", _from_keys, needs_machine=True, is_method=True)
    types["dict"].attributes["fromkeys"] = OnClass(fill_keys)
    types["float"].attributes["fromhex"] = Static(Native("fromhex", float.fromhex))
    types["int"].attributes["from_bytes"] = Static(Native("from_bytes", int.from_bytes))
    types["bytes"].attributes["fromhex"] = Static(Native("fromhex", bytes.fromhex))
    types["bytearray"].attributes["fromhex"] = Static(Native("fromhex", bytearray.fromhex))
    types["str"].attributes["maketrans"] = Static(Native("maketrans", str.maketrans))


def bytes_(machine: Machine, x: Any = b"", encoding: str = "", errors: str = "strict") -> bytes:
    if isinstance(x, int):
        return bytes(_few(x))
    if isinstance(x, str) and not encoding:
        raise TorchError("string argument without an encoding", kind="TypeError")
    if isinstance(x, Instance) and x.cls.has("__bytes__"):
        made = x.special("__bytes__")
        if not isinstance(made, bytes):
            raise TorchError(f"__bytes__ returned non-bytes (type {type_name(made)})", kind="TypeError")
        return made
    return x.encode(known_encoding(encoding), errors) if isinstance(x, str) else bytes(machine.listed(x))


def complex_(real: Any = 0, *imag: Any) -> complex:
    return complex(real, *imag)


def _few(count: int) -> int:
    if count > MOST:
        raise LimitError(f"{count:,} bytes are too many", hint="Use fewer.")
    return count


def builtins(machine: Machine) -> dict[str, Any]:
    """The names every script has."""
    object_ = Class("object", (), dict(assigned_attributes.OF_OBJECT), module="")
    types = [
        _type("bool", (bool,), bool),
        _type("int", (int,), int_),
        _type("float", (float,), float_),
        _type("str", (str,), lambda x="": str(x)),
        _type("tuple", (tuple, Size), tuple_, needs_machine=True),
        _type("list", (list,), list_, needs_machine=True),
        _type("dict", (dict,), dict_, needs_machine=True),
        _type("set", (set,), set_, needs_machine=True),
        _type("frozenset", (frozenset,), frozenset_, needs_machine=True),
        _type("range", (range,), range),
        _type("bytes", (bytes,), bytes_, needs_machine=True),
        _type(
            "bytearray", (bytearray,), lambda machine, *given: bytearray(bytes_(machine, *given)), needs_machine=True
        ),
        _type("complex", (complex,), complex_),
        _type("slice", (slice,), slice),
        NONE_TYPE,
    ]
    for cls in types:
        if cls is not NONE_TYPE:
            cls.bases, cls.mro = (object_,), [cls, object_]
    types[0].bases, types[0].mro = (types[1],), [*types[:2], object_]
    machine.state["types"] = types
    _makers(machine, {cls.name: cls for cls in types})
    exceptions = machine.state["exceptions"] = exception_classes(object_)
    exceptions |= exception_groups.classes(exceptions)
    plain: dict[str, Callable[..., Any]] = {
        "abs": abs_, "len": len_, "round": round_, "repr": repr, "ascii": ascii, "divmod": divmod_, "pow": pow_,
        "callable": callable_value, "id": id, "hash": hash, "chr": chr, "ord": ord,
        "bin": bin, "hex": hex, "oct": oct, "format": lambda x, spec="": formatted(x, spec),
        "staticmethod": Static, "classmethod": OnClass, "property": property_, "locals": _no_frame,
        "globals": _no_frame,
    }  # fmt: skip
    with_machine: dict[str, Callable[..., Any]] = {
        "print": print_, "isinstance": isinstance_, "issubclass": issubclass_,
        "hasattr": hasattr_, "getattr": getattr_, "setattr": setattr_,
        "delattr": delattr_, "dir": dir_, "vars": vars_, "exit": exit_, "quit": exit_,
        "open": opened,
        **iteration.functions(),
    }  # fmt: skip
    return {
        "object": object_,
        "__name__": "__main__",
        "__file__": "script.py",
        "__doc__": None,
        "Ellipsis": ...,
        "NotImplemented": NotImplemented,
        **{cls.name: cls for cls in types if cls is not NONE_TYPE},
        **exceptions,
        **{name: Native(name, run) for name, run in plain.items()},
        **{name: Native(name, run, needs_machine=True) for name, run in with_machine.items()},
        **{name: not_here(name, why) for name, why in HIDDEN.items()},
        "type": Class(
            "type", (object_,), of_type(), python=(Class,), module="", make=Native("type", type_, needs_machine=True)
        ),
    }
