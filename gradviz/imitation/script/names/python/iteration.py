"""Python's functions over iterators.

All that loops in native code takes its items through `Machine.each`, so that Stop and the limits are heard.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.imitation.engine.functions import METHODS
from gradviz.errors import TorchError
from gradviz.imitation.script.errors.failures import Stopped
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.operators import BINARY, COMPARE
from gradviz.imitation.script.silent import beside
from gradviz.imitation.script.values import Instance, type_name

NOTHING = object()
MAX_AT_A_TIME = 100_000
ADD = BINARY[ast.Add]


def sum_(machine: Machine, items: Any, /, start: Any = 0) -> Any:
    """Adds from the left, as Python does: 0 + x[0] + x[1], so each addition is a node."""
    total = start
    for item in machine.whole(items):
        total = ADD(total, item)
    return total


def any_(machine: Machine, items: Any) -> bool:
    return any(machine.each(items))


def all_(machine: Machine, items: Any) -> bool:
    return all(machine.each(items))


def _by(machine: Machine, key: Any) -> Callable[[Any], Any] | None:
    """A key function of the script for one of Python's."""
    return None if key is None else lambda x: machine.call(key, (x,), {})


def _extreme(choose: Callable[..., Any], name: str) -> Callable[..., Any]:
    def run(machine: Machine, *values: Any, key: Any = None, default: Any = NOTHING) -> Any:
        if not values:
            raise TorchError(f"{name} expected at least 1 argument, got 0", kind="TypeError")
        items = machine.whole(values[0] if len(values) == 1 else values)
        if default is not NOTHING:
            return choose(items, key=_by(machine, key), default=default)
        return choose(items, key=_by(machine, key))

    return run


def sorted_(machine: Machine, items: Any, /, *, key: Any = None, reverse: bool = False) -> list[Any]:
    return sorted(machine.listed(items), key=_by(machine, key), reverse=bool(reverse))


def map_(machine: Machine, function: Any, /, *items: Any) -> Iterator[Any]:
    if not items:
        raise TorchError("map() must have at least two arguments.", kind="TypeError")
    return map(lambda *values: machine.call(function, values, {}), *map(machine.each, items))


def filter_(machine: Machine, function: Any, items: Any, /) -> Iterator[Any]:
    return filter(_by(machine, function), machine.each(items))


def zip_(machine: Machine, *items: Any, strict: bool = False) -> Iterator[Any]:
    sides = beside(items)
    return zip(*map(machine.each, sides), strict=bool(strict) and sides is items)


def enumerate_(machine: Machine, iterable: Any, start: int = 0) -> Iterator[Any]:
    return enumerate(machine.each(iterable), start)


def reversed_(machine: Machine, items: Any) -> Iterator[Any]:
    if isinstance(items, Instance):
        found = items.special("__reversed__")
        if found is not NotImplemented:
            return found  # type: ignore[no-any-return]
        return iter([items.special("__getitem__", i) for i in range(len(items) - 1, -1, -1)])
    if type(items).__name__ == "Tensor":
        return METHODS["flip"](items, (0,)) if items.ndim else items  # type: ignore[no-any-return]
    return iter(reversed(items))


def iter_(machine: Machine, items: Any, *sentinel: Any) -> Iterator[Any]:
    if sentinel:
        return _until(machine, items, sentinel[0])
    return iter(machine.each(items))


def _until(machine: Machine, function: Any, sentinel: Any) -> Iterator[Any]:
    while not COMPARE[ast.Eq](value := machine.call(function, (), {}), sentinel):
        machine.spend(1)
        yield value


def next_(machine: Machine, iterator: Any, *default: Any) -> Any:
    if not hasattr(type(iterator), "__next__") or (isinstance(iterator, Instance) and not iterator.cls.has("__next__")):
        raise TorchError(f"'{type_name(iterator)}' object is not an iterator", kind="TypeError")
    try:
        return next(iterator)
    except StopIteration as end:
        if default:
            return default[0]
        raise Stopped(end.value) from None


def len_(x: Any) -> int:
    if isinstance(x, Instance) and not x.cls.has("__len__"):
        raise TorchError(f"object of type '{x.cls.name}' has no len()", kind="TypeError")
    return len(x)


def list_(machine: Machine, items: Any = (), /) -> list[Any]:
    return machine.listed(items)


def tuple_(machine: Machine, items: Any = (), /) -> tuple[Any, ...]:
    return tuple(machine.listed(items))


def set_(machine: Machine, items: Any = (), /) -> set[Any]:
    return set(machine.listed(items))


def frozenset_(machine: Machine, items: Any = (), /) -> frozenset[Any]:
    return frozenset(machine.listed(items))


def dict_(machine: Machine, items: Any = (), /, **named: Any) -> dict[Any, Any]:
    return dict(items if isinstance(items, dict | ChainMap) else _pairs(machine, items), **named)


def _pairs(machine: Machine, items: Any) -> Any:
    """What a dict is made of: pairs, or an object of the script that has `keys`."""
    if isinstance(items, Instance) and items.cls.has("keys"):
        from gradviz.imitation.script.syntax.calls import mapping_pairs

        return mapping_pairs(machine, items)
    return machine.whole(items)


def functions() -> dict[str, Callable[..., Any]]:
    """The builtins over iterators; each takes the machine first."""
    return {
        "sum": sum_, "any": any_, "all": all_, "max": _extreme(max, "max"), "min": _extreme(min, "min"),
        "sorted": sorted_, "map": map_, "filter": filter_, "zip": zip_, "enumerate": enumerate_,
        "reversed": reversed_, "iter": iter_, "next": next_,
    }  # fmt: skip
