"""The last value of a cell is broken over lines as IPython breaks it."""

from __future__ import annotations

import pytest

from gradviz.imitation.script.run import run
from gradviz.imitation.script.showing.pretty import pretty


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


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("from types import SimpleNamespace as S\nS(a=1, b=[2])", "namespace(a=1, b=[2])"),
        ("from types import SimpleNamespace as S\nS(a=1, b='x'*90)", f"namespace(a=1,\n          b='{'x' * 90}')"),
        ("import torch\ntorch.no_grad()", "<torch.autograd.grad_mode.no_grad at "),
        (
            "import torch\ntorch.ones(1, requires_grad=True).register_hook(print)",
            "<torch.utils.hooks.RemovableHandle at ",
        ),
        ("import torch\ntorch.nn.ReLU().named_parameters()", "<generator object Module.named_parameters at "),
        ("import io\nio.StringIO()", "<_io.StringIO at "),
    ],
)
def test_objects_are_shown_as_ipython_shows_them(source: str, shown: str):
    assert run(source, echo_last=True).recording.output.startswith(shown)


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
