"""A recording as the text of a JSON file, one node and one step per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import orjson

from gradviz import __version__
from gradviz.document.arrays import STORED_AS, spelled_out, to_json
from gradviz.document.fields import ACCUMULATED, DOCUMENT, FORMAT, NODE, READ, SENT, STEP, SWEEP, VERSION
from gradviz.document.kinds import ABSENT, Place
from gradviz.errors import FormatError
from gradviz.recording import Array, Node, Recording, Sweep

__all__ = ["FORMAT", "VERSION", "arrays", "document", "encode", "in_lines", "nodes_by_name", "write"]


def encode(value: Any) -> bytes:
    """JSON of plain values and arrays; what orjson refuses (a lone surrogate, a huge whole number) goes by `json`."""
    try:
        return orjson.dumps(value, _plain, orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:  # of which orjson.JSONEncodeError is one
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=to_json)
        # A lone surrogate has no UTF-8; written with a backslash it is what JSON calls it.
        return text.encode("utf-8", "backslashreplace")


def _plain(array: Any) -> Any:
    """An array as orjson takes it: row by row, and a number where the shape is ()."""
    if not isinstance(array, np.ndarray):
        raise TypeError
    return np.ascontiguousarray(array) if array.ndim else array[()]


def write(recording: Recording) -> bytes:
    """The bytes of a file, in UTF-8.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    top = document(recording)
    spell_out(DOCUMENT.places([top]))
    return in_lines(encode(top)) + b"\n"


def spell_out(places: Sequence[Place]) -> None:
    """Put lists in the place of those arrays of a document that orjson would not write as they are."""
    held = [holder[key] for holder, key in places]
    written = spelled_out(held)
    if written:
        for (holder, key), array in zip(places, held, strict=True):
            if id(array) in written:
                holder[key] = written[id(array)]


def arrays(recording: Recording) -> Iterator[Array | None]:
    """Every array of a recording, once for each place in which it stands."""
    for holder, key in DOCUMENT.places([document(recording)]):
        yield holder[key]


def document(recording: Recording) -> dict[str, Any]:
    """All of a recording as the values of JSON; its arrays stand in it as they are.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    _refuse_types(recording.nodes)
    made: dict[str, Sequence[Any]] = {
        "format": [FORMAT],
        "version": [VERSION],
        "generator": [f"gradviz {__version__}"],
        "nodes": [_nodes(recording)],
        "backward": [_sweeps(recording)],
        "gradient_types": [_gradient_types(recording)],
    }
    (top,) = DOCUMENT.write([recording], made=made)
    return top


def _nodes(recording: Recording) -> list[dict[str, Any]]:
    nodes = recording.nodes
    given: dict[str, Sequence[Any]] = {
        "is_leaf": [node.is_leaf for node in nodes],
        "value": recording.values,
        **NODE.gathered("Recording", recording, range(len(nodes))),
    }
    if any(node.origin is not None for node in nodes):
        for field in NODE.fields:
            if field.owner == "Origin":
                column = [ABSENT if node.origin is None else getattr(node.origin, field.name) for node in nodes]
                given[field.key] = column
        # The line in another file stands where else the line in the main source would.
        given["line"] = [
            node.line if node.origin is None or node.origin.file is None else node.origin.line for node in nodes
        ]
    return NODE.write(nodes, given)


def _sweeps(recording: Recording) -> list[dict[str, Any]]:
    sweeps, nodes = recording.sweeps, recording.nodes
    seeds = [(sweep.summaries.seeds, len(sweep.seeds)) for sweep in sweeps]
    given = {"seed_summaries": [[each.get(at) for at in range(count)] if each else ABSENT for each, count in seeds]}
    made = {
        "steps": [_steps(sweep, nodes) for sweep in sweeps],
        "accumulated": [_accumulated(sweep) for sweep in sweeps],
    }
    return SWEEP.write(sweeps, given, made)


def _steps(sweep: Sweep, nodes: Sequence[Node]) -> list[dict[str, Any]]:
    ids = [step.node for step in sweep.steps]
    made: dict[str, Sequence[Any]] = {"outgoing": _sent(sweep, nodes)}
    if sweep.read:
        read = _read(sweep)
        made["read"] = [read.get(id, ABSENT) for id in ids]
    given = STEP.gathered("Sweep", sweep, ids) | STEP.gathered("Summaries", sweep.summaries, ids)
    return STEP.write(sweep.steps, given, made)


def _sent(sweep: Sweep, nodes: Sequence[Node]) -> list[list[dict[str, Any]]]:
    """By step, what it sent."""
    edges = [
        (node, slot, to, gradient)
        for node, _, outgoing in sweep.steps
        for slot, (to, gradient) in enumerate(zip(nodes[node].inputs, outgoing, strict=False))
    ]
    columns = [list(column) for column in zip(*edges, strict=True)] if edges else [[]] * 4
    keys = list(zip(*columns[:2], strict=True)) if sweep.summaries.outgoing else []
    given = dict(zip(("slot", "to", "gradient"), columns[1:], strict=True))
    sent = iter(SENT.write(edges, given | SENT.gathered("Summaries", sweep.summaries, keys)))
    return [list(islice(sent, min(len(nodes[node].inputs), len(outgoing)))) for node, _, outgoing in sweep.steps]


def _read(sweep: Sweep) -> dict[int, list[dict[str, Any]]]:
    """By step, what it read in the place of recorded values."""
    entries = READ.write(list(sweep.read.values()), {"node": [source for _, source in sweep.read]})
    found: dict[int, list[dict[str, Any]]] = {}
    for (node, _), entry in zip(sweep.read, entries, strict=True):
        found.setdefault(node, []).append(entry)
    return found


def _accumulated(sweep: Sweep) -> list[dict[str, Any]]:
    given = ACCUMULATED.gathered("Summaries", sweep.summaries, [entry.node for entry in sweep.accumulated])
    return ACCUMULATED.write(sweep.accumulated, given)


def in_lines(content: bytes) -> bytes:
    """With each node, sweep, step and change of `.grad` on a line of its own.

    Inside a text there is no quotation mark without a backslash before it, so that no text is changed.
    """
    for key in (b"outputs", b"id", b"node"):
        content = content.replace(b'{"%b":' % key, b'\n{"%b":' % key)
    return content


def nodes_by_name(nodes: Iterable[Node]) -> dict[str, Node]:
    """The last node of each name; one that takes a gradient comes before one that does not."""
    found: dict[str, Node] = {}
    for node in nodes:
        if node.name is not None and (
            node.requires_grad or not (node.name in found and found[node.name].requires_grad)
        ):
            found[node.name] = node
    return found


def _refuse_types(nodes: Iterable[Node]) -> None:
    for node in nodes:
        if node.dtype not in STORED_AS:
            raise FormatError(f"node {node.id} ({node.op}) has dtype {node.dtype}, which a JSON recording cannot hold.")


def _gradient_types(recording: Recording) -> dict[str, dict[str, Any]]:
    """What the nodes do not say about the arrays of "gradients"."""
    nodes = nodes_by_name(recording.nodes)
    return {
        name: {"dtype": array.dtype.name, "shape": list(array.shape)}
        for name, array in recording.gradients.items()
        if array is not None and not _is_like(array, nodes.get(name))
    }


def _is_like(array: Array, node: Node | None) -> bool:
    return node is not None and array.shape == node.shape and array.dtype == STORED_AS[node.dtype]
