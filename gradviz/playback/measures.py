"""How large everything is that flows at each position: norms, and whether NaN or infinity is among the numbers.

Measured when first asked for, and only where asked: a tick of playback costs as much as the steps it passes, a search
through all of them one pass over the numbers. Small arrays are measured many at a time, since a call of numpy for
each of ten thousand scalars would take longer than all else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gradviz.playback.numbers import figures
from gradviz.recording import Array, Known, Step, Summary, Sweep

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Ranks = np.ndarray[Any, np.dtype[np.int64]]

_LARGE = 1 << 15
"""Elements from which an array is measured by itself."""
_CHUNK = 1 << 19
"""Elements that are put in one row at a time."""


class Measures:
    """Figures by position of two passes, each array of shape (length + 1,).

    Attributes:
        norms: of the value in the forward pass, of the incoming gradient in the backward pass; nan where there is none.
        out_low, out_high: the least and greatest norm of an outgoing gradient; nan where there is none.
        has_nan, has_inf: whether NaN or infinity is among the numbers of any of them.

    Args:
        values: what each step of the forward pass computes, in their order; None where it is not recorded.
        call: the backward pass, or None.
    """

    def __init__(self, values: Sequence[Known], call: Sweep | None) -> None:
        self._values, self._call = values, call
        self._steps: Sequence[Step] = () if call is None else call.steps
        count = len(values) + len(self._steps) + 1
        self.norms: Floats = np.full(count, np.nan)
        self.out_low: Floats = np.full(count, np.nan)
        self.out_high: Floats = np.full(count, np.nan)
        self.has_nan: Flags = np.zeros(count, dtype=np.bool_)
        self.has_inf: Flags = np.zeros(count, dtype=np.bool_)
        self._known: Flags = np.zeros(count, dtype=np.bool_)
        self._known[0] = True

    @cached_property
    def _elements(self) -> Ranks:
        """How many numbers flow at each position."""
        return np.array([sum(_size(a) for a in self._arrays(p)) for p in range(len(self._known))], dtype=np.int64)

    @property
    def is_complete(self) -> bool:
        """Whether everything is measured."""
        return bool(self._known.all())

    @property
    def missing(self) -> int:
        """How many numbers have not been measured yet."""
        return int(self._elements[~self._known].sum())

    def cover(self, positions: Ranks, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Measure what is not known yet at some positions, 0..length."""
        todo = positions[~self._known[positions]]
        first = 0
        ends = np.cumsum(self._elements[todo]) if len(todo) > 1 else np.zeros(len(todo), dtype=np.int64)
        while first < len(todo) and not cancelled():
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + _CHUNK, side="right")))
            self._measure(todo[first:last])
            first = last

    def _arrays(self, position: int) -> list[Array | Summary]:
        """The value, or the incoming gradient and the outgoing ones after it."""
        if position <= len(self._values):
            value = self._values[position - 1] if position else None
            return [] if value is None else [value]
        call = self._call
        assert call is not None
        step = self._steps[position - len(self._values) - 1]
        if not call.summaries.incoming and not call.summaries.outgoing:
            return [gradient for gradient in (step.incoming, *step.outgoing) if gradient is not None]
        sent = [call.outgoing(step, slot) for slot in range(len(step.outgoing))]
        return [gradient for gradient in (call.incoming(step), *sent) if gradient is not None]

    def _measure(self, positions: Ranks) -> None:
        found = [self._arrays(position) for position in positions.tolist()]
        counts = [len(arrays) for arrays in found]
        norms, nans, infs = measured([array for arrays in found for array in arrays])
        at = np.repeat(positions, counts)
        lead = np.zeros(len(at), dtype=np.bool_)
        has_lead = np.array([self._has_lead(position) for position in positions.tolist()], dtype=np.bool_)
        starts = np.cumsum(counts) - counts
        lead[starts[has_lead & (np.array(counts) > 0)]] = True
        self.norms[at[lead]] = norms[lead]
        out = ~lead
        np.fmin.at(self.out_low, at[out], norms[out])
        np.fmax.at(self.out_high, at[out], norms[out])
        self.has_nan[at[nans]] = True
        self.has_inf[at[infs]] = True
        self._known[positions] = True

    def _has_lead(self, position: int) -> bool:
        turn, call = len(self._values), self._call
        return position <= turn or (call is not None and call.incoming(self._steps[position - turn - 1]) is not None)


def _size(array: Array | Summary) -> int:
    return 1 if isinstance(array, Summary) else array.size


def measured(given: Sequence[Array | Summary]) -> tuple[Floats, Flags, Flags]:
    """Norm, whether there is NaN, and whether there is infinity, of each array; of a summary what it says."""
    arrays = [array for array in given if not isinstance(array, Summary)]
    if len(arrays) == len(given):
        return _measured(arrays)
    norms, nans, infs = np.full(len(given), np.nan), np.zeros(len(given), np.bool_), np.zeros(len(given), np.bool_)
    kept = np.array([not isinstance(array, Summary) for array in given], dtype=np.bool_)
    norms[kept], nans[kept], infs[kept] = _measured(arrays)
    for at, summary in enumerate(given):
        if isinstance(summary, Summary):
            norms[at] = np.nan if summary.norm is None else summary.norm
            nans[at], infs[at] = bool(summary.nan), bool(summary.inf)
    return norms, nans, infs


def _measured(arrays: Sequence[Array]) -> tuple[Floats, Flags, Flags]:
    norms = np.zeros(len(arrays))
    nans, infs = np.zeros(len(arrays), dtype=np.bool_), np.zeros(len(arrays), dtype=np.bool_)
    single = [index for index, array in enumerate(arrays) if not array.shape]
    if single:
        norms[single] = sizes_of = np.abs(np.array([arrays[index] for index in single])).astype(np.float64)
        nans[single], infs[single] = np.isnan(sizes_of), np.isinf(sizes_of)
    small = [index for index, array in enumerate(arrays) if array.shape and 0 < array.size < _LARGE]
    if small:
        sizes = np.array([arrays[index].size for index in small])
        starts = np.cumsum(sizes) - sizes
        numbers = np.concatenate([_real(arrays[index]) for index in small], dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            norms[small] = np.sqrt(np.add.reduceat(np.square(numbers), starts))
        if not np.isfinite(norms[small]).all():
            nans[small] = np.logical_or.reduceat(np.isnan(numbers), starts)
            infs[small] = np.logical_or.reduceat(np.isinf(numbers), starts)
    odd = np.isinf(norms) & ~infs  # only the squares were too large
    for index, array in enumerate(arrays):
        if array.size >= _LARGE or odd[index]:
            known = figures(array)
            norms[index], nans[index], infs[index] = known.norm, known.nan > 0, known.inf > 0
    return norms, nans, infs


def _real(array: Array) -> np.ndarray[Any, np.dtype[Any]]:
    return np.abs(array).ravel() if array.dtype.kind == "c" else array.ravel()
