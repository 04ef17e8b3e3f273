"""Record engine_distributions.json: what PyTorch 2.13 answers to calls of distributions. The tests need no torch.

Run it from the root of the repository: `python -m tests.data.record_engine_distributions`.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.engine.distribution_calls import CALLS, answer

if __name__ == "__main__":
    answers = {call: answer(torch, call) for call in CALLS}
    text = json.dumps({"torch": torch.__version__, "answers": answers}, indent=0)
    Path(__file__).with_name("engine_distributions.json").write_text(f"{text}\n", encoding="utf-8")
