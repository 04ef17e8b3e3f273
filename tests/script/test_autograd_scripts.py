"""Hooks, nodes, derivatives of functions and the like print what PyTorch printed (see data/record_autograd.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.imitation.script.run import run

SCRIPTS = sorted((Path(__file__).parents[1] / "data" / "autograd").glob("*.txt"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_prints_what_pytorch_prints(script: Path):
    done = run(script.read_text(encoding="utf-8"))

    assert done.error is None
    assert done.recording.output == script.with_suffix(".out").read_text(encoding="utf-8")
