"""From the live tape to the frozen recording."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.engine.backward import SweepRecord
from gradviz.engine.run_order import run_order
from gradviz.engine.tensor import Tape, Tensor
from gradviz.recording import CONSTANT, LEAF, Accumulation, Array, Node, Recording, Step, Sweep

Marks = Sequence[tuple[int, int]]
"""(number of entries, line): from that entry on, entries were made by that line."""


def freeze_nodes(tape: Tape, lines: Marks = (), scopes: Sequence[tuple[str, ...]] = ()) -> tuple[Node, ...]:
    """The nodes of a tape; `scopes` has one entry per node, or none."""
    starts = [start for start, _ in lines]
    nodes = []
    for i, entry in enumerate(tape.entries):
        line = lines[at - 1][1] if (at := bisect_right(starts, i)) else None
        op = entry.op.name if entry.op is not None else LEAF if entry.requires_grad else CONSTANT
        nodes.append(
            Node(
                i,
                op,
                entry.inputs,
                {name: plain(value) for name, value in entry.params.items()},
                entry.shape,
                entry.dtype.name,
                tape.names.get(i),
                entry.requires_grad,
                tape.lines.get(i, line),
                scopes[i] if scopes else (),
            )
        )
    return tuple(nodes)


def plain(value: Any) -> Any:
    """A param as JSON has it: numbers, text, lists; a slice as the text that people write, e.g. "1:" or "::2"."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, slice):
        bounds = ("" if bound is None else str(bound) for bound in (value.start, value.stop))
        return ":".join(bounds) + ("" if value.step is None else f":{value.step}")
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return "..." if value is Ellipsis else value


def freeze_values(tape: Tape) -> tuple[Array, ...]:
    """The values of a tape as they were when each was recorded."""
    return tuple(
        entry.data if entry.extra is None or entry.extra.shown is None else entry.extra.shown for entry in tape.entries
    )


def ordered_steps(record: SweepRecord) -> list[Step]:
    """The steps in the order in which they ran."""
    at = {node: number for number, node in enumerate(record.order)}
    return [
        Step(i, array(record.leaves[i]))
        if i in record.leaves
        else Step(i, array(record.incoming[at[i]]), tuple(map(array, record.outgoing[at[i]])))
        for i in run_order(record)
    ]


def array(g: Any) -> Any:
    """The array of a gradient, which under create_graph is a tensor."""
    return g.data if isinstance(g, Tensor) else g


def freeze_sweep(record: SweepRecord, line: int | None = None) -> Sweep:
    """One pass."""
    return Sweep(
        record.outputs,
        tuple(map(array, record.seeds)),
        tuple(ordered_steps(record)),
        tuple(Accumulation(i, array(before), array(after)) for i, before, after in record.accumulated),
        line,
        record.retain_graph,
        record.create_graph,
    )


def freeze(
    tape: Tape,
    *,
    lines: Marks = (),
    scopes: Sequence[tuple[str, ...]] = (),
    sweep_lines: Sequence[int | None] = (),
    gradients: Mapping[str, Array | None] | None = None,
    **rest: Any,
) -> Recording:
    """A whole run."""
    padded = [*sweep_lines, *[None] * len(tape.sweeps)]
    return Recording(
        freeze_nodes(tape, lines, scopes),
        freeze_values(tape),
        tuple(
            freeze_sweep(record, line)
            for record, line in zip(tape.sweeps, padded, strict=False)
            if record.order or record.leaves
        ),
        dict(gradients or {}),
        **rest,
    )
