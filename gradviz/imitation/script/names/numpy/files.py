"""numpy's files: what a script saves stays in memory, where the same run finds it; tables are written to its output."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.errors import TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.errors.exceptions import raised
from gradviz.imitation.script.errors.overheard import told
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.files import File, files_of, keep
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.names.library.streams import Kept
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.names.numpy.calls import plain

IN_TABLES = ("fmt", "delimiter", "newline", "header", "footer", "comments", "encoding")
OF_TABLES = ("dtype", "comments", "delimiter", "skiprows", "usecols", "unpack", "ndmin", "max_rows")


ARCHIVE = """
class NpzFile(Mapping):
    def __init__(self, name, arrays):
        self._name, self._arrays, self.files = name, arrays, list(arrays)
    def __enter__(self): return self
    def __exit__(self, *error): self.close()
    def close(self): pass
    def __iter__(self): return iter(self.files)
    def __len__(self): return len(self.files)
    def __contains__(self, key): return key in self._arrays
    def __getitem__(self, key):
        if key not in self._arrays:
            raise KeyError(f"{key} is not a file in the archive")
        return self._arrays[key].copy()
    def __repr__(self):
        dots = "..." if len(self.files) > 5 else ""
        return f"NpzFile {self._name!r} with keys: {', '.join(self.files[:5])}{dots}"
"""
"""What `np.load` gives of several arrays: a mapping that can be closed."""


def _archive(machine: Machine, name: str, arrays: dict[str, Any]) -> Any:
    if ARCHIVE not in machine.state:
        mapping = machine.modules["collections"].members["abc"].members["Mapping"]
        machine.state[ARCHIVE] = run_text(machine, ARCHIVE, {"Mapping": mapping}, "numpy.lib.npyio")["NpzFile"]
    return machine.call(machine.state[ARCHIVE], (name, arrays), {})


def _kept(machine: Machine, file: Any, suffix: str, value: Any) -> None:
    """Keep it under its name, or in the file or the bytes in memory that a script has opened."""
    if isinstance(file, Kept):
        file.value, file.is_full = value, True
        return
    is_whole = isinstance(file, File) or str(file).endswith(suffix)
    keep(machine, file if is_whole else f"{file}{suffix}", value, "numpy")


def _found(machine: Machine, name: str, text: str) -> Any:
    files = files_of(machine)
    if name not in files:
        raise TorchError(
            text, kind="FileNotFoundError", hint="A script cannot read files here; only what it saved itself is found."
        )
    return files[name]


def _save(machine: Machine, file: Any, arr: Any, *_: Any, **__: Any) -> None:
    _kept(machine, file, ".npy", np.array(plain(arr)))


def _save_several(machine: Machine, file: Any, *arrays: Any, **named: Any) -> None:
    given = named | {f"arr_{place}": each for place, each in enumerate(arrays)}
    _kept(machine, file, ".npz", {key: np.array(plain(each)) for key, each in given.items()})


def _load(machine: Machine, file: Any, *_: Any, **__: Any) -> Any:
    if isinstance(file, Kept):
        if not file.is_full:
            raise raised(machine, machine.state["exceptions"]["EOFError"], "No data left in file")
        value, name = file.value, "object"
    else:
        name = file.file_name if isinstance(file, File) else str(file)
        value = _found(machine, name, f"[Errno 2] No such file or directory: '{name}'")
    return _archive(machine, name, value) if isinstance(value, dict) else np.array(value)


def _save_table(machine: Machine, fname: Any, X: Any, *given: Any, **named: Any) -> None:
    options = dict(zip(IN_TABLES, map(plain, given), strict=False)) | {key: plain(each) for key, each in named.items()}
    text = io.StringIO()
    told(np.savetxt, text, plain(X), **options)
    if isinstance(fname, str) or not _can_write(machine, fname):
        _kept(machine, fname, "", text.getvalue())
    else:
        machine.call(attributes.get(machine, fname, "write"), (text.getvalue(),), {})


def _can_write(machine: Machine, file: Any) -> bool:
    try:
        attributes.get(machine, file, "write")
    except TorchError:
        return False
    return True


def _table(read: Callable[..., Any]) -> Callable[..., Any]:
    """`np.loadtxt` and `np.genfromtxt`, of a text or lines that the script has, or of what it saved."""

    def run(machine: Machine, fname: Any, **named: Any) -> Any:
        unknown = [name for name in named if name not in (*OF_TABLES, "skip_header", "names", "filling_values")]
        if unknown:
            said = f"np.{read.__name__}({unknown[0]}=...) is not supported"
            raise TorchError(said, kind="TypeError", hint="Read the table without it.")
        if isinstance(fname, str) or not hasattr(type(fname), "__iter__"):
            lines = str(_found(machine, str(fname), f"{fname} not found.")).splitlines()
        else:
            lines = [line for line in machine.listed(fname) if isinstance(line, str)]
        return told(read, lines, **{key: plain(each) for key, each in named.items()})

    return run


def members() -> dict[str, Any]:
    """The names."""
    return with_machine({
        "save": _save, "load": _load, "savez": _save_several, "savez_compressed": _save_several,
        "savetxt": _save_table, "loadtxt": _table(np.loadtxt), "genfromtxt": _table(np.genfromtxt),
    })  # fmt: skip
