"""Record engine_printing.json: what PyTorch 2.13 prints for arrays of every dtype. Needs torch; the tests do not.

Run it from the root of the repository: `python -m tests.data.record_engine_printing`.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch

from tests.engine.printed_arrays import printed_array, text_by_torch


def plain(numbers: Any) -> Any:
    """Numbers that are not finite as text, which JSON does not know otherwise."""
    return [number if math.isfinite(number) else str(number) for number in numbers]


def case(seed: int) -> dict[str, Any]:
    array, options, suffixes = printed_array(seed)
    text = text_by_torch(torch, array, options, suffixes)
    return {
        "dtype": array.dtype.name, "shape": array.shape, "numbers": plain(array.ravel().tolist()),
        "options": options, "suffixes": suffixes, "text": text,
    }  # fmt: skip


if __name__ == "__main__":
    cases = [case for case in map(case, range(260)) if len(case["numbers"]) < 100]
    text = f'{{"torch": "{torch.__version__}", "printed": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}\n"
    Path(__file__).with_name("engine_printing.json").write_text(text, encoding="utf-8")
