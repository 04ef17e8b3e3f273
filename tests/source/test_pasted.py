"""A pasted cell works as pasted: prompts and shown output go, forgotten imports are found, lines keep their numbers."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.source.leaf_changes import LeafChange, change_leaf
from gradviz.source.leaves import find_leaves
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


SESSIONS = {
    "notebook": (
        "In [3]: import torch\nIn [4]: x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "   ...: w = torch.tensor([0.5, 0.25])\nIn [5]: (x * x).sum().backward()\nOut[5]: tensor(5.)\n"
    ),
    "shell": (
        ">>> import torch\n>>> x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        ">>> w = torch.tensor([0.5, 0.25])\n>>> (x * x).sum()\ntensor(5.)\n"
    ),
    "umlauts": (
        'In [1]: import torch; "é"\r\nIn [2]: "é"; x = torch.tensor([1.0, 2.0], requires_grad=True)\r\n'
        "   ...: w = torch.tensor([0.5, 0.25])\r\n"
    ),
}


@pytest.mark.parametrize("text", SESSIONS.values(), ids=SESSIONS)
def test_the_leaves_of_a_pasted_session_are_found_and_changed_where_they_stand(text):
    assert [(leaf.name, leaf.line, leaf.values) for leaf in find_leaves(text)] == [
        ("x", 2, [1.0, 2.0]), ("w", 3, [0.5, 0.25]),
    ]  # fmt: skip

    assert change_leaf(text, "w", LeafChange(values=[3.0, 4.0, 5.0])) == text.replace("[0.5, 0.25]", "[3., 4., 5.]")
    assert change_leaf(text, "w", LeafChange(new_name="v")) == text.replace("w = ", "v = ")
    line = next(line for line in text.splitlines(keepends=True) if "w = " in line)
    assert change_leaf(text, "w", LeafChange(removed=True)) == text.replace(line, "")


@pytest.mark.parametrize("text", SESSIONS.values(), ids=SESSIONS)
def test_a_leaf_that_is_added_to_a_pasted_session_is_a_leaf_of_it(text):
    added = change_leaf(text, "z", LeafChange(added=True, values=[1.0]))

    assert [leaf.name for leaf in find_leaves(added)] == ["x", "w", "z"]
