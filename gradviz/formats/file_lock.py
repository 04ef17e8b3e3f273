"""A lock on an open file that the system takes away with its process, however that ends."""

from __future__ import annotations

import errno
import os
import sys

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_BEYOND = 1 << 30
"""Windows locks bytes, and nobody else can read those; so it is one behind the content."""
_UNKNOWN = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}


def lock_file(file: int) -> bool:
    """Take the lock of an open file (a descriptor); False where another has it.

    It is free again once the file is closed. Where the file system knows no locks, every lock counts as taken.
    """
    try:
        if sys.platform == "win32":
            os.lseek(file, _BEYOND, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _UNKNOWN
    return True
