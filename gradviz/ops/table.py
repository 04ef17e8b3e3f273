"""All rows of the table, by name: for pictures, checks, and another v through a recorded graph."""

from __future__ import annotations

from collections.abc import Mapping

from gradviz.ops import (
    activation,
    convolution,
    decomposition,
    elementwise,
    embedding,
    image,
    in_place,
    indexing,
    linalg,
    loss,
    norm,
    pooling,
    recurrent,
    reduction,
    shape,
)
from gradviz.ops.op import Op

FAMILIES = (
    elementwise, shape, indexing, reduction, linalg, decomposition, activation, loss, norm, convolution, pooling,
    image, embedding, recurrent, in_place,
)  # fmt: skip
"""The modules that hold rows."""


class Table:
    """Rows by name. Several may share one, e.g. "pow" of a number and of a tensor."""

    def __init__(self, rows: tuple[Op, ...]) -> None:
        self._rows: dict[str, list[Op]] = {}
        for row in rows:
            self.add(row)

    def add(self, row: Op) -> None:
        """Take another row."""
        self._rows.setdefault(row.name, []).append(row)

    def rows(self) -> tuple[Op, ...]:
        """All rows."""
        return tuple([row for same in self._rows.values() for row in same])

    def find(self, name: str, inputs: int, params: Mapping[str, object]) -> Op | None:
        """The row of an op, given how many inputs it has and what its params are; None where there is none."""
        fitting = [row for row in self._rows.get(name, ()) if row.is_variadic or len(row.inputs) == inputs]
        return min(fitting, key=lambda row: len(_params_of(row) ^ params.keys()), default=None)


def _params_of(row: Op) -> set[str]:
    return {name for example in row.examples for name in example.params}


TABLE = Table(tuple([row for family in FAMILIES for row in family.TABLE]))
"""The one table."""
