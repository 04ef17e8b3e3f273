"""Record what PyTorch says of the programs: python tests/data/record_programs.py [NUMBER OF RANDOM ONES]

Needs torch 2.13; run from the root with PYTHONPATH set to it. With a number, so many random programs are written
anew, and those kept over which both agree: what differs is to be mended, and stands in tests/programs/found.py.
Without one the programs stay and are recorded again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.programs.compare import by_pytorch
from tests.programs.found import FOUND
from tests.programs.generate import program
from tests.programs.prelude import PRELUDE
from tests.programs.search import difference
from tests.programs.writer import script

FILE = Path(__file__).with_name("programs.json")

if __name__ == "__main__":
    if len(sys.argv) > 1:
        made = (program(f"kept-{number}") for number in range(int(sys.argv[1])))
        written = ["\n".join(chunks) for chunks in made if difference(chunks) is None]
    else:
        written = [each["lines"] for each in json.loads(FILE.read_text(encoding="utf-8"))["random"]]
    recorded = {
        "found": {name: by_pytorch(PRELUDE + lines) for name, lines in FOUND.items()},
        "random": [{"lines": lines, "said": by_pytorch(script([lines]))} for lines in written],
    }
    FILE.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
