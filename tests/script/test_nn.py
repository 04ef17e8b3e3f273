"""torch.nn and torch.optim print what PyTorch printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradviz.imitation.script.run import run
from tests.data import module_scripts, nn_scripts, optim_scripts

SCRIPTS = {
    name: (module.START + script, json.loads(path.read_text(encoding="utf-8"))[name])
    for module in (nn_scripts, module_scripts, optim_scripts)
    for path in (Path(str(module.__file__)).with_suffix(".json"),)
    for name, script in module.SCRIPTS.items()
}


@pytest.mark.parametrize(("script", "expected"), SCRIPTS.values(), ids=SCRIPTS)
def test_script_prints_what_pytorch_prints(script: str, expected: str):
    done = run(script)

    assert done.error is None
    assert done.recording.output == expected
