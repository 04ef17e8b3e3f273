"""What Linux offers a process without any rights of its own: Landlock for files and sockets, seccomp for all else.

Both are set by a few system calls through ctypes, hold for everything the process does from then on, native code
included, and cannot be taken back. References: the kernel's documentation of Landlock (userspace-api/landlock) and of
seccomp filters (userspace-api/seccomp_filter).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import stat
import struct
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SIGKILL = 9

# ---- Landlock ----

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every machine
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = (1 << bit for bit in range(4))
_OWN = sum(1 << bit for bit in (1, 2, 3, 4, 5, 7, 8, 12))
"""Write and read files, read, make and remove directories, remove files, make files and symbolic links."""
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights over files a version of Landlock knows; one that is handled and not granted is denied."""
_ALL_OF_TCP, _ALL_SCOPES = 0b11, 0b11

# ---- seccomp ----

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_SET_MODE_FILTER, _GET_ACTION_AVAIL, _TSYNC = 1, 2, 1
_LOAD, _EQUAL, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x45, 0x54, 0x06  # ld [k]; jeq k; jset k; and k; ret k
_AT_NUMBER, _AT_MACHINE, _AT_ARGUMENTS = 0, 4, 16
_THREAD = 0x10000  # CLONE_THREAD


class Machine(NamedTuple):
    """What differs between processors.

    Attributes:
        name: as `platform.machine` says it.
        audit: its number in the audit system, by which a filter knows it.
        column: where its numbers stand in `CALLS`.
        seccomp: number of the system call.
        capset: the same.
    """

    name: str
    audit: int
    column: int
    seccomp: int
    capset: int


MACHINES = {
    each.name: each
    for each in (
        Machine("x86_64", 0xC000003E, 0, 317, 126),
        Machine("aarch64", 0xC00000B7, 1, 277, 91),
    )
}

CALLS: dict[str, tuple[int | None, int | None]] = {
    # memory of one's own
    "brk": (12, 214),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "membarrier": (324, 283),
    # the pipes, and files of the library, which Landlock tells from others
    "read": (0, 63),
    "readv": (19, 65),
    "pread64": (17, 67),
    "write": (1, 64),
    "writev": (20, 66),
    "lseek": (8, 62),
    "close": (3, 57),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "stat": (4, None),
    "lstat": (6, None),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "preadv": (295, 69),
    "preadv2": (327, 286),
    "pwritev": (296, 70),
    "pwritev2": (328, 287),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    "flock": (73, 32),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "pwrite64": (18, 68),
    "msync": (26, 227),
    "mincore": (27, 232),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "umask": (95, 166),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    # pipes and queues of one's own, as of asyncio
    "pipe": (22, None),
    "pipe2": (293, 59),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441),
    "eventfd2": (290, 19),
    "recvfrom": (45, 207),
    "shutdown": (48, 210),
    # clocks and chance
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getrandom": (318, 278),
    # what one is oneself
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "sched_getaffinity": (204, 123),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getpriority": (140, 141),
    "getrlimit": (97, 163),
    "getcpu": (309, 168),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    # threads and signals within the process, and its end
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "pause": (34, None),
    "alarm": (37, None),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""Every system call that goes through whatever its arguments are: its number on x86_64 and on aarch64."""

WRITING: dict[str, tuple[int | None, int | None]] = {
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "symlink": (88, None),
    "symlinkat": (266, 36),
}
"""What changes directories, which goes through where Landlock sees to it that they are the run's own."""

IGNORED: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
"""What changes rights and times, of which Landlock knows nothing: it is not done, and said to be.

Copying a file, as scripts do with `shutil`, ends with these.
"""

UNSUPPORTED: dict[str, tuple[int | None, int | None]] = {
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
}
"""Attributes of files, which copying a file asks for: as on a file system that has none."""

