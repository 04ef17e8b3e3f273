"""Scripts over ops, and what stands around them, print what PyTorch printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradviz.script.run import run
from tests.data.op_scripts import SCRIPTS, START

RECORDED: dict[str, str] = json.loads(
    (Path(__file__).parents[1] / "data" / "op_scripts.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_prints_what_pytorch_prints(name: str):
    done = run(START + SCRIPTS[name])

    assert done.error is None
    assert done.recording.output == RECORDED[name]
