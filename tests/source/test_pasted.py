"""A pasted cell works as pasted: prompts and shown output go, forgotten imports are found, lines keep their numbers."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.source.pasted import as_python, missing_imports, without_prompts


@pytest.mark.parametrize(
    ("pasted", "code"),
    [
        (">>> x = 1\n>>> x\n1\n>>> x + 1", "x = 1\nx\n\nx + 1"),
        (">>> def f():\n...     return 1\n...\n>>> f()\n1", "def f():\n    return 1\n\nf()\n"),
        (">>> print('a b')\na b\n\ny = 2", "print('a b')\n\n\ny = 2"),
        ("    >>> x = 1\n    >>> x\n    1", "x = 1\nx\n"),
        ("x = 1\n>>> y = x", "x = 1\ny = x"),
        ("In [3]: x = 1", "x = 1"),
        (
            "In [1]: for i in x:\n   ...:     print(i)\n   ...: \n0\n\nIn [2]: x\nOut[2]: 5",
            "for i in x:\n    print(i)\n\n\n\nx\n",
        ),
        ("In [3]: x = 1\n        y = 2\n        y.z()", "x = 1\ny = 2\ny.z()"),
        ("In [3]: x = 1\ny = 2", "x = 1\ny = 2"),
        ("In [3]: x\ntensor([1., 2.])\n\nIn [4]: y", "x\n\n\ny"),
        ("In [3]:\nx = 1\nx\nOut[3]:\n1\nIn [4]:\ny = 2", "\nx = 1\nx\n\n\n\ny = 2"),
        ("In [3]: print(x)\nloss after 3 epochs", "print(x)\n"),
        ("[5]:\nx.grad\ntensor([2.])", "\nx.grad\n"),
        ("In [ ]: x = 1", "x = 1"),
    ],
)  # fmt: skip
def test_prompts_and_shown_output_become_empty(pasted, code):
    assert without_prompts(pasted) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1\n",
        'def f():\n    """Double.\n\n    >>> f(1)\n    2\n    """\n',
        "x = (1,\n...\n)",
        "x = = 1",
        "x[3]: int = 4",
    ],
)
def test_text_without_prompts_stays_as_it_is(text):
    assert without_prompts(text) == text


@given(
    st.lists(
        st.sampled_from([">>> x", "... ", "In [1]: y", "Out[1]: 3", "tensor([1.])", "def f(:", "", "   ...: z", "  a"])
    )
)
def test_no_line_is_added_or_lost(lines):
    text = "\n".join(lines)

    assert without_prompts(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("x = torch.ones(2)", ["import torch"]),
        (
            "m = nn.Linear(1, 1)\nF.relu(m(torch.ones(1)))\nnp.ones(2)",
            ["import torch", "import torch.nn as nn", "import torch.nn.functional as F", "import numpy as np"],
        ),
        ("import torch\nx = torch.ones(2)", []),
        ("import torch as t\nt.ones(2)", []),
        ("import torch.nn\ntorch.ones(2)", []),
        ("from torch import nn\nnn.Linear(1, 1)", []),
        ("def f(F):\n    return F.x", []),
        ("for F in fs:\n    F.x", []),
        ("from torch.nn import *\nnn.Linear(1, 1)", []),
        ("print(F)", []),
        ("plt.plot([1])", ["import matplotlib.pyplot as plt"]),
    ],
)
def test_forgotten_imports_are_found(script, lines):
    assert missing_imports(ast.parse(script)) == lines


@pytest.mark.parametrize(
    ("pasted", "code"),
    [
        ("%matplotlib inline\nx = 1\n", "# %matplotlib inline\nx = 1"),
        ("!pip install torch\nIn [2]: x = 1", "# !pip install torch\nx = 1"),
        (">>> x = 1\n>>> %time y = x", "x = 1\nNone; y = x"),
        ("x = 1\nx?", "x = 1\npass  # x?"),
        ("%pwd\nx = = 1\n", "%pwd\nx = = 1\n"),
        ("x = 5\\\n  % 3\n", "x = 5\\\n  % 3\n"),
    ],
)
def test_a_pasted_cell_is_made_python(pasted, code):
    assert as_python(pasted) == code
