"""The audit hook: Python's own events, of which a script may cause only those that are listed here.

It answers with an ordinary PermissionError, which says what was asked for. A script that has come past the gate into
numpy's memory could switch it off; what stands behind it does not run in the same process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

ALLOWED: dict[str, str] = {
    "import": "of modules; what may be read for that is looked at by `open`, and compiled extensions below",
    "compile": "dataclasses, namedtuple and the rewritten script itself are compiled",
    "exec": "a module's body is run by it, and so is the script",
    "marshal.load": "a module of Python's library is read from its compiled form",
    "marshal.loads": "the same",
    "code.__new__": "dataclasses and numpy make functions; the gate lets no script have a code object",
    "function.__new__": "the same",
    "object.__getattr__": "of frames and code objects: the recorder asks for the line; the gate keeps scripts away",
    "object.__setattr__": "of functions: dataclasses and functools.wraps",
    "object.__delattr__": "the same",
    "sys._getframe": "namedtuple, Enum, typing and the recorder ask who called",
    "sys._getframemodulename": "the same, since Python 3.12",
    "sys.unraisablehook": "an exception in a finalizer is reported",
    "sys.excepthook": "an exception in a thread is reported",
    "builtins.id": "a number",
    "builtins.input": "meets the end of the file",
    "builtins.input/result": "the same",
    "array.__new__": "memory of its own",
    "time.sleep": "waiting is ended by the time limit",
    "cpython._PySys_ClearAuditHooks": "the interpreter ends",
    "cpython.PyInterpreterState_Clear": "the interpreter ends",
    "cpython.PyInterpreterState_New": "the interpreter begins",
    "_thread.start_new_thread": "our own threads; another one ends with the process",
    "_thread.start_joinable_thread": "the same, since Python 3.13",
    "threading.Thread.start": "the same",
}
"""Every event that goes through, each with its reason. All others are refused, those of later Pythons too."""

DIRECTORIES = frozenset({"os.listdir", "os.scandir"})
"""Python's import looks into the directories of its library."""

_WRITES = frozenset("wax+")
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def add_audit_hook(library: Sequence[str]) -> None:
    """Refuse, from now on and for good, what a script has no need of.

    Args:
        library: directories of Python's library, numpy and gradviz; only in these may a file be read.
    """
    roots = tuple(name.rstrip(os.sep) + os.sep for root in library for name in (root, os.path.realpath(root)))
    sys.addaudithook(_hook(roots, frozenset(ALLOWED) - {"import"}))


def _hook(roots: tuple[str, ...], allowed: frozenset[str]) -> Any:
    """The hook; it looks up nothing in modules, since a script that is loose could change what stands there."""
    absolute, decode, separator, is_text, is_bytes = os.path.abspath, os.fsdecode, os.sep, str, bytes
    writes, write_flags, directories = _WRITES, _WRITE_FLAGS, DIRECTORIES
    refusal, any_of, type_of, integer = PermissionError, any, type, int

    def is_library(path: Any) -> bool:
        if type_of(path) is is_bytes:
            path = decode(path)
        return type_of(path) is is_text and (absolute(path) + separator).startswith(roots)

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in allowed:
            return
        if event == "import":  # (module, file, sys.path, ...); a file where a compiled extension is loaded
            if arguments[1] is None or is_library(arguments[1]):
                return
            raise refusal("a script may not load compiled code from outside of Python's library")
        if event == "open":
            path, mode, flags = arguments
            is_writing = type_of(mode) is is_text and any_of([each in writes for each in mode])
            if type_of(flags) is integer and flags & write_flags:
                is_writing = True
            if not is_writing and is_library(path):
                return
            raise refusal(f"a script may not {'write' if is_writing else 'read'} files")
        if event in directories and is_library(arguments[0]):
            return
        raise refusal(f"a script may not do this ({event})")

    return refuse
