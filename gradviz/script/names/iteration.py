"""Python's functions over iterators, `itertools` and `functools`.

All that loops in native code takes its items through `Machine.each`, so that Stop and the limits are heard.
"""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.errors import LimitError, TorchError
from gradviz.script.calls import callable_value
from gradviz.script.failures import Stopped
from gradviz.script.machine import Machine
from gradviz.script.operators import BINARY, COMPARE
from gradviz.script.values import Instance, Namespace, Native, type_name

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
    return zip(*map(machine.each, items), strict=bool(strict))


def enumerate_(machine: Machine, iterable: Any, start: int = 0) -> Iterator[Any]:
    return enumerate(machine.each(iterable), start)


def reversed_(machine: Machine, items: Any) -> Iterator[Any]:
    if isinstance(items, Instance):
        found = items.special("__reversed__")
        if found is not NotImplemented:
            return iter(machine.each(found))
        return iter([items.special("__getitem__", i) for i in range(len(items) - 1, -1, -1)])
    if type(items).__name__ == "Tensor":
        raise TorchError("reversed() of a tensor is not supported", kind="TypeError", hint="Use torch.flip(x, (0,)).")
    return iter(machine.each(reversed(items)))


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
    return dict(items if isinstance(items, dict) else machine.whole(items), **named)


def functions() -> dict[str, Callable[..., Any]]:
    """The builtins over iterators; each takes the machine first."""
    return {
        "sum": sum_, "any": any_, "all": all_, "max": _extreme(max, "max"), "min": _extreme(min, "min"),
        "sorted": sorted_, "map": map_, "filter": filter_, "zip": zip_, "enumerate": enumerate_,
        "reversed": reversed_, "iter": iter_, "next": next_,
    }  # fmt: skip


# ---- itertools ----


def _few(count: int) -> int:
    """How many items at a time: Python makes room for them before the first."""
    if count > MAX_AT_A_TIME:
        raise LimitError(f"{count:,} items at a time are too many", hint="Use a smaller number.")
    return count


def _product(machine: Machine, *items: Any, repeat: int = 1) -> Iterator[Any]:
    pools = [machine.listed(pool) for pool in items]
    return iter(machine.each(itertools.product(*pools, repeat=_few(repeat))))


def _permutations(machine: Machine, items: Any, r: int | None = None) -> Iterator[Any]:
    pool = machine.listed(items)
    return iter(machine.each(itertools.permutations(pool, _few(len(pool) if r is None else r))))


def _combinations(machine: Machine, items: Any, r: int) -> Iterator[Any]:
    return iter(machine.each(itertools.combinations(machine.listed(items), _few(r))))


def _accumulate(machine: Machine, items: Any, function: Any = None, *, initial: Any = None) -> Iterator[Any]:
    add = ADD if function is None else lambda a, b: machine.call(function, (a, b), {})
    return itertools.accumulate(machine.each(items), add, initial=initial)


def _islice(machine: Machine, items: Any, *bounds: Any) -> Iterator[Any]:
    return itertools.islice(machine.each(items), *bounds)


def _repeat(machine: Machine, x: Any, *times: int) -> Iterator[Any]:
    return iter(machine.each(itertools.repeat(x, *times)))


def _chain(machine: Machine, *items: Any) -> Iterator[Any]:
    for part in items:
        yield from machine.each(part)


def _cycle(machine: Machine, items: Any) -> Iterator[Any]:
    kept = machine.listed(items)
    while kept:
        yield from machine.each(kept)
        machine.spend(1)


def _zip_longest(machine: Machine, *items: Any, fillvalue: Any = None) -> Iterator[Any]:
    return itertools.zip_longest(*map(machine.each, items), fillvalue=fillvalue)


def _takewhile(machine: Machine, function: Any, items: Any) -> Iterator[Any]:
    return itertools.takewhile(lambda x: machine.call(function, (x,), {}), machine.each(items))


def _pairwise(machine: Machine, items: Any) -> Iterator[Any]:
    return itertools.pairwise(machine.each(items))


def itertools_module() -> Namespace:
    """`itertools`."""

    def count(machine: Machine, start: Any = 0, step: Any = 1) -> Iterator[Any]:
        return iter(machine.each(itertools.count(start, step)))

    table: dict[str, Callable[..., Any]] = {
        "count": count, "cycle": _cycle, "repeat": _repeat, "chain": _chain, "islice": _islice, "product": _product,
        "permutations": _permutations, "combinations": _combinations, "accumulate": _accumulate,
        "zip_longest": _zip_longest, "takewhile": _takewhile, "pairwise": _pairwise,
    }  # fmt: skip
    return Namespace("itertools", {name: Native(name, run, needs_machine=True) for name, run in table.items()})


# ---- functools ----


def _partial(machine: Machine, function: Any, /, *arguments: Any, **keywords: Any) -> Native:
    return Native("partial", lambda *rest, **more: machine.call(function, (*arguments, *rest), {**keywords, **more}))


def _reduce(machine: Machine, function: Any, items: Any, /, *start: Any) -> Any:
    return functools.reduce(lambda a, b: machine.call(function, (a, b), {}), machine.whole(items), *start)


def _wraps(machine: Machine, wrapped: Any) -> Native:
    """The wrapper keeps its own name here."""
    return Native("wraps", lambda function: function)


def _cache(machine: Machine, function: Any = None, maxsize: Any = None) -> Native:
    """`@lru_cache`, with or without brackets."""
    if not callable_value(function):
        return Native("lru_cache", lambda inner: _cache(machine, inner))
    known: dict[Any, Any] = {}

    def run(*arguments: Any) -> Any:
        if arguments not in known:
            known[arguments] = machine.call(function, arguments, {})
        return known[arguments]

    return Native(getattr(function, "name", "function"), run)


def functools_module() -> Namespace:
    """`functools`."""
    table: dict[str, Callable[..., Any]] = {
        "partial": _partial, "reduce": _reduce, "wraps": _wraps, "lru_cache": _cache, "cache": _cache,
    }  # fmt: skip
    return Namespace("functools", {name: Native(name, run, needs_machine=True) for name, run in table.items()})


def product_(machine: Machine, items: Any, /, *, start: Any = 1) -> Any:
    """`math.prod`."""
    total = start
    multiply = BINARY[ast.Mult]
    for item in machine.whole(items):
        total = multiply(total, item)
    return total


__all__ = ["callable_value", "functions", "functools_module", "itertools_module", "product_"]
