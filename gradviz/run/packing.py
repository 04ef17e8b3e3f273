"""A recording of the built-in engine as the header and body of a frame, and back; nothing is lost on the way.

What only a run of real PyTorch leaves (summaries, PyTorch's own names) travels in a file, see `gradviz.formats`.

The header is a document of columns (all ops, all names, all inputs ...). Arrays stand apart in the body: those of one
dtype and shape follow each other in one block, so that 30,000 small gradients are read by a few calls of numpy. What is
one array in two places (a gradient that goes out here and comes in there) is stored once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from gradviz.errors import FormatError, GraphError
from gradviz.recording import (
    Accumulation,
    Array,
    Broken,
    Cut,
    Node,
    Origin,
    Problem,
    Read,
    Recording,
    Source,
    Step,
    Sweep,
    Thinned,
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
    arrays, nodes = _Arrays(), recording.nodes
    add = arrays.add
    columns = list(zip(*nodes, strict=True)) if nodes else [()] * len(Node._fields)
    column = dict(zip(Node._fields, columns, strict=True))
    scopes = dict.fromkeys(column["scope"])
    number_of = {scope: number for number, scope in enumerate(scopes)}
    origin_numbers = {origin: number for number, origin in enumerate(dict.fromkeys(column["origin"]))}
    header = {
        "nodes": {
            "op": column["op"],
            "name": column["name"],
            "inputs": column["inputs"],
            "params": [_param(params, add) if params else 0 for params in column["params"]],
            "shape": column["shape"],
            "dtype": column["dtype"],
            "requires_grad": [int(each) for each in column["requires_grad"]],
            "line": column["line"],
            "scope": [number_of[scope] for scope in column["scope"]],
            "origin": [origin_numbers[origin] for origin in column["origin"]],
        },
        "scopes": list(scopes),
        "origins": list(origin_numbers),
        "sources": [asdict(each) for each in recording.sources],
        "values": list(map(add, recording.values)),
        "sweeps": [_sweep(sweep, arrays) for sweep in recording.sweeps],
        "gradients": {name: add(array) for name, array in recording.gradients.items()},
        "output": recording.output,
        "source": None if recording.source is None else asdict(recording.source),
        "problem": None if recording.problem is None else asdict(recording.problem),
        "warnings": recording.warnings,
        "thinned": None if recording.thinned is None else asdict(recording.thinned),
        "cuts": recording.cuts,
    }
    return arrays.packed(header)


def pack_sweep(sweep: Sweep) -> Packed:
    """One sweep alone."""
    arrays = _Arrays()
    return arrays.packed({"sweep": _sweep(sweep, arrays)})


def pack_array(array: Array, **header: Any) -> Packed:
    """One array alone, with more to say about it."""
    arrays = _Arrays()
    return arrays.packed({**header, "array": arrays.add(array)})


def _sweep(sweep: Sweep, arrays: _Arrays) -> dict[str, Any]:
    add = arrays.add
    return {
        "outputs": sweep.outputs,
        "seeds": list(map(add, sweep.seeds)),
        "nodes": [step.node for step in sweep.steps],
        "incoming": [add(step.incoming) for step in sweep.steps],
        "outgoing": [list(map(add, step.outgoing)) for step in sweep.steps],
        "accumulated": [(entry.node, add(entry.before), add(entry.after)) for entry in sweep.accumulated],
        "line": sweep.line,
        "file": sweep.file,
        "retain_graph": sweep.retain_graph,
        "create_graph": sweep.create_graph,
        "number": sweep.number,
        "since": sweep.since,
        "kind": sweep.kind,
        "error": sweep.error,
        "inside": sweep.inside,
        "seconds": sweep.seconds,
        "hooked": sorted(sweep.hooked),
        "printed": sweep.printed,
        "prints": list(sweep.prints.items()),
        "read": [(node, source, add(each.value), each.line) for (node, source), each in sweep.read.items()],
    }


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
    *(GraphError, LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, MemoryError),
)
"""What reading a header that is none may end in."""


def _why(error: BaseException) -> str:
    return str(error) or type(error).__name__


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


def _count_or_none(value: Any) -> int | None:
    return None if value is None else _count(value)


def _flag(value: Any) -> bool:
    if value is not True and value is not False:
        raise ValueError("something that is neither true nor false")
    return value is True


def _recording(header: dict[str, Any], body: bytes) -> Recording:
    arrays = _arrays(header, body)
    take = partial(_take, arrays)
    columns, scopes = header["nodes"], [tuple(map(_text, scope)) for scope in header["scopes"]]
    origins = list(map(_read_origin, header["origins"]))
    count = len(columns["op"])
    nodes = tuple(
        starmap(
            Node,
            zip(
                range(count),
                map(_text, columns["op"]),
                map(_whole_numbers, columns["inputs"]),
                [_read_param(params, arrays) if params else {} for params in columns["params"]],
                map(_whole_numbers, columns["shape"]),
                map(_text, columns["dtype"]),
                map(_text_or_none, columns["name"]),
                [bool((0, 1)[_count(each)]) for each in columns["requires_grad"]],
                map(_line, columns["line"]),
                [scopes[_count(number)] for number in columns["scope"]],
                [origins[_count(number)] for number in columns["origin"]],
                strict=True,
            ),
        )
    )
    source, problem, thinned = header["source"], header["problem"], header["thinned"]
    return Recording(
        nodes,
        tuple(map(take, header["values"])),
        tuple([_read_sweep(sweep, arrays) for sweep in header["sweeps"]]),
        {_text(name): take(number) for name, number in header["gradients"].items()},
        _text(header["output"]),
        None if source is None else _source(source),
        None if problem is None else read_problem(problem),
        tuple(map(read_warning, header["warnings"])),
        None
        if thinned is None
        else Thinned(
            _count(thinned["calls"]),
            _count(thinned["every"]),
            _flag(thinned["in_rounds"]),
            _flag(thinned["last"]),
            _flag(thinned["first"]),
            _flag(thinned["about"]),
            _text(thinned["limit"]),
            _count(thinned["most"]),
            _count_or_none(thinned["not_finite"]),
        ),
        cuts=tuple(map(_read_cut, header["cuts"])),
        sources=tuple(map(_source, header["sources"])),
    )


def _read_origin(given: Any) -> Origin | None:
    if given is None:
        return None
    aten, backward_node, module, in_place, outputs, file, line = given
    names = _text(aten), _text(backward_node), _text(module)
    return Origin(*names, _flag(in_place), _count(outputs), _count_or_none(file), _line(line))


def _source(given: Any) -> Source:
    return Source(_text(given["kind"]), _text(given["name"]), _text(given["text"]))


def _read_cut(given: Any) -> Cut:
    sources, how, line, result = given
    return Cut(_whole_numbers(sources), _text(how), _line(line), None if result is None else _whole(result))


def _read_sweep(given: dict[str, Any], arrays: list[Array]) -> Sweep:
    take = partial(_take, arrays)
    seeds = tuple(map(take, given["seeds"]))
    if None in [None if seed is None else 0 for seed in seeds]:
        raise ValueError("a sweep without a seed")
    return Sweep(
        _whole_numbers(given["outputs"]),
        tuple(seed for seed in seeds if seed is not None),
        tuple(
            map(
                Step._make,
                zip(
                    _whole_numbers(given["nodes"]),
                    map(take, given["incoming"]),
                    [tuple(map(take, outgoing)) for outgoing in given["outgoing"]],
                    strict=True,
                ),
            )
        ),
        tuple([Accumulation(_whole(node), take(before), take(after)) for node, before, after in given["accumulated"]]),
        _line(given["line"]),
        _flag(given["retain_graph"]),
        _flag(given["create_graph"]),
        _count(given["number"]),
        _count_or_none(given["since"]),
        _kind(given["kind"]),
        None if given["error"] is None else _broken(given["error"]),
        None if given["seconds"] is None else _seconds(given["seconds"]),
        _count_or_none(given["inside"]),
        hooked=frozenset(map(_count, given["hooked"])),
        file=_count_or_none(given["file"]),
        printed=_count_or_none(given["printed"]),
        prints={_count(node): _count(count) for node, count in given["prints"]},
        read={
            (_count(node), _count(source)): Read(take(value), _line(line))
            for node, source, value, line in given["read"]
        },
    )


def _kind(value: Any) -> str:
    if value not in ("backward", "grad"):
        raise ValueError("a sweep of no kind")
    return str(value)


def _broken(value: Any) -> Broken:
    message, node = value
    return Broken(_text(message), _count_or_none(node))


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise ValueError("a time that is none")
    return float(value)


def read_problem(given: dict[str, Any]) -> Problem:
    """The problem that ended a run, from JSON; all but its message may be missing.

    Raises:
        ValueError: a part of it is none.
    """
    return Problem(
        _text(given["message"]),
        _text(given.get("hint") or ""),
        _line(given.get("line")),
        _line(given.get("column")),
        _count_or_none(given.get("node")),
        _text(given.get("file") or ""),
        given.get("ended") is not False,
    )


def read_warning(given: Sequence[Any] | Mapping[str, Any]) -> Warned:
    """One warning, from JSON: its parts in order, or by name.

    Raises:
        ValueError: a part of it is none.
    """
    parts = [given.get(name) for name in Warned._fields] if isinstance(given, Mapping) else given
    message, category, line, at = parts
    return Warned(_text(message), _text(category), _line(line), _count(at))


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


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("something that is no text")
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError("something that is no whole number")
    return value


def _line(value: Any) -> int | None:
    """A line or a column, from 1; a syntax error may be at 0."""
    return _count_or_none(value)


def _whole_numbers(values: Any) -> tuple[int, ...]:
    if values and set(map(type, values)) != {int}:
        raise ValueError("something that is no whole number")
    return tuple(values)
