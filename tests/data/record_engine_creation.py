"""Record engine_creation.json: what PyTorch 2.13 makes of calls that create tensors. Needs torch; the tests do not.

Run it from the root of the repository: `python -m tests.data.record_engine_creation`.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch

from tests.engine.creating_calls import CALLS, answer

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answers = {call: answer(torch, call) for call in CALLS}
    text = json.dumps({"torch": torch.__version__, "answers": answers}, indent=0)
    Path(__file__).with_name("engine_creation.json").write_text(f"{text}\n", encoding="utf-8")
