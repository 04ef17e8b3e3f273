"""Record programs.json: what PyTorch says of the programs over which it and gradviz once disagreed.

Needs torch 2.13; run from the root: python -m tests.data.record_programs. The random ones have a recorder of their own.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.programs.compare import by_pytorch
from tests.programs.found import FOUND
from tests.programs.prelude import PRELUDE
from tests.programs.search import fill_new_memory

FILE = Path(__file__).with_name("programs.json")

if __name__ == "__main__":
    fill_new_memory("tests.data.record_programs")
    said = {name: by_pytorch(PRELUDE + lines) for name, lines in FOUND.items()}
    FILE.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
