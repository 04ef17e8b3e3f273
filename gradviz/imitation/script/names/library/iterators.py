"""`itertools`: all that loops in native code takes its items through `Machine.each`, so that Stop is heard."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.errors import LimitError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.operators import BINARY, COMPARE
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.values import Namespace, Native

MAX_AT_A_TIME = 100_000
ADD = BINARY[ast.Add]


def _few(count: int) -> int:
    """How many items at a time: Python makes room for them before the first."""
    if count > MAX_AT_A_TIME:
        raise LimitError(f"{count:,} items at a time are too many", hint="Use a smaller number.")
    return count


def _by(machine: Machine, function: Any) -> Callable[..., Any]:
    return lambda *given: machine.call(function, given, {})


def _product(machine: Machine, *items: Any, repeat: int = 1) -> Iterator[Any]:
    pools = [machine.listed(pool) for pool in items]
    return iter(machine.each(itertools.product(*pools, repeat=_few(repeat))))


def _permutations(machine: Machine, iterable: Any, r: int | None = None) -> Iterator[Any]:
    pool = machine.listed(iterable)
    return iter(machine.each(itertools.permutations(pool, _few(len(pool) if r is None else r))))


def _combinations(machine: Machine, iterable: Any, r: int) -> Iterator[Any]:
    return iter(machine.each(itertools.combinations(machine.listed(iterable), _few(r))))


def _with_replacement(machine: Machine, iterable: Any, r: int) -> Iterator[Any]:
    return iter(machine.each(itertools.combinations_with_replacement(machine.listed(iterable), _few(r))))


def _accumulate(machine: Machine, iterable: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    add = ADD if func is None else _by(machine, func)
    return itertools.accumulate(machine.each(iterable), add, initial=initial)


def _islice(machine: Machine, items: Any, *bounds: Any) -> Iterator[Any]:
    return itertools.islice(machine.each(items), *bounds)


class Stepped(Iterator[Any]):
    """An iterator of Python's library that shows where it stands, made stoppable."""

    def __init__(self, machine: Machine, items: Iterator[Any]) -> None:
        self._machine = machine
        self._items = items

    def __next__(self) -> Any:
        self._machine.spend(1)
        return next(self._items)

    def __repr__(self) -> str:
        return repr(self._items)


def _repeat(machine: Machine, object: Any, *times: int, **named: int) -> Iterator[Any]:
    return Stepped(machine, itertools.repeat(object, *times, **named))


def _count(machine: Machine, start: Any = 0, step: Any = 1) -> Iterator[Any]:
    return Stepped(machine, itertools.count(start, step))


def _chain(machine: Machine, *items: Any) -> Iterator[Any]:
    for part in items:
        yield from machine.each(part)


def _chain_of(machine: Machine, items: Any) -> Iterator[Any]:
    for part in machine.each(items):
        yield from machine.each(part)


def _cycle(machine: Machine, items: Any) -> Iterator[Any]:
    kept: list[Any] = [items] if isinstance(items, Silent) else []
    for item in machine.each(items):
        kept.append(item)
        yield item
    while kept:
        yield from machine.each(kept)
        machine.spend(1)


def _zip_longest(machine: Machine, *items: Any, fillvalue: Any = None) -> Iterator[Any]:
    return itertools.zip_longest(*map(machine.each, items), fillvalue=fillvalue)


def _takewhile(machine: Machine, predicate: Any, items: Any) -> Iterator[Any]:
    return itertools.takewhile(_by(machine, predicate), machine.each(items))


def _dropwhile(machine: Machine, predicate: Any, items: Any) -> Iterator[Any]:
    return itertools.dropwhile(_by(machine, predicate), machine.each(items))


def _filterfalse(machine: Machine, predicate: Any, items: Any) -> Iterator[Any]:
    return itertools.filterfalse(None if predicate is None else _by(machine, predicate), machine.each(items))


def _starmap(machine: Machine, function: Any, items: Any) -> Iterator[Any]:
    return (machine.call(function, tuple(machine.listed(given)), {}) for given in machine.each(items))


def _compress(machine: Machine, data: Any, selectors: Any) -> Iterator[Any]:
    return itertools.compress(machine.each(data), machine.each(selectors))


def _pairwise(machine: Machine, items: Any) -> Iterator[Any]:
    return itertools.pairwise(machine.each(items))


def _tee(machine: Machine, items: Any, n: int = 2) -> tuple[Any, ...]:
    return itertools.tee(machine.each(items), _few(n))


def _groupby(machine: Machine, iterable: Any, key: Any = None) -> Iterator[Any]:
    """Groups of neighbours, each whole before the next begins."""
    key_of: Callable[..., Any] = (lambda x: x) if key is None else _by(machine, key)
    group: list[Any] = []
    last: Any = None
    for item in machine.each(iterable):
        this = key_of(item)
        if group and not COMPARE[ast.Eq](this, last):
            yield last, iter(group)
            group = []
        group.append(item)
        last = this
    if group:
        yield last, iter(group)


def module(machine: Machine) -> Namespace:
    """The names."""
    members = with_machine({
        "count": _count, "cycle": _cycle, "repeat": _repeat, "chain": _chain, "islice": _islice, "product": _product,
        "permutations": _permutations, "combinations": _combinations, "accumulate": _accumulate,
        "zip_longest": _zip_longest, "takewhile": _takewhile, "pairwise": _pairwise, "dropwhile": _dropwhile,
        "filterfalse": _filterfalse, "starmap": _starmap, "compress": _compress, "tee": _tee, "groupby": _groupby,
        "combinations_with_replacement": _with_replacement,
    })  # fmt: skip
    members["chain"].members["from_iterable"] = Native("from_iterable", _chain_of, needs_machine=True)
    return Namespace("itertools", members)
