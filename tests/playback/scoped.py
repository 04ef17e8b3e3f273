"""Recordings with scopes, made by hand: a graph of scalars with one backward pass whose gradients are all exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradviz.playback.groups.alike import with_alike
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import OPEN, Folding
from gradviz.playback.groups.groups import Groups, groups_of
from gradviz.playback.track import Track
from gradviz.recording import Accumulation, Array, Node, Recording, Step, Sweep

F = np.float32
Line = tuple[str, str, Sequence[str], Sequence[str]]
"""Name, op ("leaf", "constant", "add", "mul"), names of the inputs, scope."""


@np.errstate(all="ignore")
def recording(lines: Sequence[Line]) -> Recording:
    """A recording of these nodes in this order; every leaf is 2, backward starts from the last node."""
    ids = {name: number for number, (name, _, _, _) in enumerate(lines)}
    nodes, values = [], []
    for number, (name, op, inputs, scope) in enumerate(lines):
        sources = tuple(ids[source] for source in inputs)
        x = [values[source] for source in sources]
        values.append(F(2 if not x else x[0] + x[1] if op == "add" else x[0] * x[1]))
        takes = op == "leaf" or any(nodes[source].requires_grad for source in sources)
        nodes.append(Node(number, op, sources, name=name, requires_grad=takes, line=number + 1, scope=tuple(scope)))
    return Recording(tuple(nodes), tuple(values), (_sweep(nodes, values),))


def _sweep(nodes: list[Node], values: list[Array]) -> Sweep:
    incoming: dict[int, Array] = {len(nodes) - 1: F(1)}
    steps = []
    for node in reversed(nodes):
        g = incoming.get(node.id)
        if g is None or not node.requires_grad:
            continue
        x = [values[source] for source in node.inputs]
        gradients = () if not x else (g, g) if node.op == "add" else (F(g * x[1]), F(g * x[0]))
        sent = [v if nodes[s].requires_grad else None for s, v in zip(node.inputs, gradients, strict=True)]
        for source, gradient in zip(node.inputs, sent, strict=True):
            if gradient is not None:
                incoming[source] = F(incoming.get(source, F(0)) + gradient)
        steps.append(Step(node.id, g, tuple(sent)))
    kept = tuple(Accumulation(s.node, None, s.incoming) for s in steps if nodes[s.node].is_leaf)
    return Sweep((len(nodes) - 1,), (F(1),), tuple(steps), kept)


def blocks(count: int) -> list[Line]:
    """x through `count` blocks y = (x + w) * x, each with a weight of its own, in module "net"."""
    lines: list[Line] = [("x", "leaf", (), ())]
    before = "x"
    for number in range(count):
        scope = ("net", f"layers.{number}")
        lines += [
            (f"w{number}", "leaf", (), scope),
            (f"a{number}", "add", (before, f"w{number}"), scope),
            (f"y{number}", "mul", (f"a{number}", before), scope),
        ]
        before = f"y{number}"
    return [*lines, ("loss", "mul", (before, before), ())]


def track(lines: Sequence[Line]) -> Track:
    """The track of the only sweep."""
    return Track(recording(lines), 0)


def grouped(made: Track) -> Groups:
    """Its groups, alike ones together."""
    return with_alike(groups_of(made), made)


def folded(made: Track, *titles: str) -> FoldedTrack:
    """The track with the groups of those titles folded."""
    groups = grouped(made)
    keys = {group.key for group in groups.groups if group.title in titles}
    return FoldedTrack.of(made, groups, Folding(frozenset(keys)) if keys else OPEN)


def names(made: Track) -> list[str]:
    """The boxes: names of nodes, titles of folded groups."""
    nodes = made.recording.nodes
    groups = made.groups.groups if isinstance(made, FoldedTrack) else ()
    return [(nodes[box].name or "") if box < len(nodes) else groups[box - len(nodes)].title for box in made.forward]
