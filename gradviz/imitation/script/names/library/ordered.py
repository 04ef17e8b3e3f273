"""`heapq` and `bisect`: lists kept in order."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.values import Namespace


def _by(machine: Machine, key: Any) -> Callable[[Any], Any] | None:
    return None if key is None else lambda x: machine.call(key, (x,), {})


def _on_heap(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(machine: Machine, heap: list[Any], *item: Any) -> Any:
        machine.spend(1 + len(heap) // 1000)
        return function(heap, *item)

    return run


def _extremes(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, n, iterable, key=None: function(n, machine.whole(iterable), key=_by(machine, key))


def heapq_module(machine: Machine) -> Namespace:
    """`heapq`."""
    names = ("heappush", "heappop", "heapify", "heappushpop", "heapreplace")
    return Namespace("heapq", with_machine({
        **{name: _on_heap(getattr(heapq, name)) for name in names},
        "nlargest": _extremes(heapq.nlargest), "nsmallest": _extremes(heapq.nsmallest),
        "merge": lambda machine, *items, key=None, reverse=False: heapq.merge(
            *map(machine.each, items), key=_by(machine, key), reverse=reverse
        ),
    }))  # fmt: skip


def _searched(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, a, x, lo=0, hi=None, *, key=None: function(a, x, lo, hi, key=_by(machine, key))


def bisect_module(machine: Machine) -> Namespace:
    """`bisect`."""
    names = ("bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right")
    return Namespace("bisect", with_machine({name: _searched(getattr(bisect, name)) for name in names}))
