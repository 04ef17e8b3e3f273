"""The graph of one backward call for other programs: DOT for Graphviz, GraphML for networkx, yEd and Gephi."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from gradviz.playback.numbers import figures, in_words
from gradviz.playback.track import Track
from gradviz.playback.words import label
from gradviz.recording import CONSTANT, LEAF, Known, Summary

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class Drawn(NamedTuple):
    """One node as it is written.

    Attributes:
        id: in the recording.
        label: what the picture calls it.
        op, shape, dtype, line: of the node; `line` is None where it has none.
        value, gradient: in words; "" where there is none.
        norm: of the gradient, or None.
        requires_grad: whether a gradient can flow into it.
    """

    id: int
    label: str
    op: str
    shape: str
    dtype: str
    line: int | None
    value: str
    gradient: str
    norm: float | None
    requires_grad: bool


class Wire(NamedTuple):
    """One edge as it is written, from an input to what was computed from it; the gradient runs the other way."""

    source: int
    target: int
    slot: int
    gradient: str
    norm: float | None


def dot(track: Track, notes: Sequence[str] = ()) -> str:
    """The graph in the language of Graphviz, with the value and the gradient of each node; notes are its title."""
    lines = [
        "digraph gradviz {",
        '  node [shape=box, fontname="sans-serif", fontsize=12, margin="0.16,0.09", color="#2563c9"];',
        '  edge [fontname="sans-serif", fontsize=11, fontcolor="#c2410b", color="#5f6673", arrowsize=0.7];',
    ]
    if notes:
        title = _dot_text(list(notes))
        lines.append(f'  label={title}; labelloc=t; fontname="sans-serif"; fontcolor="#a3186f";')
    for node in _nodes(track):
        words = [node.label if node.op in (LEAF, CONSTANT, node.label) else f"{node.label}: {node.op}", node.shape]
        words += [node.value] * bool(node.value) + [f"∂L = {node.gradient}"] * bool(node.gradient)
        look = _LOOKS.get(node.op, "style=solid")
        lines.append(f"  n{node.id} [label={_dot_text(words)}, {look}];")
    for wire in _wires(track):
        # Graphviz sets a label close to its line: the spaces keep them apart.
        gradient = f"  {wire.gradient}  " if wire.gradient else ""
        lines.append(f"  n{wire.source} -> n{wire.target} [label={_dot_text([gradient])}];")
    return "\n".join([*lines, "}", ""])


_LOOKS = {LEAF: 'style=rounded, color="#0b7a5b"', CONSTANT: 'style=dashed, color="#666d7c"'}


def graphml(track: Track, notes: Sequence[str] = ()) -> str:
    """The graph as GraphML, with one data key for each fact of a node or an edge; notes are its description."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    if notes:
        lines.append(f"  <desc>{_xml_text('string', ' '.join(notes))}</desc>")
    for what, name, kind in _KEYS:
        lines.append(f'  <key id="{what}_{name}" for="{what}" attr.name="{name}" attr.type="{kind}"/>')
    lines.append('  <graph id="gradviz" edgedefault="directed">')
    for node in _nodes(track):
        facts = _data("node", node._asdict())
        lines.append(f'    <node id="n{node.id}">{facts}</node>')
    for number, wire in enumerate(_wires(track)):
        facts = _data("edge", wire._asdict())
        lines.append(f'    <edge id="e{number}" source="n{wire.source}" target="n{wire.target}">{facts}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


_KEYS = (
    *(("node", name, "string") for name in ("label", "op", "shape", "dtype", "value", "gradient")),
    ("node", "line", "int"), ("node", "norm", "double"), ("node", "requires_grad", "boolean"),
    ("edge", "slot", "int"), ("edge", "gradient", "string"), ("edge", "norm", "double"),
)  # fmt: skip


def _data(what: str, facts: dict[str, object]) -> str:
    found = []
    for of, name, kind in _KEYS:
        value = facts.get(name)
        if of == what and value is not None and value != "":
            found.append(f"<data key={quoteattr(f'{what}_{name}')}>{_xml_text(kind, value)}</data>")
    return "".join(found)


def _xml_text(kind: str, value: object) -> str:
    if kind == "boolean":
        return str(value).lower()
    if kind == "double":
        return {"nan": "NaN", "inf": "INF", "-inf": "-INF"}.get(str(value), str(value))
    return escape(_NOT_IN_XML.sub("�", str(value)))


def _dot_text(lines: list[str]) -> str:
    """Lines as one quoted text; what means something to Graphviz stands for itself."""
    escaped = [_CONTROL.sub("�", line).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"{}"'.format("\\n".join(escaped))


def _nodes(track: Track) -> Iterator[Drawn]:
    recording, call = track.recording, track.call
    for id in track.forward:
        node = recording.nodes[id]
        order = None if call is None else call.step_of.get(id)
        gradient = None if call is None or order is None else call.incoming(call.steps[order])
        yield Drawn(
            id, label(recording, id), node.op, str(list(node.shape)), node.dtype, node.line,
            _words(recording.value(id)), _words(gradient), _norm(gradient), node.requires_grad,
        )  # fmt: skip


def _wires(track: Track) -> Iterator[Wire]:
    nodes = track.recording.nodes
    for index, (consumer, slot) in enumerate(track.edges):
        gradient = track.edge_known(index)
        yield Wire(nodes[consumer].inputs[slot], consumer, slot, _words(gradient), _norm(gradient))


def _words(known: Known) -> str:
    return "" if known is None else in_words(known)


def _norm(known: Known) -> float | None:
    if known is None:
        return None
    return known.norm if isinstance(known, Summary) else float(figures(known).norm)
