"""Which of several equal numbers is found first: the selection and sorting of the C++ library that PyTorch uses.

`topk`, `median`, `mode` and `kthvalue` give the place of a number. Where numbers are equal, the place depends on the
algorithm alone, so the algorithms are here as they are there, over lists.
Source: nth_element, sort and partial_sort of libstdc++ (stl_algo.h, stl_heap.h); quick_select of PyTorch's Sorting.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Less = Callable[[Any, Any], bool]
"""Whether the first comes before the second."""

_SMALL = 16
"""Parts of so many items are left to insertion."""


def nth_element(a: list[Any], nth: int, less: Less) -> None:
    """Put the item that belongs at a place there, what comes before it before it."""
    first, last = 0, len(a)
    depth = 2 * (len(a).bit_length() - 1)
    while last - first > 3:
        if depth == 0:
            _heap_select(a, first, nth + 1, last, less)
            a[first], a[nth] = a[nth], a[first]
            return
        depth -= 1
        cut = _partition(a, first, last, less)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insertion_sort(a, first, last, less)


def sort(a: list[Any], last: int, less: Less) -> None:
    """Sort the first `last` items."""
    if last < 1:
        return
    waiting = [(0, last, 2 * (last.bit_length() - 1))]
    while waiting:
        first, end, depth = waiting.pop()
        while end - first > _SMALL:
            if depth == 0:
                partial_sort(a, first, end, end, less)
                break
            depth -= 1
            cut = _partition(a, first, end, less)
            waiting.append((cut, end, depth))
            end = cut
    _insertion_sort(a, 0, min(last, _SMALL), less)
    for i in range(_SMALL, last):
        _insert(a, i, less)


def partial_sort(a: list[Any], first: int, middle: int, last: int, less: Less) -> None:
    """Put the items that belong between `first` and `middle` there, in order."""
    _heap_select(a, first, middle, last, less)
    while middle - first > 1:
        middle -= 1
        _pop_heap(a, first, middle, middle, less)


def quick_select(a: list[Any], k: int, above: Less) -> None:
    """Put the item that belongs at place k there; `above` says whether the first comes after the second."""
    left, right = 0, len(a) - 1
    while right > left:
        if right == left + 1:
            if above(a[left], a[right]):
                a[left], a[right] = a[right], a[left]
            return
        _median_of_three(a, left, right, above)
        i, j, pivot = left + 1, right, a[left]
        while True:
            i += 1
            while above(pivot, a[i]):
                i += 1
            j -= 1
            while above(a[j], pivot):
                j -= 1
            if j < i:
                break
            a[i], a[j] = a[j], a[i]
        a[left], a[j] = a[j], a[left]
        left, right = (i if j <= k else left), (j - 1 if j >= k else right)


def _median_of_three(a: list[Any], left: int, right: int, above: Less) -> None:
    middle = left + (right - left) // 2
    a[middle], a[left + 1] = a[left + 1], a[middle]
    for low, high in ((left + 1, right), (left, right), (left + 1, left)):
        if above(a[low], a[high]):
            a[low], a[high] = a[high], a[low]


# ---- parts of them ----


def _partition(a: list[Any], first: int, last: int, less: Less) -> int:
    """Move what is less than a pivot to the front; where the rest begins."""
    _move_median(a, first, first + 1, first + (last - first) // 2, last - 1, less)
    pivot, at, end = a[first], first + 1, last
    while True:
        while less(a[at], pivot):
            at += 1
        end -= 1
        while less(pivot, a[end]):
            end -= 1
        if at >= end:
            return at
        a[at], a[end] = a[end], a[at]
        at += 1


def _move_median(a: list[Any], to: int, i: int, j: int, k: int, less: Less) -> None:
    if less(a[i], a[j]):
        chosen = j if less(a[j], a[k]) else k if less(a[i], a[k]) else i
    else:
        chosen = i if less(a[i], a[k]) else k if less(a[j], a[k]) else j
    a[to], a[chosen] = a[chosen], a[to]


def _insertion_sort(a: list[Any], first: int, last: int, less: Less) -> None:
    for i in range(first + 1, last):
        if less(a[i], a[first]):
            a.insert(first, a.pop(i))
        else:
            _insert(a, i, less)


def _insert(a: list[Any], at: int, less: Less) -> None:
    item = a[at]
    while less(item, a[at - 1]):
        a[at] = a[at - 1]
        at -= 1
    a[at] = item


def _heap_select(a: list[Any], first: int, middle: int, last: int, less: Less) -> None:
    for parent in range((middle - first - 2) // 2, -1, -1):
        _sift(a, first, parent, middle - first, a[first + parent], less)
    for i in range(middle, last):
        if less(a[i], a[first]):
            _pop_heap(a, first, middle, i, less)


def _pop_heap(a: list[Any], first: int, last: int, to: int, less: Less) -> None:
    item, a[to] = a[to], a[first]
    _sift(a, first, 0, last - first, item, less)


def _sift(a: list[Any], first: int, hole: int, size: int, item: Any, less: Less) -> None:
    """Put an item into a heap from a hole on: down to a leaf, then up to where it belongs."""
    top = child = hole
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if less(a[first + child], a[first + child - 1]):
            child -= 1
        a[first + hole] = a[first + child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * (child + 1)
        a[first + hole] = a[first + child - 1]
        hole = child - 1
    while hole > top and less(a[first + (hole - 1) // 2], item):
        a[first + hole] = a[first + (hole - 1) // 2]
        hole = (hole - 1) // 2
    a[first + hole] = item
