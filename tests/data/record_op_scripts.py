"""Record what PyTorch prints for the scripts of op_scripts.py: python tests/data/record_op_scripts.py (needs torch)."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from pathlib import Path

from op_scripts import SCRIPTS, START


def printed(script: str) -> str:
    """What a script prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(START + script, "script.py", "exec"), {"__name__": "__main__"})
    return out.getvalue()


if __name__ == "__main__":
    recorded = {name: printed(script) for name, script in SCRIPTS.items()}
    Path(__file__).with_name("op_scripts.json").write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
