"""A parsed JSON file as a recording. Members are checked column by column, and an error names its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, starmap
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from gradviz.errors import FormatError, GraphError
from gradviz.formats.arrays import NOT_FINITE, STORED_AS, all_from_json, from_json, said
from gradviz.formats.json_write import nodes_by_name
from gradviz.formats.watched import Part, Watch, go_on
from gradviz.recording import (
    Accumulation,
    Array,
    Broken,
    ChangedNumber,
    Cut,
    Engine,
    Framing,
    Node,
    Origin,
    Problem,
    Rank,
    Read,
    Recording,
    SavedView,
    Source,
    Step,
    Summaries,
    Summary,
    Sweep,
    Thinned,
    Warned,
    check,
    sent_shape,
    wrong_shape,
)

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
_NUMBER: Kinds = frozenset({int, float, bool, str, NoneType})
_ORIGIN = ("aten", "backward_node", "module", "in_place", "outputs", "file")
_SENT = frozenset({"slot", "to", "gradient"})
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
    _member(top, "generator", _STR, "")
    source = _source(_member(top, "source", _DICT_OR_NONE, ""))
    table = _table(top, "nodes", "")
    nodes = _nodes(table, is_exact)
    go_on(watch, _NODES)
    values = table.arrays("value", nodes)
    go_on(watch, _VALUES)
    sweeps = _sweeps(top, nodes, Part(watch, _VALUES, _SWEEPS))
    gradients = _gradients(top, nodes)
    output = _member(top, "output", _STR, "")
    sources = _sources(top)
    summed = _member(top, "gradient_summaries", _DICT, "") if "gradient_summaries" in top else {}
    recording = Recording(
        *(tuple(nodes), tuple(values), tuple(sweeps), gradients, output, source),
        problem=_problem(top, sources),
        warnings=_warnings(top),
        thinned=_thinned(top),
        engine=_engine(top),
        sources=sources,
        summaries=table.summaries("summary", [node.id for node in nodes]),
        gradient_summaries={name: _summary(each, f"gradient_summaries.{name}") for name, each in summed.items()},
        rank=_rank(top),
        faults=tuple(_list_of(top, "faults", _STR, "")) if "faults" in top else (),
        cuts=_cuts(top),
        view=_view(top, sweeps, nodes),
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

    def summaries(self, key: str, of: Sequence[Any]) -> Mapping[Any, Summary]:
        """The summaries that some of the objects have, each by the member of `of` that belongs to the object."""
        return {
            of[at]: _summary(entry[key], self.path(at, key)) for at, entry in enumerate(self.entries) if key in entry
        }

    def lines(self) -> list[int | None]:
        """The line of each object."""
        lines = self.column("line", _INT_OR_NONE)
        for at, line in enumerate(lines):
            if line is not None and line < 1:
                raise FormatError(f"{self.path(at, 'line')} is {line}, but lines count from 1.")
        return lines


def _line(entry: Object, where: str) -> int | None:
    return Table([entry], lambda _: where).lines()[0]


def _text_or_none(entry: Object, key: str, where: str) -> str:
    """A text; "" where it is null or missing."""
    return (_member(entry, key, _STR_OR_NONE, where) or "") if key in entry else ""


def _count_or_none(entry: Object, key: str, where: str) -> int | None:
    return None if entry.get(key) is None else _count(entry, key, where)


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


def _sources(top: Object) -> tuple[Source, ...]:
    """The files besides the main one."""
    if "sources" not in top:
        return ()
    table = _table(top, "sources", "")
    columns = zip(table.column("name", _STR), table.column("text", _STR), strict=True)
    return tuple([Source("script", name, text) for name, text in columns])


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
    nodes = list(starmap(Node, zip(*columns, strict=True)))
    for at, entry in enumerate(table.entries):
        if not entry.keys().isdisjoint(_ORIGIN):
            origin = _origin(entry, table.place(at), nodes[at].line)
            nodes[at] = nodes[at]._replace(origin=origin, line=nodes[at].line if origin.file is None else None)
    return nodes


def _origin(entry: Object, where: str, line: int | None) -> Origin:
    aten, backward_node, module = (_text_or_none(entry, key, where) for key in _ORIGIN[:3])
    in_place = _member(entry, "in_place", _BOOL, where) if "in_place" in entry else False
    outputs = _count(entry, "outputs", where) if "outputs" in entry else 0
    file = _count_or_none(entry, "file", where)
    return Origin(aten, backward_node, module, in_place, outputs, file, None if file is None else line)


def _summary(entry: Any, where: str) -> Summary:
    if type(entry) is not dict:
        raise _wrong(entry, _DICT, where)
    table = Table([entry], lambda _: where)
    (shape,), (dtype,) = _shapes(table), _dtypes(table)
    norm, least, greatest = (_number_or_none(entry.get(key), f"{where}.{key}") for key in ("norm", "min", "max"))
    nan, inf = (_count_or_none(entry, key, where) for key in ("nan", "inf"))
    sample = _list_of(entry, "sample", _NUMBER, where) if entry.get("sample") is not None else []
    numbers = [_number_or_none(each, f"{where}.sample") for each in sample]
    reason = _member(entry, "reason", _STR, where)
    return Summary(shape, dtype, reason, norm, least, greatest, nan, inf, tuple(n for n in numbers if n is not None))


def _number_or_none(value: Any, where: str) -> float | None:
    """A number, or the name of one that is not finite."""
    if type(value) is str and value in NOT_FINITE:
        return NOT_FINITE[value]
    if type(value) not in _NUMBER or type(value) is str:
        raise FormatError(f"{where} is {said(value)}, not a number.")
    try:
        return None if value is None else float(value)
    except OverflowError:
        raise FormatError(f"{where} holds a number that is too large.") from None


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
        if wrong := wrong_shape(shape):
            raise FormatError(f"{table.path(shapes.index(shape), 'shape')} is {wrong}")
    return shapes


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


def _sweeps(top: Object, nodes: list[Node], watch: Watch) -> list[Sweep]:
    entries, found = _table(top, "backward", "").entries, list[Sweep]()
    for at, entry in enumerate(entries):
        found.append(_sweep(entry, f"backward[{at}]", nodes))
        go_on(watch, (at + 1) / len(entries))
    return found


def _sweep(entry: Object, where: str, nodes: list[Node]) -> Sweep:
    outputs = _list_of(entry, "outputs", _INT, where)
    starts = _existing(nodes, outputs, lambda at: f"{where}.outputs[{at}]")
    seeds = _member(entry, "seeds", _LIST, where)
    if len(seeds) != len(starts):
        raise FormatError(f"{where}.seeds has {len(seeds)} members, but there are {len(starts)} outputs.")
    summed = _list_of(entry, "seed_summaries", _DICT_OR_NONE, where) if "seed_summaries" in entry else []
    if len(summed) not in (0, len(starts)):
        raise FormatError(f"{where}.seed_summaries has {len(summed)} members, but there are {len(starts)} outputs.")
    seed_summaries = {
        at: _summary(each, f"{where}.seed_summaries[{at}]") for at, each in enumerate(summed) if each is not None
    }
    pairs = enumerate(zip(seeds, starts, strict=True))
    steps, accumulated = _table(entry, "steps", where), _table(entry, "accumulated", where)
    made, outgoing = _steps(steps, nodes)
    changes = tuple(_accumulations(accumulated, nodes))
    return Sweep(
        tuple(outputs),
        tuple([_seed(seed, node, f"{where}.seeds[{at}]", at in seed_summaries) for at, (seed, node) in pairs]),
        made,
        changes,
        _line(entry, where),
        _member(entry, "retain_graph", _BOOL, where),
        _member(entry, "create_graph", _BOOL, where),
        _count(entry, "number", where) if "number" in entry else 0,
        _count_or_none(entry, "since", where),
        _kind(entry, where),
        _broken(entry, where),
        _number_or_none(entry.get("seconds"), _path(where, "seconds")),
        _count_or_none(entry, "inside", where),
        _count_or_none(entry, "file", where),
        _hooked(steps, made),
        Summaries(
            seed_summaries,
            steps.summaries("summary", [step.node for step in made]),
            outgoing,
            accumulated.summaries("before_summary", [change.node for change in changes]),
            accumulated.summaries("after_summary", [change.node for change in changes]),
        ),
        _count_or_none(entry, "printed", where),
        {
            step.node: _count(entry, "printed", steps.place(at))
            for at, (entry, step) in enumerate(zip(steps.entries, made, strict=True))
            if "printed" in entry
        },
        _read(steps, made, nodes),
    )


def _kind(entry: Object, where: str) -> str:
    kind: str = _member(entry, "kind", _STR, where) if "kind" in entry else "backward"
    if kind not in ("backward", "grad"):
        raise FormatError(f'{_path(where, "kind")} is {said(kind)}, not "backward" or "grad".')
    return kind


def _broken(entry: Object, where: str) -> Broken | None:
    error = _member(entry, "error", _DICT_OR_NONE, where) if "error" in entry else None
    if error is None:
        return None
    place = _path(where, "error")
    return Broken(_member(error, "message", _STR, place), _count_or_none(error, "node", place))


def _hooked(steps: Table, made: Sequence[Step]) -> frozenset[int]:
    marked = [(at, entry) for at, entry in enumerate(steps.entries) if "hooked" in entry]
    return frozenset(made[at].node for at, entry in marked if _member(entry, "hooked", _BOOL, steps.place(at)))


def _read(steps: Table, made: Sequence[Step], nodes: Sequence[Node]) -> dict[tuple[int, int], Read]:
    """What steps read in the place of recorded values, by (node of the step, node of the value)."""
    found: dict[tuple[int, int], Read] = {}
    for at, (entry, step) in enumerate(zip(steps.entries, made, strict=True)):
        if "read" not in entry:
            continue
        table = _table(entry, "read", steps.place(at))
        ids = table.column("node", _INT)
        values = table.arrays("value", _existing(nodes, ids, partial(_node_path, table)))
        rows = zip(ids, values, table.lines(), strict=True)
        found |= {(step.node, id): Read(value, line) for id, value, line in rows}
    return found


def _node_path(table: Table, at: int) -> str:
    return table.path(at, "node")


def _existing(nodes: Sequence[Node], ids: Sequence[int], path: Callable[[int], str]) -> list[Node]:
    """The nodes of some ids, whose paths in the file are given by index."""
    if ids and not 0 <= min(ids) <= max(ids) < len(nodes):
        at, id = next((at, id) for at, id in enumerate(ids) if not 0 <= id < len(nodes))
        raise FormatError(f"{path(at)} is {id}, but there is no node {id}: the file has {len(nodes)} nodes.")
    return [nodes[id] for id in ids]


def _seed(value: Any, node: Node, where: str, is_summed_up: bool) -> Array | None:
    seed = from_json(value, node.dtype, node.shape, where)
    if seed is None and not is_summed_up:
        raise FormatError(f"{where} is null, but every output has a seed.")
    return seed


def _steps(table: Table, nodes: Sequence[Node]) -> tuple[tuple[Step, ...], Mapping[tuple[int, int], Summary]]:
    """The steps, and by (node, slot) the summaries of what they sent."""
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
    gradients, summaries = _sent(table, outgoing, reached, nodes)
    sent = iter(gradients)
    return tuple(map(Step, ids, incoming, [tuple(islice(sent, len(members))) for members in outgoing])), summaries


def _sent(
    steps: Table, outgoing: Sequence[Sequence[Object]], reached: Sequence[Node], nodes: Sequence[Node]
) -> tuple[list[Array | None], Mapping[tuple[int, int], Summary]]:
    """What all steps sent, one after the other, and the summaries of that by node and slot."""
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
    # One output of several sends on what came in, of its own shape: the op behind it has none.
    like = [
        nodes[id] if sent_shape(nodes, reached[step], slot) == nodes[id].shape else reached[step]
        for id, (step, slot) in zip(to, edges, strict=True)
    ]
    if all(len(entry) == len(_SENT) for entry in table.entries):
        return table.arrays("gradient", like), {}
    return table.arrays("gradient", like), table.summaries("summary", [(reached[at].id, slot) for at, slot in edges])


def _accumulations(table: Table, nodes: Sequence[Node]) -> Iterator[Accumulation]:
    ids = table.column("node", _INT)
    leaves = _existing(nodes, ids, lambda at: table.path(at, "node"))
    return map(Accumulation, ids, table.arrays("before", leaves), table.arrays("after", leaves))


# ---- the rest ----


def _thinned(top: Object) -> Thinned | None:
    key = next((key for key in ("kept", "thinned") if top.get(key) is not None), None)  # either word says it
    if key is None:
        return None
    entry = _member(top, key, _DICT, "")
    last = _member(entry, "last", _BOOL, key) if "last" in entry else True
    first, about = (
        _member(entry, word, _BOOL, key) if word in entry else word == "first" for word in ("first", "about")
    )
    limit = _member(entry, "limit", _STR, key) if "limit" in entry else ""
    if limit not in ("", "keep", "memory", "nodes"):
        raise FormatError(f"{key}.limit is {said(limit)}, where keep, memory or nodes is expected.")
    return Thinned(
        _count(entry, "calls", key),
        _count(entry, "every", key),
        _member(entry, "in_rounds", _BOOL, key),
        last,
        first,
        about,
        limit,
        _count(entry, "most", key) if "most" in entry else 0,
        _count_or_none(entry, "not_finite", key),
    )


def _engine(top: Object) -> Engine | None:
    entry = _member(top, "engine", _DICT_OR_NONE, "") if "engine" in top else None
    if entry is None:
        return None
    name, version, python = (_text_or_none(entry, key, "engine") for key in ("name", "version", "python"))
    return Engine(name, version, python, tuple(_list_of(entry, "notes", _STR, "engine")) if "notes" in entry else ())


def _rank(top: Object) -> Rank | None:
    entry = _member(top, "rank", _DICT_OR_NONE, "") if "rank" in top else None
    if entry is None:
        return None
    step = _count_or_none(entry, "step", "rank")
    return Rank(_count(entry, "rank", "rank"), _count(entry, "world", "rank"), step)


def _cuts(top: Object) -> tuple[Cut, ...]:
    found = []
    for at, entry in enumerate(_list_of(top, "cuts", _DICT, "") if "cuts" in top else ()):
        where = f"cuts[{at}]"
        line = _count_or_none(entry, "line", where)
        result = _count_or_none(entry, "result", where)
        sources = tuple(_list_of(entry, "sources", _INT, where))
        found.append(Cut(sources, _member(entry, "how", _STR, where), line, result))
    return tuple(found)


def _view(top: Object, sweeps: Sequence[Sweep], nodes: Sequence[Node]) -> SavedView | None:
    entry = _member(top, "view", _DICT_OR_NONE, "") if "view" in top else None
    if entry is None:
        return None
    sweep, position = (_count_or_none(entry, key, "view") for key in ("sweep", "position"))
    if sweep is not None and sweep >= len(sweeps):
        raise FormatError(f"view.sweep is {sweep}, but there are {len(sweeps)} members of backward.")
    by_hand = _count(entry, "by_hand", "view") if "by_hand" in entry else 0
    if by_hand > len(sweeps) or any(len(s.seeds) != 1 or s.seeds[0] is None for s in sweeps[len(sweeps) - by_hand :]):
        raise FormatError(f"view.by_hand is {by_hand}, but the file has not so many passes of one v at its end.")
    stops = _table(entry, "breakpoints", "view") if "breakpoints" in entry else Table([], lambda _: "")
    return SavedView(
        sweep,
        position,
        by_hand,
        tuple(zip(stops.column("text", _STR), stops.column("on", _BOOL), strict=True)),
        _keys(entry) if entry.get("folded") is not None else None,
        tuple(_list_of(entry, "focus", _STR, "view")) if entry.get("focus") is not None else None,
        None if entry.get("plumbing") is None else _member(entry, "plumbing", _BOOL, "view"),
        _framing(entry, nodes),
        None if entry.get("text") is None else _member(entry, "text", _STR, "view"),
        _what_if(entry, nodes),
    )


def _what_if(entry: Object, nodes: Sequence[Node]) -> tuple[ChangedNumber, ...]:
    if "what_if" not in entry:
        return ()
    table, found = _table(entry, "what_if", "view"), []
    _existing(nodes, table.column("node", _INT), lambda at: table.path(at, "node"))
    for at, change in enumerate(table.entries):
        where = table.place(at)
        number = _number_or_none(change.get("number"), f"{where}.number")
        if number is None:
            raise FormatError(f"{where}.number is null, not a number.")
        sweep, slot = (_count_or_none(change, key, where) for key in ("sweep", "slot"))
        found.append(ChangedNumber(change["node"], _count(change, "element", where), sweep, slot, number))
    return tuple(found)


def _keys(entry: Object) -> tuple[tuple[str, ...], ...]:
    """The groups that are folded, each a list of texts."""
    keys = {f"folded[{at}]": key for at, key in enumerate(_list_of(entry, "folded", _LIST, "view"))}
    return tuple(tuple(_list_of(keys, place, _STR, "view")) for place in keys)


def _framing(entry: Object, nodes: Sequence[Node]) -> Framing | None:
    framing = _member(entry, "framing", _DICT_OR_NONE, "view") if "framing" in entry else None
    if framing is None:
        return None
    where = "view.framing"
    node = _count(framing, "node", where)
    _existing(nodes, [node], lambda _: f"{where}.node")
    found: dict[str, float] = {}
    for key in ("scale", "x", "y"):
        number = _number_or_none(framing.get(key), f"{where}.{key}")
        if number is None or not math.isfinite(number) or (key == "scale" and number <= 0):
            raise FormatError(f"{where}.{key} is {said(framing.get(key))}, which is nowhere on a screen.")
        found[key] = number
    return Framing(found["scale"], node, found["x"], found["y"])


def _problem(top: Object, sources: Sequence[Source]) -> Problem | None:
    entry = _member(top, "problem", _DICT_OR_NONE, "") if "problem" in top else None
    if entry is None:
        return None
    message = _member(entry, "message", _STR, "problem")
    hint = _member(entry, "hint", _STR_OR_NONE, "problem") if "hint" in entry else ""
    line, column, node = (_count_or_none(entry, key, "problem") for key in ("line", "column", "node"))
    ended = _member(entry, "ended", _BOOL, "problem") if "ended" in entry else True
    return Problem(message, hint or "", line, column, node, _file_name(entry.get("file"), sources), ended)


def _file_name(file: Any, sources: Sequence[Source]) -> str:
    """The name of a file that is given by it, or by its index in "sources"."""
    if file is None or type(file) is str:
        return file or ""
    if type(file) is not int or not 0 <= file < len(sources):
        raise FormatError(f"problem.file is {said(file)}, which is none of the files.")
    return sources[file].name


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
