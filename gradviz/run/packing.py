"""A recording of the built-in engine as the header and body of a frame, and back; nothing is lost on the way.

What only a run of real PyTorch leaves (summaries, PyTorch's own names) travels in a file, see `gradviz.formats`.

The header is a document of columns (all ops, all names, all inputs ...). Arrays stand apart in the body: those of one
dtype and shape follow each other in one block, so that 30,000 small gradients are read by a few calls of numpy. What is
one array in two places (a gradient that goes out here and comes in there) is stored once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple, cast

import numpy as np

from gradviz.document.fields import (
    ACCUMULATED,
    DOCUMENT,
    FORMAT,
    NODE,
    PROBLEM,
    READ,
    SENT,
    STEP,
    SWEEP,
    VERSION,
    WARNING,
    kind_of,
)
from gradviz.document.kinds import ABSENT, ARRAY, LINE, Field, Record, is_flag
from gradviz.errors import FormatError, GraphError
from gradviz.recording import (
    Array,
    Node,
    Origin,
    Problem,
    Recording,
    Summaries,
    Sweep,
    Warned,
    check,
)

DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(name)
    for name in (
        *("float64", "float32", "float16", "bool"),
        *("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"),
    )
}
"""What an array in a frame may be made of: numbers, and nothing that points to memory."""

MOST_ARRAYS = 10_000_000
"""Arrays of a recording: each takes some hundred bytes, even where it holds nothing."""

_ALIGNED = 16
_BATCH = 2**20


class Packed(NamedTuple):
    """A header, and the body in pieces that together have `size` bytes."""

    header: dict[str, Any]
    pieces: Iterable[bytes]
    size: int


class _Arrays:
    """The arrays of a document: `add` gives the number by which the header names one."""

    def __init__(self) -> None:
        self._number_of: dict[int, int] = {}
        self._block_of: dict[tuple[str, tuple[int, ...]], int] = {}
        self._blocks: list[tuple[str, tuple[int, ...], list[Array]]] = []
        self._belongs: list[int] = []
        self._kept: list[Array] = []  # an id is only its array's as long as that lives

    def add(self, array: Array | None) -> int | None:
        if array is None:
            return None
        number = self._number_of.get(id(array))
        if number is None:
            number = self._number_of[id(array)] = len(self._kept)
            self._kept.append(array)
            key = (array.dtype.str, array.shape)  # `dtype.name` takes ten times as long
            block = self._block_of.get(key)
            if block is None:
                block = self._begin(array)
                self._block_of[key] = block
            self._blocks[block][2].append(array)
            self._belongs.append(block)
        return number

    def _begin(self, array: Array) -> int:
        name = array.dtype.name
        if name not in DTYPES:
            raise FormatError(f"A recording cannot hold numbers of dtype {name}.")
        self._blocks.append((name, array.shape, []))
        return len(self._blocks) - 1

    def packed(self, header: dict[str, Any]) -> Packed:
        """The header with the table of arrays, and their bytes."""
        blocks = [[name, list(shape), len(members)] for name, shape, members in self._blocks]
        size = sum(_padded(_block_bytes(name, shape, len(members))) for name, shape, members in self._blocks)
        return Packed({**header, "blocks": blocks, "arrays": self._belongs}, self._pieces(), size)

    def _pieces(self) -> Iterator[bytes]:
        for name, shape, members in self._blocks:
            count = _block_bytes(name, shape, 1)
            step = max(1, _BATCH // max(count, 1))
            for start in range(0, len(members), step):
                batch = members[start : start + step]
                if batch[0].dtype.isnative:
                    yield b"".join([each.tobytes() for each in batch])
                else:
                    yield b"".join([each.astype(DTYPES[name]).tobytes() for each in batch])
            yield b"\0" * (_padded(count * len(members)) - count * len(members))


def _block_bytes(name: str, shape: Sequence[int], count: int) -> int:
    size = DTYPES[name].itemsize * count
    for length in shape:
        size *= length
    return size


def _padded(size: int) -> int:
    return -size % _ALIGNED + size


def pack(recording: Recording) -> Packed:
    """A recording, with all its parts.

    Raises:
        FormatError: an array of a dtype that `DTYPES` does not name.
    """
    arrays, made = _Arrays(), dict[str, Sequence[Any]](format=[FORMAT], version=[VERSION], generator=[""])
    made["nodes"] = [_nodes(recording, arrays)]
    made["backward"] = [[_sweep(sweep, arrays) for sweep in recording.sweeps]]
    made["gradients"] = [{name: arrays.add(array) for name, array in recording.gradients.items()}]
    (header,) = DOCUMENT.write([recording], made=made)
    return arrays.packed(header)


def _nodes(recording: Recording, arrays: _Arrays) -> dict[str, Any]:
    """The columns of the nodes. Many nodes have the same scope, or come of the same place; that is stored once."""
    nodes = recording.nodes
    scopes, origins = [node.scope for node in nodes], [node.origin for node in nodes]
    scope_of = {each: at for at, each in enumerate(dict.fromkeys(scopes))}
    origin_of = {each: at for at, each in enumerate(dict.fromkeys(origins))}
    return {
        **_columns(NODE, nodes, arrays, besides=_BY_HAND),
        "params": [_param(node.params, arrays.add) if node.params else 0 for node in nodes],
        "value": list(map(arrays.add, recording.values)),
        "scope": [scope_of[scope] for scope in scopes],
        "scopes": list(scope_of),
        "origin": [origin_of[origin] for origin in origins],
        "origins": [None if each is None else _named(each) for each in origin_of],
        **_spread(NODE, recording),
    }


_BY_HAND = ("id", "params", "scope")


def _columns(record: Record, items: Sequence[Any], arrays: _Arrays, besides: Sequence[str] = ()) -> dict[str, Any]:
    """By key, the members of some objects."""
    found: dict[str, Any] = {}
    for field in record.own:
        if field.key not in besides:
            values = list(map(attrgetter(field.name), items))
            found[field.key] = list(map(arrays.add, values)) if field.kind is ARRAY else field.kind.write(values)
    return found


def _named(origin: Origin) -> dict[str, Any]:
    return {field.key: getattr(origin, field.name) for field in _ORIGIN}


_ORIGIN = [field for field in NODE.fields if field.owner == "Origin"] + [Field("line", LINE, of="Origin.line")]


def _spread(record: Record, *holders: Any) -> dict[str, Any]:
    """What some of the objects have, each as a list of keys and one of values."""
    found: dict[str, Any] = {}
    for field in record.fields:
        for holder in holders:
            if field.by and field.owner == type(holder).__name__ and field.key not in _WITH_ARRAYS:
                held = getattr(holder, field.name)
                keys, values = list(held), [True] * len(held) if is_flag(field) else list(held.values())
                if keys:
                    found[field.key] = [keys, field.kind.write(values)]
    return found


_WITH_ARRAYS = ("read",)


def pack_sweep(sweep: Sweep) -> Packed:
    """One sweep alone."""
    arrays = _Arrays()
    return arrays.packed({"sweep": _sweep(sweep, arrays)})


def pack_array(array: Array, **header: Any) -> Packed:
    """One array alone, with more to say about it."""
    arrays = _Arrays()
    return arrays.packed({**header, "array": arrays.add(array)})


def _sweep(sweep: Sweep, arrays: _Arrays) -> dict[str, Any]:
    add, summed = arrays.add, sweep.summaries
    steps = {
        **_columns(STEP, sweep.steps, arrays, besides=("outgoing",)),
        "outgoing": [list(map(add, step.outgoing)) for step in sweep.steps],
        "sent": _spread(SENT, summed),
        "read": {"of": list(sweep.read), **_columns(READ, list(sweep.read.values()), arrays)},
        **_spread(STEP, sweep, summed),
    }
    made: dict[str, Sequence[Any]] = {
        "seeds": [list(map(add, sweep.seeds))],
        "steps": [steps],
        "accumulated": [_columns(ACCUMULATED, sweep.accumulated, arrays) | _spread(ACCUMULATED, summed)],
    }
    seeds = [summed.seeds.get(at) for at in range(len(sweep.seeds))]
    (header,) = SWEEP.write([sweep], {"seed_summaries": [seeds if summed.seeds else ABSENT]}, made)
    return header


def _param(value: Any, add: Any) -> Any:
    """A param as JSON has it; what JSON has not is an object with one key that says what it was."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.ndarray | np.generic) and value.dtype.name in DTYPES:
        return {"array": add(value)}
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, tuple):
        return {"tuple": [_param(item, add) for item in value]}
    if isinstance(value, list):
        return [_param(item, add) for item in value]
    if isinstance(value, Mapping):
        return {"mapping": {str(name): _param(item, add) for name, item in value.items()}}
    return str(value)


