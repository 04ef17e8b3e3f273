"""Record sums.json: what PyTorch 2.13 gives for the sums of sum_cases.py. Needs torch; the tests do not.

Run it from the root of the repository: `python -m tests.data.record_sums`.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.data.sum_cases import LAYOUTS, array


def main() -> None:
    torch.set_num_threads(1)
    rows = []
    for dtype in ("float32", "float64"):
        for layout in LAYOUTS:
            out = torch.from_numpy(array(layout, dtype)).sum(layout.axes).reshape(-1)
            rows.append(json.dumps([float(str(number)) for number in out.numpy()[:40]]))
    Path(__file__).with_name("sums.json").write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
