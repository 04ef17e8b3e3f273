"""`torch.save` and `torch.load`, in memory: no value is written to a disk or read from one.

What is saved is copied and kept for as long as the process runs, by the name of its file; of a value saved to a buffer
such as `io.BytesIO()` the buffer holds a line that says which one it is. Where files go with the process as well
(`files_go_too`), a file is such a buffer, so that it can be found, copied and renamed.
"""

from __future__ import annotations

import copy
import errno
import io
import os
from collections import Counter, OrderedDict
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np

from gradviz.engine.apply import alias, view
from gradviz.engine.devices import Device
from gradviz.engine.dtypes import DType, Size
from gradviz.engine.errors import Beyond
from gradviz.engine.tensor import Memory, Tensor, constant, current
from gradviz.engine.views import set_requires_grad

MARK = b"gradviz keeps this value in memory: "
"""How the line in a buffer begins."""

SAFE = (str, bytes, bytearray, int, float, complex, type(None), Tensor, Size, DType, Device)
"""What is loaded besides containers where only weights are."""

UNSAFE = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps only "
    "if you trust the source of the checkpoint\x1b[0m. \n\t(1) In PyTorch 2.6, we changed the default value of the "
    "`weights_only` argument in `torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to "
    "`False` will likely succeed, but it can result in arbitrary code execution. Do it only if you got the file from a "
    "trusted source.\n\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the "
    "following error message.\n\tWeightsUnpickler error: Unsupported global: GLOBAL {0} was not an allowed global by "
    "default. Please use `torch.serialization.add_safe_globals([{0}])` or the "
    "`torch.serialization.safe_globals([{0}])` context manager to allowlist this global if you trust this "
    "class/function.\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
    "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)

files_go_too = False
"""Whether the files that are written now end with the process; said by whoever runs it."""

_named: dict[str, Any] = {}
_numbered: list[Any] = []


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2, **_: Any) -> None:
    """Keep a copy of a value under the name of a file, or for a buffer.

    Raises:
        AttributeError: f is neither a name nor a buffer.
    """
    if not isinstance(f, str | os.PathLike) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    kept = _copied(obj, {})
    if not isinstance(f, str | os.PathLike):
        _save_to(f, kept)
    elif files_go_too:
        with Path(f).open("wb") as file:
            _save_to(file, kept)
    else:
        _named[str(f)] = kept


def _save_to(buffer: Any, kept: Any) -> None:
    buffer.write(MARK + b"%d\n" % len(_numbered))
    _numbered.append(kept)


def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None, **_: Any
) -> Any:
    """A copy of what was saved under a name or to a buffer; from a buffer it is read where the buffer stands.

    Raises:
        FileNotFoundError: nothing was saved under the name in this run.
        Beyond: PyTorch itself has written the file.
        EOFError: the buffer stands at its end; `seek(0)` goes back.
        UnpicklingError: the value holds objects of other classes than tensors and containers, and only weights are
            wanted, as by default.
    """
    if not isinstance(f, str | os.PathLike):
        if not hasattr(f, "read"):
            raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'read' attribute")
        kept = _loaded_from(f)
    elif files_go_too:
        with Path(f).open("rb") as file:
            kept = _loaded_from(file)
    elif str(f) in _named:
        kept = _named[str(f)]
    else:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(f))
    if weights_only is not False:
        _refuse_others(kept)
    return _copied(kept, {})


def _loaded_from(buffer: Any) -> Any:
    line = buffer.readline()
    if not line:
        raise EOFError("Ran out of input")
    number = line.removeprefix(MARK).strip() if isinstance(line, bytes) else b""
    if number[:2] == b"PK":
        raise Beyond("a file that PyTorch has saved")
    if not number.isdigit() or int(number) >= len(_numbered):
        raise UnpicklingError("invalid load key: this buffer was not written by torch.save")
    return _numbered[int(number)]


def _refuse_others(value: Any) -> None:
    """Raise where a value holds more than weights."""
    waiting, seen = [value], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        kind = type(each)
        if kind in (dict, OrderedDict, Counter):
            waiting += [*each.keys(), *each.values()]
        elif kind in (list, tuple, set):
            waiting += each
        elif not isinstance(each, SAFE):
            home = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
            raise UnpicklingError(UNSAFE.format(home + kind.__qualname__))


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    """A copy in which what shared memory does so again. Plain containers are gone through here, since tensors that an
    op made can be saved but not deep-copied; objects of other classes are deep-copied.
    """
    if id(value) in memo:
        return memo[id(value)]
    kind = type(value)
    made: Any
    if kind is Tensor:
        made = _copied_tensor(value, memo)
    elif kind in (dict, OrderedDict, Counter):
        made = memo[id(value)] = kind()
        for key, each in value.items():
            made[_copied(key, memo)] = _copied(each, memo)
    elif kind is list:
        made = memo[id(value)] = []
        made += [_copied(each, memo) for each in value]
    elif kind in (tuple, set):
        made = kind([_copied(each, memo) for each in value])
    elif isinstance(value, io.IOBase):
        raise TypeError(f"cannot pickle '{kind.__name__}' object")
    else:
        made = copy.deepcopy(value, memo)
    memo[id(value)] = made
    memo.setdefault(id(memo), []).append(value)  # kept alive, so that its number is not given to another object
    return made


def _copied_tensor(x: Tensor, memo: dict[int, Any]) -> Tensor:
    """A leaf with the numbers of a tensor; a view of the copy of its memory, where it looks into a part of one."""
    now = current(x)
    memory: Memory | None = None if x.extra is None else x.extra.memory
    if memory is None or x.extra is None:
        made = constant(np.array(now.array)[()])
    else:
        whole = memo.get(id(memory))
        if whole is None:
            whole = memo[id(memory)] = constant(np.array(memory.entry.array)[()])
        made = alias(whole)
        for op, params in x.extra.path:
            made = view(op, made, **params)
    if now.tracked:
        set_requires_grad(made, True)
    return made
