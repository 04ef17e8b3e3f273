"""Record what PyTorch prints for the shipped examples: python tests/data/record_examples.py (needs torch)."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import warnings
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "resources" / "examples"


def record(file: Path) -> dict[str, Any]:
    """What one example prints, and the error that it ends in."""
    torch.set_printoptions(profile="default")
    printed, error = io.StringIO(), None
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            runpy.run_path(str(file))
        except Exception as problem:
            error = f"{type(problem).__name__}: {problem}"
    return {"output": printed.getvalue(), "error": error}


def main() -> None:
    """Write examples.json beside this file."""
    recorded = {"torch": torch.__version__.partition("+")[0]} | {
        "examples": {file.name: record(file) for file in sorted(EXAMPLES.glob("*.py"))}
    }
    (HERE / "examples.json").write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