def unpack(header: dict[str, Any], body: bytes) -> Recording:
    """The recording that `pack` packed. Its arrays cannot be written to: they are views of `body`.

    Raises:
        FormatError: it is none, or breaks a rule of `gradviz.recording`.
    """
    try:
        return check(_recording(header, body))
    except _REFUSED as error:
        raise FormatError(f"The script's process handed back what is no recording ({_why(error)}).") from None


_REFUSED = (
    *(
        FormatError,
        GraphError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
        MemoryError,
    ),
)
"""What reading a header that is none may end in."""


def _why(error: BaseException) -> str:
    return (str(error) or type(error).__name__).rstrip(".")


def unpack_sweep(header: dict[str, Any], body: bytes, recording: Recording) -> Sweep:
    """The sweep of `recording` that `pack_sweep` packed.

    Raises:
        FormatError: it is none, or does not belong to that recording.
    """
    try:
        sweep = _read_sweep(header["sweep"], _arrays(header, body))
        check(replace(recording, sweeps=(sweep,)))
    except _REFUSED as error:
        raise FormatError(f"The script's process handed back what is no sweep ({_why(error)}).") from None
    return sweep


def unpack_array(header: dict[str, Any], body: bytes) -> Array:
    """The array that `pack_array` packed; the host is trusted."""
    array: Array = _arrays(header, body)[header["array"]]
    return array


