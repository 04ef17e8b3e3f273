"""How each engine runs a script of the corpus, in a process of its own: python -m tests.corpus.engines ENGINE FILE

Prints an `Answer` as JSON.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import MagicMock

from gradviz.errors import GradvizError
from gradviz.recording import Source
from gradviz.run.host import Host
from gradviz.run.job import Job, Limits
from gradviz.source.files import read_source
from gradviz.source.notebook import cell_place, split_cells
from tests.corpus.capture import Names, compiled, record_with_error
from tests.corpus.corpus import recording_text, without_paths

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 20
MEMORY = 6 << 30
"""Bytes of address space."""

TORCH = (
    "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.rnn", "torch.nn.parameter",
    "torch.nn.modules", "torch.optim", "torch.optim.optimizer", "torch.optim.lr_scheduler", "torch.utils",
    "torch.utils.data", "torch.autograd", "torch.autograd.function", "torch.autograd.functional", "torch.func",
    "torch.distributions", "torch.linalg", "torch.testing", "torch.random",
)  # fmt: skip
"""Names that scripts import; those that the engine has are registered under them."""


class Answer(NamedTuple):
    """What an engine made of a script.

    Attributes:
        recording: in the form of those of PyTorch.
        refusal: the sentence where the engine refused the script, with its line, or "".
        failure: what kept the script from being run to an end, such as a time limit, or "".
    """

    recording: str
    refusal: str = ""
    failure: str = ""


def library(path: Path) -> Answer:
    """Plain Python with `gradviz.engine` in the place of torch."""
    install_engine_as_torch()
    beyond: type[Exception] = importlib.import_module("gradviz.engine.errors").Beyond
    run = notebook_run(path) if path.suffix == ".ipynb" else refusing_run(path, beyond)
    recording, error = record_with_error(run)
    if isinstance(error, beyond):
        return Answer(recording, recording.rpartition("=== error\n")[2].strip())
    return Answer(recording)


def refusing_run(path: Path, beyond: type[Exception]) -> Callable[[Names], None]:
    """How a script is run so that its own `except` does not hide that it needs what the engine does not have."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.handlers:
            handler = ast.ExceptHandler(ast.Name("__beyond__", ast.Load()), None, [ast.Raise()])
            node.handlers.insert(0, ast.copy_location(handler, node.handlers[0]))
    code = compiled(ast.fix_missing_locations(tree), "exec")

    def run(names: Names) -> None:
        names["__beyond__"] = beyond
        exec(code, names)

    return run


def install_engine_as_torch() -> None:
    """Let `import torch` and the modules in it find those of the engine, and matplotlib a silent stand-in."""
    engine = importlib.import_module("gradviz.engine")
    sys.modules["torch"] = engine
    for name in TORCH:
        found: Any = engine
        for part in name.split(".")[1:]:
            found = getattr(found, part, None)
        if found is not None:
            sys.modules[name] = found if isinstance(found, ModuleType) else _as_module(name, found)
    if importlib.util.find_spec("matplotlib") is None:
        sys.modules["matplotlib"] = MagicMock()
        sys.modules["matplotlib.pyplot"] = sys.modules["matplotlib"].pyplot


def _as_module(name: str, holder: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update({key: getattr(holder, key) for key in dir(holder) if not key.startswith("__")})
    return module


def notebook_run(path: Path) -> Callable[[Names], None]:
    """How a notebook is run: cell by cell, the last value of each shown by its repr."""
    cells = split_cells(read_source(path).text)

    def run(names: Names) -> None:
        for cell in cells:
            tree = ast.parse(cell.text)
            final = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compiled(tree, "exec"), names)
            if final is not None:
                value = eval(compiled(ast.Expression(final.value), "eval"), names)
                if value is not None and not cell.text.rstrip().endswith(";"):
                    names["_"] = value
                    print(repr(value))

    return run


def builtin(path: Path, host: Host | None = None) -> Answer:
    """The built-in engine as users have it: in a confined process of the host."""
    if host is None:
        with Host(keeps_spare=False) as host:
            return builtin(path, host)
    source = read_source(path)
    limits, folder = Limits(SECONDS), str(path.resolve().parent)
    job = Job(source.text, source.name, source.kind, limits, seed=0, wants_recording=False, folder=folder)
    printed: list[str] = []
    try:
        done = host.run(job, on_output=printed.append)
    except GradvizError as error:
        return Answer(recording_text("".join(printed), [], ""), failure=error.one_line())
    problem, warnings = done.problem, done.warnings
    done.close()
    output = "".join(printed)
    warned = [f"{line_in_cell(source, each.line)}: {each.category}: {without_paths(each.message)}" for each in warnings]
    if problem is None:
        return Answer(recording_text(output, warned, ""))
    if _EXCEPTION.match(problem.message) and "beyond the built-in engine" not in problem.message:
        error = f"{line_in_cell(source, problem.line)}: {problem.message}"
        return Answer(recording_text(output, warned, error))
    return Answer(recording_text(output, warned, ""), f"{problem.line}:{problem.column}: {problem.message}")


_EXCEPTION = re.compile(r"\w+(?:: |:?$)")
"""How the message of a problem begins that is an exception of the script; sentences of gradviz have other words."""


def line_in_cell(source: Source, line: int | None) -> int | None:
    """The line that a recording names: in a notebook, lines are counted in each cell."""
    place = cell_place(source.text, line) if source.kind == "notebook" and line is not None else None
    return line if place is None else place[1]


ENGINES: dict[str, Callable[[Path], Answer]] = {"library": library, "builtin": builtin}


def ask(engine: str, path: Path) -> Answer:
    """Run a script in a process of its own; what goes wrong there is part of the answer."""
    command = [sys.executable, "-m", "tests.corpus.engines", engine, str(path)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    nothing = recording_text("", [], "")
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=SECONDS, env=environment, stdin=subprocess.DEVNULL, cwd=ROOT,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Answer(nothing, failure=f"not done after {SECONDS} s")
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().split("\n")
        return Answer(nothing, failure=f"exit code {done.returncode}: {lines[-1]}")
    return Answer(*json.loads(done.stdout))


if __name__ == "__main__":
    try:
        import resource
    except ImportError:  # Windows
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    engine, file = sys.argv[1:]
    sys.argv = [Path(file).name]
    print(json.dumps(ENGINES[engine](Path(file))))
