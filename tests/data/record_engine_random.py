"""Record engine_random.json: what PyTorch 2.13 draws from a seed. Needs torch; the tests do not.

Run it from the root of the repository, on x86 with AVX2: `python -m tests.data.record_engine_random`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import torch

from tests.engine.random_draws import DRAWS, LONG, Given, calls_in_a_row

SEEDS = (*range(40), -1, 2**32 + 5, 2**63)


def drawn(name: str, given: Given) -> Any:
    return DRAWS[name].theirs(torch, *given)


def sequence(seed: int) -> dict[str, Any]:
    torch.manual_seed(seed)
    calls = [[name, given, drawn(name, given).ravel().tolist()] for name, given in calls_in_a_row(seed)]
    return {"seed": seed, "initial_seed": torch.initial_seed(), "calls": calls}


def digest(name: str, given: Given) -> str:
    torch.manual_seed(2130)
    return hashlib.sha256(drawn(name, given).numpy().tobytes()).hexdigest()


if __name__ == "__main__":
    parts = {
        "sequences": [sequence(seed) for seed in SEEDS],
        "long": [[name, given, digest(name, given)] for name, given in LONG],
    }
    lines = [f'"{key}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]" for key, rows in parts.items()]
    text = f'{{"torch": "{torch.__version__}",\n' + ",\n".join(lines) + "\n}\n"
    Path(__file__).with_name("engine_random.json").write_text(text, encoding="utf-8")
