"""What macOS offers: a profile for sandbox-exec, which holds from the child's first instruction on.

Written after the public profiles of other programs and not run on a Mac by us; where sandbox-exec refuses the profile,
the child does not start, and the sentence for that names the process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

SANDBOX_EXEC = Path("/usr/bin/sandbox-exec")

_SYSTEM = ("/usr/lib", "/System/Library", "/System/Volumes/Preboot", "/private/var/db/dyld", "/Library/Apple")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def has_sandbox() -> bool:
    """Whether this system has sandbox-exec."""
    return SANDBOX_EXEC.is_file()


def in_sandbox(command: Sequence[str], library: Sequence[str], programs: Sequence[str]) -> list[str]:
    """The command line that runs `command` with nothing but what it needs to read.

    Args:
        command: the child's own command line.
        library: directories it may read.
        programs: the files of Python's executable, which may be started once; no process may fork.
    """
    return [str(SANDBOX_EXEC), "-p", profile(library, programs), *command]


def profile(library: Sequence[str], programs: Sequence[str]) -> str:
    """A profile in the sandbox's language: all is denied but what is named."""
    readable = [f"(subpath {_quoted(path)})" for path in (*_SYSTEM, *library)]
    readable += [f"(literal {_quoted(path)})" for path in (*_DEVICES, *programs, "/")]
    return "\n".join(
        [
            "(version 1)",
            "(deny default)",
            f"(allow file-read* {' '.join(readable)})",
            "(allow file-read-metadata)",
            f"(allow process-exec {' '.join(f'(literal {_quoted(path)})' for path in programs)})",
            '(allow file-write-data (literal "/dev/null"))',
            "(allow sysctl-read)",
            "(allow signal (target self))",
        ]
    )


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def resident_bytes(pid: int) -> int:
    """The memory that a process holds, which macOS does not limit by itself; 0 where it cannot be asked."""
    try:
        library = ctypes.CDLL("/usr/lib/libproc.dylib")
        usage = (ctypes.c_uint64 * 64)()
        # struct rusage_info_v0: 16 bytes uuid, then user, system, idle and interrupt wakeups, pageins, wired, resident
        failed = library.proc_pid_rusage(ctypes.c_int(pid), ctypes.c_int(0), ctypes.byref(usage))
    except OSError:
        return 0
    return 0 if failed else int(usage[2 + 6])
