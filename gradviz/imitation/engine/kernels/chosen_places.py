"""Where the numbers stand that `topk`, `median`, `kthvalue`, `mode`, `sort` and `cummax` choose, as PyTorch finds them.

Each function takes rows, chosen along the last axis, and gives places in them. NaN counts as larger than any number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.kernels.selection import nth_element, partial_sort, quick_select, sort

MOST = 50_000
"""Of more numbers the first of several equal ones is taken: to follow PyTorch would take seconds."""

Item = tuple[Any, int]
"""A number and its place."""


def _above(a: Item, b: Item) -> bool:
    return bool((a[0] != a[0] and b[0] == b[0]) or a[0] > b[0])


def _below(a: Item, b: Item) -> bool:
    return bool((a[0] == a[0] and b[0] != b[0]) or a[0] < b[0])


def in_order(x: Any, descending: bool) -> Any:
    """Places in order; equal numbers stay in theirs."""
    if not descending:
        return np.argsort(x, axis=-1, kind="stable")
    turned = np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return x.shape[-1] - 1 - turned


def each_row(x: Any, count: int, choose: Callable[[Any], Any]) -> Any:
    """`count` places for each row."""
    rows = x.reshape(-1, x.shape[-1])
    found = np.zeros((len(rows), count), np.int64)
    for row, places in zip(rows, found, strict=True):
        places[:] = choose(row)
    return found.reshape(*x.shape[:-1], count)


def _same(a: Any, b: Any) -> Any:
    return (a == b) | ((a != a) & (b != b))


def nth_number(flat: Any, nth: int) -> Any:
    """The number at a place in order; of zeros with both signs the one that PyTorch's selection leaves there."""
    found = np.partition(flat, nth)[nth]
    if found or flat.dtype.kind != "f" or flat.size > MOST or len(set(np.signbit(flat[flat == 0]))) < 2:
        return found
    items = _items(flat)
    nth_element(items, nth, _below)
    return flat[items[nth][1]]


# ---- topk ----


def topk(x: Any, k: int, largest: bool, is_sorted: bool) -> Any:
    """Places of the k largest or smallest."""
    order = in_order(x, largest)
    seen = np.take_along_axis(x, order[..., : k + 1], -1)
    is_plain = is_sorted and not _same(seen[..., 1:], seen[..., :-1]).any()
    if is_plain or k < 1 or x.size > MOST:
        return order[..., :k]
    return each_row(x, k, lambda row: _top_of(row, k, _above if largest else _below, is_sorted))


def _top_of(row: Any, k: int, first: Any, is_sorted: bool) -> list[int]:
    items = _items(row)
    if k * 64 <= len(items):
        partial_sort(items, 0, k, len(items), first)
    else:
        nth_element(items, k - 1, first)
        if is_sorted:
            sort(items, k - 1, first)
    return [place for _, place in items[:k]]


def _items(row: Any) -> list[Item]:
    return list(zip(row.tolist(), range(len(row)), strict=True))


# ---- one of the row ----


def kth(x: Any, k: int) -> Any:
    """Place of the k-th smallest, from 1."""
    places = in_order(x, False)[..., k - 1 : k]
    is_one_of_several = _same(x, np.take_along_axis(x, places, -1)).sum(-1) > 1
    if not is_one_of_several.any() or x.size > MOST:
        return places
    return each_row(x, 1, lambda row: _kth_of(row, k))


def _kth_of(row: Any, k: int) -> int:
    items = _items(row)
    quick_select(items, k - 1, _above)
    return items[k - 1][1]


def median(x: Any, skips_nan: bool) -> Any:
    """Place of the lower one of the two in the middle; the first NaN, or that of the numbers that are none."""
    nans = np.isnan(x) if x.dtype.kind in FLOATING else np.zeros(x.shape, np.bool_)
    count = x.shape[-1] - nans.sum(-1, keepdims=True) * skips_nan
    places = np.take_along_axis(in_order(x, False), np.maximum(count - 1, 0) // 2, -1)
    if not nans.any():
        return places
    if skips_nan:
        return np.where(nans.all(-1, keepdims=True), _of_equals(x.shape[-1]), places)
    return np.where(nans.any(-1, keepdims=True), nans.argmax(-1)[..., None], places)


def _of_equals(count: int) -> int:
    """What comes first in a row where no number is less than another."""
    places = list(range(count))
    if 0 < count <= MOST:
        nth_element(places, 0, lambda *_: False)
    return places[0] if places else 0


def mode(x: Any) -> Any:
    """Place of the most frequent number, the smallest of several, and of those that are equal the last one found."""
    if x.size <= MOST and (x.shape[-1] > 16 or not (x == x).all()):
        return each_row(x, 1, _mode_of)
    order = in_order(x, False)
    ordered = np.take_along_axis(x, order, -1)
    numbers = np.arange(x.shape[-1])
    is_start = np.ones(x.shape, np.bool_)
    is_start[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    starts = np.maximum.accumulate(np.where(is_start, numbers, 0), axis=-1)
    return np.take_along_axis(order, np.argmax(numbers - starts, axis=-1)[..., None], -1)


def _mode_of(row: Any) -> int:
    items = _items(row)
    sort(items, len(items), lambda a, b: a[0] < b[0])
    best, most, start = 0, 0, 0
    for i, (value, place) in enumerate(items):
        if i + 1 == len(items) or value != items[i + 1][0]:
            if i + 1 - start > most:
                best, most = place, i + 1 - start
            start = i + 1
    return best


def extremes(x: Any, largest: bool) -> Any:
    """For each number the place of the largest or smallest up to it, the last one of several; a NaN is kept."""
    if not x.shape[-1]:
        return np.zeros(x.shape, np.int64)
    best = (np.maximum if largest else np.minimum).accumulate(x, axis=-1)
    places = np.where(_same(x, best), np.arange(x.shape[-1]), 0)
    return np.maximum.accumulate(places, axis=-1)


__all__ = ["extremes", "in_order", "kth", "median", "mode", "topk"]
