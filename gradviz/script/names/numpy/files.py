"""numpy's files: what a script saves stays in memory, where the same run finds it; tables are written to its output."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.errors import TorchError
from gradviz.script import attributes
from gradviz.script.machine import Machine
from gradviz.script.names.library.files import FILES, tell
from gradviz.script.names.library.making import with_machine
from gradviz.script.names.numpy.calls import plain
from gradviz.script.overheard import told

IN_TABLES = ("fmt", "delimiter", "newline", "header", "footer", "comments", "encoding")
OF_TABLES = ("dtype", "comments", "delimiter", "skiprows", "usecols", "unpack", "ndmin", "max_rows")


def _kept(machine: Machine, name: str, value: Any) -> None:
    machine.state.setdefault(FILES, {})[name] = value
    tell(machine, f"'{name}' is not written: it stays in memory, where numpy finds it")


def _found(machine: Machine, name: str, text: str) -> Any:
    files = machine.state.get(FILES, {})
    if name not in files:
        raise TorchError(
            text, kind="FileNotFoundError", hint="A script cannot read files here; only what it saved itself is found."
        )
    return files[name]


def _save(machine: Machine, file: Any, arr: Any, *_: Any, **__: Any) -> None:
    name = str(file)
    _kept(machine, name if name.endswith(".npy") else f"{name}.npy", np.array(plain(arr)))


def _save_several(machine: Machine, file: Any, *arrays: Any, **named: Any) -> None:
    name = str(file)
    given = {f"arr_{place}": each for place, each in enumerate(arrays)} | named
    kept = {key: np.array(plain(each)) for key, each in given.items()}
    _kept(machine, name if name.endswith(".npz") else f"{name}.npz", kept)


def _load(machine: Machine, file: Any, *_: Any, **__: Any) -> Any:
    value = _found(machine, str(file), f"[Errno 2] No such file or directory: '{file}'")
    return {key: each.copy() for key, each in value.items()} if isinstance(value, dict) else np.array(value)


def _save_table(machine: Machine, fname: Any, X: Any, *given: Any, **named: Any) -> None:
    options = dict(zip(IN_TABLES, map(plain, given), strict=False)) | {key: plain(each) for key, each in named.items()}
    text = io.StringIO()
    told(np.savetxt, text, plain(X), **options)
    if isinstance(fname, str) or not _can_write(machine, fname):
        _kept(machine, str(fname), text.getvalue())
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
