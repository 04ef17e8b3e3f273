"""What a script calls its tensors, and which line and function made each: what the picture and the editor show."""

from __future__ import annotations

from gradviz.recording import Node, Recording
from gradviz.script.run import run


def recorded(text: str) -> Recording:
    result = run("import torch\nimport torch.nn as nn\n" + text, seed=0)
    assert result.error is None
    return result.recording


def places(text: str) -> list[tuple[str, int | None]]:
    """(op, line) of every node but the constants; the first line of the text is 3."""
    return [(node.op, node.line) for node in recorded(text).nodes if node.op != "constant"]


def names(text: str) -> list[str | None]:
    return [node.name for node in recorded(text).nodes if node.op != "constant"]


def only(recording: Recording, op: str) -> Node:
    (node,) = (node for node in recording.nodes if node.op == op)
    return node


X = "x = torch.tensor([1., 2.], requires_grad=True)\n"


def test_node_has_the_line_of_its_statement() -> None:
    assert places(X + "y = x * 2\n\nz = y.sum()") == [("leaf", 3), ("mul", 4), ("sum", 6)]


def test_node_of_an_expression_over_lines_has_the_line_where_it_begins() -> None:
    text = X + "z = (x *\n     x.exp() +\n     (x -\n      1).sin())"

    assert places(text) == [("leaf", 3), ("exp", 5), ("mul", 4), ("sub", 6), ("sin", 6), ("add", 4)]


def test_leaf_made_over_lines_has_the_line_of_the_call() -> None:
    assert places("x = torch.tensor(\n    [1.,\n     2.],\n    requires_grad=True,\n)\nx.sum()")[0] == ("leaf", 3)


def test_leaf_first_used_later_keeps_the_line_that_made_it() -> None:
    text = "a = torch.ones(2)\nb = torch.ones(2)\n\n\ny = torch.ones(2, requires_grad=True) * a * b"

    assert [node.line for node in recorded(text).nodes if node.op == "constant"] == [3, 4]


def test_node_of_a_function_has_the_line_inside_it() -> None:
    text = X + "def f(v):\n    w = v * 2\n    return w.sum()\ny = f(x)\nz = f(\n    x + 1) * 3"

    assert places(text) == [
        ("leaf", 3), ("mul", 5), ("sum", 6), ("add", 9), ("mul", 5), ("sum", 6), ("mul", 8),
    ]  # fmt: skip


def test_node_of_a_producer_has_its_line_and_scope() -> None:
    recording = recorded(X + "def g():\n    yield x * 2\nfor v in g():\n    w = v + 1")

    assert (only(recording, "mul").line, only(recording, "mul").scope) == (5, ("g",))
    assert (only(recording, "add").line, only(recording, "add").scope) == (7, ())


def test_node_of_a_lambda_comprehension_and_hook_has_its_line() -> None:
    text = X + "f = lambda v: v.exp()\ny = [f(v)\n     for v in [x]][0]\nz = y.sum()\nz.backward()"

    assert places(text) == [("leaf", 3), ("exp", 5), ("sum", 7)]


def test_sweep_has_the_line_of_its_call() -> None:
    recording = recorded(
        X + "def train():\n    (x * x).sum().backward()\nfor i in range(2):\n    train()\n"
        "torch.autograd.grad(\n    (x * 2).sum(),\n    x,\n)"
    )

    assert [sweep.line for sweep in recording.sweeps] == [5, 5, 8]


def test_first_name_stays() -> None:
    assert names(X + "a = b = x * 2\nc = a\nd = c + 1") == ["x", "a", "d"]


def test_name_of_the_module_beats_one_of_a_function() -> None:
    assert names(X + "def f(v):\n    inner = v * 2\n    return inner\nouter = f(x)") == ["x", "outer"]


def test_name_given_inside_a_function_stays_where_the_module_gives_none() -> None:
    assert names(X + "def f(v):\n    inner = v * 2\n    return inner.sum()\nf(x)") == ["x", "inner", None]


def test_names_are_given_by_unpacking_and_walrus() -> None:
    assert names(X + "a, b = x * 1, x * 2\n(c := x * 3)") == ["x", "a", "b", "c"]


def test_scope_names_functions_and_methods_outermost_first() -> None:
    recording = recorded(
        "class Net(nn.Module):\n    def forward(self, v):\n        return self.half(v)\n"
        "    def half(self, v):\n        return v / 2\nnet = Net()\ny = net(torch.ones(1, requires_grad=True))"
    )

    assert only(recording, "div").scope == ("Net.forward", "Net.half")


def test_gradients_are_listed_by_variable() -> None:
    recording = recorded(X + "unused = torch.ones(1, requires_grad=True)\n(x * x).sum().backward()")

    assert {name: None if g is None else g.tolist() for name, g in recording.gradients.items()} == {
        "x": [2.0, 4.0],
        "unused": None,
    }
