"""Below an error stands what to do about it."""

from __future__ import annotations

import re

import pytest

from gradviz.run.hints import HINTS, did_you_mean
from tests.run.scripts import run

HEAD = "import torch\nx = torch.tensor([1., 2.])\n"

CASES = {
    "x.summ()": "Did you mean 'sum'?",
    "torch.tnesor(1.)": "Did you mean 'torch.tensor'?",
    "weight = 1\ny = wieght * 2": "Did you mean 'weight'?",
    "tensor([1.])": "Did you mean 'torch.tensor'?",
    "np": "Add `import numpy as np` at the top.",
    "y = true": "Python writes True, False and None.",
    "x.grad.zero_()": "x.grad is None until backward() has run",
    "print(x.grad.shape)": "x.grad is None until backward() has run",
    "y = None\ny.sum()": "y is None: a function without `return` gives None.",
    "print(1).sum()": "The call before it returns nothing.",
    "[1, 2][5]": "It has 2 items; the last is [1].",
    "v = []\nv[0]": "It is empty.",
    "{'alpha': 1}['alhpa']": "Did you mean 'alpha'?",
    "d = {'a': 1}\nd['zzz']": "The keys are 'a'.",
    "x()": "choose another name if it hides a function",
    "def f(a, b): pass\nf(1)": "Give 'b' in the call.",
    "'a' + 1": "str(...)",
    "(3.5).backward()": "It is a Python number, not a tensor",
    "[1.].backward()": "",
    "raise ValueError('bad')": "",
    "def f():\n    raise NotImplementedError\nf()": "This part is left to be written",
    "class A:\n    def __init__(self): self.width = 1\nA().widht": "Did you mean 'width'?",
    "class A: pass\nA().there": "Nothing gave it there: set self.there in __init__",
    "def f(): return f()\nf()": "The function calls itself without end",
    "int('a')": "The text is not a number",
    "x.sum.item()": "was not called",
    "a, b = [1, 2, 3]": "names on the left",
    "input()": "assign a value instead",
    "import pandas": "Run it with PyTorch.",
    "open('a')": "beside the script",
    "f(": "Close this bracket.",
    "i++": "Python has no ++",
}


@pytest.mark.parametrize("text", CASES)
def test_an_error_has_a_way_out(text: str) -> None:
    problem = run(HEAD + text).result.problem

    assert problem is not None
    assert CASES[text] in problem.hint


def test_patterns_are_expressions_and_their_groups_are_filled_in() -> None:
    for pattern, hint in HINTS:
        groups = re.compile(pattern).groups
        assert max((int(number) for number in re.findall(r"\{(\d)\}", hint)), default=-1) < groups
        assert hint[-1] in ".?)", hint


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("grad can be implicitly created only for scalar outputs", "torch.ones_like"),
        ("Trying to backward through the graph a second time", "retain_graph=True"),
        ("element 0 of tensors does not require grad and does not have a grad_fn", "requires_grad=True"),
        ("a leaf Variable that requires grad is being used in an in-place operation.", "torch.no_grad()"),
        ("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", "are 3 and 4"),
        ("shape '[3]' is invalid for input of size 2", "multiply to 2"),
        (
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
            "one of them is 1",
        ),
        ("Boolean value of Tensor with more than one value is ambiguous", ".any()"),
    ],
)
def test_the_commonest_words_of_pytorch_have_a_hint(message: str, words: str) -> None:
    found = next(hint.format(*match.groups()) for pattern, hint in HINTS if (match := re.search(pattern, message)))

    assert words in found


def test_letters_that_changed_places_are_found_first() -> None:
    assert did_you_mean("tahn", ["tan", "tanh"]) == "Did you mean 'tanh'?"
    assert did_you_mean("Relu", ["relu", "ReLU"]) in ("Did you mean 'ReLU'?", "Did you mean 'relu'?")
    assert did_you_mean("qqqqq", ["tan"]) == ""
