"""A recording as the text of a JSON file, one node and one step per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from gradviz import __version__
from gradviz.errors import FormatError
from gradviz.formats.array_texts import encode, texts
from gradviz.formats.arrays import STORED_AS, named, to_json
from gradviz.recording import Array, Node, Recording, Source, Step, Sweep

FORMAT = "gradviz"
VERSION = 1


def dumps(recording: Recording) -> str:
    """The text; `recording.problem` is not part of it.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    _refuse_types(recording.nodes)
    known = texts(_arrays(recording))
    nodes = (_node(node, known[id(value)]) for node, value in zip(recording.nodes, recording.values, strict=True))
    gradients = (f"{encode(name)}: {known[id(array)]}" for name, array in recording.gradients.items())
    types = _gradient_types(recording)
    members = [
        f'"format": {encode(FORMAT)}, "version": {VERSION}, "generator": {encode(f"gradviz {__version__}")}',
        f'"source": {encode(_source(recording.source))}',
        f'"nodes": {_lines(nodes)}',
        f'"backward": {_lines(_sweep(recording, sweep, known) for sweep in recording.sweeps)}',
        f'"gradients": {{{", ".join(gradients)}}}',
        *([f'"gradient_types": {encode(types)}'] if types else []),
        f'"output": {encode(recording.output)}',
        *([] if recording.thinned is None else [f'"kept": {encode(asdict(recording.thinned))}']),
        *([f'"warnings": {encode([each._asdict() for each in recording.warnings])}'] if recording.warnings else []),
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


def _node(node: Node, value: str) -> str:
    head = {
        "id": node.id,
        "op": node.op,
        "name": node.name,
        "inputs": node.inputs,
        "params": {name: _param(given) for name, given in node.params.items()},
        "shape": node.shape,
        "dtype": node.dtype,
        "requires_grad": node.requires_grad,
        "is_leaf": node.is_leaf,
    }
    return f'{encode(head)[:-1]}, "value": {value}, "line": {encode(node.line)}, "scope": {encode(node.scope)}}}'


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


def _sweep(recording: Recording, sweep: Sweep, known: dict[int, str]) -> str:
    rest = {
        "line": sweep.line,
        "retain_graph": sweep.retain_graph,
        "create_graph": sweep.create_graph,
        **({"number": sweep.number} if sweep.number else {}),
        **({} if sweep.since is None else {"since": sweep.since}),
    }
    seeds = ", ".join(known[id(seed)] for seed in sweep.seeds)
    accumulated = (
        f'{{"node": {entry.node}, "before": {known[id(entry.before)]}, "after": {known[id(entry.after)]}}}'
        for entry in sweep.accumulated
    )
    steps = (_step(step, recording.nodes[step.node], known) for step in sweep.steps)
    return (
        f'{{"outputs": {encode(sweep.outputs)}, "seeds": [{seeds}], {encode(rest)[1:-1]},\n'
        f'  "steps": {_lines(steps)},\n  "accumulated": {_lines(accumulated)}}}'
    )


def _step(step: Step, node: Node, known: dict[int, str]) -> str:
    outgoing = (
        f'{{"slot": {slot}, "to": {to}, "gradient": {known[id(gradient)]}}}'
        for slot, (to, gradient) in enumerate(zip(node.inputs, step.outgoing, strict=False))
    )
    return f'{{"node": {step.node}, "incoming": {known[id(step.incoming)]}, "outgoing": [{", ".join(outgoing)}]}}'


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


def _lines(members: Iterable[str]) -> str:
    """A list with each member on a line of its own."""
    joined = ",\n  ".join(members)
    return f"[\n  {joined}]" if joined else "[]"
