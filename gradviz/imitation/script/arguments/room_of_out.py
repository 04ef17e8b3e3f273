"""The shape that a target of `out=` has already where a call fails: some kernels make room before they look closer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.shapes import Shape
from gradviz.imitation.engine.tensor import Tensor

Room = Callable[[Sequence[Any]], Shape | None]


def room(name: str, message: str, arguments: Sequence[Any]) -> Shape | None:
    """The shape of the room; None where there is none, or the call fails before.

    Args:
        name: of the function.
        message: why it failed.
        arguments: what it was called with.
    """
    words, shape = ROOMS.get(name, ((), None))
    return shape(arguments) if shape is not None and any(word in message for word in words) else None


def _as(place: int) -> Room:
    """As the argument at a place is."""
    return lambda given: given[place].shape


def _broadcast(given: Sequence[Any]) -> Shape:
    return np.broadcast_shapes(*(x.shape for x in given if isinstance(x, Tensor)))


def _selected(given: Sequence[Any]) -> Shape:
    x, dim, index = given[:3]
    size = list(x.shape)
    size[dim] = index.data.size
    return tuple(size)


def _product(given: Sequence[Any]) -> Shape | None:
    """Of products of batches: those of matrices make room when they have looked."""
    a, b = (x.shape for x in given[:2])
    if len(a) == len(b) == 1:
        return ()
    if max(len(a), len(b)) < 3:
        return None
    return (*np.broadcast_shapes(a[:-2], b[:-2]), *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


_OUTSIDE = ("out of bounds", "out of range")
_OF_NUMBERS = ("1D tensors expected", "inconsistent tensor size")
_SIZES = (*_OF_NUMBERS, "cannot be multiplied", "Expected size for", "size mismatch")
_BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")
ROOMS: dict[str, tuple[tuple[str, ...], Room]] = {
    **dict.fromkeys(("dot", "vdot"), (_OF_NUMBERS, lambda _: ())),
    "matmul": (_SIZES, _product),
    "addmm": (("The expanded size", "expand("), lambda given: (given[1].shape[0], given[2].shape[1])),
    **dict.fromkeys(_BITS, (("not implemented for",), _broadcast)),
    "gather": (("is out of bounds", "Index tensor must", "Size does not match"), _as(2)),
    "take": (("tried to access index",), _as(1)),
    "index_select": ((*_OUTSIDE, "indexing axis dim"), _selected),
    **dict.fromkeys(
        ("scatter", "scatter_add", "scatter_reduce", "index_add", "index_copy", "index_reduce"),
        (("is out of bounds", "index out of range in self"), _as(0)),
    ),
    "bernoulli": (("Expected p_in",), _as(0)),
    **dict.fromkeys(("cummax", "cummin"), (("Dimension out of range",), _as(0))),
}
"""By function the words of the messages that come after the room was made, and its shape."""
