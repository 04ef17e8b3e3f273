"""`sys`, `os`, `pathlib`, `platform`, `gc`: what scripts set and ask at their top. Nothing real is reached."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.errors.exceptions import value_of
from gradviz.imitation.script.limits import depth
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library import folders
from gradviz.imitation.script.names.library.files import files_of, not_found, opened
from gradviz.imitation.script.names.library.making import builtin_class, natives, with_machine
from gradviz.imitation.script.readers import READERS, found_by
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Namespace, Native, type_name

NO_FILES = "A script cannot read or write files here; put the numbers into the script."


def refused(name: str, why: str) -> Native:
    """A function that ends the run with one sentence."""

    def run(*_: Any, **__: Any) -> None:
        raise ScriptError(f"'{name}' is not available in gradviz", hint=why)

    return Native(name, run)


# ---- os ----

PATHS = ("join", "basename", "dirname", "splitext", "split", "normpath", "isabs", "commonpath", "commonprefix")


def _removed(machine: Machine, path: Any) -> None:
    """`os.remove` of what this run has saved; there is no other file."""
    if path not in files_of(machine):
        raise not_found(str(path))
    del files_of(machine)[path]


def _file_size(machine: Machine, path: Any) -> int:
    """Bytes of a file that this run has written.

    Raises:
        TorchError: there is none of that name, or `torch.save` made it, whose bytes are never written.
    """
    if path not in files_of(machine):
        raise not_found(str(path))
    kept = files_of(machine)[path]
    if not isinstance(kept, str | bytes):
        raise TorchError(
            f"the size of '{path}' is not known to gradviz: what torch.save is given stays in memory as it is",
            kind="NotImplementedError",
            hint="Count the numbers instead: sum(p.nbytes for p in model.parameters()).",
        )
    return len(kept.encode()) if isinstance(kept, str) else len(kept)


def _is_file(machine: Machine, path: Any) -> bool:
    return path in files_of(machine)


def _renamed(machine: Machine, src: Any, dst: Any) -> None:
    folders.moved(machine, src, dst)


def _absolute(path: Any) -> str:
    return posixpath.join("/", str(path))


def os_module(machine: Machine) -> Namespace:
    """`os`: an environment that starts empty and stays here, paths as text, files and folders in memory."""
    path = Namespace("os.path", {
        **natives({name: getattr(posixpath, name) for name in PATHS}),
        **with_machine({"isdir": folders.is_folder, "exists": folders.exists, "isfile": _is_file,
                        "getsize": _file_size}),
        **natives({"abspath": lambda path: path, "expanduser": lambda path: path, "realpath": lambda path: path}),
        **natives({"relpath": lambda path, start="/": posixpath.relpath(_absolute(path), _absolute(start))}),
        "sep": "/",
    })  # fmt: skip
    environ: dict[str, str] = {}

    def put(key: str, value: str) -> None:
        environ[key] = value

    return Namespace("os", {
        "environ": environ, "path": path, "getenv": Native("getenv", environ.get), "name": "posix", "sep": "/",
        "linesep": "\n", "curdir": ".", "pardir": "..",
        **natives({
            "fspath": str, "putenv": put,
            "makedirs": lambda name, mode=0o777, exist_ok=False: folders.make(machine, name, exist_ok),
            "mkdir": lambda path, *_, **__: folders.make(machine, path), "getcwd": lambda: "/",
            "cpu_count": lambda: 1, "getpid": lambda: 1,
            "walk": lambda top, *_, **__: folders.walk(machine, top),
        }),
        **with_machine({"remove": _removed, "unlink": _removed, "rmdir": folders.remove_empty,
                        "listdir": folders.listed}),
        **natives(dict.fromkeys(("rename", "replace"), lambda src, dst: _renamed(machine, src, dst))),
        "open": refused("os.open", NO_FILES),
    })  # fmt: skip


# ---- sys ----


def set_depth(machine: Machine, limit: int) -> None:
    """`sys.setrecursionlimit`, as far as there is room; Python's own calls take ten of the usual 1,000."""
    if not isinstance(limit, int) or limit < 1:
        raise TorchError("recursion limit must be greater or equal than 1", kind="ValueError")
    machine.state["recursion limit"] = limit
    machine.depth = max(machine.limits.depth, min(limit - 10, depth.allow(limit)))


