"""Record digits.json: marks of what PyTorch 2.13 gives for digit_cases.py. Needs torch; the tests do not.

Run it from the root of the repository: `python -m tests.data.record_digits`.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.data.digit_cases import EXACT, NEAR, NEAR_IN_FLOAT64, numbers, seeded
from tests.engine.with_torch import evaluate


def bits(x: Any) -> bytes:
    """The bits of floating point numbers."""
    return np.ascontiguousarray(x.detach().numpy()).tobytes()


def mark(x: Any) -> str:
    """A mark by which the bits of many numbers are told from any others."""
    return blake2b(bits(x), digest_size=8).hexdigest()


def main() -> None:
    torch.set_num_threads(2)  # as on the machine whose order of adding is taken
    exact = []
    for expression, shapes in EXACT:
        names = zip("abc", shapes, strict=False)
        tensors = {n: torch.from_numpy(numbers(s, i)).requires_grad_() for i, (n, s) in enumerate(names)}
        y = evaluate(expression, tensors)
        y.backward(torch.from_numpy(seeded(tuple(y.shape))))
        exact.append([mark(y), *(mark(x.grad) for x in tensors.values())])
    near = [bits(evaluate(f, {"a": torch.from_numpy(numbers((500,), 7))})).hex() for f in NEAR]
    double = [
        bits(evaluate(f, {"a": torch.from_numpy(numbers(shape, 7)).double()})).hex() for f, shape in NEAR_IN_FLOAT64
    ]
    spaced = [mark(torch.linspace(*ends)) for ends in ((-1, 1, 7), (0, 3, 50), (0.1, 0.7, 33))]
    found = {"exact": exact, "near": near, "double": double, "linspace": spaced}
    Path(__file__).with_name("digits.json").write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