_OPENAT, _OPEN, _CLONE, _CLONE3 = (257, 56), (2, None), (56, 220), (435, 435)
_TGKILL, _PRLIMIT, _FCNTL = (234, 131), (302, 261), (72, 25)
_IOCTL, _SOCKETPAIR, _SENDTO = (16, 29), (53, 199), (44, 206)
_HARMLESS_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_DUPFD_CLOEXEC"""
_HARMLESS_IOCTL = (0x5450, 0x5451, 0x5421)
"""FIONCLEX, FIOCLEX, FIONBIO"""
_TMPFILE = 0o20000000


def libc() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def landlock_version() -> int:
    """Which version of Landlock the kernel answers with; 0 where it has none."""
    return max(0, int(libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


def has_seccomp() -> bool:
    """Whether this kernel takes filters that answer with an error, and their table for this processor is here."""
    machine = MACHINES.get(platform.machine())
    action = ctypes.c_uint32(_ERRNO)
    return machine is not None and not libc().syscall(
        machine.seccomp, ctypes.c_uint(_GET_ACTION_AVAIL), ctypes.c_uint(0), ctypes.byref(action)
    )


def give_up_rights() -> None:
    """No program that this process starts has more rights than it, and it gives up those of an administrator.

    Raises:
        OSError: the kernel refuses.
    """
    calls = libc()
    _must(calls.prctl(_PR_SET_NO_NEW_PRIVS, *_longs(1, 0, 0, 0)))
    calls.prctl(_PR_SET_DUMPABLE, *_longs(0, 0, 0, 0))  # no core file, and no other process looks into this one
    machine = MACHINES.get(platform.machine())
    if machine is not None:
        calls.syscall(machine.capset, struct.pack("=Ii", 0x20080522, 0), bytes(24))


def end_with_parent(parent: int) -> None:
    """Be killed when the thread that started this process ends, however it ends.

    Args:
        parent: its process id; where that has ended already, this process ends at once.
    """
    libc().prctl(_PR_SET_PDEATHSIG, *_longs(_SIGKILL, 0, 0, 0))
    if os.getppid() != parent:
        os._exit(1)


SHARED_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
"""Where the system keeps what Python's own compiled modules are linked with, such as libz; nothing of a user's."""


SHARED_DATA = ("/usr/share/zoneinfo", "/etc/localtime", "/dev/urandom", "/dev/zero")
"""What Python's own library reads besides: time zones, and chance."""

MOST_PARTS = 1_000
"""Files and folders in the script's folder that are looked through for hidden ones."""

DEEPEST_PART = 50
"""Folders inside one another that are."""


def set_landlock(library: Iterable[str], folder: str = "", scratch: str = "") -> None:
    """Deny every file and, where the kernel can, every TCP port.

    What lies below `library` and where shared libraries lie may still be read, and so may the script's folder but for
    hidden files; the folder `scratch` may be written into.

    Raises:
        OSError: the kernel refuses.
    """
    calls, version = libc(), landlock_version()
    rights = (1 << _FILE_RIGHTS.get(version, _FILE_RIGHTS[5])) - 1
    fields = [rights] + ([_ALL_OF_TCP] if version >= 4 else []) + ([_ALL_SCOPES] if version >= 6 else [])
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = _must(calls.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)))
    try:
        for path in (*library, *SHARED_LIBRARIES, *SHARED_DATA, f"{sys.base_prefix}/lib"):
            _grant(calls, ruleset, path, _READ_FILE | _READ_DIR)
        if folder:
            _grant(calls, ruleset, folder, _READ_DIR)
            for path in visible_parts(folder):
                _grant(calls, ruleset, path, _READ_FILE | _READ_DIR, os.O_NOFOLLOW)
        if scratch:
            _grant(calls, ruleset, scratch, (_OWN | _REFER | _TRUNCATE) & rights)
        _grant(calls, ruleset, "/dev/null", _READ_FILE | _WRITE_FILE)
        _must(calls.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    finally:
        os.close(ruleset)


def visible_parts(folder: str) -> list[str]:
    """The files and folders in a folder that together hold all that is not hidden, however deep.

    Beyond `MOST_PARTS` of them, and `DEEPEST_PART` folders deep, a folder counts as a whole. Links are not among them,
    for where they lead is another place.
    """
    left = MOST_PARTS

    def look(path: str, depth: int = 0) -> tuple[bool, list[str]]:
        nonlocal left
        is_whole, found = True, []
        try:
            entries = list(os.scandir(path))
        except OSError:
            return False, []
        left -= len(entries)
        for entry in entries:
            if entry.name[:1] == ".":
                is_whole = False
            elif entry.is_dir(follow_symlinks=False) and left > 0 and depth < DEEPEST_PART:
                is_inner_whole, inner = look(entry.path, depth + 1)
                is_whole = is_whole and is_inner_whole
                found += inner
            elif not entry.is_symlink():
                found.append(entry.path)
        return is_whole, [path] if is_whole else found

    return look(folder)[1]


def _grant(calls: ctypes.CDLL, ruleset: int, path: str, rights: int, flags: int = 0) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC | flags)
    except OSError:
        return  # what is not there need not be read
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _READ_FILE | _WRITE_FILE
        rule = struct.pack("=Qi", rights, place)
        _must(calls.syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint32(0)))
    finally:
        os.close(place)


