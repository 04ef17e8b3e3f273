"""Values of numpy that a script holds besides arrays: dtypes, and what makes grids by an index."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.errors.overheard import told
from gradviz.imitation.script.values import Class, no_place

BUILT_IN_DTYPES = {
    "float": np.float64, "int": np.int64, "bool": np.bool_, "str": np.str_, "complex": np.complex128,
    "object": np.object_,
}  # fmt: skip
"""What numpy takes Python's own types for."""


class NumpyType:
    """The dtype of an array."""

    READ = ("name", "kind", "itemsize", "char", "str", "names", "shape", "byteorder", "num", "ndim", "hasobject",
            "alignment", "descr", "isbuiltin", "isnative", "flags")  # fmt: skip
    __slots__ = ("dtype",)

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    @property
    def shown_as(self) -> str:
        """Each dtype is of a class of its own."""
        kind = type(self.dtype)
        return f"{kind.__module__}.{kind.__name__}"

    def __repr__(self) -> str:
        return repr(self.dtype)

    def __str__(self) -> str:
        return str(self.dtype)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumpyType):
            return self.dtype == other.dtype
        if isinstance(other, Class):
            is_meant = self.dtype.type in (*other.python, BUILT_IN_DTYPES.get(other.name))
            return is_meant and self.dtype.kind != "U"  # which has a length besides
        try:
            return isinstance(other, str) and self.dtype == np.dtype(other)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.dtype)


