"""Run a script in this process and write down what it prints, warns of and ends with."""

from __future__ import annotations

import contextlib
import io
import random
import re
import shutil
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.corpus.corpus import recording_text, without_paths

NAME = "corpus-script"
"""The file name under which a script is compiled, by which its own frames are known."""

Names = dict[str, Any]


def compiled(source: Any, mode: str) -> Any:
    """Code without what the calling file itself takes from the future."""
    return compile(source, NAME, mode, dont_inherit=True)


def script_run(path: Path) -> Callable[[Names], None]:
    """How a script is run in a namespace."""
    source = path.read_text(encoding="utf-8")
    return lambda names: exec(compiled(source, "exec"), names)


def record(run: Callable[[Names], None], beside: Path | None = None) -> str:
    """The recording of a run in a fresh `__main__`, in a folder of its own."""
    return record_with_error(run, beside)[0]


def record_with_error(run: Callable[[Names], None], beside: Path | None = None) -> tuple[str, BaseException | None]:
    """The recording, and the exception that ended the run; a script `beside` others finds copies of them."""
    random.seed(0)
    out, warned = io.StringIO(), list[str]()
    error, ended = "", None

    def show(message: Any, category: Any, filename: Any, lineno: int, *_: Any, **__: Any) -> None:
        if str(message).startswith("`torch.jit"):
            return  # PyTorch's own code, at its first use of a module
        plain = re.sub(r" \(Triggered internally at .*\)$", "", str(message), flags=re.DOTALL)
        warned.append(f"{line_now() or lineno}: {category.__name__}: {without_paths(plain)}")

    with (
        tempfile.TemporaryDirectory() as folder,  # for what a script saves
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.resetwarnings()
        warnings.simplefilter("default")
        warnings.showwarning = show
        module = types.ModuleType("__main__")
        if beside is not None:
            shutil.copytree(beside.parent, folder, dirs_exist_ok=True)
            sys.path.insert(0, folder)
            vars(module)["__file__"] = str(Path(folder, beside.name))
        was, sys.modules["__main__"] = sys.modules["__main__"], module  # what dataclasses and pickle look at
        try:
            run(vars(module))
        except SystemExit:
            pass
        except BaseException as raised:
            error, ended = f"{line_of(raised)}: {type(raised).__name__}: {raised}", raised
        finally:
            sys.modules["__main__"] = was
            if beside is not None:
                sys.path.remove(folder)
    return recording_text(out.getvalue(), warned, error), ended


def line_now() -> int | None:
    """The line of the script that runs."""
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename != NAME:
        frame = frame.f_back  # type: ignore[assignment]
    return None if frame is None else frame.f_lineno


def line_of(error: BaseException) -> int | None:
    """The innermost line of the script that the error went through."""
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == NAME:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and not lines:
        return error.lineno
    return lines[-1] if lines else None
