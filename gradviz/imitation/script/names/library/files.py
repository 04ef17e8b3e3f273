"""`open`: files in memory, which the same run finds again; nothing on the machine is read or written."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterator
from typing import Any

from gradviz.errors import LimitError, ScriptError, TorchError
from gradviz.imitation.script.errors.failures import WithValue
from gradviz.imitation.script.machine import MOST, Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.readers import READERS
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Class, Native, type_name

METHODS = ("write", "writelines", "read", "readline", "readlines", "seek", "tell", "flush", "close", "truncate",
           "readable", "writable")  # fmt: skip
FACTS = ("name", "mode", "closed", "encoding")

FILES = "files"
"""Under this name a run keeps its files."""


class Files:
    """The files of a run, by where their names lead from the folder it runs in: `./a.txt` and `a.txt` are one.

    A file is a text or bytes, or the value that `torch.save` or `np.save` was given.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def __contains__(self, path: Any) -> bool:
        return place(path) in self._kept

    def __getitem__(self, path: Any) -> Any:
        """What is in it; of one that is being written, what was written so far."""
        kept = self._kept[place(path)]
        return kept.getvalue() if isinstance(kept, io.StringIO | io.BytesIO) else kept

    def __setitem__(self, path: Any, value: Any) -> None:
        self._kept[place(path)] = value

    def __delitem__(self, path: Any) -> None:
        del self._kept[place(path)]

    def __iter__(self) -> Iterator[str]:
        return iter([*self._kept])


def place(path: Any) -> str:
    """Where a path leads, or an open file, from the folder that a script runs in, which is `.`."""
    return posixpath.normpath(path.file_name if isinstance(path, File) else str(path))


def files_of(machine: Machine) -> Files:
    """The files of this run."""
    made: Files = machine.state.setdefault(FILES, Files())
    return made


def keep(machine: Machine, file: Any, value: Any, finder: str) -> None:
    """Let a value be what is in a file, given by its name or open; `finder` finds it there."""
    files_of(machine)[file] = value
    if not isinstance(file, File):
        tell(machine, f"'{file}' is not written: it stays in memory, where {finder} finds it")


def tell(machine: Machine, text: str) -> None:
    """Say once what is different here."""
    told: set[str] = machine.state.setdefault("told", set())
    if text not in told:
        told.add(text)
        machine.warnings.note(text)


class File(Managed):
    """What `open` gives: a text or bytes."""

    __slots__ = ("_content", "_is_value", "closed", "encoding", "file_name", "mode")

    def __init__(self, files: Files, name: str, mode: str, encoding: str | None) -> None:
        super().__init__("file", lambda: self, lambda _error: self.close())
        self.file_name, self.mode, self.closed = name, mode, False
        self.encoding = encoding or "UTF-8"
        kept = "" if "w" in mode or "x" in mode or name not in files else files[name]
        self._is_value = not isinstance(kept, str | bytes)
        if self._is_value:
            self._content: Any = io.BytesIO()
        elif "b" in mode:
            self._content = io.BytesIO(kept if isinstance(kept, bytes) else kept.encode())
        else:
            self._content = io.StringIO(kept if isinstance(kept, str) else kept.decode(), newline="")
        if self.writable():
            files[name] = self._content
        if "a" in mode:
            self._content.seek(0, io.SEEK_END)

    @property
    def shown_as(self) -> str:
        """The name of its type."""
        if "b" not in self.mode:
            return "_io.TextIOWrapper"
        return "_io.BufferedRandom" if "+" in self.mode else f"_io.Buffered{'Reader' if 'r' in self.mode else 'Writer'}"

    def __repr__(self) -> str:
        if "b" in self.mode:
            return f"<{self.shown_as} name='{self.file_name}'>"
        return f"<{self.shown_as} name='{self.file_name}' mode='{self.mode}' encoding='{self.encoding}'>"

    def _opened(self, right: str = "") -> Any:
        if self.closed:
            raise TorchError("I/O operation on closed file.", kind="ValueError")
        if right == "read" and not self.readable():
            raise TorchError("not readable" if "b" not in self.mode else "read", kind="UnsupportedOperation")
        if right == "read" and self._is_value:
            raise ScriptError(
                f"the bytes of '{self.file_name}' are not known to gradviz",
                hint="It holds a saved value: load it with torch.load or np.load, as it was saved.",
            )
        if right == "write" and not self.writable():
            raise TorchError("not writable" if "b" not in self.mode else "write", kind="UnsupportedOperation")
        return self._content

    def readable(self) -> bool:
        """Whether the mode lets it be read."""
        return "r" in self.mode or "+" in self.mode

    def writable(self) -> bool:
        """Whether the mode lets it be written."""
        return "r" not in self.mode or "+" in self.mode

    def write(self, text: Any) -> int:
        """Add a text, or bytes."""
        content = self._opened("write")
        if "b" in self.mode and not isinstance(text, bytes | bytearray):
            raise TorchError(f"a bytes-like object is required, not '{type_name(text)}'", kind="TypeError")
        if "b" not in self.mode and not isinstance(text, str):
            raise TorchError(f"write() argument must be str, not {type_name(text)}", kind="TypeError")
        if content.tell() + len(text) > MOST:
            raise LimitError(f"a file of more than {MOST:,} characters is too long", hint="Write less.")
        return int(content.write(text))

    def writelines(self, lines: Any) -> None:
        """Add several."""
        for line in lines:
            self.write(line)

    def read(self, size: int | None = -1) -> Any:
        """The rest, or so much of it."""
        return self._opened("read").read(size)

    def readline(self, size: int = -1) -> Any:
        """One line with its end."""
        return self._opened("read").readline(size)

    def readlines(self, hint: int = -1) -> list[Any]:
        """The rest, line by line."""
        lines: list[Any] = self._opened("read").readlines(hint)
        return lines

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place that is not beyond the end, which Python would fill."""
        content = self._opened()
        if whence == 0:
            return int(content.seek(min(offset, len(content.getvalue()))))
        return int(content.seek(0, io.SEEK_END)) if whence == io.SEEK_END else int(content.tell())

    def tell(self) -> int:
        """Where it is."""
        return int(self._opened().tell())

    def truncate(self, size: int | None = None) -> int:
        """Cut the rest off."""
        content = self._opened("write")
        return int(content.truncate(size if size is None else min(size, len(content.getvalue()))))

    def flush(self) -> None:
        """All is kept already."""
        self._opened()

    def close(self) -> None:
        """Nothing more is read or written."""
        self.closed = True

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self._opened("read").readline()
        if not line:
            raise StopIteration
        return line


def os_error(number: int, text: str, name: str, kind: str, hint: str = "") -> WithValue:
    """An error of the system's, with its number."""
    return WithValue(f"[Errno {number}] {text}: {name!r}", kind, (number, text, name), hint)