JOINERS = ("r_", "c_")
NUMBERS = (int, float, complex, np.number, np.bool_)


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
            ScriptError: too large; or a text, which numpy reads as names of arrays.
        """
        if isinstance(index, str) and self.name in JOINERS:
            raise ScriptError(f"np.{self.name} of a text is not supported", hint="Join the arrays by np.block.")
        parts = index if isinstance(index, tuple) else (index,)
        check_size(tuple(map(_count, parts)))
        return told(self._maker.__getitem__, index)


class Index:
    """`np.s_`: gives back what stands between the brackets."""

    __slots__ = ("is_tuple", "name")

    def __init__(self, name: str, is_tuple: bool) -> None:
        self.name = name
        self.is_tuple = is_tuple

    def __repr__(self) -> str:
        return f"<numpy.{self.name}>"

    def of(self, index: Any) -> Any:
        """What stands between the brackets; `np.index_exp` makes a tuple of it."""
        return (index,) if self.is_tuple and not isinstance(index, tuple) else index


def _count(part: Any) -> int:
    if isinstance(part, np.ndarray | list | tuple):
        return int(np.size(part)) or 1
    if not isinstance(part, slice):
        return 1
    if not all(each is None or isinstance(each, NUMBERS) for each in (part.start, part.stop, part.step)):
        return 1  # numpy refuses it
    start: Any = part.start or 0
    stop: Any = part.stop or 0
    step: Any = 1 if part.step is None else part.step
    if isinstance(step, complex | np.complexfloating):
        return int(abs(complex(step)))
    if isinstance(start, complex | np.complexfloating) or isinstance(stop, complex | np.complexfloating):
        start, stop = start.real, stop.real
    return max(0, math.ceil((stop - start) / step)) if step else 0


class Walk:
    """`np.nditer`: the places of one or more arrays one by one, and the numbers there."""

    shown_as = "numpy.nditer"
    READ = ("finished", "multi_index", "index", "iterindex", "itersize", "shape", "ndim", "iternext", "reset", "close",
            "operands", "value", "nop")  # fmt: skip

    def __init__(
        self, given: tuple[np.ndarray | None, ...], flags: Any = (), *_: Any, op_flags: Any = None, order: str = "K"
    ) -> None:
        here = [each for each in given if each is not None]
        self.shape = np.broadcast_shapes(*(each.shape for each in here))
        check_size(self.shape)
        made = np.result_type(*here)
        self.operands = tuple(np.empty(self.shape, made) if each is None else each for each in given)
        self.nop, self.ndim, self.itersize = len(given), len(self.shape), math.prod(self.shape)
        self._spread = [
            each if each.shape == self.shape else np.broadcast_to(each, self.shape) for each in self.operands
        ]
        self._axes = _walked_axes(order, self._spread[0])
        self._counts_columns = "f_index" in flags
        self.has_places = "multi_index" in flags
        self.iterindex = 0

    @property
    def index(self) -> int:
        """The place in the order of rows, or of columns where the flag is `f_index`."""
        if self.finished or not self.shape:
            return self.iterindex
        return int(
            np.ravel_multi_index(self._place(self.iterindex), self.shape, order="F" if self._counts_columns else "C")
        )

    @property
    def finished(self) -> bool:
        """Whether it has been everywhere."""
        return self.iterindex >= self.itersize

    @property
    def multi_index(self) -> tuple[int, ...]:
        """Where it is."""
        if not self.has_places:
            raise TorchError("Iterator is not tracking a multi-index", kind="ValueError")
        return self._place(min(self.iterindex, self.itersize - 1))

    def _place(self, count: int) -> tuple[int, ...]:
        """Where it is after so many steps."""
        at = np.unravel_index(count, tuple(self.shape[axis] for axis in self._axes))
        return tuple(int(at[self._axes.index(axis)]) for axis in range(self.ndim))

    def iternext(self) -> bool:
        """Go on."""
        self.iterindex += 1
        return not self.finished

    def reset(self) -> None:
        """Begin anew."""
        self.iterindex = 0

    def close(self) -> None:
        """The array is written to at once, so there is nothing to do."""

    @property
    def value(self) -> Any:
        """The numbers here, as arrays without dims that write into the arrays."""
        found = tuple(map(self.of, range(self.nop)))
        return found[0] if self.nop == 1 else found

    def __iter__(self) -> Iterator[Any]:
        while not self.finished:
            yield self.value
            self.iternext()

    def __enter__(self) -> Walk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def of(self, index: int) -> np.ndarray:
        """What stands between the brackets: `it[0]`, the number here of the first array."""
        if index not in range(-self.nop, self.nop):
            few = "Iterator has only one operand" if self.nop == 1 else f"index {index} is out of bounds"
            raise TorchError(few, kind="IndexError")
        place: Any = (*self._place(self.iterindex), ...)
        here: np.ndarray = self._spread[index][place]
        return here


def _walked_axes(order: str, array: np.ndarray) -> list[int]:
    """The axes from that of the longest steps to that of the shortest, as `order` names them."""
    axes = list(range(array.ndim))
    if order in ("F", "A"):
        is_columns = order == "F" or (array.flags.f_contiguous and not array.flags.c_contiguous)
        return axes[::-1] if is_columns else axes
    if order == "K" and 0 not in array.strides:
        return sorted(axes, key=lambda axis: -abs(array.strides[axis]))
    return axes


class Flat:
    """`array.flat`: the numbers of an array in a row."""

    shown_as: ClassVar[str] = "numpy.flatiter"
    __slots__ = ("_items",)

    def __init__(self, array: np.ndarray) -> None:
        self._items = array.flat

    def of(self, index: Any) -> Any:
        """What stands between the brackets."""
        return told(self._items.__getitem__, index)

    def put(self, index: Any, value: Any) -> None:
        """`array.flat[index] = value`."""
        told(self._items.__setitem__, index, value)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return "<numpy.flatiter object at 0x7f0000000000>"


class Flags:
    """`array.flags`: by attribute, or by name as a dict is. What may be set, and when, numpy says itself."""

    NAMES = ("aligned", "behaved", "c_contiguous", "carray", "contiguous", "f_contiguous", "farray", "fnc", "forc",
             "fortran", "num", "owndata", "writeable", "writebackifcopy")  # fmt: skip
    shown_as: ClassVar[str] = "numpy._core.multiarray.flagsobj"

    def __init__(self, array: np.ndarray) -> None:
        self._flags = array.flags

    def of(self, name: Any) -> bool:
        """`flags["C_CONTIGUOUS"]`."""
        return self._flags[name]

    def put(self, name: Any, value: Any) -> None:
        """`flags["WRITEABLE"] = False`."""
        if isinstance(name, str):
            name.encode("ascii")  # other letters end numpy's own setting in a segmentation fault
        self._flags[name] = bool(value)

    def set(self, name: str, value: Any) -> None:
        """`flags.writeable = False`."""
        if name not in self.NAMES:
            raise no_place(self.shown_as, name)
        setattr(self._flags, name, bool(value))

    def __repr__(self) -> str:
        return repr(self._flags)

    def __getattr__(self, name: str) -> Any:
        if name not in self.NAMES:
            raise AttributeError(name)
        return getattr(self._flags, name)
