"""Python's builtins and the few modules of its standard library that scripts of this kind use."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.creation import MAX_ELEMENTS
from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.tensor import Tensor
from gradviz.errors import LimitError, TorchError
from gradviz.script import attributes
from gradviz.script.exceptions import exception_classes
from gradviz.script.machine import Machine
from gradviz.script.names.neural import is_parameter
from gradviz.script.operators import BINARY
from gradviz.script.torch_values import Size
from gradviz.script.values import Bound, Class, Function, Instance, Namespace, Native, type_name

ADD = next(iter(BINARY.values()))


def print_(
    machine: Machine, *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> None:
    between, last = " " if sep is None else sep, "\n" if end is None else end
    machine.write(between.join(str(value) for value in values) + last)


def sum_(items: Any, start: Any = 0) -> Any:
    """Adds from the left, as Python does: 0 + x[0] + x[1], so each addition is a node."""
    total = start
    for item in items:
        total = ADD(total, item)
    return total


def abs_(x: Any) -> Any:
    return F["abs"](x) if isinstance(x, Tensor) else abs(x)


def pow_(machine: Machine, x: Any, y: Any, mod: Any = None) -> Any:
    import ast

    return BINARY[ast.Pow](x, y) if mod is None else pow(x, y, mod)


def round_(x: Any, digits: int | None = None) -> Any:
    if isinstance(x, Tensor):
        raise TorchError("round() of a tensor is not supported", kind="TypeError", hint="Use round(x.item(), 4).")
    return round(x, digits) if digits is not None else round(x)


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def run(machine: Machine, *values: Any, key: Any = None, default: Any = NOTHING) -> Any:
        extra: dict[str, Any] = {} if key is None else {"key": lambda x: machine.call(key, (x,), {})}
        if default is not NOTHING:
            extra["default"] = default
        return choose(*values, **extra)

    return run


NOTHING = object()


def sorted_(machine: Machine, items: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    return sorted(items, key=None if key is None else (lambda x: machine.call(key, (x,), {})), reverse=reverse)


def map_(machine: Machine, function: Any, *items: Any) -> Any:
    return map(lambda *values: machine.call(function, values, {}), *items)


def filter_(machine: Machine, function: Any, items: Any) -> Any:
    return filter(bool if function is None else (lambda x: machine.call(function, (x,), {})), items)


def list_(items: Any = ()) -> list[Any]:
    if isinstance(items, range) and len(items) > MAX_ELEMENTS // 5:
        raise LimitError(f"a list of {len(items):,} numbers is too long", hint="Use a shorter range.")
    return list(items)


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


def callable_(x: Any) -> bool:
    return isinstance(x, Native | Function | Bound | Class) or (isinstance(x, Instance) and x.cls.has("__call__"))


def type_(machine: Machine, x: Any) -> Any:
    if isinstance(x, Instance):
        return x.cls
    if isinstance(x, Tensor):
        return machine.state["Parameter" if x.extra is not None and x.extra.is_parameter else "Tensor"]
    for cls in machine.state["types"]:
        if type(x) in cls.python:
            return cls
    return Class(type_name(x), module="")


def int_(x: Any = 0, base: Any = None) -> int:
    if isinstance(x, str) and len(x) > 4000:
        raise TorchError("Exceeds the limit (4000 digits) for integer string conversion", kind="ValueError")
    return int(x) if base is None else int(x, base)


def not_here(name: str, why: str) -> Native:
    """A builtin that exists in Python but not for a script."""

    def run(*_: Any, **__: Any) -> None:
        from gradviz.errors import ScriptError

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
    object_ = Class("object", (), {}, module="")
    types = [
        _type("bool", (bool,), bool),
        _type("int", (int,), int_),
        _type("float", (float,), lambda x=0.0: float(x)),
        _type("str", (str,), lambda x="": str(x)),
        _type("tuple", (tuple, Size), lambda items=(): tuple(items)),
        _type("list", (list,), list_),
        _type("dict", (dict,), dict),
        _type("set", (set,), lambda items=(): set(items)),
        _type("frozenset", (frozenset,), lambda items=(): frozenset(items)),
        _type("range", (range,), range),
    ]
    machine.state["types"] = types
    exceptions = machine.state["exceptions"] = exception_classes(object_)
    plain: dict[str, Callable[..., Any]] = {
        "abs": abs_, "sum": sum_, "len": len, "round": round_, "enumerate": enumerate, "zip": zip, "reversed": reversed,
        "any": any, "all": all, "iter": iter, "next": next, "repr": repr, "divmod": divmod, "callable": callable_,
        "issubclass": issubclass_, "id": id, "hash": hash, "chr": chr, "ord": ord, "bin": bin, "hex": hex,
        "format": lambda x, spec="": format(x, spec), "slice": slice,
        "staticmethod": lambda f: f, "classmethod": lambda f: f, "property": lambda f: f,
    }  # fmt: skip
    with_machine: dict[str, Callable[..., Any]] = {
        "print": print_, "max": _extreme(max), "min": _extreme(min), "sorted": sorted_, "map": map_, "filter": filter_,
        "isinstance": isinstance_, "hasattr": hasattr_, "getattr": getattr_, "setattr": setattr_, "pow": pow_,
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


def math_module() -> Namespace:
    """`math`: numbers only; a tensor of one element counts as its number, as in Python."""
    names = (
        "sqrt exp log log2 log10 log1p expm1 sin cos tan asin acos atan atan2 sinh cosh tanh pow floor ceil fabs "
        "isnan isinf isfinite isclose copysign hypot degrees radians gcd fsum trunc erf"
    )
    members: dict[str, Any] = {name: Native(name, getattr(math, name)) for name in names.split()}
    members["prod"] = Native("prod", lambda items: functools.reduce(lambda a, b: a * b, items, 1))
    members["factorial"] = Native("factorial", _factorial)
    return Namespace("math", members | {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "tau": math.tau})


def _factorial(n: int) -> int:
    if n > 5000:
        raise LimitError("factorial of a number above 5,000 is too large", hint="Use math.lgamma or floats.")
    return math.factorial(n)


def random_module(seed: int) -> Namespace:
    """`random`, with a generator of its own for each run."""
    generator = random.Random(seed)  # noqa: S311 - the script's own random numbers
    names = "random uniform randint gauss normalvariate choice choices sample shuffle randrange seed"
    return Namespace("random", {name: Native(name, getattr(generator, name)) for name in names.split()})


def time_module() -> Namespace:
    """`time`: reads the clock; does not wait."""
    import time

    members = {name: Native(name, getattr(time, name)) for name in ("time", "perf_counter", "process_time")}
    return Namespace("time", members | {"sleep": Native("sleep", lambda seconds: None)})


def itertools_module() -> Namespace:
    """`itertools`, what is finite or stepped by a loop."""
    names = "chain count cycle islice product permutations combinations accumulate zip_longest repeat"
    return Namespace("itertools", {name: Native(name, getattr(itertools, name)) for name in names.split()})


def functools_module() -> Namespace:
    """`functools`: partial and reduce."""

    def partial(machine: Machine, function: Any, *arguments: Any, **keywords: Any) -> Native:
        return Native(
            "partial", lambda *rest, **more: machine.call(function, (*arguments, *rest), {**keywords, **more})
        )

    def reduce(machine: Machine, function: Any, items: Any, *start: Any) -> Any:
        return functools.reduce(lambda a, b: machine.call(function, (a, b), {}), items, *start)

    return Namespace(
        "functools",
        {
            "partial": Native("partial", partial, needs_machine=True),
            "reduce": Native("reduce", reduce, needs_machine=True),
        },
    )


def silent_module(name: str) -> Namespace:
    """A module that is taken silently: whatever is called on it does nothing (matplotlib)."""
    return Silent(name, {})


class Silent(Namespace):
    """Any attribute and any call of it gives itself again."""

    __slots__ = ()


def numbers(x: Any) -> Any:
    """An array of what a tensor or list holds."""
    return np.asarray(x.data if isinstance(x, Tensor) else x)