class Version(tuple[Any, ...]):
    """`sys.version_info`."""

    __slots__ = ()
    FIELDS = ("major", "minor", "micro", "releaselevel", "serial")

    def __repr__(self) -> str:
        return f"sys.version_info({', '.join(f'{n}={v!r}' for n, v in zip(self.FIELDS, self, strict=True))})"


def _wrote(write: Callable[[str], None]) -> Callable[[Any], int]:
    def run(text: Any) -> int:
        if not isinstance(text, str):
            raise TorchError(f"write() argument must be str, not {type_name(text)}", kind="TypeError")
        write(text)
        return len(text)

    return run


def stream(name: str, write: Callable[[str], None]) -> Namespace:
    """`sys.stdout` and `sys.stderr`."""
    return Namespace(f"sys.{name}", {
        **natives({
            "write": _wrote(write), "flush": lambda: None, "isatty": lambda: False, "reconfigure": lambda **_: None,
            "writelines": lambda lines: write("".join(lines)),
        }),
        "encoding": "utf-8", "name": f"<{name}>", "closed": False,
    })  # fmt: skip


def _handled(machine: Machine) -> tuple[Any, Any, Any]:
    """`sys.exc_info()`: the exception that is being handled, without a traceback."""
    if not machine.handling:
        return None, None, None
    value = value_of(machine, machine.handling[-1])
    return value.cls, value, None


def sys_module(machine: Machine) -> Namespace:
    """`sys`: no arguments, the version, and an output that prints."""
    info = {name: getattr(sys.float_info, name) for name in ("epsilon", "max", "min", "dig", "mant_dig")}
    return Namespace("sys", {
        "argv": ["script.py"], "version": "3.11.7 (gradviz)", "platform": "linux", "executable": "", "path": [],
        "version_info": Version((3, 11, 7, "final", 0)), "maxsize": 2**63 - 1, "byteorder": "little", "flags": 0,
        "modules": _loaded(machine), "float_info": Namespace("sys.float_info", info), "exit": machine.builtins["exit"],
        "stdout": stream("stdout", machine.write), "stderr": stream("stderr", machine.warnings.aside),
        "stdin": Namespace("sys.stdin", {name: refused("sys.stdin", "There is nobody to ask; assign a value instead.")
                                         for name in ("read", "readline")}),
        **with_machine({"setrecursionlimit": set_depth}),
        **natives({
            "getrecursionlimit": lambda: machine.state.get("recursion limit", 1000), "intern": lambda text: text,
            "getsizeof": _size, "getrefcount": lambda x: 2, "exc_info": lambda: _handled(machine),
        }),
    })  # fmt: skip


def _loaded(machine: Machine) -> dict[str, Any]:
    return {name: machine.modules[name] for name in ("torch", "numpy")} | {"__main__": Namespace("__main__", {})}


def _size(x: Any, *_: Any) -> int:
    return sys.getsizeof(x) if isinstance(x, int | float | str | list | tuple | dict | set) else 48


# ---- the small ones ----


LONGEST_PATH = 4096


class Path:
    """`pathlib.Path`: a text with parts; no file is behind it.

    Attributes:
        pure: Python's own path that reaches no file.
    """

    shown_as = "PosixPath"

    def __init__(self, *parts: Any) -> None:
        for part in parts:
            if not isinstance(part, str | Path):
                text = f"expected str, bytes or os.PathLike object, not {type_name(part)}"
                raise TorchError(text, kind="TypeError")
        self.pure = PurePosixPath(*map(str, parts))
        if len(str(self.pure)) > LONGEST_PATH:
            raise TorchError("File name too long", kind="OSError")

    def __truediv__(self, other: Any) -> Any:
        return Path(self, other) if isinstance(other, str | Path) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return Path(other, self) if isinstance(other, str) else NotImplemented

    def __str__(self) -> str:
        return str(self.pure)

    def __repr__(self) -> str:
        return f"PosixPath({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and other.pure == self.pure

    def __lt__(self, other: Any) -> Any:
        return self.pure < other.pure if isinstance(other, Path) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.pure)

    def read(self, name: str) -> Any:
        """One of its parts, or a method that gives another path."""
        found = getattr(self.pure, name)
        if name == "parents":
            return tuple(map(_held, found))
        return Native(name, lambda *given: _held(found(*map(_given, given)))) if callable(found) else _held(found)


