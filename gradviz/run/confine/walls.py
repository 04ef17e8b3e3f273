"""The walls around a script's process, set before its first line runs, and in words for the help.

A script is Python's, whole: it may call what it likes, and these keep it from the user's files, from the outside in:

    Landlock, seccomp   (Linux)    its own folder and Python's library are read, a folder that goes with the run is
                                   written; no socket, no process, no signal to others
    sandbox             (macOS)    the same, by a profile that the process sets for itself
    job, low integrity  (Windows)  no second process; nothing of the user can be written
    limits of the system           memory, processor time, files, processes, no core file
    an empty environment           no variable of the user, no inherited file, an empty argument list
    audit hook                     Python's own ways to files, processes and sockets, refused in a sentence

What none of them hides: that a file exists, and how large it is, which on Linux a script may still ask. It has no way
to tell anybody but the window.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gradviz.run.confine import linux, macos, windows
from gradviz.run.confine.audit import add_audit_hook
from gradviz.run.scratch import MOST_FILE_BYTES, Links

AUDIT, LIMITS, RIGHTS, LANDLOCK, SECCOMP = "audit", "limits", "rights", "landlock", "seccomp"
PARENT, SANDBOX, JOB, INTEGRITY = "parent", "sandbox", "job", "integrity"
ALL = frozenset({AUDIT, LIMITS, RIGHTS, LANDLOCK, PARENT, SECCOMP, SANDBOX, JOB, INTEGRITY})
"""Every wall that a process sets for itself; a test leaves some out to see the others stand alone."""

_PACKING_SHARE, _PACKING_BYTES = 4, 512 * 2**20
_FILES = 256


@dataclass(frozen=True)
class Bounds:
    """What the system itself limits.

    Attributes:
        seconds: of processor time, or None.
        megabytes: of memory beyond what the process holds now.
    """

    seconds: float | None
    megabytes: int


@dataclass(frozen=True)
class Folders:
    """What a script may open.

    Attributes:
        library: directories of Python's library, numpy and gradviz, which may be read.
        own: that of the script, which may be read but for hidden files; "" where there is none.
        scratch: that of the run, which may be written into; "" where there is none.
    """

    library: Sequence[str]
    own: str = ""
    scratch: str = ""


def confine(bounds: Bounds, folders: Folders, parent: int, walls: frozenset[str] = ALL) -> list[str]:
    """Set the walls that this system has, in this process and for good.

    Args:
        bounds: what the system limits.
        folders: what may still be opened.
        parent: process id of the host, with which this process ends.
        walls: which to set, by the names of `ALL`.

    Returns:
        The names of those that stand.
    """
    os.environ.clear()
    if folders.scratch:
        os.environ |= dict.fromkeys(("TMPDIR", "TEMP", "TMP", "HOME"), folders.scratch)
    standing: list[str] = []

    def build(name: str, set_wall: Callable[[], None]) -> None:
        if name in walls:
            with suppress(OSError, AttributeError):  # a kernel without it: the others stand, and `walls` says so
                set_wall()
                standing.append(name)

    if sys.platform != "win32":
        build(LIMITS, lambda: set_limits(bounds))
    if sys.platform == "linux":
        build(RIGHTS, linux.give_up_rights)
        build(LANDLOCK, lambda: linux.set_landlock(folders.library, folders.own, folders.scratch))
        build(PARENT, lambda: linux.end_with_parent(parent))
        build(SECCOMP, lambda: linux.set_seccomp(may_write=LANDLOCK in standing))
    if sys.platform == "darwin":
        build(SANDBOX, lambda: macos.set_sandbox(macos.profile(folders.library, folders.own, folders.scratch)))
    if sys.platform == "win32":
        memory = bounds.megabytes * 2**20 + _PACKING_BYTES
        build(JOB, lambda: windows.set_job_object(memory))
        build(INTEGRITY, windows.set_low_integrity)
    is_native_held = {LANDLOCK, SECCOMP} <= set(standing) or SANDBOX in standing
    build(AUDIT, lambda: _add_audit_hook(folders, is_native_refused=not is_native_held))
    return standing


def _add_audit_hook(folders: Folders, *, is_native_refused: bool) -> None:
    links = Links(folders.own, folders.scratch)
    links.watch()
    system = linux.SHARED_LIBRARIES if sys.platform == "linux" else ()
    add_audit_hook(
        (*folders.library, *system, os.path.join(sys.base_prefix, "lib")),  # noqa: PTH118 - as the others are texts
        folders.own,
        folders.scratch,
        links,
        is_native_refused=is_native_refused,
    )


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
        (resource.RLIMIT_FSIZE, MOST_FILE_BYTES, MOST_FILE_BYTES),
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


def holds() -> bool:
    """Whether walls of the system's stand here between a script and the user's files, tried by those who built them.

    Elsewhere nothing but the user's own wish to run a script does.
    """
    return sys.platform == "linux" and linux.landlock_version() > 0 and linux.has_seccomp()


ONLY_THE_PRESS = "On this system, only your press of Run stands between a script and your files: run what you trust."
"""What is said where `holds` says no."""

UNTRIED = "This wall was written after the system's reference and never tried."


def walls() -> list[str]:
    """Which walls stand around a script on this system, each as a sentence for the help."""
    said = [
        "A file from elsewhere is shown first, and run on one press.",
        "A process of its own for every run, with an empty environment, which can be ended at any moment.",
        "An audit hook: Python's own ways to other files, programs and networks are refused in a sentence.",
    ]
    if sys.platform == "linux":
        said += ["Limits of the system on memory, processor time and files.", _landlock(), _seccomp()]
    elif sys.platform == "darwin":
        said += [
            "Limits of the system on processor time and files; memory is watched from outside.",
            f"The system's sandbox: a script reads its own folder and Python's library, and no other file. {UNTRIED}",
        ]
    elif sys.platform == "win32":
        said += [
            f"A job object: no second process, and a limit on memory. {UNTRIED}",
            f"Low integrity: nothing of yours is written over. {UNTRIED}",
            "Reading and the network are kept from a script by the audit hook alone.",
        ]
    return said if holds() else [*said, ONLY_THE_PRESS]


def _landlock() -> str:
    version = linux.landlock_version()
    if not version:
        return "This kernel has no Landlock, so files are kept from a script by the audit hook alone."
    network = ", and no network connection" if version >= 4 else ""
    return (
        f"Landlock (version {version}): a script reads its own folder but for hidden files, and Python's library; "
        f"it writes into a folder that goes with the run{network}."
    )


def _seccomp() -> str:
    if linux.has_seccomp():
        return "seccomp: no program can be started, no network reached, no signal sent to others."
    return "This kernel has no seccomp filter, so programs and sockets are kept from a script by the audit hook alone."
