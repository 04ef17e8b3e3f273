"""From the live tape to the frozen recording."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOAT32
from gradviz.imitation.engine.passes.backward import PULSE
from gradviz.imitation.engine.passes.dropping import is_cut
from gradviz.imitation.engine.passes.run_order import run_order
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.recording import CONSTANT, LEAF, Accumulation, Array, Node, Recording, Step, Sweep, Thinned
from gradviz.imitation.spelling import spelled

Marks = Sequence[tuple[int, int]]
"""(number of entries, line): from that entry on, entries were made by that line."""


Ids = Sequence[int] | Mapping[int, int]
"""The id of a node by its position on the tape; they differ once entries were dropped."""


def ids_of(tape: Tape, positions: Sequence[int]) -> Ids:
    """The ids of the nodes at these positions, ascending."""
    return (
        {position: i for i, position in enumerate(positions)}
        if len(positions) < len(tape.entries)
        else range(len(tape.entries))
    )


def freeze_nodes(
    tape: Tape, lines: Marks = (), scopes: Sequence[tuple[str, ...]] = (), positions: Sequence[int] | None = None
) -> tuple[Node, ...]:
    """The nodes at some positions of a tape, at all where None; `scopes` has one entry per node, or none."""
    positions = range(len(tape.entries)) if positions is None else positions
    ids, starts = ids_of(tape, positions), [start for start, _ in lines]
    nodes = []
    for i, position in enumerate(positions):
        if not i & PULSE:
            tape.pulse()
        entry = tape.entries[position]
        line = lines[at - 1][1] if (at := bisect_right(starts, position)) else None
        was_cut, value = is_cut(tape, entry), shown(entry)
        nodes.append(
            Node(
                i,
                CONSTANT if was_cut else op_name(entry),
                () if was_cut else tuple([ids[j] for j in entry.inputs]),
                {"from": f"{op_name(entry)} of a backward call that was not kept"}
                if was_cut
                else {name: plain(value) for name, value in entry.params.items()},
                value.shape,
                value.dtype.name,
                tape.names.get(position),
                entry.requires_grad and not was_cut,
                tape.lines.get(position, line),
                scopes[i] if scopes else (),
            )
        )
    return tuple(nodes)


def op_name(entry: Tensor) -> str:
    """The op of an entry, as `recording.Node.op` has it."""
    return spelled(entry.op.name) if entry.op is not None else LEAF if entry.requires_grad else CONSTANT


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


def freeze_values(tape: Tape, positions: Sequence[int] | None = None) -> tuple[Array, ...]:
    """The values at some positions of a tape, at all where None, as they were when each was recorded."""
    entries = tape.entries if positions is None else [tape.entries[i] for i in positions]
    return tuple([stored(shown(entry)) for entry in entries])


def shown(entry: Tensor) -> Any:
    """The value when it was recorded: memory of another shape or dtype may have been given to the tensor since."""
    return entry.data if entry.extra is None or entry.extra.shown is None else entry.extra.shown


def stored(value: Any) -> Any:
    """An array as a recording has it, in a dtype of numpy's own: a bfloat16 is a float32."""
    return value.astype(FLOAT32) if value is not None and value.dtype.kind == "V" else value


def ordered_steps(record: SweepRecord) -> list[Step]:
    """The steps in the order in which they ran."""
    made = {node: Step(node, array(g), tuple(map(array, sent))) for node, _, g, sent in record.nodes}
    return [Step(i, array(record.leaves[i])) if i in record.leaves else made[i] for i in run_order(record)]


def array(g: Any) -> Any:
    """The array of a gradient, which under create_graph is a tensor."""
    return stored(g.data if isinstance(g, Tensor) else g)


def freeze_sweep(record: SweepRecord, ids: Ids | None = None) -> Sweep:
    """One pass; `ids` of its nodes where they are not their positions."""
    steps = ordered_steps(record)
    accumulated = [Accumulation(i, array(before), array(after)) for i, before, after in record.accumulated]
    outputs = record.outputs
    if ids is not None:
        steps = [step._replace(node=ids[step.node]) for step in steps]
        accumulated = [entry._replace(node=ids[entry.node]) for entry in accumulated]
        outputs = tuple([ids[i] for i in outputs])
    return Sweep(
        outputs,
        tuple(map(array, record.seeds)),
        tuple(steps),
        tuple(accumulated),
        record.line,
        record.retain_graph,
        record.create_graph,
    )


def freeze(
    tape: Tape,
    *,
    lines: Marks = (),
    scopes: Sequence[tuple[str, ...]] = (),
    positions: Sequence[int] | None = None,
    gradients: Mapping[str, Array | None] | None = None,
    thinned: Thinned | None = None,
    **rest: Any,
) -> Recording:
    """A whole run; `positions` of the tape that become nodes, all where None."""
    ids = None if positions is None or len(positions) == len(tape.entries) else ids_of(tape, positions)
    sweeps = []
    for record in tape.sweeps:
        tape.pulse()
        if record.order or record.leaves:
            sweeps.append((record, freeze_sweep(record, ids)))
    if thinned is not None:
        places = range(len(tape.entries)) if positions is None else positions
        sweeps = [(r, replace(s, number=r.number, since=bisect_left(places, r.start))) for r, s in sweeps]
    return Recording(
        freeze_nodes(tape, lines, scopes, positions),
        freeze_values(tape, positions),
        tuple([sweep for _, sweep in sweeps]),
        {name: stored(gradient) for name, gradient in (gradients or {}).items()},
        thinned=thinned,
        **rest,
    )
