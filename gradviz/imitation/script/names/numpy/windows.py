"""`np.lib.stride_tricks`: looks at an array's own memory by other shapes and strides, and at none beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.memory.sharing import address
from gradviz.errors import TorchError
from gradviz.imitation.script.names.numpy.calls import room, wrapped
from gradviz.imitation.script.values import Namespace


def _strided(x: Any, shape: Any = None, strides: Any = None, **named: Any) -> Any:
    """`as_strided`, within the memory of the array that is given.

    Raises:
        TorchError: the shape and strides reach beyond it.
    """
    array = np.asarray(x)
    if array.dtype.hasobject:
        raise TorchError("as_strided of objects is not supported", kind="TypeError", hint="Use an array of numbers.")
    sizes = array.shape if shape is None else tuple(shape)
    steps = array.strides if strides is None else tuple(strides)
    room(sizes)
    reach = [(int(n) - 1) * int(step) for n, step in zip(sizes, steps, strict=False)]
    first = address(array)
    low, high = np.lib.array_utils.byte_bounds(array)
    start, end = first + sum(min(0, part) for part in reach), first + sum(max(0, part) for part in reach)
    if all(int(n) > 0 for n in sizes) and (start < low or end + array.itemsize > high):
        raise TorchError(
            "as_strided: this shape and these strides reach beyond the memory of the array", kind="ValueError",
            hint="PyTorch's user would read what stands there by chance; count the strides in bytes, array.strides.",
        )  # fmt: skip
    return np.lib.stride_tricks.as_strided(array, sizes, steps, **named)


def _windows(x: Any, window_shape: Any, axis: Any = None, **named: Any) -> Any:
    """`sliding_window_view`: a look, which takes no memory until it is copied."""
    found = np.lib.stride_tricks.sliding_window_view(x, window_shape, axis, **named)
    room(found.shape)
    return found


def members() -> dict[str, Any]:
    """The names."""
    tricks = Namespace("numpy.lib.stride_tricks", {
        "sliding_window_view": wrapped("sliding_window_view", _windows),
        "as_strided": wrapped("as_strided", _strided),
        "broadcast_to": wrapped("broadcast_to", np.broadcast_to),
    })  # fmt: skip
    return {"lib": Namespace("numpy.lib", {"stride_tricks": tricks})}
