"""A parsed JSON file as a recording. Members are read by the table of fields; here is what depends on several of them.

Members are checked column by column, and an error names its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from gradviz.document.arrays import NOT_FINITE, all_from_json, from_json, said
from gradviz.document.fields import ACCUMULATED, DOCUMENT, NODE, READ, SENT, STEP, SWEEP
from gradviz.document.kinds import ABSENT, Path
from gradviz.errors import FormatError, GraphError
from gradviz.formats.json_write import nodes_by_name
from gradviz.formats.watched import Part, Watch, go_on
from gradviz.recording import (
    Accumulation,
    Array,
    Node,
    Origin,
    Read,
    Recording,
    Step,
    Summaries,
    Sweep,
    check,
    sent_shape,
)

Object = Mapping[str, Any]
Shape = tuple[int, ...]
Entries = Sequence[Object]
Columns = dict[str, list[Any]]

_EXACT = 2.0**63
_NODES, _VALUES, _SWEEPS = 0.2, 0.3, 0.8
"""Shares of the work that are done with the nodes, with their values, and with the sweeps."""


def read_top(top: Object, watch: Watch, *, is_exact: bool = True) -> Recording:
    """The recording.

    Args:
        top: what the file holds.
        watch: who waits for it.
        is_exact: whether whole numbers beyond 64 bits came as such; else as floats.

    Raises:
        FormatError: a member is missing, has a wrong type or shape, or breaks a rule of the graph; the message
            begins with its place, such as nodes[3].shape.
        ValueError: a param is a float that may have been a whole number.
        Cancelled: nobody wants it any more.
    """
    columns = DOCUMENT.columns([_with_file_name(top)], lambda _: "")
    nodes, values, summaries = _nodes(columns["nodes"][0], is_exact, watch)
    sweeps = _sweeps(columns["backward"][0], nodes, Part(watch, _VALUES, _SWEEPS))
    types = columns.get("gradient_types", [{}])[0]
    parts = {name: column[0] for name, column in DOCUMENT.parts(columns, 1).items()}
    parts |= {
        "nodes": tuple(nodes),
        "sweeps": tuple(sweeps),
        "gradients": _gradients(columns["gradients"][0], types, nodes),
    }
    recording = Recording(**parts, values=tuple(values), **summaries)
    _check_view(recording)
    try:
        return check(recording)
    except GraphError as error:
        raise FormatError(error.message) from None


def _with_file_name(top: Object) -> Object:
    """The top with the name of the file in "problem" that is given by its index in "sources"."""
    problem, sources = top.get("problem"), top.get("sources")
    at = problem.get("file") if type(problem) is dict else None
    if type(problem) is not dict or type(at) is not int:
        return top
    files = sources if type(sources) is list else []
    if not 0 <= at < len(files) or type(files[at]) is not dict:
        raise FormatError(f"problem.file is {said(at)}, which is none of the files.")
    return {**top, "problem": {**problem, "file": files[at].get("name")}}


def _existing(nodes: Sequence[Node], ids: Sequence[int], path: Path) -> list[Node]:
    """The nodes of some ids, whose paths in the file are given by index."""
    if ids and not 0 <= min(ids) <= max(ids) < len(nodes):
        at, id = next((at, id) for at, id in enumerate(ids) if not 0 <= id < len(nodes))
        raise FormatError(f"{path(at)} is {id}, but there is no node {id}: the file has {len(nodes)} nodes.")
    return [nodes[id] for id in ids]


def _arrays(columns: Columns, key: str, nodes: Sequence[Node], place: Path) -> list[Array | None]:
    """The member of each object, an array like the value of the node that belongs to the object."""
    like = [(node.dtype, node.shape) for node in nodes]
    return all_from_json(columns[key], like, lambda at: f"{place(at)}.{key}")


# ---- nodes ----


def _nodes(entries: Entries, is_exact: bool, watch: Watch) -> tuple[list[Node], list[Array | None], dict[str, Any]]:
    """The nodes, their values, and by the name of a field of the recording what it holds of some of them."""

    def place(at: int) -> str:
        return f"nodes[{at}]"

    columns = NODE.columns(entries, place)
    _check_ids(columns["id"], place)
    _check_inputs(columns["inputs"], place)
    parts = NODE.parts(columns, len(entries))
    parts["params"] = [_param(each, is_exact) if each else {} for each in columns["params"]]
    parts["origin"] = origins = _origins(columns, len(entries))
    is_elsewhere = [origin is not None and origin.file is not None for origin in origins]
    parts["line"] = [None if away else line for away, line in zip(is_elsewhere, columns["line"], strict=True)]
    nodes = list(map(Node._make, zip(*[parts[name] for name in Node._fields], strict=True)))
    go_on(watch, _NODES)
    values = _arrays(columns, "value", nodes, place)
    go_on(watch, _VALUES)
    return nodes, values, NODE.spread("Recording", columns, range(len(nodes)))


def _check_ids(ids: Sequence[int], place: Path) -> None:
    for at, id in enumerate(ids):
        if id != at:
            again = "is taken already" if 0 <= id < at else "is out of order"
            raise FormatError(f"{place(at)}.id is {id}, which {again}: ids count up from 0, so it must be {at}.")


def _check_inputs(lists: Sequence[Sequence[int]], place: Path) -> None:
    for at, inputs in enumerate(lists):
        for slot, source in enumerate(inputs):
            if not 0 <= source < at:
                raise FormatError(
                    f"{place(at)}.inputs[{slot}] is {source}, which does not come before node {at}: "
                    "the graph has a cycle or lacks a node."
                )


def _origins(columns: Columns, count: int) -> list[Origin | None]:
    """What PyTorch says of each node besides; None where it says nothing."""
    fields = [field for field in NODE.fields if field.owner == "Origin" and field.key in columns]
    found: list[Origin | None] = [None] * count
    for at, row in enumerate(zip(*[columns[field.key] for field in fields], strict=True)):
        given = {field.name: value for field, value in zip(fields, row, strict=True) if value is not ABSENT}
        if given:
            found[at] = Origin(**given, line=None if given.get("file") is None else columns["line"][at])
    return found


def _param(value: Any, is_exact: bool) -> Any:
    """A param with its numbers that are not finite read back."""
    kind = type(value)
    if kind is str:
        return NOT_FINITE.get(value, value)
    if kind is list:
        return [_param(item, is_exact) for item in value]
    if kind is dict:
        return {name: _param(item, is_exact) for name, item in value.items()}
    if kind is float and abs(value) >= _EXACT and not is_exact:
        raise ValueError("a whole number beyond 64 bits, perhaps")
    return value


# ---- sweeps ----


def _sweeps(entries: Entries, nodes: Sequence[Node], watch: Watch) -> list[Sweep]:
    columns = SWEEP.columns(entries, lambda at: f"backward[{at}]")
    parts, found = SWEEP.parts(columns, len(entries)), list[Sweep]()
    seeds = columns.get("seed_summaries", [ABSENT] * len(entries))
    for at, row in enumerate(zip(*parts.values(), strict=True)):
        summed = () if seeds[at] is ABSENT else seeds[at]
        found.append(_sweep(dict(zip(parts, row, strict=True)), summed, f"backward[{at}]", nodes))
        go_on(watch, (at + 1) / len(entries))
    return found


def _sweep(parts: dict[str, Any], summed: Sequence[Any], where: str, nodes: Sequence[Node]) -> Sweep:
    """A sweep, given the fields of its class as they stand in the file, and the summaries of its seeds."""
    outputs, seeds = parts["outputs"], parts["seeds"]
    starts = _existing(nodes, outputs, lambda at: f"{where}.outputs[{at}]")
    for key, members in (("seeds", seeds), ("seed_summaries", summed or starts)):
        if len(members) != len(starts):
            raise FormatError(f"{where}.{key} has {len(members)} members, but there are {len(starts)} outputs.")
    seed_summaries = {at: each for at, each in enumerate(summed) if each is not None}
    pairs = enumerate(zip(seeds, starts, strict=True))
    parts["seeds"] = tuple(
        [_seed(seed, node, f"{where}.seeds[{at}]", at in seed_summaries) for at, (seed, node) in pairs]
    )
    parts["steps"], more, kept = _steps(parts["steps"], nodes, f"{where}.steps")
    parts["accumulated"], changes = _accumulations(parts["accumulated"], nodes, f"{where}.accumulated")
    return Sweep(**parts, **more, summaries=Summaries(seed_summaries, **kept, **changes))


def _seed(value: Any, node: Node, where: str, is_summed_up: bool) -> Array | None:
    seed = from_json(value, node.dtype, node.shape, where)
    if seed is None and not is_summed_up:
        raise FormatError(f"{where} is null, but every output has a seed.")
    return seed


def _steps(
    entries: Entries, nodes: Sequence[Node], where: str
) -> tuple[tuple[Step, ...], dict[str, Any], dict[str, Any]]:
    """The steps, and by name the fields of the sweep and of its summaries that hold something for some of them."""

    def place(at: int) -> str:
        return f"{where}[{at}]"

    columns = STEP.columns(entries, place)
    ids, outgoing = columns["node"], columns["outgoing"]
    reached = _existing(nodes, ids, lambda at: f"{place(at)}.node")
    incoming = _arrays(columns, "incoming", reached, place)
    for at, (members, node) in enumerate(zip(outgoing, reached, strict=True)):
        if members and len(members) != len(node.inputs):
            raise FormatError(
                f"{place(at)}.outgoing has {len(members)} members, but node {node.id} has {len(node.inputs)} inputs."
            )
    gradients, kept = _sent(outgoing, reached, nodes, place)
    sent = iter(gradients)
    steps = tuple(map(Step, ids, incoming, [tuple(islice(sent, len(members))) for members in outgoing]))
    more = STEP.spread("Sweep", columns, ids)
    more["read"] = _read(columns["read"], ids, nodes, place) if "read" in columns else {}
    return steps, more, kept | STEP.spread("Summaries", columns, ids)


def _sent(
    outgoing: Sequence[Entries], reached: Sequence[Node], nodes: Sequence[Node], step: Path
) -> tuple[list[Array | None], dict[str, Any]]:
    """What all steps sent, one after the other, and the summaries of that by node and slot."""
    edges = [(at, slot) for at, members in enumerate(outgoing) for slot in range(len(members))]

    def place(at: int) -> str:
        return f"{step(edges[at][0])}.outgoing[{edges[at][1]}]"

    columns = SENT.columns(list(chain.from_iterable(outgoing)), place)
    slots, to = columns["slot"], columns["to"]
    for at, (of, slot) in enumerate(edges):
        if slots[at] != slot:
            raise FormatError(f"{place(at)}.slot is {slots[at]}, but slots count up from 0, so it must be {slot}.")
        node = reached[of]
        if to[at] != node.inputs[slot]:
            raise FormatError(
                f"{place(at)}.to is {to[at]}, but input {slot} of node {node.id} is node {node.inputs[slot]}."
            )
    # One output of several sends on what came in, of its own shape: the op behind it has none.
    like = [
        nodes[id] if sent_shape(nodes, reached[of], slot) == nodes[id].shape else reached[of]
        for id, (of, slot) in zip(to, edges, strict=True)
    ]
    keys = [(reached[of].id, slot) for of, slot in edges] if SENT.has_more(columns) else []
    return _arrays(columns, "gradient", like, place), SENT.spread("Summaries", columns, keys)


def _read(lists: Sequence[Any], ids: Sequence[int], nodes: Sequence[Node], step: Path) -> dict[tuple[int, int], Read]:
    """What steps read in the place of recorded values, by (node of the step, node of the value)."""
    edges = [(at, index) for at, entries in enumerate(lists) if entries is not ABSENT for index in range(len(entries))]

    def place(at: int) -> str:
        return f"{step(edges[at][0])}.read[{edges[at][1]}]"

    columns = READ.columns([lists[at][index] for at, index in edges], place)
    sources = columns["node"]
    values = _arrays(columns, "value", _existing(nodes, sources, lambda at: f"{place(at)}.node"), place)
    parts = {**READ.parts(columns, len(edges)), "value": values}
    keys = [(ids[at], source) for (at, _), source in zip(edges, sources, strict=True)]
    return dict(zip(keys, READ.make(parts), strict=True))


def _accumulations(
    entries: Entries, nodes: Sequence[Node], where: str
) -> tuple[tuple[Accumulation, ...], dict[str, Any]]:
    """The changes of `.grad`, and by name the summaries of them."""

    def place(at: int) -> str:
        return f"{where}[{at}]"

    columns = ACCUMULATED.columns(entries, place)
    ids = columns["node"]
    leaves = _existing(nodes, ids, lambda at: f"{place(at)}.node")
    before, after = (_arrays(columns, key, leaves, place) for key in ("before", "after"))
    return tuple(map(Accumulation, ids, before, after)), ACCUMULATED.spread("Summaries", columns, ids)


# ---- the rest ----


def _check_view(recording: Recording) -> None:
    """What a view says of sweeps and nodes that are there."""
    view, sweeps, nodes = recording.view, recording.sweeps, recording.nodes
    if view is None:
        return
    if view.sweep is not None and view.sweep >= len(sweeps):
        raise FormatError(f"view.sweep is {view.sweep}, but there are {len(sweeps)} members of backward.")
    by_hand = sweeps[len(sweeps) - view.by_hand :]
    if view.by_hand > len(sweeps) or any(len(each.seeds) != 1 or each.seeds[0] is None for each in by_hand):
        raise FormatError(f"view.by_hand is {view.by_hand}, but the file has not so many passes of one v at its end.")
    if view.framing is not None:
        _existing(nodes, [view.framing.node], lambda _: "view.framing.node")
    _existing(nodes, [each.node for each in view.what_if], lambda at: f"view.what_if[{at}].node")


def _gradients(given: Object, types: Mapping[str, Any], nodes: Sequence[Node]) -> dict[str, Array | None]:
    """The final gradients. Their dtype and shape are their node's, else those of "gradient_types"."""
    by_name = nodes_by_name(nodes)
    gradients: dict[str, Array | None] = {}
    for name, value in given.items():
        dtype, shape = _gradient_type(name, value, types, by_name)
        gradients[name] = from_json(value, dtype, shape, f"gradients.{name}")
    return gradients


def _gradient_type(name: str, value: Any, types: Mapping[str, Any], by_name: Mapping[str, Node]) -> tuple[str, Shape]:
    if name in types:
        dtype, shape = types[name]
        return dtype, shape
    node = by_name.get(name)
    if node is not None:
        return node.dtype, node.shape
    return (value.dtype.name, value.shape) if isinstance(value, np.ndarray) else ("float32", _shape_of_lists(value))


def _shape_of_lists(value: Any) -> Shape:
    """The shape that nested lists have, by their first members."""
    shape: list[int] = []
    while type(value) is list:
        shape.append(len(value))
        value = value[0] if value else None
    return tuple(shape)
