"""A recording as the text of a JSON file, one node and one step per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import orjson

from gradviz import __version__
from gradviz.errors import FormatError
from gradviz.formats.arrays import STORED_AS, named, spelled_out, to_json
from gradviz.recording import Array, Node, Recording, Source, Sweep

FORMAT = "gradviz"
VERSION = 1

Written = Mapping[int, Any]
"""By `id`, what stands in the file for those arrays that orjson does not write as they are."""


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
    """The bytes of a file, in UTF-8; `recording.problem` is not part of it.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    _refuse_types(recording.nodes)
    written = spelled_out(_arrays(recording))
    types = _gradient_types(recording)
    top = {
        "format": FORMAT,
        "version": VERSION,
        "generator": f"gradviz {__version__}",
        "source": _source(recording.source),
        "nodes": list(_nodes(recording, written)),
        "backward": [_sweep(sweep, recording.nodes, written) for sweep in recording.sweeps],
        "gradients": {name: written.get(id(array), array) for name, array in recording.gradients.items()},
        **({"gradient_types": types} if types else {}),
        "output": recording.output,
        **({} if recording.thinned is None else {"kept": asdict(recording.thinned)}),
        **({"warnings": [each._asdict() for each in recording.warnings]} if recording.warnings else {}),
    }
    return _in_lines(encode(top)) + b"\n"


def _in_lines(content: bytes) -> bytes:
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


def _source(source: Source | None) -> dict[str, str] | None:
    return None if source is None else {"kind": source.kind, "name": source.name, "text": source.text}


def _refuse_types(nodes: Iterable[Node]) -> None:
    for node in nodes:
        if node.dtype not in STORED_AS:
            raise FormatError(f"node {node.id} ({node.op}) has dtype {node.dtype}, which a JSON recording cannot hold.")


def _arrays(recording: Recording) -> Iterator[Array | None]:
    yield from recording.values
    yield from recording.gradients.values()
    for sweep in recording.sweeps:
        yield from sweep.seeds
        for step in sweep.steps:
            yield step.incoming
            yield from step.outgoing
        for entry in sweep.accumulated:
            yield from (entry.before, entry.after)


def _nodes(recording: Recording, written: Written) -> Iterator[dict[str, Any]]:
    for node, value in zip(recording.nodes, recording.values, strict=True):
        yield {
            "id": node.id,
            "op": node.op,
            "name": node.name,
            "inputs": node.inputs,
            "params": {name: _param(given) for name, given in node.params.items()},
            "shape": node.shape,
            "dtype": node.dtype,
            "requires_grad": node.requires_grad,
            "is_leaf": node.is_leaf,
            "value": written.get(id(value), value),
            "line": node.line,
            "scope": node.scope,
        }


def _param(value: Any) -> Any:
    """A param as JSON has it; what JSON has not becomes its text."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return named(float(value))
    if isinstance(value, list | tuple):
        return [_param(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _param(item) for name, item in value.items()}
    return to_json(value) if isinstance(value, np.ndarray | np.generic) else str(value)


def _sweep(sweep: Sweep, nodes: tuple[Node, ...], written: Written) -> dict[str, Any]:
    get = written.get
    return {
        "outputs": sweep.outputs,
        "seeds": [get(id(seed), seed) for seed in sweep.seeds],
        "line": sweep.line,
        "retain_graph": sweep.retain_graph,
        "create_graph": sweep.create_graph,
        **({"number": sweep.number} if sweep.number else {}),
        **({} if sweep.since is None else {"since": sweep.since}),
        "steps": [
            {
                "node": node,
                "incoming": get(id(incoming), incoming),
                "outgoing": [
                    {"slot": slot, "to": to, "gradient": get(id(gradient), gradient)}
                    for slot, (to, gradient) in enumerate(zip(nodes[node].inputs, outgoing, strict=False))
                ],
            }
            for node, incoming, outgoing in sweep.steps
        ],
        "accumulated": [
            {"node": node, "before": get(id(before), before), "after": get(id(after), after)}
            for node, before, after in sweep.accumulated
        ],
    }


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
