"""Letting go of old passes, so that a long training loop takes no more memory than a short one.

Positions on the tape stay what they are: what is dropped leaves a hole. What somebody still holds stays, and so does
all that its gradients would flow through; but behind a node whose saved tensors are freed nothing can flow, so the
tape is cut there, however many old losses a script collects in a list.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gradviz.imitation.engine.nodes import head
from gradviz.imitation.engine.passes.backward import node_name
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.tensor import Tape, Tensor, constant

HOLE = constant(np.float32(0), Tape())
"""What stands at the position of an entry that was dropped."""
HOLE.requires_grad = True  # so that a node cut off behind it still counts as one that saved something

_FREE, _SHOWN, _HELD = 0, 1, 2
"""What is known of an entry: nobody needs it, a kept pass shows it, or something that is held depends on it."""


def drop(tape: Tape, kept: Sequence[SweepRecord]) -> None:
    """Drop all passes but `kept`, and the entries that then nobody needs, up to the last pass now or at a drop before.

    Must not be called while a pass runs.

    Args:
        kept: in order, the last pass of the tape among them.
    """
    end = max(tape.sparse_until, *(max(record.outputs) + 1 for record in kept))
    needs = bytearray(end)
    for record in kept:
        for i in (*record.outputs, *range(record.start, max(record.outputs))):
            needs[i] = _SHOWN
    for entry in tape.entries[end:]:
        _need(needs, entry.inputs, _HELD)
    tape.sweeps[:] = kept
    tape.apart.clear()
    old = [*tape.sparse, *range(tape.sparse_until, end)]
    dropped = [i for i in reversed(old) if not _stays(tape, i, needs)]
    gone = set(dropped)
    tape.sparse = [i for i in old if i not in gone]
    tape.sparse_until = end
    tape.holes += len(dropped)
    tape.freed -= gone
    for table in (tape.names, tape.lines, tape.levels, tape.packed, tape.beside):
        for i in gone & table.keys():
            del table[i]


def remaining(tape: Tape) -> list[int]:
    """The positions that are no holes, ascending."""
    return [*tape.sparse, *range(tape.sparse_until, len(tape.entries))]


def shown(tape: Tape) -> list[int]:
    """The positions that belong to the picture of a pass or of what came after the last, ascending.

    What is only held by somebody does not, unless something in a picture was made from it.
    """
    if not tape.holes and not tape.apart:
        return list(range(len(tape.entries)))
    found = set(remaining(tape)) - tape.apart
    for i in reversed(remaining(tape)):
        if i in found:
            found.update(j for j in tape.entries[i].inputs if tape.entries[j] is not HOLE)
    return sorted(found)


def is_cut(tape: Tape, entry: Tensor) -> bool:
    """Whether inputs of the entry were dropped."""
    return tape.holes > 0 and any(tape.entries[j] is HOLE for j in entry.inputs)


def _need(needs: bytearray, inputs: Sequence[int], why: int) -> None:
    for j in inputs:
        if j < len(needs) and needs[j] != _SHOWN:
            needs[j] = why


def _stays(tape: Tape, i: int, needs: bytearray) -> bool:
    """Whether the entry stays, and what it depends on with it. Asked from the last entry to the first."""
    need = needs[i] or _need_of(tape, i)
    if need == _FREE:
        return False
    entry = tape.entries[i]
    if need == _HELD:
        tape.apart.add(i)
        if _is_cut(tape, entry, i):
            return True
    _need(needs, entry.inputs, need)
    if entry.extra is not None and entry.extra.node is not None:
        _need(needs, (entry.extra.node,), need)
    if entry.op is not None and entry.op.output and entry.op.joint is None:
        _need(needs, range(head(entry).index, i), need)  # the results of the same node before it
    return True


def _need_of(tape: Tape, i: int) -> int:
    """Whether somebody besides the tape holds the entry; where nobody does, a hole takes its place."""
    held = weakref.ref(tape.entries[i])
    tape.entries[i] = HOLE
    tensor = held()
    if tensor is None:
        return _FREE
    if tensor.op is None:
        tensor.index = -1  # it enters again where it is used again
        return _FREE
    tape.entries[i] = tensor
    return _HELD


def _is_cut(tape: Tape, entry: Tensor, i: int) -> bool:
    """Whether nothing can flow through the entry any more; then it keeps its name without its inputs."""
    op = entry.op
    if op is None or i not in tape.freed:
        return False
    if not op.keeps_something([tape.entries[j].requires_grad for j in entry.inputs]):
        return False
    if not isinstance(op.node, str):
        entry.op = replace(op, node=node_name(entry))
    return True
