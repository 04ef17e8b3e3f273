"""What a pass that goes node by node sends through a node, and what it writes down: one step for each entry."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from gradviz.imitation.engine.nodes import inside, output_number, results
from gradviz.imitation.engine.passes.backward import full_name, outgoing, rules_of
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError

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


def steps_of_joint(
    entry: Tensor, made: Sequence[Tensor], came: Sequence[Any], sent: Sent
) -> list[tuple[int, Any, Sent]]:
    """The steps of a custom Function: each result with its own share of the entry that stands for the call."""
    assert entry.op is not None
    if not entry.op.pieces:
        return [(entry.index, np.zeros(entry.shape, entry.dtype)[()] if came[0] is None else came[0], sent)]
    whole = np.zeros(entry.shape, entry.dtype)
    steps = []
    start = 0
    for x, g in zip(made, came, strict=True):
        end = start + x.data.size
        if g is not None:
            spread = np.zeros(entry.shape, entry.dtype)
            spread[start:end] = whole[start:end] = np.ravel(array_of(g))
            steps.append((x.index, g, (spread,)))
        start = end
    return [*steps[::-1], (entry.index, whole, sent)]


def asked(sent: Sent, sources: Sequence[Tensor]) -> Sent:
    """What goes to the inputs that take a gradient: a custom Function may send the others something too."""
    return tuple(g if x.requires_grad else None for g, x in zip(sent, sources, strict=True))


LISTED = frozenset(("cat", "stack"))
"""Ops whose inputs are one list to PyTorch's node: it sends something to all of them or to none."""


def to_all(entry: Tensor, g: Any, sent: Sent) -> Sent:
    """What such a node sends, also for tensors that take no gradient: hooks of the node see it."""
    assert entry.op is not None
    values = [entry.tape.entries[j].data for j in entry.inputs]
    rules = rules_of(entry.op, len(values))
    return tuple(
        rule(g, entry.data, *values, **entry.params) if out is None else out
        for out, rule in zip(sent, rules, strict=True)
    )


def refuse_nan(entry: Tensor, sent: Sent) -> None:
    """Raise where a node sends NaN, in anomaly mode."""
    for slot, g in enumerate(sent):
        if g is not None and np.isnan(array_of(g)).any():
            raise TorchError(
                f"Function '{full_name(entry)}' returned nan values in its {slot}th output.",
                hint="The picture shows the numbers that the node was given.",
            )


def where_looked_at(
    steps: list[tuple[int, Any, Sent]], shares: dict[int, Any], entries: Sequence[Tensor]
) -> list[tuple[int, Any, Sent]]:
    """The steps of a node at the entries that show its results as they are used, where those were changed since.

    Args:
        steps: as they are written down else.
        shares: by the position of such an entry what came to it.
        entries: those of the tape.
    """
    found: list[tuple[int, Any, Sent]] = []
    for at, g, sent in steps:
        again = {p: share for p, share in shares.items() if entries[p].extra.node == at}  # type: ignore[union-attr]
        if len(again) == 1 and next(iter(again.values())) is g:
            found.append((next(iter(again)), g, sent))
        else:
            found += [*((p, share, (None,) * len(sent)) for p, share in again.items()), (at, g, sent)]
    return found


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
    """What came, with None for the other results of a node of which only one takes a gradient."""
    if entry.op is None or entry.op.among is None:
        return tuple(came)
    place, count = entry.op.among
    return tuple(came[-1] if i == place else None for i in range(count))


def of_node(entry: Tensor, shown: list[Any]) -> list[Any]:
    if entry.op is None or entry.op.among is None:
        return shown
    end = entry.op.among[0] + 1
    return shown[end - output_count(entry) : end]


def output_count(entry: Tensor) -> int:
    """How many outputs the node of an entry has."""
    if entry.op is None or not (entry.op.output or entry.op.pieces):
        return 1
    return entry.op.pieces or output_number(results(entry)[-1]) + 1


def array_of(g: Any) -> Any:
    return g.data if isinstance(g, Tensor) else g


def note_leaf(record: SweepRecord, shares: dict[int, Any], g: Any, raw: Any) -> None:
    """Write down the step of a leaf; where it was changed between its uses, one for each state of it.

    Args:
        shares: what came to each state of it, by position.
        g: the gradient, after the hooks.
        raw: the gradient before them.
    """
    if g is None:
        return
    for position in sorted(shares):
        record.leaves[position] = g if len(shares) == 1 or g is not raw else shares[position]
        record.steps.append(position)
