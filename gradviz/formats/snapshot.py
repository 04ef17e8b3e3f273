"""The bytes of a file as they are now, whatever another program does with the file later.

A small file is read into memory. Of a large one a copy is made that has no name, and the copy is mapped: of that only
what is looked at is in memory, and nobody else can change it or cut it off. If the file itself were mapped, cutting it
off would end this process with a bus error.
"""

from __future__ import annotations

import os
import sys
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from gradviz.errors import FormatError
from gradviz.formats.watched import Watch, go_on

LARGE = 256 * 2**20
"""Bytes from which on a file is copied and mapped."""
_AT_ONCE = 16 * 2**20


def own_bytes(path: Path, watch: Watch, *, whole: bool) -> bytes | mmap:
    """The bytes of a file.

    Args:
        path: of the file.
        watch: who waits for it.
        whole: whether all of it is needed at once, so that a copy is of no use.

    Raises:
        OSError: it cannot be read.
        MemoryError: there is not enough for it.
        FormatError: a large file cannot be copied, or the file was being written meanwhile.
        Cancelled: nobody wants it any more.
    """
    with path.open("rb") as file:
        before = os.fstat(file.fileno())
        if whole or before.st_size < LARGE:
            content: bytes | mmap = file.read()
        else:
            content = _copied(path, file, before.st_size, watch)
        after = os.fstat(file.fileno())
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise FormatError(f"{path.name} was being written while it was read.", hint="Open it again.")
    go_on(watch, 1.0)
    return content


def _copied(path: Path, file: IO[bytes], size: int, watch: Watch) -> bytes | mmap:
    """A copy, mapped. Beside the file it shares the blocks of the file where the disk can do that, and is on a disk."""
    # Where a file that is open has its name, it is not to be seen beside the other.
    folders = (None,) if sys.platform == "win32" else (path.parent, None)
    for folder in folders:
        try:
            return _copied_into(folder, file, size, watch)
        except OSError as error:
            reason = error.strerror or str(error)
    raise FormatError(
        f"{path.name} is looked at in a copy of {size / 1e9:.1f} GB, which cannot be made: {reason}.",
        hint="Free some space on the disk.",
    )


def _copied_into(folder: Path | None, file: IO[bytes], size: int, watch: Watch) -> bytes | mmap:
    """A copy in a folder, or in that for temporary files; it goes with its map."""
    with TemporaryFile(dir=folder, buffering=0) as copy:
        done = 0
        while done < size and (moved := _copy_some(file, copy, done, size - done)):
            done += moved
            go_on(watch, min(done / size, 1.0))
        return mmap(copy.fileno(), done, access=ACCESS_READ) if done else b""


def _copy_some(file: IO[bytes], copy: IO[bytes], at: int, most: int) -> int:
    """Copy what comes next; how many bytes that was."""
    count = min(most, _AT_ONCE)
    if hasattr(os, "copy_file_range"):
        try:
            return os.copy_file_range(file.fileno(), copy.fileno(), count, at, at)
        except OSError:
            pass  # not between those two disks; a full one says so again
    file.seek(at)
    copy.seek(at)
    return copy.write(file.read(count))
