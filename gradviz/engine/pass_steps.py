"""What a pass that goes node by node sends through a node, and what it writes down: one step for each entry."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from gradviz.engine.backward import outgoing
from gradviz.engine.nodes import inside, output_number, results
from gradviz.engine.sweep_record import SweepRecord
from gradviz.engine.tensor import Tape, Tensor

Sent = tuple[Any, ...]


def write_down(
    record: SweepRecord,
    tape: Tape,
    steps: Sequence[tuple[int, Any, Sent]],
    taking: Sequence[bool],
    inner: AbstractSet[int],
) -> None:
    """Add the steps of one node to the record, the entry of the node itself last.

    Args:
        record: what is added to.
        tape: where the entries stand.
        steps: of each entry its position, the incoming gradient, and the outgoing ones.
        taking: which of the node's edges lead to nodes that take part in the pass.
        inner: positions of entries that ran inside another node, which may run as nodes too.
    """
    if not steps:
        return
    op = tape.entries[steps[-1][0]].op
    is_whole = op is None or not op.pieces
    is_change = inside(tape.entries[steps[-1][0]]) is not None
    for position, g, sent in steps:
        is_last = position == steps[-1][0]
        kept = sent
        if position in inner and _added(record, tape, position, g, sent):
            continue
        if not is_change and (is_whole or is_last):
            kept = tuple(out if takes else None for out, takes in zip(sent, taking, strict=True))
        record.steps.append(position)
        record.order.append(position)
        record.sources.append(tape.entries[position].inputs)
        record.incoming.append(g)
        record.outgoing.append(kept)


def steps_of_results(
    made: Sequence[Tensor], came: Sequence[Any], sent: Sent, sources: list[Tensor]
) -> list[tuple[int, Any, Sent]]:
    """The steps of a node that sent for all its results at once: each result with its own share, the first one last."""
    shown = [(x, g) for x, g in zip(made, came, strict=True) if g is not None]
    if len(shown) == 1:
        return [(shown[0][0].index, shown[0][1], sent)]
    return [(x.index, g, outgoing(x.op, g.data, x, sources)) for x, g in reversed(shown) if x.op is not None]


def _added(record: SweepRecord, tape: Tape, position: int, g: Any, sent: Sent) -> bool:
    """Add to the step that an entry has already; returns whether it has one."""
    if position not in record.order:
        return False
    at = record.order.index(position)
    with tape.grad_mode(False):
        record.incoming[at] = record.incoming[at] + g
        pairs = zip(record.outgoing[at], sent, strict=True)
        record.outgoing[at] = tuple(b if a is None else a if b is None else a + b for a, b in pairs)
    return True


def to_node(entry: Tensor, came: Sequence[Any]) -> Sent:
    """What came, with None for the results of a custom Function that take no gradient, where only one does."""
    if entry.op is None or entry.op.among is None:
        return tuple(came)
    place, count = entry.op.among
    return tuple(came[0] if i == place else None for i in range(count))


def of_node(entry: Tensor, shown: list[Any]) -> list[Any]:
    return shown if entry.op is None or entry.op.among is None else [shown[entry.op.among[0]]]


def output_count(entry: Tensor) -> int:
    """How many outputs the node of an entry has."""
    if entry.op is None or not (entry.op.output or entry.op.pieces):
        return 1
    return entry.op.pieces or output_number(results(entry)[-1]) + 1


def array_of(g: Any) -> Any:
    return g.data if isinstance(g, Tensor) else g