def _given(value: Any) -> Any:
    return value.pure if isinstance(value, Path) else value


def _held(value: Any) -> Any:
    return Path(str(value)) if isinstance(value, PurePosixPath) else value


PATH = (
    "name", "stem", "suffix", "suffixes", "parent", "parents", "parts", "anchor", "joinpath", "with_suffix",
    "with_name", "with_stem", "as_posix", "relative_to", "is_relative_to", "is_absolute", "match",
)  # fmt: skip


def path_attribute(machine: Any, owner: Path, name: str) -> Any:
    """What a path has, or None."""
    if name in PATH:
        return owner.read(name)
    if name in ("resolve", "absolute", "expanduser"):
        return Native(name, lambda: owner)
    if name in ON_DISK:
        return Native(name, lambda *given, **named: ON_DISK[name](machine, owner, *given, **named))
    if name == "open":
        return Native(name, lambda *given, **named: opened(machine, str(owner), *given, **named))
    if name in ("read_text", "read_bytes"):
        mode = "r" if name == "read_text" else "rb"
        return Native(name, lambda *_, **__: opened(machine, str(owner), mode).read())
    if name in ("write_text", "write_bytes"):
        mode = "w" if name == "write_text" else "wb"
        return Native(name, lambda data, *_, **__: opened(machine, str(owner), mode).write(data))
    return None


def _made(machine: Machine, path: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
    folders.make(machine, path, exist_ok)


def _touched(machine: Machine, path: Path, mode: int = 0o666, exist_ok: bool = True) -> None:
    opened(machine, str(path), "a" if exist_ok else "x")


def _within(path: Path, names: list[str]) -> Iterator[Path]:
    return iter([Path(path, name) for name in names])


ON_DISK: dict[str, Callable[..., Any]] = {
    "exists": folders.exists, "is_dir": folders.is_folder, "is_file": _is_file, "mkdir": _made, "touch": _touched,
    "rmdir": folders.remove_empty,
    "unlink": lambda machine, path, missing_ok=False: (
        None if missing_ok and not _is_file(machine, path) else _removed(machine, path)
    ),
    "rename": lambda machine, path, target: Path(folders.moved(machine, path, target)),
    "iterdir": lambda machine, path: _within(path, folders.listed(machine, path)),
    "glob": lambda machine, path, pattern: _within(path, folders.matching(machine, path, pattern)),
    "rglob": lambda machine, path, pattern: _within(path, folders.matching(machine, path, f"**/{pattern}")),
}  # fmt: skip
"""What is asked of the files and folders of this run."""


def pathlib_module(machine: Machine) -> Namespace:
    """`pathlib`."""
    cls = builtin_class(machine, Path, "pathlib", lambda machine, *parts: Path(*parts))
    return Namespace("pathlib", dict.fromkeys(("Path", "PurePath", "PosixPath", "PurePosixPath"), cls))


def platform_module(machine: Machine) -> Namespace:
    """`platform`."""
    facts = {"python_version": "3.11.7", "system": "Linux", "machine": "x86_64", "platform": "Linux", "node": "",
             "processor": "x86_64", "release": ""}  # fmt: skip
    return Namespace("platform", natives({name: (lambda text=text: text) for name, text in facts.items()}))


def gc_module(machine: Machine) -> Namespace:
    """`gc`: there is nothing for a script to collect."""
    return Namespace("gc", natives({
        "collect": lambda *_: 0, "enable": lambda: None, "disable": lambda: None, "isenabled": lambda: True,
    }))  # fmt: skip


READERS[Version] = lambda _, owner, name: owner[owner.FIELDS.index(name)] if name in owner.FIELDS else NOTHING
READERS[Path] = found_by(path_attribute)
