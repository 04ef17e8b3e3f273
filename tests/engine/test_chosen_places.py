"""Of equal numbers the one that PyTorch finds is chosen; data/places.json holds what PyTorch 2.13 chose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.kernels import chosen_places as chosen
from gradviz.imitation.engine.kernels.selection import nth_element, partial_sort, quick_select, sort

ROWS: list[Any] = json.loads((Path(__file__).parents[1] / "data" / "places.json").read_text(encoding="utf-8"))


def ours(name: str, x: Any, k: int) -> Any:
    kind, *flags = name.split()
    yes = [flag == "True" for flag in flags]
    if kind == "topk":
        return chosen.topk(x, k, *yes)
    if kind in ("cummax", "cummin"):
        return chosen.extremes(x, kind == "cummax")
    if kind in ("median", "nanmedian"):
        return chosen.median(x, kind == "nanmedian")
    if kind == "sort":
        return chosen.in_order(x, *yes)
    return chosen.kth(x, k) if kind == "kthvalue" else chosen.mode(x)


@pytest.mark.parametrize("name", ROWS[0][2])
def test_places_are_those_of_pytorch(name: str):
    for k, numbers, recorded in ROWS:
        x = np.array([np.nan if n is None else n for n in numbers], np.float32)

        assert ours(name, x, k).tolist() == recorded[name], (k, numbers)


def test_places_in_each_row_are_those_of_the_row_alone():
    x = np.array([[2, 2, 1, 2, 1], [0, 0, 0, 3, 3]], np.float32)

    for name in ROWS[0][2]:
        alone = [ours(name, row, 2).tolist() for row in x]

        assert ours(name, x, 2).tolist() == alone


def test_very_many_equal_numbers_are_chosen_from_at_once():
    x = np.zeros(60_000, np.float32)

    assert chosen.topk(x, 3, True, True).tolist() == [0, 1, 2]
    assert chosen.kth(x, 5).tolist() == [4]
    assert chosen.mode(x).tolist() == [59_999]


def less(a: int, b: int) -> bool:
    return a < b


def killer(n: int) -> list[int]:
    """A row on which the median of three is a bad pivot again and again."""
    half = n // 2
    return [i if i % 2 == 0 else half + i for i in range(half)] + list(range(0, 2 * half, 2))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 16, 17, 100, 1000])
def test_the_algorithms_sort_and_select(n: int):
    for given in (list(np.random.default_rng(n).integers(0, 50, n)), list(range(n))[::-1], killer(n)):
        in_order = sorted(given)
        a = list(given)
        sort(a, len(a), less)
        assert a == in_order
        for k in {0, n // 3, n - 1} if given else ():
            b, c, d = list(given), list(given), list(given)
            nth_element(b, min(k, len(b) - 1), less)
            quick_select(c, min(k, len(c) - 1), lambda x, y: x > y)
            partial_sort(d, 0, min(k, len(d) - 1), len(d), less)
            at = min(k, len(b) - 1)
            assert b[at] == in_order[at] == c[at]
            assert d[:at] == in_order[:at]
