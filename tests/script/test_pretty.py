"""The last value of a cell is broken over lines as IPython breaks it."""

from __future__ import annotations

import pytest

from gradviz.script.showing.pretty import pretty


class Text:
    """A value with a given repr."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


LONG = Text("tensor(" + 40 * "1" + ")")
MATRIX = Text("tensor([[1., 2.],\n        [3., 4.]])")

# Recorded from IPython 9.18, pretty().
CASES = [
    ([1, 2, 3], "[1, 2, 3]"),
    ((1,), "(1,)"),
    ((), "()"),
    (set(), "set()"),
    (frozenset({2, 1}), "frozenset({1, 2})"),
    ({"a": [1, 2], "b": ()}, "{'a': [1, 2], 'b': ()}"),
    ((LONG, LONG), f"({LONG},\n {LONG})"),
    ((MATRIX, 1), "(tensor([[1., 2.],\n         [3., 4.]]),\n 1)"),
    ({"w": MATRIX, "b": 1}, "{'w': tensor([[1., 2.],\n         [3., 4.]]),\n 'b': 1}"),
    ([(LONG, 1), (LONG, LONG)], f"[({LONG}, 1),\n ({LONG},\n  {LONG})]"),
]


@pytest.mark.parametrize(("value", "shown"), CASES, ids=range(len(CASES)))
def test_value_is_shown_as_ipython_shows_it(value: object, shown: str):
    assert pretty(value) == shown


def test_a_list_that_holds_itself_ends():
    value: list[object] = [1]
    value.append(value)
    assert pretty(value) == "[1, [...]]"


def test_only_the_first_thousand_members_are_shown():
    lines = pretty(list(range(1_001))).split("\n")
    assert (lines[-2], lines[-1], len(lines)) == (" 999,", " ...]", 1_001)


def test_deep_nesting_needs_no_recursion():
    value: list[object] = []
    for _ in range(5_000):
        value = [value]
    assert pretty(value).count("[") == 5_001
