"""`pickle`: bytes that stand for a value within this run; there is no format in which they mean anything elsewhere."""

from __future__ import annotations

import itertools
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.copies import Packing, deep
from gradviz.imitation.script.errors.exceptions import raised
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.values import Class, Namespace, type_name

HEAD, SIZE = b"\x80\x04\x95", 8
PACKED = "packed values"
"""Under this name a run keeps what its bytes stand for."""


def _dumps(machine: Machine, obj: Any, protocol: int | None = None, **_: Any) -> bytes:
    table: dict[bytes, Any] = machine.state.setdefault(PACKED, {})
    number = machine.state.setdefault("packings", itertools.count(1))
    packed = deep(machine, obj, Packing())
    made: bytes = HEAD + next(number).to_bytes(SIZE, "little") + b"."
    table[made] = packed
    return made


def _at_start(machine: Machine, data: bytes) -> tuple[Any, int]:
    """The value that bytes begin with, and how many of them it took."""
    table = machine.state.get(PACKED, {})
    size = len(HEAD) + SIZE + 1
    if not data:
        raise raised(machine, machine.state["exceptions"]["EOFError"], "Ran out of input")
    if data[:size] not in table:
        problem = f"invalid load key, {chr(data[0])!r}." if data[:1] != HEAD[:1] else "pickle data was truncated"
        raise raised(machine, machine.state["pickle errors"]["UnpicklingError"], problem)
    return deep(machine, table[data[:size]]), size


def _loads(machine: Machine, data: Any, **_: Any) -> Any:
    if not isinstance(data, bytes | bytearray):
        raise TorchError(f"a bytes-like object is required, not '{type_name(data)}'", kind="TypeError")
    return _at_start(machine, bytes(data))[0]


def _dump(machine: Machine, obj: Any, file: Any, protocol: int | None = None, **_: Any) -> None:
    try:
        write = attributes.get(machine, file, "write")
    except TorchError:
        raise TorchError("file must have a 'write' attribute", kind="TypeError") from None
    machine.call(write, (_dumps(machine, obj),), {})


def _load(machine: Machine, file: Any, **_: Any) -> Any:
    try:
        read, seek, tell = (attributes.get(machine, file, name) for name in ("read", "seek", "tell"))
    except TorchError:
        said = "file must have 'read', 'readinto' and 'readline' attributes"
        raise TorchError(said, kind="TypeError") from None
    start = machine.call(tell, (), {})
    value, size = _at_start(machine, machine.call(read, (), {}))
    machine.call(seek, (start + size,), {})
    return value


def module(machine: Machine) -> Namespace:
    """The names."""
    base = machine.state["exceptions"]["Exception"]
    general = Class("PickleError", (base,), {}, module="_pickle")
    errors = {name: Class(name, (general,), {}, module="_pickle") for name in ("PicklingError", "UnpicklingError")}
    machine.state["pickle errors"] = errors
    machine.state["exceptions"].setdefault("PicklingError", errors["PicklingError"])
    return Namespace("pickle", {
        **with_machine({"dumps": _dumps, "loads": _loads, "dump": _dump, "load": _load}),
        "PickleError": general, **errors, "HIGHEST_PROTOCOL": 5, "DEFAULT_PROTOCOL": 4,
    })  # fmt: skip
