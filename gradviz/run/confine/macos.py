"""The sandbox that macOS offers: a profile that a process sets for itself, before the script's first line runs.

Written after the public profiles of other programs and not run on a Mac by us.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

_SYSTEM = ("/usr/lib", "/System/Library", "/System/Volumes/Preboot", "/private/var/db/dyld", "/Library/Apple")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def set_sandbox(text: str) -> None:
    """Set a profile for this process, for good.

    Raises:
        OSError: the system refuses, or has no sandbox.
    """
    library = ctypes.CDLL("/usr/lib/libsandbox.1.dylib")
    error = ctypes.c_char_p()
    if library.sandbox_init(text.encode(), ctypes.c_uint64(0), ctypes.byref(error)):
        raise OSError(f"the sandbox was refused: {(error.value or b'').decode(errors='replace')}")


def profile(library: Sequence[str], folder: str = "", scratch: str = "") -> str:
    """A profile in the sandbox's language: all is denied but what is named.

    Args:
        library: directories that may be read.
        folder: of the script, which may be read but for hidden files.
        scratch: of the run, which may be written into.
    """
    readable = [f"(subpath {_quoted(path)})" for path in (*_SYSTEM, *library)]
    readable += [f"(literal {_quoted(path)})" for path in (*_DEVICES, "/")]
    rules = [
        "(version 1)",
        "(deny default)",
        f"(allow file-read* {' '.join(readable)})",
        "(allow file-read-metadata)",
        '(allow file-write-data (literal "/dev/null"))',
        "(allow sysctl-read)",
        "(allow signal (target self))",
    ]
    if folder:
        rules.append(f"(allow file-read* (subpath {_quoted(folder)}))")
        rules.append(f'(deny file-read-data (regex #"^{_escaped(folder)}/(.*/)?[.]"))')
    if scratch:
        rules.append(f"(allow file-read* file-write* (subpath {_quoted(scratch)}))")
    return "\n".join(rules)


def _escaped(path: str) -> str:
    """A path within a regular expression of a profile."""
    return "".join(each if each.isalnum() or each in "/_-" else f"[{each}]" for each in path if each not in '"[]^\\')


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
