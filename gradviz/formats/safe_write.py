"""Write a file so that a crash, a full disk or a pulled plug leaves the old one whole."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from threading import Lock

from gradviz.errors import FormatError
from gradviz.formats.file_lock import lock_file

_PREFIX, _SUFFIX = ".gradviz-", ".part"
_TRIES = 3
_reading_umask = Lock()


def put(path: Path, content: bytes) -> None:
    """Write a file that a person named, whole or not at all.

    Raises:
        FormatError: it cannot be written; what was there before is unchanged.
    """
    try:
        write_whole(path, content)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FormatError(f"{path} cannot be written: {reason}.", hint="Choose another place.") from error


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` beside `path` and put it in place in one move.

    Raises:
        OSError: the file cannot be written; what was there before is unchanged.
    """
    path = Path(os.path.realpath(path))  # so that a link stays a link
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a pipe or a device cannot be replaced; a folder refuses
        return
    file, beside = _open_beside(path)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            if path.exists():
                shutil.copymode(path, beside)
            else:
                beside.chmod(0o666 & ~_umask())
            if sys.platform != "win32":
                beside.replace(path)  # while it is locked: nobody takes it for a leftover
        if sys.platform == "win32":  # which moves no open file
            beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def clear_leftover(path: Path) -> None:
    """Remove what a process left beside `path` that ended while it wrote that file."""
    beside = place_beside(Path(os.path.realpath(path)))
    try:
        file = os.open(beside, os.O_RDWR)
    except OSError:
        return
    try:
        is_left = lock_file(file)
        if is_left and sys.platform != "win32" and _is_in_place(file, beside):
            beside.unlink(missing_ok=True)
    finally:
        os.close(file)
    if is_left and sys.platform == "win32":  # which removes no open file
        beside.unlink(missing_ok=True)


def place_beside(path: Path) -> Path:
    """Where the content of `path` is written before it is moved there: the same for every process."""
    return path.with_name(f"{_PREFIX}{sha256(os.fsencode(path.name)).hexdigest()[:16]}{_SUFFIX}")


def _open_beside(path: Path) -> tuple[int, Path]:
    """A new file beside `path`, open and locked, and its place: its own while another process writes the same file."""
    beside = place_beside(path)
    for _ in range(_TRIES):
        clear_leftover(path)
        try:
            file = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        except FileExistsError:
            break
        if lock_file(file) and _is_in_place(file, beside):
            return file, beside
        os.close(file)  # another process took it for a leftover before it was locked
    file, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_SUFFIX, dir=path.parent)
    return file, Path(name)


def _is_in_place(file: int, path: Path) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False


def _umask() -> int:
    # The only way to read it is to set it, for all threads at once.
    with _reading_umask:
        mask = os.umask(0o022)
        os.umask(mask)
    return mask
