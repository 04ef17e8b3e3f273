"""The second graph beside the first: each node with what its backward step makes where the pass itself is recorded.

Who made what is known exactly, since the pass is run once more with create_graph, and listened to. Knows no Qt.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gradviz.playback.words import label, labels, short_value
from gradviz.recording import CONSTANT, Node, Recording

if TYPE_CHECKING:  # brings the engine
    from gradviz.graph.derivatives import SecondGraph

MOST_NAMED = 20_000
"""Nodes up to which all of them are named by their expressions."""
SHORT, LONGEST, WIDEST = 16, 36, 26
"""Characters of a name, an expression and a value."""


def name_of(recording: Recording, node: int) -> str:
    """What to call a node; in a large graph, where naming all would take long, only by its variable or its op."""
    given = recording.nodes[node]
    return label(recording, node) if len(recording.nodes) <= MOST_NAMED else given.name or given.op


def short_name(recording: Recording, node: int) -> str:
    """What to call a node in a few characters; of a long expression its beginning."""
    name = name_of(recording, node)  # whose limit all have: with another, all nodes would be named anew
    return name if len(name) <= SHORT else f"{name[: SHORT - 1]}…"


class Pair(NamedTuple):
    """One node of the first graph.

    Attributes:
        node: its id.
        text, value: what it is.
        made: expression and value of each node that its step made, in order; the last may be the gradient of a leaf.
    """

    node: int
    text: str
    value: str
    made: tuple[tuple[str, str], ...]


def paired(recording: Recording, output: int, graph: SecondGraph) -> list[Pair]:
    """The nodes that a pass from an output goes through, in its order, each with what its step made."""
    whole = extended(recording, graph)
    names = labels(whole, LONGEST)
    first = len(recording.nodes)
    gradients = {node: leaf for leaf, node in graph.sent.items()}
    made: dict[int, list[tuple[str, str]]] = {}
    for place, each in enumerate(graph.nodes):
        if each.step is None or each.op == CONSTANT:
            continue
        leaf = gradients.get(first + place)
        end = "" if leaf is None else f", v·J of {short_name(recording, leaf)}"
        made.setdefault(each.step, []).append((names[first + place], f"{short_value(each.value, WIDEST)}{end}"))
    nodes = recording.nodes
    inner = [i for i in recording.ancestors([output]) if nodes[i].requires_grad and not nodes[i].is_leaf]
    return [
        Pair(i, label(recording, i), short_value(recording.values[i], WIDEST), tuple(made.get(i, ())))
        for i in sorted(inner, reverse=True)
    ]


def extended(recording: Recording, graph: SecondGraph) -> Recording:
    """The recording with the nodes of the second graph behind its own; what comes in first is called v.

    Where the script has a v of its own, it is called seed.
    """
    first = len(recording.nodes)
    seed = "seed" if any(node.name == "v" for node in recording.nodes) else "v"
    added = [
        Node(first + place, each.op, each.inputs, each.params, each.shape, each.dtype, seed if not place else None)
        for place, each in enumerate(graph.nodes)
    ]
    values = [each.value for each in graph.nodes]
    return replace(recording, nodes=(*recording.nodes, *added), values=(*recording.values, *values))
