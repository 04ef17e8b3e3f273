"""A parsed JSON file as a recording, taken apart member by member so that an error names its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import NoneType
from typing import Any

from gradviz.errors import FormatError, GraphError
from gradviz.formats.arrays import MAX_ELEMENTS, NOT_FINITE, STORED_AS, from_json, said
from gradviz.formats.json_write import nodes_by_name
from gradviz.recording import Accumulation, Array, Node, Recording, Source, Step, Sweep, Thinned, Warned, check

Kinds = tuple[type, ...]

_WORDS: dict[type, str] = {
    int: "a whole number",
    str: "a string",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}
_TEXT_OR_NONE: Kinds = (str, NoneType)
_LINE: Kinds = (int, NoneType)
_MAX_DIMENSIONS = 64  # numpy's own limit


def read_top(top: Mapping[str, Any]) -> Recording:
    """The recording.

    Raises:
        FormatError: a member is missing, has a wrong type or shape, or breaks a rule of the graph; the message
            begins with its place, such as nodes[3].shape.
    """
    _member(top, "generator", (str,), "")
    source = _source(_member(top, "source", (dict, NoneType), ""))
    nodes: list[Node] = []
    values = []
    for at, entry in enumerate(_objects(top, "nodes", "")):
        node = _node(entry, f"nodes[{at}]", nodes)
        nodes.append(node)
        values.append(_array(entry, "value", node, f"nodes[{at}]"))
    sweeps = tuple(_sweep(entry, f"backward[{at}]", nodes) for at, entry in enumerate(_objects(top, "backward", "")))
    gradients = _gradients(top, nodes)
    output = _member(top, "output", (str,), "")
    try:
        whole = Recording(tuple(nodes), tuple(values), sweeps, gradients, output, source)
        return check(replace(whole, warnings=_warnings(top), thinned=_thinned(top)))
    except GraphError as error:
        raise FormatError(error.message) from None


# ---- members ----


def _member(entry: Mapping[str, Any], key: str, kinds: Kinds, where: str) -> Any:
    """One member of an object, of one of the kinds."""
    try:
        value = entry[key]
    except KeyError:
        raise FormatError(f"{_path(where, key)} is missing.") from None
    # By identity of the type: True is no whole number here.
    if type(value) not in kinds:
        raise FormatError(f"{_path(where, key)} is {said(value)}, not {_expected(kinds)}.")
    return value


def _path(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _expected(kinds: Kinds) -> str:
    return " or ".join("null" if kind is NoneType else _WORDS[kind] for kind in kinds)


def _objects(entry: Mapping[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    """A member that is a list of objects."""
    return _list_of(entry, key, dict, where)


def _list_of(entry: Mapping[str, Any], key: str, kind: type, where: str) -> list[Any]:
    """A member that is a list whose members are all of one kind."""
    members = _member(entry, key, (list,), where)
    for at, value in enumerate(members):
        if type(value) is not kind:
            raise FormatError(f"{_path(where, key)}[{at}] is {said(value)}, not {_WORDS[kind]}.")
    return members  # type: ignore[no-any-return]


def _line(entry: Mapping[str, Any], where: str) -> int | None:
    line: int | None = _member(entry, "line", _LINE, where)
    if line is not None and line < 1:
        raise FormatError(f"{where}.line is {line}, but lines count from 1.")
    return line


def _array(entry: Mapping[str, Any], key: str, node: Node, where: str) -> Array | None:
    """A member that is an array like the value of the node."""
    try:
        value = entry[key]
    except KeyError:
        raise FormatError(f"{where}.{key} is missing.") from None
    return from_json(value, node.dtype, node.shape, lambda: f"{where}.{key}")


def _source(entry: Mapping[str, Any] | None) -> Source | None:
    if entry is None:
        return None
    kind = _member(entry, "kind", (str,), "source")
    if kind not in ("script", "notebook"):
        raise FormatError(f'source.kind is {said(kind)}, not "script" or "notebook".')
    return Source(kind, _member(entry, "name", (str,), "source"), _member(entry, "text", (str,), "source"))


# ---- nodes ----


def _node(entry: Mapping[str, Any], where: str, before: list[Node]) -> Node:
    node = Node(
        _member(entry, "id", (int,), where),
        _member(entry, "op", (str,), where),
        tuple(_list_of(entry, "inputs", int, where)),
        {name: _param(value) for name, value in _member(entry, "params", (dict,), where).items()},
        _shape(entry, where),
        _dtype(entry, where),
        _member(entry, "name", _TEXT_OR_NONE, where),
        _member(entry, "requires_grad", (bool,), where),
        _line(entry, where),
        tuple(_list_of(entry, "scope", str, where)),
    )
    _member(entry, "is_leaf", (bool,), where)  # "op" says it already, and says it for certain
    _check_order(node, where, len(before))
    return node


def _check_order(node: Node, where: str, count: int) -> None:
    if node.id != count:
        again = "is taken already" if 0 <= node.id < count else "is out of order"
        raise FormatError(f"{where}.id is {node.id}, which {again}: ids count up from 0, so it must be {count}.")
    for slot, source in enumerate(node.inputs):
        if not 0 <= source < count:
            raise FormatError(
                f"{where}.inputs[{slot}] is {source}, which does not come before node {count}: "
                "the graph has a cycle or lacks a node."
            )


def _shape(entry: Mapping[str, Any], where: str) -> tuple[int, ...]:
    shape = tuple(_list_of(entry, "shape", int, where))
    if any(size < 0 for size in shape):
        raise FormatError(f"{where}.shape is {list(shape)}, but no size is below 0.")
    # Sizes of 0 count as 1: numpy refuses (0, 10**30) too.
    if len(shape) > _MAX_DIMENSIONS or math.prod(size or 1 for size in shape) > MAX_ELEMENTS:
        raise FormatError(f"{where}.shape is {said(list(map(str, shape)))} of an array larger than any memory.")
    return shape


def _dtype(entry: Mapping[str, Any], where: str) -> str:
    dtype: str = _member(entry, "dtype", (str,), where)
    if dtype not in STORED_AS:
        raise FormatError(f"{where}.dtype is {said(dtype)}, which is none of {', '.join(STORED_AS)}.")
    return dtype


def _param(value: Any) -> Any:
    """A param with its numbers that are not finite read back."""
    if type(value) is str:
        return NOT_FINITE.get(value, value)
    if type(value) is list:
        return [_param(item) for item in value]
    if type(value) is dict:
        return {name: _param(item) for name, item in value.items()}
    return value


# ---- sweeps ----


def _sweep(entry: Mapping[str, Any], where: str, nodes: list[Node]) -> Sweep:
    outputs = tuple(_list_of(entry, "outputs", int, where))
    starts = [_existing(nodes, output, f"{where}.outputs[{at}]") for at, output in enumerate(outputs)]
    seeds = _member(entry, "seeds", (list,), where)
    if len(seeds) != len(starts):
        raise FormatError(f"{where}.seeds has {len(seeds)} members, but there are {len(starts)} outputs.")
    return Sweep(
        outputs,
        tuple(
            _seed(seed, node, f"{where}.seeds[{at}]") for at, (seed, node) in enumerate(zip(seeds, starts, strict=True))
        ),
        tuple(_step(step, f"{where}.steps[{at}]", nodes) for at, step in enumerate(_objects(entry, "steps", where))),
        tuple(
            _accumulation(change, f"{where}.accumulated[{at}]", nodes)
            for at, change in enumerate(_objects(entry, "accumulated", where))
        ),
        _line(entry, where),
        _member(entry, "retain_graph", (bool,), where),
        _member(entry, "create_graph", (bool,), where),
        _number(entry, "number", where) if "number" in entry else 0,
        _number(entry, "since", where) if "since" in entry else None,
    )


def _number(entry: Mapping[str, Any], key: str, where: str) -> int:
    number: int = _member(entry, key, (int,), where)
    if number < 0:
        raise FormatError(f"{_path(where, key)} is {number}, but it counts from 0.")
    return number


def _thinned(top: Mapping[str, Any]) -> Thinned | None:
    if "kept" not in top:
        return None
    entry = _member(top, "kept", (dict,), "")
    calls, every = _number(entry, "calls", "kept"), _number(entry, "every", "kept")
    return Thinned(calls, every, _member(entry, "in_rounds", (bool,), "kept"))


def _warnings(top: Mapping[str, Any]) -> tuple[Warned, ...]:
    entries = _objects(top, "warnings", "") if "warnings" in top else ()
    return tuple(_warned(entry, f"warnings[{at}]") for at, entry in enumerate(entries))


def _warned(entry: Mapping[str, Any], where: str) -> Warned:
    message, category = (_member(entry, key, (str,), where) for key in ("message", "category"))
    return Warned(message, category, _line(entry, where), _member(entry, "at", (int,), where))


def _existing(nodes: list[Node], node: int, where: str) -> Node:
    if not 0 <= node < len(nodes):
        raise FormatError(f"{where} is {node}, but there is no node {node}: the file has {len(nodes)} nodes.")
    return nodes[node]


def _seed(value: Any, node: Node, where: str) -> Array:
    seed = from_json(value, node.dtype, node.shape, lambda: where)
    if seed is None:
        raise FormatError(f"{where} is null, but every output has a seed.")
    return seed


def _step(entry: Mapping[str, Any], where: str, nodes: list[Node]) -> Step:
    node = _existing(nodes, _member(entry, "node", (int,), where), f"{where}.node")
    incoming = _array(entry, "incoming", node, where)
    members = _objects(entry, "outgoing", where)
    if len(members) not in (0, len(node.inputs)):
        raise FormatError(
            f"{where}.outgoing has {len(members)} members, but node {node.id} has {len(node.inputs)} inputs."
        )
    return Step(
        node.id,
        incoming,
        tuple(_outgoing(member, slot, node, where, nodes) for slot, member in enumerate(members)),
    )


def _outgoing(entry: Mapping[str, Any], slot: int, node: Node, step: str, nodes: list[Node]) -> Array | None:
    where = f"{step}.outgoing[{slot}]"
    if _member(entry, "slot", (int,), where) != slot:
        raise FormatError(f"{where}.slot is {entry['slot']}, but slots count up from 0, so it must be {slot}.")
    source = node.inputs[slot]
    if _member(entry, "to", (int,), where) != source:
        raise FormatError(f"{where}.to is {entry['to']}, but input {slot} of node {node.id} is node {source}.")
    return _array(entry, "gradient", nodes[source], where)


def _accumulation(entry: Mapping[str, Any], where: str, nodes: list[Node]) -> Accumulation:
    node = _existing(nodes, _member(entry, "node", (int,), where), f"{where}.node")
    return Accumulation(node.id, _array(entry, "before", node, where), _array(entry, "after", node, where))


# ---- gradients ----


def _gradients(top: Mapping[str, Any], nodes: list[Node]) -> dict[str, Array | None]:
    """The final gradients. Their dtype and shape are their node's, else those of "gradient_types"."""
    given = _member(top, "gradients", (dict,), "")
    types = _member(top, "gradient_types", (dict,), "") if "gradient_types" in top else {}
    by_name = nodes_by_name(nodes)
    gradients: dict[str, Array | None] = {}
    for name, value in given.items():
        where = f"gradients.{name}"
        dtype, shape = _gradient_type(name, value, types, by_name)
        gradients[name] = from_json(value, dtype, shape, _at(where))
    return gradients


def _at(where: str) -> Callable[[], str]:
    return lambda: where


def _gradient_type(
    name: str, value: Any, types: Mapping[str, Any], by_name: Mapping[str, Node]
) -> tuple[str, tuple[int, ...]]:
    if name in types:
        where = f"gradient_types.{name}"
        entry = _member(types, name, (dict,), "gradient_types")
        return _dtype(entry, where), _shape(entry, where)
    node = by_name.get(name)
    return (node.dtype, node.shape) if node is not None else ("float32", _shape_of_lists(value))


def _shape_of_lists(value: Any) -> tuple[int, ...]:
    """The shape that nested lists have, by their first members."""
    shape: list[int] = []
    while type(value) is list:
        shape.append(len(value))
        value = value[0] if value else None
    return tuple(shape)
