"""Names that nothing defines get numbers, in shapes that fit what is done with them."""

from __future__ import annotations

import pytest

from gradviz.source.given_numbers import give_numbers
from gradviz.source.leaf_changes import LeafChange, change_leaf
from gradviz.source.leaves import find_leaves
from gradviz.source.missing_names import missing_name, missing_names
from tests.recorded import run

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(5, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, rows):
        return self.out(torch.relu(self.hidden(rows)))


net = Net()
loss = (net(x) * 2).sum()
loss.backward()
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("y = x * w\n", ("x", "w")),
        ("x = 1\ny = x * 2\n", ()),
        ("import torch\ny = torch.ones(3) * b\n", ("b",)),
        ("def f(a):\n    return a * k\n", ("k",)),
        ("def f():\n    global k\n    k = 1\nf()\nprint(k)\n", ()),
        ("y = [each * 2 for each in rows]\n", ("rows",)),
        ("y = foo(x)\n", ("x",)),
        ("y = np.ones(3) * print(x)\n", ("x",)),
        ("from torch import *\ny = ones(3) * b\n", ()),
        ("y = (x\n", ()),
        ("class A:\n    k = 1\n    def f(self):\n        return self.k\n", ()),
    ],
)
def test_what_nothing_defines_is_known(text, names):
    assert missing_names(text) == names


def test_the_message_of_both_engines_names_it():
    assert missing_name("NameError: name 'x2' is not defined") == "x2"
    assert missing_name("NameError: name 'x' is not defined. Did you mean: 'x2'?") == "x"
    assert missing_name("ValueError: name 'x' is not defined") == ""


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("import torch\ntorch.nn.Linear(4, 8)(x).sum().backward()\n", {"x": (2, 4)}),
        ("from torch import nn\nlayer = nn.Linear(in_features=4, out_features=8)\nlayer(x).sum().backward()\n",
         {"x": (2, 4)}),
        ("from torch import nn\nn = 7\nnn.Sequential(nn.Linear(n, 3), nn.Tanh(), nn.Linear(3, 1))(x).sum().backward()\n",
         {"x": (2, 7)}),
        (NET, {"x": (2, 5)}),
        ("import torch\nw = torch.ones(4, 8, requires_grad=True)\n(x @ w * b).sum().backward()\n",
         {"w": (4, 8), "x": (2, 4), "b": (2, 8)}),
        ("import torch\nx = torch.tensor([1., 2.], requires_grad=True)\nloss = (x * x2).sum()\nloss.backward()\n",
         {"x": (2,), "x2": (2,)}),
        ("import torch\nx = torch.tensor([1., 2.], requires_grad=True)\ny = x.sum() + b\ny.backward()\n",
         {"x": (2,), "b": ()}),
        ("from torch import nn\nnn.Conv2d(3, 6, 3)(image).sum().backward()\n", {"image": (1, 3, 8, 8)}),
        ("import torch\ny = (x * 2).sum()\nb = torch.ones(3)\ny.backward()\n", {"x": (3,), "b": (3,)}),
        ("sum(x**2 * w)\n", {"x": (3,), "w": (3,)}),
    ],
)  # fmt: skip
def test_the_numbers_fit_and_the_script_runs(text, shapes):
    broken = run(text).recording
    assert broken.problem is not None

    whole, names = give_numbers(text, missing_name(broken.problem.message))

    mended = run(whole).recording
    assert mended.problem is None
    assert len(mended.sweeps) == 1
    assert {leaf.name: leaf.shape for leaf in find_leaves(whole)} == shapes
    assert set(names) <= set(shapes)


def test_a_new_variable_takes_a_name_that_is_missing():
    text = "import torch\n\ny = x * 2\n"

    assert change_leaf(text, "x", LeafChange(values=[1.0, 2.0], added=True)) == (
        "import torch\nx = torch.tensor([1., 2.])\n\ny = x * 2\n"
    )
