"""Record ops_structure.json: shape, indexing, linear algebra and networks, as `record_ops`. Needs torch.

Run it from the root of the repository: `python -m tests.data.record_ops_structure`.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from tests.data.record_ops import UNSAID, Shapes, arrays, case
from tests.data.structure_cases import GRIDS, INDICES, PARTS, SHAPED, SPECIAL
from tests.engine import with_torch

NEURAL = (
    "embedding", "batch_norm", "instance_norm", "max_pool1d", "adaptive_max_pool1d", "adaptive_max_pool2d",
)  # fmt: skip


def _method(name: str) -> Any:
    return lambda x, *arguments, **named: getattr(x, name)(*arguments, **named)


METHODS = ("repeat", "unfold", "masked_fill", "scatter", "index_fill", "index_copy", "index_add", "index_put")
with_torch.NAMES |= {name: getattr(torch.nn.functional, name) for name in NEURAL}
with_torch.NAMES |= {name: _method(name) for name in METHODS}
with_torch.NAMES |= {"linalg": torch.linalg}


UNSAID += PARTS


def filled(expression: str, shapes: Shapes, dtypes: str = "f8 f8 f8") -> dict[str, Any]:
    """Inputs a, b, c, and i, j: the indices that the expression names."""
    found = arrays(expression, shapes, dtypes)
    return found | {name: index for name, index in INDICES.items() if names(expression, name)}


def names(expression: str, name: str) -> bool:
    """Whether an expression uses a name."""
    return name in compile(expression, "", "eval").co_names


def cases() -> Iterator[dict[str, Any]]:
    """All of them."""
    for expression in GRIDS:
        yield case(expression, filled(expression, ((2, 3),)))
        yield case(expression, filled(expression, ((2, 3),), "f4 f4 f4"))
    for expression, groups in SHAPED:
        for shapes in groups:
            yield case(expression, filled(expression, shapes))
            yield case(expression, filled(expression, shapes, "f4 f4 f4"))
    for expression, given in SPECIAL:
        yield case(expression, given)


def main() -> None:
    warnings.simplefilter("ignore")
    rows = ",\n".join(json.dumps(row, allow_nan=False, separators=(",", ":")) for row in cases())
    text = f'{{"torch": "{torch.__version__}",\n"cases": [\n{rows}\n]}}\n'
    Path(__file__).with_name("ops_structure.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
