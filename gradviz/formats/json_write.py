"""A recording as the text of a JSON file, one node and one step per line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, TypeAlias

import numpy as np
import orjson

from gradviz import __version__
from gradviz.errors import FormatError
from gradviz.formats.arrays import STORED_AS, named, spelled_out, to_json
from gradviz.recording import Array, Node, Origin, Problem, Recording, SavedView, Source, Summary, Sweep, Thinned

FORMAT = "gradviz"
VERSION = 1

Put: TypeAlias = "Callable[[Array | None], Any]"
"""What stands in the document for an array."""


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
    written = spelled_out(arrays(recording))
    return in_lines(encode(document(recording, lambda array: written.get(id(array), array)))) + b"\n"


def document(recording: Recording, put: Put) -> dict[str, Any]:
    """All of a recording as the values of JSON.

    Args:
        recording: what to write.
        put: gives what stands for an array; called once for each place in which one stands.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    _refuse_types(recording.nodes)
    types = _gradient_types(recording)
    summaries = {name: _summary(each) for name, each in recording.gradient_summaries.items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        "generator": f"gradviz {__version__}",
        "source": _source(recording.source),
        "nodes": list(_nodes(recording, put)),
        "backward": [_sweep(sweep, recording.nodes, put) for sweep in recording.sweeps],
        "gradients": {name: put(array) for name, array in recording.gradients.items()},
        **({"gradient_types": types} if types else {}),
        **({"gradient_summaries": summaries} if summaries else {}),
        "output": recording.output,
        **({} if recording.thinned is None else {"kept": _thinned(recording.thinned)}),
        **({"warnings": [each._asdict() for each in recording.warnings]} if recording.warnings else {}),
        **_surroundings(recording),
    }


def _surroundings(recording: Recording) -> dict[str, Any]:
    """What is left out where there is nothing to say."""
    parts: dict[str, Any] = {
        "engine": None if recording.engine is None else asdict(recording.engine),
        "sources": [{"name": each.name, "text": each.text} for each in recording.sources],
        "problem": None if recording.problem is None else _problem(recording.problem),
        "rank": None if recording.rank is None else recording.rank._asdict(),
        "faults": recording.faults,
        "cuts": [cut._asdict() for cut in recording.cuts],
        "view": None if recording.view is None else _view(recording.view),
    }
    return {key: part for key, part in parts.items() if part}


def _problem(problem: Problem) -> dict[str, Any]:
    written = asdict(problem)
    if problem.ended:
        del written["ended"]
    return {**written, "file": written["file"] or None}


def _view(view: SavedView) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "by_hand": view.by_hand or None,
        "breakpoints": [{"text": text, "on": is_on} for text, is_on in view.breakpoints] or None,
        "folded": view.folded,
        "focus": view.focus,
        "plumbing": view.plumbing,
        "framing": None if view.framing is None else view.framing._asdict(),
        "text": view.text,
        "what_if": [each._asdict() | {"number": named(each.number)} for each in view.what_if] or None,
    }
    given = {key: part for key, part in parts.items() if part is not None}
    return {"sweep": view.sweep, "position": view.position, **given}


def _thinned(thinned: Thinned) -> dict[str, Any]:
    usual = asdict(Thinned(thinned.calls, thinned.every, thinned.in_rounds))
    always = ("calls", "every", "in_rounds")
    return {key: part for key, part in asdict(thinned).items() if key in always or part != usual[key]}


def _summary(summary: Summary) -> dict[str, Any]:
    numbers = {key: getattr(summary, key) for key in ("norm", "min", "max", "nan", "inf")}
    return {
        "shape": summary.shape,
        "dtype": summary.dtype,
        **{key: named(number) for key, number in numbers.items() if number is not None},
        **({"sample": [named(number) for number in summary.sample]} if summary.sample else {}),
        "reason": summary.reason,
    }


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


def _source(source: Source | None) -> dict[str, str] | None:
    return None if source is None else {"kind": source.kind, "name": source.name, "text": source.text}


