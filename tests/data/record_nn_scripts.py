"""Record what PyTorch prints for the scripts of nn_scripts.py and module_scripts.py. Needs torch.

Run it from the root of the repository: `python -m tests.data.record_nn_scripts`.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from pathlib import Path

from tests.data import module_scripts, nn_scripts, optim_scripts


def printed(script: str) -> str:
    """What a script prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(script, "script.py", "exec"), {"__name__": "__main__"})
    return out.getvalue()


if __name__ == "__main__":
    for module in (nn_scripts, module_scripts, optim_scripts):
        recorded = {key: printed(module.START + script) for key, script in module.SCRIPTS.items()}
        Path(str(module.__file__)).with_suffix(".json").write_text(
            json.dumps(recorded, indent=1) + "\n", encoding="utf-8"
        )
