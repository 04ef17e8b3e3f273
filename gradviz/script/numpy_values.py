"""Values of numpy that a script holds besides arrays: dtypes, and what makes grids by an index."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from gradviz.engine.creation import check_size
from gradviz.errors import TorchError
from gradviz.script.values import Class


class NumpyType:
    """The dtype of an array."""

    shown_as: ClassVar[str] = "dtype"
    READ = ("name", "kind", "itemsize", "char", "str")
    __slots__ = ("dtype",)

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def __repr__(self) -> str:
        return repr(self.dtype)

    def __str__(self) -> str:
        return str(self.dtype)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumpyType):
            return self.dtype == other.dtype
        if isinstance(other, Class):
            return self.dtype.type in other.python
        return isinstance(other, str) and self.dtype.name == other

    def __hash__(self) -> int:
        return hash(self.dtype)


class Grid:
    """`np.mgrid` and its kin: arrays out of the slices between brackets."""

    __slots__ = ("_maker", "name")

    def __init__(self, name: str, maker: Any) -> None:
        self.name = name
        self._maker = maker

    def __repr__(self) -> str:
        return f"<numpy.{self.name}>"

    def of(self, index: Any) -> Any:
        """What stands between the brackets, made.

        Raises:
            TorchError: something that is no slice of numbers, number or array; or too large.
        """
        parts = index if isinstance(index, tuple) else (index,)
        check_size(tuple(map(_count, parts)))
        return self._maker[index]


def _count(part: Any) -> int:
    if isinstance(part, np.ndarray | list | tuple):
        return int(np.size(part)) or 1
    if isinstance(part, int | float | np.generic):
        return 1
    numbers = (part.start, part.stop, part.step) if isinstance(part, slice) else (None,)
    if not all(each is None or isinstance(each, int | float | complex | np.generic) for each in numbers):
        raise TorchError("a grid is made of slices of numbers", kind="TypeError", hint="Write np.mgrid[0:3, 0:4].")
    start, stop, step = part.start or 0, part.stop or 0, 1 if part.step is None else part.step
    if isinstance(step, complex):
        return int(abs(step))
    return max(0, math.ceil((stop - start) / step)) if step else 0