def not_found(name: str) -> WithValue:
    """There is no such file among those that the script wrote."""
    hint = "Only what the script wrote itself is found; put the numbers into the script."
    return os_error(2, "No such file or directory", name, "FileNotFoundError", hint)


def unsupported(machine: Machine) -> Class:
    """`io.UnsupportedOperation`."""
    known = machine.state["exceptions"]
    bases = (known["OSError"], known["ValueError"])
    made: Class = known.setdefault("UnsupportedOperation", Class("UnsupportedOperation", bases, {}, module="io"))
    return made


def opened(
    machine: Machine, file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None,
    errors: str | None = None, newline: str | None = None, closefd: bool = True, opener: Any = None,
) -> File:  # fmt: skip
    """`open`.

    Raises:
        TorchError: no such file was written in this run, or the mode is none.
    """
    if not isinstance(file, str) and type_name(file) not in ("Path", "PosixPath"):
        said = f"expected str, bytes or os.PathLike object, not {type_name(file)}"
        raise TorchError(said, kind="TypeError", hint="Give the name of a file.")
    if not isinstance(mode, str):
        raise TorchError(f"open() argument 'mode' must be str, not {type_name(mode)}", kind="TypeError")
    _check_mode(mode)
    unsupported(machine)
    name, files = str(file), files_of(machine)
    if "x" in mode and name in files:
        raise os_error(17, "File exists", name, "FileExistsError")
    if "r" in mode and name not in files:
        raise not_found(name)
    if "r" not in mode:
        tell(machine, f"'{name}' is not written: it stays in memory, where this script finds it")
    return File(files, name, mode, encoding)


def _check_mode(mode: str) -> None:
    if set(mode) - set("rwxabt+") or len(set(mode)) != len(mode):
        raise TorchError(f"invalid mode: '{mode}'", kind="ValueError")
    if "t" in mode and "b" in mode:
        raise TorchError("can't have text and binary mode at once", kind="ValueError")
    kinds, one = sum(kind in mode for kind in "rwxa"), "ust have exactly one of create/read/write/append mode"
    if kinds != 1:
        raise TorchError(f"m{one}" if kinds else f"M{one} and at most one plus", kind="ValueError")


def _read(_machine: Any, owner: File, name: str) -> Any:
    if name in METHODS:
        return Native(name, getattr(owner, name))
    if name in FACTS:
        return owner.file_name if name == "name" else getattr(owner, name)
    return NOTHING


READERS[File] = _read
