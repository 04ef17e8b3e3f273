"""The walls around a script's process, set before its first line runs, and in words for the help.

What each keeps from a script that has come past the gate, from the outside in:

    Landlock, seccomp   (Linux)    no file but Python's own library, no socket, no process, no signal to others
    sandbox-exec        (macOS)    the same, by a profile that holds from the start
    job, low integrity  (Windows)  no second process; nothing of the user can be written
    limits of the system           memory, processor time, files, processes, no core file
    an empty environment           no variable of the user, no inherited file, an empty argument list
    audit hook                     Python's own ways to files, processes, sockets and ctypes

What none of them hides: that a file exists, and how large it is, which on Linux a stray script may still ask. It has
no way to tell anybody but the window.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gradviz.run.confine import linux, macos, windows
from gradviz.run.confine.audit import add_audit_hook

AUDIT, LIMITS, RIGHTS, LANDLOCK, SECCOMP = "audit", "limits", "rights", "landlock", "seccomp"
PARENT, JOB, INTEGRITY = "parent", "job", "integrity"
ALL = frozenset({AUDIT, LIMITS, RIGHTS, LANDLOCK, PARENT, SECCOMP, JOB, INTEGRITY})
"""Every wall that a process sets for itself; a test leaves some out to see the others stand alone."""

_PACKING_SHARE, _PACKING_BYTES = 4, 512 * 2**20
_FILES = 64


@dataclass(frozen=True)
class Bounds:
    """What the system itself limits.

    Attributes:
        seconds: of processor time, or None.
        megabytes: of memory beyond what the process holds now.
    """

    seconds: float | None
    megabytes: int


def confine(bounds: Bounds, library: Sequence[str], parent: int, walls: frozenset[str] = ALL) -> list[str]:
    """Set the walls that this system has, in this process and for good.

    Args:
        bounds: what the system limits.
        library: directories that may still be read.
        parent: process id of the host, with which this process ends.
        walls: which to set, by the names of `ALL`.

    Returns:
        The names of those that stand.
    """
    os.environ.clear()
    steps: list[tuple[str, Callable[[], None]]] = []
    if sys.platform != "win32":
        steps.append((LIMITS, lambda: set_limits(bounds)))
    if sys.platform == "linux":
        steps += [
            (RIGHTS, linux.give_up_rights),
            (LANDLOCK, lambda: linux.set_landlock(library)),
            (PARENT, lambda: linux.end_with_parent(parent)),
            (SECCOMP, linux.set_seccomp),
        ]
    if sys.platform == "win32":
        memory = bounds.megabytes * 2**20 + _PACKING_BYTES
        steps += [(JOB, lambda: windows.set_job_object(memory)), (INTEGRITY, windows.set_low_integrity)]
    steps.append((AUDIT, lambda: add_audit_hook(library)))
    standing = []
    for name, build in steps:
        if name in walls:
            with suppress(OSError, AttributeError):  # a kernel without it: the others stand, and `walls` says so
                build()
                standing.append(name)
    return standing


def set_limits(bounds: Bounds) -> None:
    """Limit memory, processor time, files and core files of this process.

    Memory has some room above the script's own bound, which `leave_room` opens once the script has ended, so that
    what it left can still be packed.
    """
    import resource

    soft = held_bytes() + bounds.megabytes * 2**20
    hard = soft + bounds.megabytes * 2**20 // _PACKING_SHARE + _PACKING_BYTES
    limits = [
        (resource.RLIMIT_AS, soft, hard),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, _FILES, _FILES),
    ]
    if bounds.seconds is not None:
        whole = int(bounds.seconds) + 2  # the clock of the host comes first
        limits.append((resource.RLIMIT_CPU, whole, whole + 60))
    for which, low, high in limits:
        with suppress(OSError, ValueError):  # macOS takes no bound on memory
            resource.setrlimit(which, (low, high))


def allow_no_more_processes() -> None:
    """Let this process start nothing more, threads included; the last wall, when our own threads run."""
    if sys.platform != "win32":
        import resource

        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def leave_room() -> None:
    """Open the room for packing, and stop counting processor time: the script has ended."""
    if sys.platform != "win32":
        import resource

        for which in (resource.RLIMIT_AS, resource.RLIMIT_CPU):
            with suppress(OSError, ValueError):
                resource.setrlimit(which, (resource.getrlimit(which)[1],) * 2)


def held_bytes() -> int:
    """The address space that this process has taken, as the system counts it for its limit; 0 where it is unknown."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123 - pathlib loads late in a child
            return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def walls() -> list[str]:
    """Which walls stand around a script on this system, each as a sentence for the help."""
    said = [
        "A gate in front of every name and attribute: a script reaches Python, numpy and the engine, and no more.",
        "A process of its own for every run, with an empty environment, which can be ended at any moment.",
        "An audit hook: Python itself refuses the script files, processes, sockets and foreign code.",
    ]
    if sys.platform == "linux":
        version = linux.landlock_version()
        network = ", and no network connection" if version >= 4 else ""
        said += [
            "Limits of the system on memory, processor time, files and processes.",
            f"Landlock (version {version}): no file can be opened but Python's own library{network}."
            if version
            else "This kernel has no Landlock: files are kept from a script by the gate and the audit hook alone.",
            "seccomp: no process can be started, no socket opened, no file written, no signal sent to others."
            if linux.has_seccomp()
            else "This kernel or processor has no seccomp filter: processes and sockets are kept from a script by the "
            "gate and the audit hook alone.",
        ]
    elif sys.platform == "darwin":
        said += [
            "Limits of the system on processor time, files and processes; memory is watched from outside.",
            "sandbox-exec: no file can be read but Python's own library, none written, no process or socket made."
            if macos.has_sandbox()
            else "This system has no sandbox-exec: files are kept from a script by the gate and the audit hook alone.",
        ]
    elif sys.platform == "win32":
        said += [
            "A job object: no second process, and a limit on memory.",
            "Low integrity: nothing of the user can be written. Reading and sockets are left to gate and audit hook.",
        ]
    return said
