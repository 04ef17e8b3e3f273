"""`io`: texts and bytes in memory; there are no files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from gradviz.errors import LimitError, TorchError
from gradviz.script.grad_nodes import NOTHING
from gradviz.script.machine import MOST, Machine
from gradviz.script.names.library.files import opened, unsupported
from gradviz.script.readers import READERS
from gradviz.script.values import Class, Namespace, Native, type_name


class Text:
    """`io.StringIO`."""

    shown_as = "_io.StringIO"
    METHODS = ("write", "getvalue", "read", "readline", "readlines", "seek", "tell", "truncate", "close", "flush",
               "writelines")  # fmt: skip

    def __init__(self, text: str = "") -> None:
        self._file = io.StringIO(text)
        self._length = len(text)

    def write(self, text: Any) -> int:
        """Add a text."""
        if not isinstance(text, str):
            raise TorchError(f"string argument expected, got '{type_name(text)}'", kind="TypeError")
        self._length += len(text)
        if self._length > MOST:
            raise LimitError(f"a text of {self._length:,} characters is too long", hint="Write less.")
        return self._file.write(text)

    def writelines(self, lines: Any) -> None:
        """Add several."""
        for line in lines:
            self.write(line)

    def method(self, name: str) -> Native:
        """A method as the script calls it."""
        return Native(
            name, getattr(self, name) if name in ("write", "writelines", "seek") else getattr(self._file, name)
        )

    def seek(self, place: int) -> int:
        """Go to a place that is not beyond the end: Python fills the gap."""
        return self._file.seek(min(place, self._length))

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)

    def __repr__(self) -> str:
        return "<_io.StringIO object at 0x7f0000000000>"


class Kept:
    """`io.BytesIO`: bytes in memory; it also holds what `torch.save` puts into it."""

    shown_as = "_io.BytesIO"
    METHODS = ("write", "getvalue", "read", "readline", "seek", "tell", "close", "flush")

    def __init__(self, data: bytes = b"") -> None:
        self.value: Any = None
        self.is_full = False
        self._bytes = io.BytesIO(data)

    def write(self, data: Any) -> int:
        """Add bytes."""
        if not isinstance(data, bytes | bytearray):
            raise TorchError(f"a bytes-like object is required, not '{type_name(data)}'", kind="TypeError")
        if self._bytes.tell() + len(data) > MOST:
            raise LimitError("so many bytes are too many", hint="Write fewer.")
        return self._bytes.write(data)

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place that is not beyond the end."""
        return self._bytes.seek(min(place, len(self._bytes.getvalue())) if whence == 0 else 0, whence)

    def method(self, name: str) -> Native:
        """A method as the script calls it."""
        return Native(name, getattr(self, name) if name in ("write", "seek") else getattr(self._bytes, name))

    def __repr__(self) -> str:
        return "<_io.BytesIO object at 0x7f0000000000>"


def module(machine: Machine) -> Namespace:
    """The names."""
    return Namespace("io", {
        "StringIO": Class("StringIO", python=(Text,), make=Native("StringIO", Text), module="_io"),
        "BytesIO": Class("BytesIO", python=(Kept,), make=Native("BytesIO", Kept), module="_io"),
        "UnsupportedOperation": unsupported(machine), "open": Native("open", opened, needs_machine=True),
    })  # fmt: skip


READERS[Text] = lambda machine, owner, name: owner.method(name) if name in Text.METHODS else NOTHING
READERS[Kept] = lambda machine, owner, name: owner.method(name) if name in Kept.METHODS else NOTHING
