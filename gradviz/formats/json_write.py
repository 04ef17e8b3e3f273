"""A recording as the text of a JSON file, one node and one step per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from gradviz import __version__
from gradviz.errors import FormatError
from gradviz.formats.arrays import STORED_AS, named, to_json
from gradviz.recording import Array, Node, Recording, Source, Step, Sweep

FORMAT = "gradviz"
VERSION = 1

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def dumps(recording: Recording) -> str:
    """The text; `recording.problem` is not part of it.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    gradients = {name: to_json(array) for name, array in recording.gradients.items()}
    types = _gradient_types(recording)
    members = [
        f'"format": {_encode(FORMAT)}, "version": {VERSION}, "generator": {_encode(f"gradviz {__version__}")}',
        f'"source": {_encode(_source(recording.source))}',
        f'"nodes": {_lines(_node(node, value) for node, value in zip(recording.nodes, recording.values, strict=True))}',
        f'"backward": {_list(_sweep(recording, sweep) for sweep in recording.sweeps)}',
        f'"gradients": {_encode(gradients)}',
        *([f'"gradient_types": {_encode(types)}'] if types else []),
        f'"output": {_encode(recording.output)}',
        *([] if recording.thinned is None else [f'"kept": {_encode(asdict(recording.thinned))}']),
        *([f'"warnings": {_encode([each._asdict() for each in recording.warnings])}'] if recording.warnings else []),
    ]
    return "{" + ",\n ".join(members) + "}\n"


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


def _node(node: Node, value: Array | None) -> dict[str, Any]:
    if node.dtype not in STORED_AS:
        raise FormatError(f"node {node.id} ({node.op}) has dtype {node.dtype}, which a JSON recording cannot hold.")
    return {
        "id": node.id,
        "op": node.op,
        "name": node.name,
        "inputs": node.inputs,
        "params": {name: _param(given) for name, given in node.params.items()},
        "shape": node.shape,
        "dtype": node.dtype,
        "requires_grad": node.requires_grad,
        "is_leaf": node.is_leaf,
        "value": to_json(value),
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


def _sweep(recording: Recording, sweep: Sweep) -> str:
    head = {
        "outputs": sweep.outputs,
        "seeds": [to_json(seed) for seed in sweep.seeds],
        "line": sweep.line,
        "retain_graph": sweep.retain_graph,
        "create_graph": sweep.create_graph,
        **({"number": sweep.number} if sweep.number else {}),
        **({} if sweep.since is None else {"since": sweep.since}),
    }
    accumulated = (
        {"node": entry.node, "before": to_json(entry.before), "after": to_json(entry.after)}
        for entry in sweep.accumulated
    )
    steps = (_step(step, recording.nodes[step.node]) for step in sweep.steps)
    return f'{_encode(head)[:-1]},\n  "steps": {_lines(steps)},\n  "accumulated": {_lines(accumulated)}}}'


def _step(step: Step, node: Node) -> dict[str, Any]:
    return {
        "node": step.node,
        "incoming": to_json(step.incoming),
        "outgoing": [
            {"slot": slot, "to": to, "gradient": to_json(gradient)}
            for slot, (to, gradient) in enumerate(zip(node.inputs, step.outgoing, strict=False))
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


def _lines(members: Iterable[Any]) -> str:
    """A list with each member on a line of its own."""
    return _list(map(_encode, members))


def _list(texts: Iterable[str]) -> str:
    joined = ",\n  ".join(texts)
    return f"[\n  {joined}]" if joined else "[]"
