"""Record ops_<family>.json: values, gradients and node names of PyTorch 2.13 by family. Needs torch; the tests do not.

Run it from the root of the repository: `python -m tests.data.record_families [family ...]`. The form of a case is that
of `record_ops`. A line of a family is an expression, or an expression with the inputs it is recorded with.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.data import families, families_losses, families_pictures
from tests.data.families import Family, Given
from tests.data.record_ops import BROADCAST, PLAIN, SPECIAL, UNSAID, arrays, case
from tests.data.record_ops_structure import filled, names
from tests.data.structure_cases import INDICES

FAMILIES = families.FAMILIES | families_losses.FAMILIES | families_pictures.FAMILIES


UNSAID += ("eigvalsh", "lu(", "cond(")


def of_one(expression: str) -> Iterator[dict[str, Any]]:
    """An elementwise function of a: shapes, dtypes, special numbers."""
    for shape in PLAIN:
        yield case(expression, arrays(expression, (shape,), "f8"))
    yield case(expression, arrays(expression, ((8,),), "f4"))
    yield case(expression, arrays(expression, ((8,),), "f4", True), True)


def of_one_with_special_doubles(expression: str) -> Iterator[dict[str, Any]]:
    """The same, with special numbers in float64 too."""
    yield from of_one(expression)
    yield case(expression, arrays(expression, ((8,),), "f8", True), True)


def of_two(expression: str) -> Iterator[dict[str, Any]]:
    """An elementwise function of a and b: broadcasting, promotion, all pairs of special numbers."""
    for shapes, dtypes in BROADCAST:
        yield case(expression, arrays(expression, shapes, dtypes))
    a, b = np.array([[x, y] for x in SPECIAL for y in SPECIAL]).T.copy()
    yield case(expression, {"a": a, "b": b}, True)


def of_grid(expression: str) -> Iterator[dict[str, Any]]:
    """A function of a matrix."""
    for dtype in ("f8", "f4"):
        yield case(expression, arrays(expression, ((2, 3),), dtype))
    yield case(expression, arrays(expression, ((3, 2),), "f8"))


def with_shapes(expression: str, shapes: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    """A function of inputs of these shapes."""
    return case(expression, filled(expression, shapes))


def with_numbers(expression: str, given: Given) -> dict[str, Any]:
    """A function of these numbers; whole numbers are indices."""
    inputs = {name: np.asarray(x) for name, x in zip("abcd", given, strict=False)}
    return case(expression, inputs | {name: index for name, index in INDICES.items() if names(expression, name)})


def cases(family: Family) -> Iterator[dict[str, Any]]:
    """All of one family."""
    kinds = (
        (family.one, of_one_with_special_doubles), (family.short, of_one), (family.two, of_two), (family.grid, of_grid)
    )  # fmt: skip
    for rows, record in kinds:
        for expression in rows:
            yield from record(expression)
    for expression, groups in family.shaped:
        for shapes in groups:
            yield with_shapes(expression, shapes)
    for expression, given in family.given:
        yield with_numbers(expression, given)


def main(names: Sequence[str]) -> None:
    warnings.simplefilter("ignore")
    for name in names or FAMILIES:
        rows = (json.dumps(row, allow_nan=False, separators=(",", ":")) for row in cases(FAMILIES[name]))
        text = f'{{"torch": "{torch.__version__}",\n"cases": [\n' + ",\n".join(rows) + "\n]}\n"
        Path(__file__).with_name(f"ops_{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
