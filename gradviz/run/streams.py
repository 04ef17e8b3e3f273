"""The streams of a script: what it prints goes to a function, and nobody answers what it asks."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any


class _Bytes(io.RawIOBase):
    """What stands under a stream of texts, for scripts that write bytes."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any, /) -> int:
        """Pass bytes on as text."""
        given = bytes(data)
        self._write(given.decode("utf-8", "replace"))
        return len(given)


class Printed(io.TextIOBase):
    """A stream that a script prints to.

    Args:
        write: takes the texts, as they come.
        name: "<stdout>" or "<stderr>".
    """

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, write: Callable[[str], object], name: str) -> None:
        self._write = write
        self.name = name
        self.mode = "w"
        self.line_buffering = True
        self.buffer = _Bytes(write)

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str, /) -> int:
        """Pass the text on."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._write(text)
        return len(text)

    def reconfigure(self, **_: object) -> None:
        """Nothing can be set."""

    def close(self) -> None:
        """It stays open: other code may have something to say yet."""
