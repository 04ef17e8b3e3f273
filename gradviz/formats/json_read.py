"""A parsed JSON file as a recording. Members are checked column by column, and an error names its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from types import NoneType
from typing import Any, NamedTuple

from gradviz.errors import FormatError, GraphError
from gradviz.formats.arrays import MAX_ELEMENTS, NOT_FINITE, STORED_AS, all_from_json, from_json, said
from gradviz.formats.json_write import nodes_by_name
from gradviz.recording import Accumulation, Array, Node, Recording, Source, Step, Sweep, Thinned, Warned, check

Object = Mapping[str, Any]
Kinds = frozenset[type]
Shape = tuple[int, ...]

_WORDS: dict[type, str] = {
    int: "a whole number",
    str: "a string",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    NoneType: "null",
}
# Of a value its very type counts: True is no whole number here.
_INT, _STR, _BOOL, _LIST, _DICT = (frozenset({kind}) for kind in (int, str, bool, list, dict))
_INT_OR_NONE, _STR_OR_NONE, _DICT_OR_NONE = (kinds | {NoneType} for kinds in (_INT, _STR, _DICT))
_MAX_DIMENSIONS = 64  # numpy's own limit
_EXACT = 2.0**63


def read_top(top: Object, *, is_exact: bool = True) -> Recording:
    """The recording.

    Args:
        top: what the file holds.
        is_exact: whether whole numbers beyond 64 bits came as such; else as floats.

    Raises:
        FormatError: a member is missing, has a wrong type or shape, or breaks a rule of the graph; the message
            begins with its place, such as nodes[3].shape.
        ValueError: a param is a float that may have been a whole number.
    """
    _member(top, "generator", _STR, "")
    source = _source(_member(top, "source", _DICT_OR_NONE, ""))
    table = _table(top, "nodes", "")
    nodes = _nodes(table, is_exact)
    values = table.arrays("value", nodes)
    sweeps = [_sweep(entry, f"backward[{at}]", nodes) for at, entry in enumerate(_table(top, "backward", "").entries)]
    gradients = _gradients(top, nodes)
    output = _member(top, "output", _STR, "")
    recording = Recording(
        *(tuple(nodes), tuple(values), tuple(sweeps), gradients, output, source),
        warnings=_warnings(top),
        thinned=_thinned(top),
    )
    try:
        return check(recording)
    except GraphError as error:
        raise FormatError(error.message) from None


# ---- members ----


def _member(entry: Object, key: str, kinds: Kinds, where: str) -> Any:
    """One member of an object, of one of the kinds."""
    return Table([entry], lambda _: where).column(key, kinds)[0]


def _path(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _wrong(value: Any, kinds: Kinds, where: str) -> FormatError:
    expected = " or ".join([words for kind, words in _WORDS.items() if kind in kinds])
    return FormatError(f"{where} is {said(value)}, not {expected}.")


def _list_of(entry: Object, key: str, kinds: Kinds, where: str) -> list[Any]:
    """A member that is a list whose members are all of some kinds."""
    return Table([entry], lambda _: where).lists(key, kinds)[0]


def _table(entry: Object, key: str, where: str) -> Table:
    """A member that is a list of objects."""
    path = _path(where, key)
    return Table(_list_of(entry, key, _DICT, where), lambda at: f"{path}[{at}]")


class Table(NamedTuple):
    """Objects with the same members. All values of one member are a column.

    Attributes:
        entries: the objects.
        place: the path in the file of the object at an index.
    """

    entries: Sequence[Object]
    place: Callable[[int], str]

    def path(self, at: int, key: str) -> str:
        """Of a member."""
        return _path(self.place(at), key)

    def column(self, key: str, kinds: Kinds | None = None) -> list[Any]:
        """The member of each object, of one of the kinds; None for any."""
        try:
            values = [entry[key] for entry in self.entries]
        except KeyError:
            at = next(at for at, entry in enumerate(self.entries) if key not in entry)
            raise FormatError(f"{self.path(at, key)} is missing.") from None
        if kinds is not None and not kinds.issuperset(map(type, values)):
            at = next(at for at, value in enumerate(values) if type(value) not in kinds)
            raise _wrong(values[at], kinds, self.path(at, key))
        return values

    def lists(self, key: str, kinds: Kinds) -> list[list[Any]]:
        """The member of each object, a list whose members are all of some kinds."""
        lists = self.column(key, _LIST)
        if not kinds.issuperset(map(type, chain.from_iterable(lists))):
            for at, values in enumerate(lists):
                for index, value in enumerate(values):
                    if type(value) not in kinds:
                        raise _wrong(value, kinds, f"{self.path(at, key)}[{index}]")
        return lists

    def arrays(self, key: str, nodes: Sequence[Node]) -> list[Array | None]:
        """The member of each object, an array like the value of the node that belongs to the object."""
        like = [(node.dtype, node.shape) for node in nodes]
        return all_from_json(self.column(key), like, lambda at: self.path(at, key))

    def lines(self) -> list[int | None]:
        """The line of each object."""
        lines = self.column("line", _INT_OR_NONE)
        for at, line in enumerate(lines):
            if line is not None and line < 1:
                raise FormatError(f"{self.path(at, 'line')} is {line}, but lines count from 1.")
        return lines


def _line(entry: Object, where: str) -> int | None:
    return Table([entry], lambda _: where).lines()[0]


def _count(entry: Object, key: str, where: str) -> int:
    number: int = _member(entry, key, _INT, where)
    if number < 0:
        raise FormatError(f"{_path(where, key)} is {number}, but it counts from 0.")
    return number


# ---- nodes ----


def _source(entry: Object | None) -> Source | None:
    if entry is None:
        return None
    kind = _member(entry, "kind", _STR, "source")
    if kind not in ("script", "notebook"):
        raise FormatError(f'source.kind is {said(kind)}, not "script" or "notebook".')
    return Source(kind, _member(entry, "name", _STR, "source"), _member(entry, "text", _STR, "source"))


def _nodes(table: Table, is_exact: bool) -> list[Node]:
    params = table.column("params", _DICT)
    table.column("is_leaf", _BOOL)  # "op" says it already, and says it for certain
    columns = (
        _ids(table),
        table.column("op", _STR),
        _inputs(table),
        [_param(each, is_exact) if each else {} for each in params],
        _shapes(table),
        _dtypes(table),
        table.column("name", _STR_OR_NONE),
        table.column("requires_grad", _BOOL),
        table.lines(),
        map(tuple, table.lists("scope", _STR)),
    )
    return list(map(Node._make, zip(*columns, strict=True)))


def _ids(table: Table) -> list[int]:
    ids: list[int] = table.column("id", _INT)
    for at, id in enumerate(ids):
        if id != at:
            again = "is taken already" if 0 <= id < at else "is out of order"
            raise FormatError(
                f"{table.path(at, 'id')} is {id}, which {again}: ids count up from 0, so it must be {at}."
            )
    return ids


def _inputs(table: Table) -> list[tuple[int, ...]]:
    lists = table.lists("inputs", _INT)
    for at, inputs in enumerate(lists):
        for slot, source in enumerate(inputs):
            if not 0 <= source < at:
                raise FormatError(
                    f"{table.path(at, 'inputs')}[{slot}] is {source}, which does not come before node {at}: "
                    "the graph has a cycle or lacks a node."
                )
    return list(map(tuple, lists))


def _shapes(table: Table) -> list[Shape]:
    shapes: list[Shape] = list(map(tuple, table.lists("shape", _INT)))
    for shape in dict.fromkeys(shapes):
        if wrong := _wrong_shape(shape):
            raise FormatError(f"{table.path(shapes.index(shape), 'shape')} is {wrong}")
    return shapes


def _wrong_shape(shape: Shape) -> str:
    """What is wrong with a shape; "" where nothing is."""
    if any(size < 0 for size in shape):
        return f"{list(shape)}, but no size is below 0."
    # Sizes of 0 count as 1: numpy refuses (0, 10**30) too.
    if len(shape) > _MAX_DIMENSIONS or math.prod(size or 1 for size in shape) > MAX_ELEMENTS:
        return f"{said(list(map(str, shape)))} of an array larger than any memory."
    return ""


def _dtypes(table: Table) -> list[str]:
    dtypes: list[str] = table.column("dtype", _STR)
    for dtype in dict.fromkeys(dtypes):
        if dtype not in STORED_AS:
            at = dtypes.index(dtype)
            raise FormatError(f"{table.path(at, 'dtype')} is {said(dtype)}, which is none of {', '.join(STORED_AS)}.")
    return dtypes


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


def _sweep(entry: Object, where: str, nodes: list[Node]) -> Sweep:
    outputs = _list_of(entry, "outputs", _INT, where)
    starts = _existing(nodes, outputs, lambda at: f"{where}.outputs[{at}]")
    seeds = _member(entry, "seeds", _LIST, where)
    if len(seeds) != len(starts):
        raise FormatError(f"{where}.seeds has {len(seeds)} members, but there are {len(starts)} outputs.")
    pairs = enumerate(zip(seeds, starts, strict=True))
    return Sweep(
        tuple(outputs),
        tuple([_seed(seed, node, f"{where}.seeds[{at}]") for at, (seed, node) in pairs]),
        tuple(_steps(_table(entry, "steps", where), nodes)),
        tuple(_accumulations(_table(entry, "accumulated", where), nodes)),
        _line(entry, where),
        _member(entry, "retain_graph", _BOOL, where),
        _member(entry, "create_graph", _BOOL, where),
        _count(entry, "number", where) if "number" in entry else 0,
        _count(entry, "since", where) if "since" in entry else None,
    )


def _existing(nodes: Sequence[Node], ids: Sequence[int], path: Callable[[int], str]) -> list[Node]:
    """The nodes of some ids, whose paths in the file are given by index."""
    if ids and not 0 <= min(ids) <= max(ids) < len(nodes):
        at, id = next((at, id) for at, id in enumerate(ids) if not 0 <= id < len(nodes))
        raise FormatError(f"{path(at)} is {id}, but there is no node {id}: the file has {len(nodes)} nodes.")
    return [nodes[id] for id in ids]


def _seed(value: Any, node: Node, where: str) -> Array:
    seed = from_json(value, node.dtype, node.shape, where)
    if seed is None:
        raise FormatError(f"{where} is null, but every output has a seed.")
    return seed


def _steps(table: Table, nodes: Sequence[Node]) -> Iterator[Step]:
    ids = table.column("node", _INT)
    reached = _existing(nodes, ids, lambda at: table.path(at, "node"))
    incoming = table.arrays("incoming", reached)
    outgoing = table.lists("outgoing", _DICT)
    for at, (members, node) in enumerate(zip(outgoing, reached, strict=True)):
        if members and len(members) != len(node.inputs):
            raise FormatError(
                f"{table.path(at, 'outgoing')} has {len(members)} members, "
                f"but node {node.id} has {len(node.inputs)} inputs."
            )
    sent = iter(_sent(table, outgoing, reached, nodes))
    return map(Step, ids, incoming, [tuple(islice(sent, len(members))) for members in outgoing])


def _sent(
    steps: Table, outgoing: Sequence[Sequence[Object]], reached: Sequence[Node], nodes: Sequence[Node]
) -> list[Array | None]:
    """What all steps sent, one after the other."""
    edges = [(at, slot) for at, members in enumerate(outgoing) for slot in range(len(members))]
    table = Table(
        list(chain.from_iterable(outgoing)), lambda at: f"{steps.path(edges[at][0], 'outgoing')}[{edges[at][1]}]"
    )
    slots, to = table.column("slot", _INT), table.column("to", _INT)
    for at, (step, slot) in enumerate(edges):
        if slots[at] != slot:
            raise FormatError(
                f"{table.path(at, 'slot')} is {slots[at]}, but slots count up from 0, so it must be {slot}."
            )
        node = reached[step]
        if to[at] != node.inputs[slot]:
            raise FormatError(
                f"{table.path(at, 'to')} is {to[at]}, but input {slot} of node {node.id} is node {node.inputs[slot]}."
            )
    return table.arrays("gradient", [nodes[id] for id in to])


def _accumulations(table: Table, nodes: Sequence[Node]) -> Iterator[Accumulation]:
    ids = table.column("node", _INT)
    leaves = _existing(nodes, ids, lambda at: table.path(at, "node"))
    return map(Accumulation, ids, table.arrays("before", leaves), table.arrays("after", leaves))


# ---- the rest ----


def _thinned(top: Object) -> Thinned | None:
    if "kept" not in top:
        return None
    entry = _member(top, "kept", _DICT, "")
    calls, every = _count(entry, "calls", "kept"), _count(entry, "every", "kept")
    return Thinned(calls, every, _member(entry, "in_rounds", _BOOL, "kept"))


def _warnings(top: Object) -> tuple[Warned, ...]:
    if "warnings" not in top:
        return ()
    table = _table(top, "warnings", "")
    messages, categories = table.column("message", _STR), table.column("category", _STR)
    return tuple(map(Warned, messages, categories, table.lines(), table.column("at", _INT)))


def _gradients(top: Object, nodes: Sequence[Node]) -> dict[str, Array | None]:
    """The final gradients. Their dtype and shape are their node's, else those of "gradient_types"."""
    given = _member(top, "gradients", _DICT, "")
    types = _member(top, "gradient_types", _DICT, "") if "gradient_types" in top else {}
    by_name = nodes_by_name(nodes)
    gradients: dict[str, Array | None] = {}
    for name, value in given.items():
        dtype, shape = _gradient_type(name, value, types, by_name)
        gradients[name] = from_json(value, dtype, shape, f"gradients.{name}")
    return gradients


def _gradient_type(name: str, value: Any, types: Object, by_name: Mapping[str, Node]) -> tuple[str, Shape]:
    if name in types:
        table = Table([_member(types, name, _DICT, "gradient_types")], lambda _: f"gradient_types.{name}")
        return _dtypes(table)[0], _shapes(table)[0]
    node = by_name.get(name)
    return (node.dtype, node.shape) if node is not None else ("float32", _shape_of_lists(value))


def _shape_of_lists(value: Any) -> Shape:
    """The shape that nested lists have, by their first members."""
    shape: list[int] = []
    while type(value) is list:
        shape.append(len(value))
        value = value[0] if value else None
    return tuple(shape)