def _refuse_types(nodes: Iterable[Node]) -> None:
    for node in nodes:
        if node.dtype not in STORED_AS:
            raise FormatError(f"node {node.id} ({node.op}) has dtype {node.dtype}, which a JSON recording cannot hold.")


def arrays(recording: Recording) -> Iterator[Array | None]:
    """Every array of a recording, once for each place in which it stands."""
    yield from recording.values
    yield from recording.gradients.values()
    for sweep in recording.sweeps:
        yield from sweep.seeds
        for step in sweep.steps:
            yield step.incoming
            yield from step.outgoing
        for entry in sweep.accumulated:
            yield from (entry.before, entry.after)
        for read in sweep.read.values():
            yield read.value


def _nodes(recording: Recording, put: Put) -> Iterator[dict[str, Any]]:
    summaries = recording.summaries
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
            "value": put(value),
            "line": node.line,
            "scope": node.scope,
            **({} if node.origin is None else _origin(node.origin)),
            **({"summary": _summary(summaries[node.id])} if node.id in summaries else {}),
        }


def _origin(origin: Origin) -> dict[str, Any]:
    """What PyTorch says of a node; the line in another file stands where else the line in the main source would."""
    written = {key: part for key, part in origin._asdict().items() if part}
    if origin.file is not None:
        written |= {"file": origin.file, "line": origin.line}
    return written


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


def _sweep(sweep: Sweep, nodes: tuple[Node, ...], put: Put) -> dict[str, Any]:
    kept = sweep.summaries
    incoming_of, outgoing_of, hooked = kept.incoming, kept.outgoing, sweep.hooked
    read: dict[int, list[dict[str, Any]]] = {}
    for (node, source), each in sweep.read.items():
        read.setdefault(node, []).append({"node": source, "value": put(each.value), "line": each.line})
    return {
        "outputs": sweep.outputs,
        "seeds": [put(seed) for seed in sweep.seeds],
        **({"seed_summaries": _listed(kept.seeds, len(sweep.seeds))} if kept.seeds else {}),
        "line": sweep.line,
        "retain_graph": sweep.retain_graph,
        "create_graph": sweep.create_graph,
        **({"number": sweep.number} if sweep.number else {}),
        **({} if sweep.since is None else {"since": sweep.since}),
        **({} if sweep.kind == "backward" else {"kind": sweep.kind}),
        **({} if sweep.error is None else {"error": sweep.error._asdict()}),
        **({} if sweep.seconds is None else {"seconds": named(sweep.seconds)}),
        **({} if sweep.inside is None else {"inside": sweep.inside}),
        **({} if sweep.file is None else {"file": sweep.file}),
        **({} if sweep.printed is None else {"printed": sweep.printed}),
        "steps": [
            {
                "node": node,
                "incoming": put(incoming),
                **({"summary": _summary(incoming_of[node])} if node in incoming_of else {}),
                "outgoing": [
                    {
                        "slot": slot,
                        "to": to,
                        "gradient": put(gradient),
                        **({"summary": _summary(outgoing_of[node, slot])} if (node, slot) in outgoing_of else {}),
                    }
                    for slot, (to, gradient) in enumerate(zip(nodes[node].inputs, outgoing, strict=False))
                ],
                **({"hooked": True} if node in hooked else {}),
                **({"read": read[node]} if node in read else {}),
                **({"printed": sweep.prints[node]} if node in sweep.prints else {}),
            }
            for node, incoming, outgoing in sweep.steps
        ],
        "accumulated": [
            {
                "node": node,
                "before": put(before),
                "after": put(after),
                **({"before_summary": _summary(kept.before[node])} if node in kept.before else {}),
                **({"after_summary": _summary(kept.after[node])} if node in kept.after else {}),
            }
            for node, before, after in sweep.accumulated
        ],
    }


def _listed(summaries: Mapping[int, Summary], count: int) -> list[Any]:
    return [_summary(summaries[at]) if at in summaries else None for at in range(count)]


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
