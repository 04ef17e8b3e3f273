"""Record engine_data.json: the batches that PyTorch 2.13 makes from seed 0. Needs torch; the tests do not.

Run it from the root of the repository: `python -m tests.data.record_engine_data`.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
import torch.utils.data

from tests.engine.loading_data import texts

if __name__ == "__main__":
    text = json.dumps({"torch": torch.__version__, "texts": list(texts(torch))}, indent=0)
    Path(__file__).with_name("engine_data.json").write_text(f"{text}\n", encoding="utf-8")
