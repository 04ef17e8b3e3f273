"""A recording on the screen: in the window, which is a process of its own, or as a page in a notebook's cell."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from html import escape
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    import torch

    from gradviz.capture.recorder import Recorder

PAGE_SECONDS = 120
"""A page that takes longer to make is given up."""
_HEIGHT = 620  # pixels: the graph, its node and the steps at a glance, and less than a laptop's screen


class Shown:
    """What is on the screen; in a notebook it displays itself where it is the last line of a cell.

    Attributes:
        recording: what is shown, or None for a file.
        path: the file that is shown, or None for a recording in a notebook.
        process: the window's, or None in a notebook.
    """

    def __init__(self, recording: Recorder | None, path: str | None, process: Any) -> None:
        self.recording, self.path, self.process = recording, path, process

    def _repr_html_(self) -> str | None:
        if self.process is not None:
            return None
        try:
            return framed(self._page())
        except (OSError, RuntimeError) as error:
            table = "" if self.recording is None else self.recording._repr_html_()
            return f"<div>{escape(str(error))}</div>{table}"

    def _page(self) -> str:
        """The page that shows it.

        Raises:
            OSError: there is no room for it on the disk.
            RuntimeError: it cannot be made.
        """
        if self.path is not None:
            return page_of(self.path)
        with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
            path = os.path.join(folder, "recording.gradviz")
            assert self.recording is not None
            self.recording.save(path)
            return page_of(path)

    def __repr__(self) -> str:
        where = "in the notebook" if self.process is None else f"in a window of its own, from {self.path}"
        return f"<gradviz shows {where}>"


def show(what: Union[Recorder, torch.Tensor, str, os.PathLike[str]]) -> Shown:  # noqa: UP007 # read by Python 3.9
    """Show a recording, a file, or the graph of a tensor: in a window of its own, and return at once.

    In a notebook it is a page in the output of the cell whose last line it is. A tensor's graph was made before
    anybody listened, so the gradients are all there (`.grad` is left alone), but of the values only those of leaves.
    Compute the tensor inside `gradviz.capture()` to have them all. A file needs no PyTorch.

    Args:
        what: what `gradviz.capture()` gave, the path of a `.gradviz` file, or a tensor that takes a gradient.

    Returns:
        What is on the screen: its file, and the process of the window.

    Raises:
        TypeError: none of these.
        ValueError: a tensor that takes no gradient.
        FileNotFoundError: there is no file of that path.
        RuntimeError: no window can be opened from here.

    Example:
        >>> gradviz.show("run.gradviz")  # doctest: +SKIP
        <gradviz shows in a window of its own, from run.gradviz>
    """
    recording: Recorder | None = None
    path: str | None = None
    if isinstance(what, (str, os.PathLike)):
        path = os.fspath(what)
        if not os.path.exists(path):
            raise FileNotFoundError(f"There is no file {path}: give a .gradviz file, a recording or a tensor.")
    else:
        recording = _recording_of(what)
    if recording is None and path is None:
        kind = type(what).__name__
        raise TypeError(f"show() got {kind}: give a tensor, what gradviz.capture() gave, or the path of a file.")
    if is_notebook():
        return Shown(recording, path, None)
    missing = next((name for name in ("gradviz", "PySide6") if not importlib.util.find_spec(name)), None)
    if missing is not None:
        raise RuntimeError(
            f"The window needs {missing}, which is not installed here: save the recording and open it there."
        )
    if recording is not None:
        path = os.path.join(tempfile.mkdtemp(prefix="gradviz-"), "recording.gradviz")
        recording.save(path)
    return Shown(recording, path, open_window(str(path)))


def _recording_of(what: Any) -> Recorder | None:
    """What is to be shown of an object; None where it is neither a recording nor a tensor."""
    if sys.modules.get("torch") is None:  # then it is neither, and nothing of PyTorch need be loaded to say so
        return None
    import torch

    from gradviz.capture.recorder import Recorder

    return recorded(what) if isinstance(what, torch.Tensor) else what if isinstance(what, Recorder) else None


def open_window(path: str) -> Any:
    """Start the window on a file, as a process that outlives this one."""
    command = [sys.executable, "-m", "gradviz", os.path.abspath(path)]
    flags: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        flags = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, **flags)  # noqa: S603 # our own window


def page_of(path: str) -> str:
    """The page that gradviz makes of a recording, in a process of its own: nothing of it is loaded here.

    Raises:
        RuntimeError: gradviz as a whole is not installed here, or it cannot make a page of this.
    """
    if not importlib.util.find_spec("gradviz") or not importlib.util.find_spec("gradviz.player"):
        raise RuntimeError("Install gradviz-desktop in this Python to step through it here.")
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        page = os.path.join(folder, "page.html")
        command = [sys.executable, "-m", "gradviz", "export", os.path.abspath(path), page]
        try:
            made = subprocess.run(  # noqa: S603 # our own command line
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
                timeout=PAGE_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"Its page was not made within {PAGE_SECONDS} s.") from None
        if made.returncode:
            said = made.stderr.strip().rsplit("\n", 1)[-1]
            raise RuntimeError(f"Its page cannot be made: {said or f'exit code {made.returncode}'}")
        with open(page, encoding="utf-8") as file:
            return file.read()


def framed(page: str) -> str:
    """A page inside of another one, of which it sees nothing."""
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="gradviz" style="width:100%;'
        f'height:{_HEIGHT}px;border:1px solid #8884;border-radius:6px;box-sizing:border-box"></iframe>'
    )


def recorded(loss: Any) -> Recorder:
    """The backward pass of a tensor, without a change of `.grad`.

    Raises:
        ValueError: it takes no gradient.
    """
    import torch

    from gradviz.capture.recorder import Recorder

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
