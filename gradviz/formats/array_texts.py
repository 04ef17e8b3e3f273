"""Arrays as JSON text. Most arrays of a recording stand in it more than once: what one step sends, another takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import numpy as np

from gradviz.formats.arrays import QUICK_FROM, is_narrow, named, nested, shortened
from gradviz.recording import Array

encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

_AT_ONCE = 8192
"""Numbers worked out together: as many as keep numpy's intermediate results in the processor's cache."""

_PATTERNS = np.array(["%r", "%.9g"], dtype=object)
"""Of a number: the slow one, which also adds the `.0` of a whole number, and the quick one."""


def texts(arrays: Iterable[Array | None]) -> dict[int, str]:
    """The text of each array by its `id`, and that of None; each is worked out once."""
    distinct = {id(array): array for array in arrays if array is not None}
    found = {id(None): "null"}
    for batch in _batches(distinct.values()):
        for array, short in zip(batch, shortened(batch), strict=True):
            found[id(array)] = _text(array, short)
    return found


def _batches(arrays: Iterable[Array]) -> Iterator[list[Array]]:
    batch: list[Array] = []
    size = 0
    for array in arrays:
        if size + array.size > _AT_ONCE and batch:
            yield batch
            batch, size = [], 0
        batch.append(array)
        size += array.size
    if batch:
        yield batch


def _text(array: Array, short: Array) -> str:
    """Of an array, for whose numbers `shortened` gave `short`.

    A narrow number has at most nine digits, but for a few below the quick range, and Python finds nine sooner than it
    finds out how many there are.
    """
    if not short.ndim and short.dtype.kind == "f":
        number = float(short)
        return repr(number) if number - number == 0 else encode(named(number))
    flat = short.ravel()
    if not is_narrow(array) or not flat.size or not np.isfinite(flat).all():
        return encode(nested(short))
    size = np.abs(flat)
    is_quick = (size > QUICK_FROM) & (size != np.rint(size))
    patterns = _PATTERNS[is_quick.astype(np.intp)].tolist()
    for length in reversed(short.shape):
        patterns = [f"[{', '.join(patterns[i : i + length])}]" for i in range(0, len(patterns), length)]
    return str(patterns[0] % tuple(flat.tolist()))
