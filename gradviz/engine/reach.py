"""What a backward pass may come to: the entries that its outputs were computed from."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.engine.saved import FREED
from gradviz.engine.tensor import Tensor
from gradviz.ops.fitting import Gradient


def index_of(entry: Tensor) -> int:
    """The number of an entry in the order in which they were made."""
    return entry.index


def put_aside(outputs: Iterable[Tensor]) -> list[tuple[Tensor, Gradient]]:
    """What is under way in the graph of a pass that begins inside another one, in a hook: it must not be mixed."""
    found = []
    for x in _entries_and_leaves(outputs):
        if x.incoming is not None and x.incoming is not FREED:
            found.append((x, x.incoming))
            x.incoming = None
    return found


def clear(outputs: Iterable[Tensor]) -> None:
    """Put away what is under way in a graph."""
    for x in _entries_and_leaves(outputs):
        if x.incoming is not FREED:
            x.incoming = None


def _entries_and_leaves(outputs: Iterable[Tensor]) -> set[Tensor]:
    order = reached_from(outputs)
    return {*order, *(x for entry in order for x in entry.inputs), *outputs}


def reached_from(outputs: Iterable[Tensor]) -> list[Tensor]:
    """The entries that outputs were computed from, themselves included, last first."""
    found = {x for x in outputs if x.op is not None}
    waiting = list(found)
    while waiting:
        for x in waiting.pop().inputs:
            if x.op is not None and x not in found:
                found.add(x)
                waiting.append(x)
    return sorted(found, key=index_of, reverse=True)


def leading_to(outputs: Iterable[Tensor], inputs: Iterable[Tensor]) -> set[Tensor]:
    """The entries between inputs and outputs: those that some path leads on to an input, the inputs included."""
    wanted = set(inputs)
    for each in reversed(reached_from(outputs)):
        for x in each.inputs:
            if x in wanted:
                wanted.add(each)
                break
    return wanted
