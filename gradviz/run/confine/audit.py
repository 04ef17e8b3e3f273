"""The audit hook: what the other walls keep a script from is refused here first, with a sentence that says why.

It answers with an ordinary PermissionError. Python's own ways to files, programs and networks come by here; native code
does not, and a script that has got hold of the process's memory could switch it off: what holds is the kernel's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from gradviz.run.scratch import Links

NO_NETWORK = "a script here reaches no network"
NO_READING = "a script here reads its own folder and Python's library, and no other file"
NO_WRITING = "a script here changes no file of yours"

REFUSED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "a script here starts no other program",
        ("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "pty.",
         "webbrowser.", "_winapi.CreateProcess", "_posixsubprocess."),
    ),
    (
        NO_NETWORK,
        ("socket.connect", "socket.bind", "socket.send", "socket.getaddrinfo", "socket.gethostby", "socket.getname",
         "socket.sethostname", "urllib.", "ftplib.", "http.client.", "imaplib.", "nntplib.", "poplib.", "smtplib.",
         "telnetlib.", "syslog."),
    ),
    ("a script here sends no signal to other processes", ("os.kill",)),
    ("a script here makes no links to files", ("os.link", "os.symlink")),
    (
        "a script here changes nothing of the system",
        ("winreg.", "os.chflags", "os.lchflags", "os.setxattr", "os.removexattr", "os.chown"),
    ),
)  # fmt: skip
"""What is refused, and the beginnings of its events' names."""

NATIVE = ("ctypes.", "_ctypes.")
"""Native code, which is refused where the kernel builds no walls that it would stand behind."""

CHANGES = {
    "os.remove": False, "os.rename": False, "os.mkdir": False, "os.rmdir": False, "os.truncate": True, "os.chmod": True,
    "os.utime": True,
}  # fmt: skip
"""What changes the file or folder that is named first; and whether that goes through a link, to the file behind it."""

DIRECTORIES = frozenset({"os.listdir", "os.scandir"})

_WRITES = frozenset("wax+")
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def add_audit_hook(
    readable: Sequence[str],
    folder: str,
    scratch: str,
    links: Links,
    *,
    is_native_refused: bool,
) -> None:
    """Refuse, from now on and for good, what a script has no need of.

    Args:
        readable: directories of Python's library, numpy and gradviz.
        folder: of the script, which may be read but for hidden files; "" where there is none.
        scratch: the only folder that may be written into; "" where there is none.
        links: to what lies beside the script, made when the script looks into `scratch`.
        is_native_refused: whether ctypes is.
    """
    roots = _within(*readable, "/dev/null", "/dev/urandom", "/usr/share/zoneinfo", "/etc/localtime")
    refused = {event: sentence for sentence, events in REFUSED for event in events}
    if is_native_refused:
        refused |= dict.fromkeys(NATIVE, "a script here calls no native code")
    sys.addaudithook(_hook(roots, _within(folder), _within(scratch), refused, links))


def _within(*paths: str) -> tuple[str, ...]:
    """How paths inside these begin."""
    both = (name for path in paths if path for name in (path, os.path.realpath(path)))
    return tuple(dict.fromkeys(name.rstrip(os.sep) + os.sep for name in both))


def _hook(
    roots: tuple[str, ...],
    folder: tuple[str, ...],
    scratch: tuple[str, ...],
    refused: dict[str, str],
    links: Links,
) -> Any:
    absolute, decode, separator = os.path.abspath, os.fsdecode, os.sep
    beginnings = tuple(refused)
    is_busy = False

    def whole(path: Any) -> str:
        """A path from the root on; "" for what is none."""
        path = getattr(path, "__fspath__", lambda: path)()
        path = decode(path) if isinstance(path, bytes) else path
        return absolute(path) + separator if isinstance(path, str) else ""

    def may_read(path: Any) -> bool:
        if isinstance(path, int):
            return True
        at = whole("." if path is None else path)
        if at.startswith(scratch):
            make_links()
        is_hidden = any(
            separator + "." in at[len(root) - 1 :]
            for root in folder
            if at.startswith(root) and not at.startswith(scratch)
        )
        return at.startswith((*roots, *scratch)) or (at.startswith(folder) and not is_hidden)

    def make_links() -> None:
        nonlocal is_busy
        is_busy = True
        try:
            links.make()
        finally:
            is_busy = False

    def own(path: str, is_emptied: bool) -> None:
        nonlocal is_busy
        is_busy = True
        try:
            links.take_over(path, is_emptied=is_emptied)
        finally:
            is_busy = False

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        if is_busy:
            return
        if event == "open":
            path, mode, flags = arguments
            if isinstance(path, int):
                return
            is_writing = isinstance(mode, str) and not _WRITES.isdisjoint(mode)
            if isinstance(flags, int) and flags & _WRITE_FLAGS:
                is_writing = True
            if is_writing and (at := whole(path)) != "/dev/null/":
                if not at.startswith(scratch):
                    raise PermissionError(NO_WRITING)
                own(at[:-1], isinstance(flags, int) and bool(flags & os.O_TRUNC))
            elif not is_writing and not may_read(path):
                raise PermissionError(NO_READING)
        elif event == "import":  # (module, file, sys.path, ...); a file where a compiled extension is loaded
            if arguments[1] is not None and not may_read(arguments[1]):
                raise PermissionError(NO_READING)
        elif event in CHANGES:
            for path in arguments[: 1 + (event == "os.rename")]:
                at = whole(path)
                if not isinstance(path, int) and not at.startswith(scratch):
                    raise PermissionError(NO_WRITING)
                if at:
                    own(at[:-1] if CHANGES[event] else at[:-1].rpartition(separator)[0], False)
        elif event == "socket.__new__":
            if arguments[1] != 1:  # a pair of sockets of its own, as asyncio has one, leads nowhere
                raise PermissionError(NO_NETWORK)
        elif event in DIRECTORIES or event == "sqlite3.connect":
            if arguments[0] != ":memory:" and not may_read(arguments[0]):
                raise PermissionError(NO_READING)
        elif event.startswith(beginnings):
            raise PermissionError(next(refused[each] for each in beginnings if event.startswith(each)))

    return look
