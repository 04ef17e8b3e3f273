"""Record what PyTorch prints for the corpus: python tests/corpus/record.py [NAME ...]

Needs torch 2.13, and IPython for the notebooks. Without a name, what has no recording yet is recorded.

A recording is a text of three parts: what was printed, the warnings, and the error that ended the run, each with
the line of the script.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import random
import re
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAME = "corpus-script"
"""The file name under which a script is compiled, by which its own frames are known."""


def sources() -> list[Path]:
    """All scripts and notebooks."""
    return sorted([*(HERE / "scripts").glob("*.py"), *(HERE / "notebooks").glob("*.ipynb")])


def expected(source: Path) -> Path:
    """Where the recording of a script stands."""
    return HERE / "expected" / f"{source.stem}.txt"


def text(output: str, warned: list[str], error: str) -> str:
    """A recording as it is kept: addresses, which no two runs have alike, are put away."""
    whole = f"{output}\n=== warnings\n" + "".join(f"{line}\n" for line in warned) + f"=== error\n{error}\n"
    return re.sub(r"\b0x[0-9a-f]{8,}\b", "0xADDRESS", whole)


def without_paths(warning: str) -> str:
    """A warning without the traceback of anomaly mode, which names files."""
    head, mark, _ = warning.partition("that caused the error:")
    return head + mark


class Shell:
    """Stands where IPython's shell would, and passes over magics."""

    def run_line_magic(self, *_: Any, **__: Any) -> None:
        """Nothing."""

    run_cell_magic = system = getoutput = run_line_magic


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


def record(run: Callable[[dict[str, Any]], None]) -> str:
    """What a run left."""
    import numpy as np
    import torch

    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    torch.utils.hooks.RemovableHandle.next_id = 0
    random.seed(0)
    np.set_printoptions(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False)
    out, warned, error = io.StringIO(), [], ""

    def show(message: Any, category: Any, filename: Any, lineno: int, *_: Any, **__: Any) -> None:
        if str(message).startswith("`torch.jit"):
            return  # PyTorch's own code, at its first use of a module
        plain = re.sub(r" \(Triggered internally at .*\)$", "", str(message), flags=re.DOTALL)
        warned.append(f"{line_now() or lineno}: {category.__name__}: {without_paths(plain)}")

    folder = tempfile.TemporaryDirectory()  # for what a script saves
    with (
        folder as here,
        contextlib.chdir(here),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.resetwarnings()
        warnings.simplefilter("default")
        warnings.showwarning = show
        module = types.ModuleType("__main__")
        was, sys.modules["__main__"] = sys.modules["__main__"], module  # what dataclasses and pickle look at
        try:
            run(vars(module))
        except SystemExit:
            pass
        except BaseException as raised:
            error = f"{line_of(raised)}: {type(raised).__name__}: {raised}"
        finally:
            sys.modules["__main__"] = was
    return text(out.getvalue(), warned, error)


def compiled(source: Any, mode: str) -> Any:
    """Code without what this file itself takes from the future."""
    return compile(source, NAME, mode, dont_inherit=True)


def run_script(path: Path) -> Callable[[dict[str, Any]], None]:
    """How a script is run."""
    source = path.read_text(encoding="utf-8")
    return lambda names: exec(compiled(source, "exec"), names)


def run_notebook(path: Path) -> Callable[[dict[str, Any]], None]:
    """How a notebook is run: cell by cell, the last value of each shown as IPython shows it."""
    from IPython.core.inputtransformer2 import TransformerManager
    from IPython.lib.pretty import pretty

    cells = [
        "".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]  # fmt: skip

    def run(names: dict[str, Any]) -> None:
        names["get_ipython"] = Shell
        names["In"], names["Out"], last = [""], {}, dict.fromkeys(("_", "__", "___"), "")
        names.update(last)
        for cell in filter(str.strip, cells):
            names["In"].append(cell)
            tree = ast.parse(TransformerManager().transform_cell(cell))
            final = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compiled(tree, "exec"), names)
            if final is not None:
                value = eval(compiled(ast.Expression(final.value), "eval"), names)
                if value is not None and not cell.rstrip().endswith(";"):
                    print(pretty(value))
                    kept = {"_": value, "__": last["_"], "___": last["__"]}
                    if all(names.get(name) is was for name, was in last.items()):
                        names.update(kept)
                    last = kept
                    names[f"_{len(names['In']) - 1}"] = names["Out"][len(names["In"]) - 1] = value

    return run


if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    for source in sources():
        if source.stem in wanted or (not wanted and not expected(source).exists()):
            made = run_notebook(source) if source.suffix == ".ipynb" else run_script(source)
            expected(source).write_text(record(made), encoding="utf-8")
            print(source.name)
