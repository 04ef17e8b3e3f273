"""Write a file so that a crash, a full disk or a pulled plug leaves the old one whole."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from gradviz.errors import FormatError


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
    beside = _write_beside(path, content)
    try:
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _write_beside(path: Path, content: bytes) -> Path:
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".part", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, beside)
        else:
            beside.chmod(0o666 & ~_umask())
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside


def _umask() -> int:
    # The only way to read it is to set it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
