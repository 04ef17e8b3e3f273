"""Scripts for numpy run as a reader runs them: by a Python that finds numpy and nothing of gradviz."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from gradviz.playback.words import label
from gradviz.recording import Recording

RUN = """
import contextlib, io, json, runpy, sys
for path in sys.stdin:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        space = runpy.run_path(path.rstrip("\\n"))
    foreign = {name.split(".")[0] for name in sys.modules} - set(sys.stdlib_module_names) - {"numpy", "__main__"}
    found = {name: [str(g.dtype), g.shape, g.tolist()] for name, g in space["gradients"].items()}
    ours = sorted(name for name in foreign if name.startswith(("gradviz", "torch")))
    print(json.dumps([printed.getvalue(), found, ours]), flush=True)
"""


@contextmanager
def interpreter_of_numpy() -> Iterator[subprocess.Popen[str]]:
    """It finds numpy and nothing of gradviz, and runs each script whose path it is told."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-I", "-c", RUN], text=True, **pipes) as process:
        yield process
        _, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")


def replayed(text: str, interpreter: subprocess.Popen[str], folder: Path) -> dict[str, np.ndarray]:
    """The gradients of a script."""
    (folder / "replay.py").write_text(text, encoding="utf-8")
    interpreter.stdin.write(f"{folder / 'replay.py'}\n")
    interpreter.stdin.flush()
    answer = interpreter.stdout.readline()
    assert answer, interpreter.stderr.read()
    printed, found, foreign = json.loads(answer)
    assert foreign == []
    assert all(f"{name} = " in printed for name in found)
    return {name: np.array(numbers, dtype).reshape(shape) for name, (dtype, shape, numbers) in found.items()}


def expected(recording: Recording, sweep: int) -> dict[str, np.ndarray]:
    call = recording.sweeps[sweep]
    if call.accumulated:
        return {f"{label(recording, entry.node)}.grad": entry.after for entry in call.accumulated}
    ends = [step for step in call.steps if recording.nodes[step.node].is_leaf]
    return {f"dL/d{label(recording, step.node)}": step.incoming for step in ends}


def assert_same(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    assert found.keys() == wanted.keys()
    assert found
    for name, gradient in wanted.items():
        assert (found[name].dtype, found[name].shape) == (gradient.dtype, gradient.shape), name
        np.testing.assert_allclose(found[name], gradient, rtol=2e-5, atol=1e-6, err_msg=name)
