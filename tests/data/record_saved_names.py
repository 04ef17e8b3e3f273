"""Record what PyTorch's backward nodes keep, by name: python tests/data/record_saved_names.py

Needs torch 2.13. Writes gradviz/imitation/script/tensors/saved_names.txt: a row for each class of nodes, with a star after the
name of what is a tensor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "gradviz" / "imitation" / "script" / "tensors" / "saved_names.txt"


def row(name: str, cls: Any) -> str:
    """A class and the names of what it keeps."""
    listed = dir(cls)
    kept = [each.removeprefix("_saved_") for each in listed if each.startswith("_saved_")]
    return " ".join([name, *(each + "*" * (f"_raw_saved_{each}" in listed) for each in kept)])


if __name__ == "__main__":
    import torch

    nodes = torch._C._functions
    rows = [row(name, getattr(nodes, name)) for name in dir(nodes) if not name.startswith("_")]
    TARGET.write_text("".join(f"{each}\n" for each in rows), encoding="utf-8")
