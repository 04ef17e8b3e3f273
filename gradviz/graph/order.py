"""The order in which the steps of a backward pass are told."""

from __future__ import annotations

from gradviz.recording import Node, Step


def leaves_when_ready(steps: list[Step], nodes: list[Node]) -> list[Step]:
    """The steps with those of leaves right after the step that sent them the last of what comes in."""
    last: dict[int, int] = {}
    inner = [step for step in steps if not nodes[step.node].is_leaf]
    for position, step in enumerate(inner):
        for source, gradient in zip(nodes[step.node].inputs, step.outgoing, strict=False):
            if gradient is not None:
                last[source] = position
    ready: dict[int, list[Step]] = {}
    for step in steps:
        if nodes[step.node].is_leaf:
            ready.setdefault(last.get(step.node, len(inner) - 1), []).append(step)
    ordered = list(ready.get(-1, ()))
    for position, step in enumerate(inner):
        slots = nodes[step.node].inputs
        ordered.append(step)
        ordered += sorted(ready.get(position, ()), key=lambda leaf: slots.index(leaf.node) if leaf.node in slots else 0)
    return ordered
