"""A recording on the screen: in the window, which is a process of its own, or in a notebook's cell."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from typing import Any

import torch

from gradviz.capture.recorder import Recorder


class Shown:
    """What is on the screen; in a notebook it displays itself.

    Attributes:
        recording: what is shown, or None for a file.
        path: the file that the window reads, or None in a notebook.
        process: the window's, or None in a notebook.
    """

    def __init__(self, recording: Recorder | None, path: str | None, process: Any) -> None:
        self.recording, self.path, self.process = recording, path, process

    def _repr_html_(self) -> str | None:
        return None if self.recording is None else self.recording._repr_html_()

    def __repr__(self) -> str:
        where = "in the notebook" if self.path is None else f"in a window of its own, from {self.path}"
        return f"<gradviz shows {where}>"


def show(what: Any) -> Shown:
    """Show a recording, a file, or the graph of a tensor; returns at once.

    A tensor's graph was made before anybody listened, so the gradients are all there (`.grad` is left alone), but of
    the values only those of leaves. Compute the tensor inside `gradviz.capture()` to have them all.

    Args:
        what: what `gradviz.capture()` gave, the path of a `.gradviz` file, or a tensor that takes a gradient.

    Raises:
        TypeError: none of these.
        ValueError: a tensor that takes no gradient.
        RuntimeError: no window can be opened from here.
    """
    recording: Recorder | None = None
    path: str | None = None
    if isinstance(what, torch.Tensor):
        recording = recorded(what)
    elif isinstance(what, Recorder):
        recording = what
    elif isinstance(what, (str, os.PathLike)):
        path = os.fspath(what)
        if not os.path.exists(path):
            raise FileNotFoundError(f"There is no file {path}: give a .gradviz file, a recording or a tensor.")
    else:
        kind = type(what).__name__
        raise TypeError(f"show() got {kind}: give a tensor, what gradviz.capture() gave, or the path of a file.")
    if is_notebook() and recording is not None:
        return Shown(recording, None, None)
    missing = next((name for name in ("gradviz", "PySide6") if not importlib.util.find_spec(name)), None)
    if missing is not None:
        raise RuntimeError(
            f"The window needs {missing}, which is not installed here: save the recording and open it there."
        )
    if recording is not None:
        path = os.path.join(tempfile.mkdtemp(prefix="gradviz-"), "recording.gradviz")
        recording.save(path)
    return Shown(recording, path, open_window(str(path)))


def open_window(path: str) -> Any:
    """Start the window on a file, as a process that outlives this one."""
    command = [sys.executable, "-m", "gradviz", os.path.abspath(path)]
    flags: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        flags = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, **flags)  # noqa: S603 # our own window


def recorded(loss: Any) -> Recorder:
    """The backward pass of a tensor, without a change of `.grad`.

    Raises:
        ValueError: it takes no gradient.
    """
    if not loss.requires_grad:
        raise ValueError("This tensor takes no gradient: compute it from leaves with requires_grad=True.")
    recorder = Recorder()
    with recorder:
        leaves = _leaves_of(loss)
        torch.autograd.grad(loss, leaves, torch.ones_like(loss), retain_graph=True, allow_unused=True)
    return recorder


def _leaves_of(loss: Any) -> list[Any]:
    if loss.grad_fn is None:
        return [loss]
    found, seen, waiting = [], set(), [loss.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if variable is not None:
            found.append(variable)
        waiting += [below for below, _ in node.next_functions]
    return found


def is_notebook() -> bool:
    """Whether a cell of Jupyter runs this."""
    shell: Any = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and hasattr(running, "kernel")