def _arrays(header: dict[str, Any], body: bytes) -> list[Array]:
    blocks: list[Iterator[Array]] = []
    offset = 0
    belongs, stated = header["arrays"], sum([_length(count) for _, _, count in header["blocks"]])
    if len(belongs) != stated or stated > MOST_ARRAYS:
        raise ValueError(f"it has {len(belongs):,} arrays and states {stated:,}")
    for name, shape, count in header["blocks"]:
        dtype, lengths = DTYPES[name], tuple(map(_length, shape))
        size = _block_bytes(name, lengths, _length(count))
        if offset + size > len(body):
            raise ValueError("it has fewer numbers than it says")
        # With `count` unset, numpy would refuse blocks of no bytes at all.
        flat = np.frombuffer(body, dtype, size // dtype.itemsize, offset) if size else np.empty(0, dtype)
        if dtype.kind == "b":
            flat = flat.view(np.uint8).astype(bool)  # a byte that is neither 0 nor 1 is no bool
            flat.flags.writeable = False
        blocks.append(iter(flat.reshape(count, *lengths)))
        offset += _padded(size)
    try:
        return [next(blocks[_count(number)]) for number in belongs]
    except StopIteration:
        raise ValueError("it has fewer arrays than it says") from None


def _length(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**48:
        raise ValueError("a length that is none")
    return value


def _count(value: Any) -> int:
    """A number that counts something, or says which it is: from 0."""
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError("a number that counts nothing")
    return value


def _recording(header: dict[str, Any], body: bytes) -> Recording:
    arrays = _arrays(header, body)
    columns, given = DOCUMENT.columns([{**header, "nodes": [], "backward": []}], lambda _: ""), header["nodes"]
    parts = {name: column[0] for name, column in DOCUMENT.parts(columns, 1).items()}
    parts["nodes"] = _read_nodes(given, arrays)
    parts["values"] = tuple(_taken(arrays, given["value"]))
    parts["sweeps"] = tuple([_read_sweep(sweep, arrays) for sweep in header["backward"]])
    parts["gradients"] = {name: _take(arrays, number) for name, number in header["gradients"].items()}
    return Recording(**parts, **_read_spread(NODE, "Recording", given))


def _read_nodes(given: dict[str, Any], arrays: list[Array]) -> tuple[Node, ...]:
    parts = _read_columns(NODE, given, arrays, besides=_BY_HAND)
    scopes = kind_of("Node.scope").read(given["scopes"], _path("scopes"))
    origins = [None if each is None else _read_origin(each) for each in given["origins"]]
    parts["id"] = range(len(given["op"]))
    parts["params"] = [_read_param(params, arrays) if params else {} for params in given["params"]]
    parts["scope"] = [scopes[_count(number)] for number in given["scope"]]
    parts["origin"] = [origins[_count(number)] for number in given["origin"]]
    return tuple(map(Node._make, zip(*[parts[name] for name in Node._fields], strict=True)))


def _read_columns(
    record: Record, given: dict[str, Any], arrays: list[Array], besides: Sequence[str] = ()
) -> dict[str, Sequence[Any]]:
    """By name, the fields of the objects that `_columns` packed."""
    found: dict[str, Sequence[Any]] = {}
    for field in record.own:
        if field.key not in besides:
            values = given[field.key]
            is_array = field.kind is ARRAY
            found[field.name] = _taken(arrays, values) if is_array else field.kind.read(values, _path(field.key))
    return found


def _taken(arrays: list[Array], numbers: Sequence[int | None]) -> list[Array | None]:
    return [_take(arrays, number) for number in numbers]


def _path(key: str) -> Callable[[int], str]:
    return lambda at: f"{key}[{at}]"


def _read_origin(given: dict[str, Any]) -> Origin:
    return Origin(**{field.name: field.kind.read([given[field.key]], _path(field.key))[0] for field in _ORIGIN})


def _read_spread(record: Record, owner: str, given: dict[str, Any]) -> dict[str, Any]:
    """By name the fields of a class that `_spread` packed."""
    found: dict[str, Any] = {}
    for field in record.fields:
        if field.by and field.owner == owner and field.key not in _WITH_ARRAYS:
            keys, values = given.get(field.key, ((), ()))
            parts = [_whole_numbers(key) if field.by > 1 else _count(key) for key in keys]
            read = zip(parts, field.kind.read(list(values), _path(field.key)), strict=True)
            found[field.name] = frozenset(key for key, value in read if value) if is_flag(field) else dict(read)
    return found


def _read_sweep(given: dict[str, Any], arrays: list[Array]) -> Sweep:
    steps, changes = given["steps"], given["accumulated"]
    columns = SWEEP.columns([{**given, "steps": [], "accumulated": []}], lambda _: "")
    seeds = columns.get("seed_summaries", [()])[0]
    parts = {name: column[0] for name, column in SWEEP.parts(columns, 1).items()}
    parts["seeds"] = tuple(_taken(arrays, parts["seeds"]))
    made = _read_columns(STEP, steps, arrays, besides=("outgoing",))
    made["outgoing"] = [tuple(_taken(arrays, sent)) for sent in steps["outgoing"]]
    parts["steps"] = tuple(STEP.make(made))
    parts["accumulated"] = tuple(ACCUMULATED.make(_read_columns(ACCUMULATED, changes, arrays)))
    read = READ.make(_read_columns(READ, steps["read"], arrays))
    parts["read"] = dict(zip(map(_whole_numbers, steps["read"]["of"]), read, strict=True))
    summaries = {
        "seeds": {at: each for at, each in enumerate(seeds) if each is not None},
        **_read_spread(STEP, "Summaries", steps),
        **_read_spread(SENT, "Summaries", steps["sent"]),
        **_read_spread(ACCUMULATED, "Summaries", changes),
    }
    return Sweep(**parts, **_read_spread(STEP, "Sweep", steps), summaries=Summaries(**summaries))


def read_problem(given: dict[str, Any]) -> Problem:
    """The problem that ended a run, from JSON; all but its message may be missing.

    Raises:
        FormatError: a part of it is none.
    """
    (problem,) = PROBLEM.read([given], lambda _: "problem")
    return cast(Problem, problem)


def read_warning(given: Sequence[Any] | Mapping[str, Any]) -> Warned:
    """One warning, from JSON: its parts in order, or by name.

    Raises:
        FormatError: a part of it is none.
    """
    parts = given if isinstance(given, Mapping) else dict(zip(Warned._fields, given, strict=True))
    (warned,) = WARNING.read([parts], lambda _: "warnings")
    return cast(Warned, warned)


def _take(arrays: list[Array], number: int | None) -> Array | None:
    return None if number is None else arrays[_count(number)]


def _read_param(value: Any, arrays: list[Array]) -> Any:
    if isinstance(value, list):
        return [_read_param(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value  # a text, a number, a flag or nothing, as JSON has them
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays[_count(content)]
    if kind == "tuple":
        return tuple([_read_param(item, arrays) for item in content])
    if kind == "mapping":
        return {name: _read_param(item, arrays) for name, item in content.items()}
    raise ValueError(f"a param of kind {kind}")


def _whole_numbers(values: Any) -> tuple[int, ...]:
    if values and set(map(type, values)) != {int}:
        raise ValueError("something that is no whole number")
    return tuple(values)
