"""`io`: texts and bytes in memory; there are no files."""

from __future__ import annotations

import io
from typing import Any

from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.machine import MOST, Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.library.files import opened, unsupported
from gradviz.imitation.script.readers import READERS
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Class, Namespace, Native, type_name


class InMemory(Managed):
    """What `io.StringIO` and `io.BytesIO` share: lines one after the other, and an end with `with`."""

    METHODS: tuple[str, ...] = ("write", "getvalue", "read", "readline", "readlines", "seek", "tell", "truncate",
                                "close", "flush", "writelines", "readable", "writable", "seekable")  # fmt: skip
    OWN = ("write", "writelines", "seek")

    def __init__(self, name: str, file: Any) -> None:
        super().__init__(name, lambda: self, lambda _error: file.close())
        self._file = file

    @property
    def closed(self) -> bool:
        """Whether nothing more is read or written."""
        return bool(self._file.closed)

    def write(self, data: Any) -> int:
        """Add to it."""
        raise NotImplementedError

    def writelines(self, lines: Any) -> None:
        """Add several."""
        for line in lines:
            self.write(line)

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place that is not beyond the end: Python fills the gap."""
        if self._file.closed or whence:
            return int(self._file.seek(0, whence))
        return int(self._file.seek(min(place, len(self._file.getvalue()))))

    def method(self, name: str) -> Native:
        """A method as the script calls it."""
        return Native(name, getattr(self if name in self.OWN else self._file, name))

    def __iter__(self) -> InMemory:
        return self

    def __next__(self) -> Any:
        return next(self._file)

    def __repr__(self) -> str:
        return f"<_io.{self.name} object at 0x7f0000000000>"


class Text(InMemory):
    """`io.StringIO`."""

    shown_as = "_io.StringIO"

    def __init__(self, initial_value: str | None = "", newline: str | None = "\n") -> None:
        super().__init__("StringIO", io.StringIO(initial_value, newline))
        self._length = len(initial_value or "")

    def write(self, data: Any) -> int:
        """Add a text."""
        if not isinstance(data, str):
            raise TorchError(f"string argument expected, got '{type_name(data)}'", kind="TypeError")
        self._length += len(data)
        if self._length > MOST:
            raise LimitError(f"a text of {self._length:,} characters is too long", hint="Write less.")
        return int(self._file.write(data))


class Kept(InMemory):
    """`io.BytesIO`: bytes in memory; it also holds what `torch.save` puts into it."""

    shown_as = "_io.BytesIO"

    def __init__(self, initial_bytes: bytes = b"") -> None:
        super().__init__("BytesIO", io.BytesIO(initial_bytes))
        self.value: Any = None
        self.is_full = False

    def write(self, data: Any) -> int:
        """Add bytes."""
        if not isinstance(data, bytes | bytearray):
            raise TorchError(f"a bytes-like object is required, not '{type_name(data)}'", kind="TypeError")
        if self._file.tell() + len(data) > MOST:
            raise LimitError("so many bytes are too many", hint="Write fewer.")
        return int(self._file.write(data))


def module(machine: Machine) -> Namespace:
    """The names."""
    return Namespace("io", {
        "StringIO": Class("StringIO", python=(Text,), make=Native("StringIO", Text), module="_io"),
        "BytesIO": Class("BytesIO", python=(Kept,), make=Native("BytesIO", Kept), module="_io"),
        "UnsupportedOperation": unsupported(machine), "open": Native("open", opened, needs_machine=True),
    })  # fmt: skip


def _read(_machine: Any, owner: InMemory, name: str) -> Any:
    if name == "closed":
        return owner.closed
    return owner.method(name) if name in owner.METHODS else NOTHING


READERS[Text] = READERS[Kept] = _read
