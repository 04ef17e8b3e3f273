"""Record places.json: where PyTorch 2.13 finds the numbers that it chooses. Needs torch; the tests do not.

Run it from the root of the repository: `python -m tests.data.record_places`.
A row is [k, numbers (null for NaN), {what is asked: places}].
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import torch

LENGTHS = (1, 2, 3, 5, 8, 16, 17, 20, 33, 60, 130, 300)


def chosen(x: torch.Tensor, k: int) -> dict[str, list[int]]:
    """The places, by what is asked for."""
    found = {
        f"topk {largest} {is_sorted}": x.topk(k, 0, largest, is_sorted).indices
        for largest in (True, False)
        for is_sorted in (True, False)
    }
    found |= {"kthvalue": x.kthvalue(k, 0, True).indices, "mode": x.mode(0, True).indices}
    found |= {"median": x.median(0, True).indices, "nanmedian": x.nanmedian(0, True).indices}
    found |= {"cummax": x.cummax(0).indices, "cummin": x.cummin(0).indices}
    found |= {f"sort {falls}": x.sort(dim=0, descending=falls, stable=True).indices for falls in (False, True)}
    return {name: places.tolist() for name, places in found.items()}


def rows() -> Iterator[list[Any]]:
    """Numbers with many ties, some with NaN."""
    random = Random(5)
    for length in LENGTHS:
        for most in (2, 4, 50):
            for chance in (0.0, 0.1, 1.0):
                numbers = [math.nan if random.random() < chance else random.randrange(most) for _ in range(length)]
                k = random.randint(1, length)
                x = torch.tensor(numbers, dtype=torch.float32)
                yield [k, [None if math.isnan(n) else n for n in numbers], chosen(x, k)]


def main() -> None:
    lines = (json.dumps(row, separators=(",", ":")) for row in rows())
    Path(__file__).with_name("places.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
