"""The garbage collector, put off while much is made that holds no circles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_inside = 0
_collects = False


@contextmanager
def no_collection() -> Iterator[None]:
    """Put the garbage collector off, until the last thread that wants that has done its work.

    Where hundreds of thousands of lists are made, it would look through them again and again.
    """
    global _inside, _collects
    with _lock:
        if not _inside:
            _collects = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside and _collects:
                gc.enable()