def set_seccomp(*, may_write: bool = False) -> None:
    """Let through `CALLS` and a few others with harmless arguments; answer every other one with EPERM.

    Args:
        may_write: whether files are opened for writing, where Landlock sees to it which.

    Raises:
        OSError: the kernel refuses, or has no filters.
    """
    machine = MACHINES.get(platform.machine())
    if machine is None:
        raise OSError(errno.ENOSYS, "no table of system calls for this processor")
    program = filter_of(machine, os.getpid(), may_write=may_write)
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _must(libc().syscall(machine.seccomp, ctypes.c_uint(_SET_MODE_FILTER), ctypes.c_uint(_TSYNC), header))


def filter_of(machine: Machine, pid: int, *, may_write: bool = False) -> bytes:
    """The filter as a program for the kernel's small machine, 8 bytes an instruction."""
    at = machine.column
    code = [_do(_LOAD, _AT_MACHINE), _do(_EQUAL, machine.audit, 1, 0), _do(_RETURN, _KILL), _do(_LOAD, _AT_NUMBER)]
    no, yes = _do(_RETURN, _ERRNO | errno.EPERM), _do(_RETURN, _ALLOW)
    for numbers in (*CALLS.values(), *(WRITING.values() if may_write else ())):
        code += _case(numbers[at], [yes])
    for numbers in IGNORED.values() if may_write else ():
        code += _case(numbers[at], [_do(_RETURN, _ERRNO)])
    for numbers in UNSUPPORTED.values():
        code += _case(numbers[at], [_do(_RETURN, _ERRNO | errno.ENOTSUP)])
    for numbers, index in ((_OPENAT, 2), (_OPEN, 1)):
        code += _case(numbers[at], [_argument(index), *_opening(no, yes, may_write=may_write)])
    code += _case(_CLONE[at], [_argument(0), _do(_ANY_BIT, _THREAD, 1, 0), no, yes])
    code += _case(_CLONE3[at], [_do(_RETURN, _ERRNO | errno.ENOSYS)])  # its flags lie in memory: glibc asks clone then
    code += _case(_TGKILL[at], [_argument(0), _do(_EQUAL, pid, 1, 0), no, yes])
    code += _case(_PRLIMIT[at], [_argument(0), _do(_EQUAL, 0, 1, 0), no, yes])
    for numbers, harmless in ((_FCNTL, _HARMLESS_FCNTL), (_IOCTL, _HARMLESS_IOCTL)):
        tests = [_do(_EQUAL, command, len(harmless) - i, 0) for i, command in enumerate(harmless)]
        code += _case(numbers[at], [_argument(1), *tests, no, yes])
    # A pair of streams within the process, as asyncio has one; and nothing is sent to an address.
    pair = [_argument(0), _do(_EQUAL, 1, 0, 3), _argument(1), _do(_AND, 0xF), _do(_EQUAL, 1, 1, 0), no, yes]
    code += _case(_SOCKETPAIR[at], pair)
    nowhere = [_argument(4), _do(_EQUAL, 0, 0, 2), _high(4), _do(_EQUAL, 0, 1, 0), no, yes]
    code += _case(_SENDTO[at], nowhere)
    return b"".join([*code, no])


def _case(number: int | None, then: Sequence[bytes]) -> list[bytes]:
    """Instructions for one system call; nothing where this processor has no such call."""
    return [] if number is None else [_do(_EQUAL, number, 0, len(then)), *then]


def _opening(no: bytes, yes: bytes, *, may_write: bool) -> list[bytes]:
    """Whether a file is opened, by the flags that were loaded."""
    if not may_write:
        writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | _TMPFILE
        return [_do(_ANY_BIT, writing, 0, 1), no, yes]
    # An early Landlock lets a file be emptied that is opened for reading.
    writing = os.O_WRONLY | os.O_RDWR
    return [_do(_ANY_BIT, _TMPFILE, 2, 0), _do(_ANY_BIT, writing, 2, 0), _do(_ANY_BIT, os.O_TRUNC, 0, 1), no, yes]


def _high(index: int) -> bytes:
    """Load the upper half of an argument."""
    return _do(_LOAD, _AT_ARGUMENTS + 8 * index + 4)


def _argument(index: int) -> bytes:
    """Load the lower half of an argument, which is all that the kernel itself looks at in these calls."""
    return _do(_LOAD, _AT_ARGUMENTS + 8 * index)


def _do(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _longs(*values: int) -> list[ctypes.c_ulong]:
    return [ctypes.c_ulong(value) for value in values]


def _must(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(result)
