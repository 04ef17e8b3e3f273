"""How much memory this process takes: the net under the limits that count elements.

Opens nothing while a script runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

_BYTES_PER_UNIT = 1 if sys.platform == "darwin" else 1024


def _of_linux() -> Callable[[], int] | None:
    """Reads the resident pages from a file that stays open, so that a reading takes a microsecond."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        page = os.sysconf("SC_PAGE_SIZE")
        os.pread(file, 64, 0)
    except (OSError, AttributeError, ValueError):
        return None
    return lambda: int(os.pread(file, 64, 0).split()[1]) * page


def _of_unix() -> Callable[[], int] | None:
    """The most it ever took, which is all that the standard library tells elsewhere."""
    try:
        import resource
    except ImportError:
        return None
    return lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _BYTES_PER_UNIT


def _of_windows() -> Callable[[], int] | None:
    """The working set, as the task manager shows it."""
    if sys.platform != "win32":
        return None
    import ctypes
    from ctypes import wintypes

    class Counters(ctypes.Structure):
        _fields_ = [("cb", wintypes.DWORD), ("faults", wintypes.DWORD), *(
            (name, ctypes.c_size_t)
            for name in ("peak", "working_set", "a", "b", "c", "d", "pagefile", "peak_pagefile")
        )]  # fmt: skip

    counters = Counters()
    kernel = ctypes.WinDLL("kernel32")
    process = kernel.GetCurrentProcess
    process.restype = wintypes.HANDLE
    query = kernel.K32GetProcessMemoryInfo
    query.argtypes = [wintypes.HANDLE, ctypes.POINTER(Counters), wintypes.DWORD]

    def used() -> int:
        query(process(), ctypes.byref(counters), ctypes.sizeof(counters))
        return int(counters.working_set)

    return used


used: Callable[[], int] = _of_windows() or _of_linux() or _of_unix() or (lambda: 0)
"""Bytes that the process takes now; 0 where the system does not say."""
