"""`hashlib`, `base64`, `csv`, `calendar` and `struct`: texts and bytes made into others."""

from __future__ import annotations

import base64
import binascii
import calendar
import csv
import hashlib
import io
import struct
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.errors import LimitError, TorchError
from gradviz.script import attributes
from gradviz.script.grad_nodes import NOTHING
from gradviz.script.machine import Machine
from gradviz.script.names.library.making import natives, with_machine
from gradviz.script.readers import READERS
from gradviz.script.values import Class, Namespace, Native, type_name

# ---- hashlib ----

KINDS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s", "sha3_256")


class Digest:
    """A hash of bytes; `kind` is its name."""

    shown_as = "_hashlib.HASH"

    def __init__(self, kind: str, data: Any = b"") -> None:
        self._made = hashlib.new(kind, _bytes(data), usedforsecurity=False)
        self.kind = kind

    def read(self, name: str) -> Any:
        """One of its methods, or a fact."""
        if name == "update":
            return Native(name, lambda data: self._made.update(_bytes(data)))
        if name in ("hexdigest", "digest"):
            return Native(name, getattr(self._made, name))
        return getattr(self._made, name)

    def __repr__(self) -> str:
        return f"<{self.kind} _hashlib.HASH object @ 0x7f0000000000>"


def _bytes(data: Any) -> bytes:
    if isinstance(data, str):
        raise TorchError("Strings must be encoded before hashing", kind="TypeError")
    if not isinstance(data, bytes | bytearray):
        raise TorchError("object supporting the buffer API required", kind="TypeError")
    return bytes(data)


def hashlib_module(machine: Machine) -> Namespace:
    """`hashlib`."""

    def maker(kind: str) -> Callable[..., Digest]:
        return lambda data=b"", **_: Digest(kind, data)

    return Namespace("hashlib", {
        **natives({kind: maker(kind) for kind in KINDS}),
        "new": Native("new", lambda name, data=b"", **_: _named(name, data)),
    })  # fmt: skip


def _named(name: str, data: Any) -> Digest:
    if name not in KINDS:
        raise TorchError(f"unsupported hash type {name}", kind="ValueError")
    return Digest(name, data)


def base64_module(machine: Machine) -> Namespace:
    """`base64`."""
    names = ("b64encode", "b64decode", "urlsafe_b64encode", "urlsafe_b64decode", "b32encode", "b32decode", "b16encode",
             "b16decode")  # fmt: skip
    broken = Class("Error", (machine.state["exceptions"]["ValueError"],), {}, module="binascii")

    def guarded(function: Callable[..., bytes]) -> Callable[..., bytes]:
        def run(data: Any) -> bytes:
            from gradviz.script.exceptions import raised

            try:
                return function(data)
            except binascii.Error as error:
                raise raised(machine, broken, str(error)) from None

        return run

    return Namespace("base64", natives({name: guarded(getattr(base64, name)) for name in names}))


# ---- csv ----

OPTIONS = ("delimiter", "quotechar", "quoting", "lineterminator", "skipinitialspace", "doublequote", "escapechar")


def _rows(machine: Machine, source: Any, options: dict[str, Any]) -> Iterator[list[str]]:
    options.pop("dialect", None)
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise TorchError(f"'{unknown[0]}' is an invalid keyword argument for this function", kind="TypeError")
    return csv.reader(machine.each(source), **options)


def _reader(machine: Machine, source: Any, *_: Any, **options: Any) -> Iterator[list[str]]:
    return iter(machine.each(_rows(machine, source, options)))


def _dict_reader(machine: Machine, source: Any, fieldnames: Any = None, *_: Any, **options: Any) -> Any:
    rows = csv.DictReader([], fieldnames=None if fieldnames is None else machine.listed(fieldnames))
    rows.reader = _rows(machine, source, options)  # type: ignore[assignment]
    return iter(machine.each(rows))


def _written(machine: Machine, target: Any, row: Any, options: dict[str, Any]) -> None:
    line = io.StringIO()
    csv.writer(line, **options).writerow(machine.listed(row))
    machine.call(attributes.get(machine, target, "write"), (line.getvalue(),), {})


def _writer(machine: Machine, target: Any, *_: Any, **options: Any) -> Namespace:
    def one(row: Any) -> None:
        _written(machine, target, row, options)

    def many(rows: Any) -> None:
        for row in machine.each(rows):
            one(row)

    return Namespace("_csv.writer", natives({"writerow": one, "writerows": many}))


def _dict_writer(machine: Machine, target: Any, fieldnames: Any, *_: Any, **options: Any) -> Namespace:
    names = machine.listed(fieldnames)

    def one(row: dict[str, Any]) -> None:
        wrong = [name for name in row if name not in names]
        if wrong:
            text = "dict contains fields not in fieldnames: " + ", ".join(map(repr, wrong))
            raise TorchError(text, kind="ValueError")
        _written(machine, target, [row.get(name, "") for name in names], options)

    def many(rows: Any) -> None:
        for row in machine.each(rows):
            one(row)

    header = Native("writeheader", lambda: _written(machine, target, names, options))
    return Namespace("csv.DictWriter", {**natives({"writerow": one, "writerows": many}), "writeheader": header})


def csv_module(machine: Machine) -> Namespace:
    """`csv`, over texts in memory and lists of lines."""
    return Namespace("csv", {
        **with_machine({"reader": _reader, "DictReader": _dict_reader, "writer": _writer, "DictWriter": _dict_writer}),
        **{name: getattr(csv, name) for name in ("QUOTE_ALL", "QUOTE_MINIMAL", "QUOTE_NONE", "QUOTE_NONNUMERIC")},
    })  # fmt: skip


# ---- calendar and struct ----


def calendar_module(machine: Machine) -> Namespace:
    """`calendar`."""
    names = ("isleap", "leapdays", "monthrange", "weekday", "month", "calendar")
    return Namespace("calendar", {
        **natives({name: getattr(calendar, name) for name in names}), "month_name": list(calendar.month_name),
        "month_abbr": list(calendar.month_abbr), "day_name": list(calendar.day_name),
        "day_abbr": list(calendar.day_abbr),
    })  # fmt: skip


def _sized(form: Any) -> str:
    if not isinstance(form, str):
        raise TorchError(f"Struct() argument 1 must be a str or bytes object, not {type_name(form)}", kind="TypeError")
    if any(len(digits) > 6 for digits in "".join(c if c.isdigit() else " " for c in form).split()):
        raise LimitError("bytes of so many numbers are too long", hint="Use fewer.")
    return form


def struct_module(machine: Machine) -> Namespace:
    """`struct`."""
    broken = Class("error", (machine.state["exceptions"]["Exception"],), {}, module="struct")

    def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(form: Any, *given: Any) -> Any:
            from gradviz.script.exceptions import raised

            try:
                return function(_sized(form), *given)
            except struct.error as error:
                raise raised(machine, broken, str(error)) from None

        return run

    functions = {name: guarded(getattr(struct, name)) for name in ("pack", "unpack", "calcsize", "unpack_from")}
    return Namespace("struct", {**natives(functions), "error": broken})


READ = ("update", "hexdigest", "digest", "name", "digest_size", "block_size")
READERS[Digest] = lambda machine, owner, name: owner.read(name) if name in READ else NOTHING
