"""All rows of the table, by name: for pictures, checks, and another v through a recorded graph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

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
from gradviz.ops.foreign import FOREIGN, Foreign
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

    def sign_of(self, name: str) -> str:
        """The sign of an op, of a row or of PyTorch's alone: its own, else that of its family; "" where it has none."""
        return next((each.sign for each in self._known(name) if each.sign), "")

    def kind_of(self, name: str) -> str:
        """What kind of Jacobian an op has, e.g. "sum": its own, else that of its family; "" where it is of none."""
        return next((each.kind for each in self._known(name) if each.kind), "")

    def is_plumbing(self, name: str) -> bool:
        """Whether an op hands its input on as it is."""
        known = self._exactly(name)
        return known is not None and known.is_plumbing

    def left_factor_of(self, name: str) -> int | None:
        """The number of the left one of two matrices that an op multiplies; None of any other op."""
        known = self._exactly(name)
        return None if known is None else known.left_factor

    def _known(self, name: str) -> Iterator[Op | Foreign]:
        for each in (name.rstrip("_"), family(name)):
            known = self._exactly(each)
            if known is not None:
                yield known

    def _exactly(self, name: str) -> Op | Foreign | None:
        rows = self._rows.get(name)
        return rows[0] if rows else _FOREIGN.get(name)


_FOREIGN = {each.name: each for each in FOREIGN}
_DIMS = re.compile(r"(?:_(?:nearest_exact|nearest|linear|bilinear|bicubic|trilinear))?[123]d(?=$|_)")


def family(name: str) -> str:
    """What ops of one kind have in common in their names: "conv" of "conv2d", "solve" of "linalg_solve"."""
    return _DIMS.sub("", name.rstrip("_").removeprefix("linalg_"))


def _params_of(row: Op) -> set[str]:
    return {name for example in row.examples for name in example.params}


TABLE = Table(tuple([row for family in FAMILIES for row in family.TABLE]))
"""The one table."""
