"""`hashlib`, `base64`, `calendar` and `struct`: texts and bytes made into others."""

from __future__ import annotations

import base64
import binascii
import calendar
import hashlib
import struct
from collections.abc import Callable
from typing import Any

from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import natives
from gradviz.imitation.script.readers import READERS
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Class, Namespace, Native, type_name

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
            from gradviz.imitation.script.errors.exceptions import raised

            try:
                return function(data)
            except binascii.Error as error:
                raise raised(machine, broken, str(error)) from None

        return run

    return Namespace("base64", natives({name: guarded(getattr(base64, name)) for name in names}))


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
            from gradviz.imitation.script.errors.exceptions import raised

            try:
                return function(_sized(form), *given)
            except struct.error as error:
                raise raised(machine, broken, str(error)) from None

        return run

    functions = {name: guarded(getattr(struct, name)) for name in ("pack", "unpack", "calcsize", "unpack_from")}
    return Namespace("struct", {**natives(functions), "error": broken})


READ = ("update", "hexdigest", "digest", "name", "digest_size", "block_size")
READERS[Digest] = lambda machine, owner, name: owner.read(name) if name in READ else NOTHING
