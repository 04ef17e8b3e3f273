"""What a script calls its tensors, and which line and function made each: what the picture and the editor show."""

from __future__ import annotations

from gradviz.recording import Node, Recording
from gradviz.imitation.script.run import run


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
    assert (only(recording, "add").line, only(recording, "add").scope) == (7, ("v [0]",))


def test_node_of_a_lambda_comprehension_and_hook_has_its_line() -> None:
    text = X + "f = lambda v: v.exp()\ny = [f(v)\n     for v in [x]][0]\nz = y.sum()\nz.backward()"

    assert places(text) == [("leaf", 3), ("exp", 4), ("sum", 7)]


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

    assert only(recording, "div").scope == ("net", "Net.half")


NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Tanh()])
        self.last = nn.Sequential(nn.Sigmoid())
    def forward(self, v):
        v = self.first(v).exp()
        return self.last(self.layers[1](self.layers[0](v)))
net = Net()
"""


def scopes(text: str) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for node in recorded(text).nodes:
        found.setdefault(node.op, []).append(node.scope)
    return found


def test_scope_of_a_module_is_its_variable_and_the_paths_inside_it() -> None:
    found = scopes(NET + "net(torch.ones(1, 2))")

    assert found["addmm"] == [("net", "first"), ("net", "layers.0")]
    assert found["exp"] == [("net",)]
    assert found["tanh"] == [("net", "layers.1")]
    assert found["sigmoid"] == [("net", "last", "last.0")]


def test_module_without_a_variable_goes_by_its_class() -> None:
    assert scopes(X + "nn.Tanh()(x)")["tanh"] == [("Tanh",)]


def test_parameter_belongs_where_it_is_first_used() -> None:
    first = recorded(NET + "for epoch in range(2):\n    net(torch.ones(1, 2))").nodes[0]

    assert (first.name, first.scope) == ("first.weight", ("epoch = 0", "net", "first"))


def test_data_belongs_where_it_was_made() -> None:
    text = X + "d = torch.ones(2)\ndef f(v):\n    return v * d * 3\nf(x)"

    assert scopes(text)["constant"] == [(), ("f",)]


def test_constant_that_a_function_was_given_is_outside_it() -> None:
    text = X + "def f(v):\n    return v * x\nc = torch.ones(2)\nf(c)"

    assert [(node.op, node.scope) for node in recorded(text).nodes if node.op != "leaf"] == [
        ("constant", ()), ("mul", ("f",)),
    ]  # fmt: skip


def test_calls_of_one_function_are_told_apart() -> None:
    text = X + "def f(v):\n    return v.exp()\nf(f(x))\nfor i in range(2):\n    f(f(x))"

    assert scopes(text)["exp"] == [
        ("f",), ("f #2",), ("i = 0", "f"), ("i = 0", "f #2"), ("i = 1", "f"), ("i = 1", "f #2"),
    ]  # fmt: skip


def test_call_that_made_no_node_is_not_counted() -> None:
    text = X + "def f(v):\n    return v.exp()\nwith torch.no_grad():\n    f(x)\nf(x)"

    assert scopes(text)["exp"] == [("f",)]


def test_rounds_of_loops_go_by_number_or_by_the_value_of_the_variable() -> None:
    text = X + (
        "for name, v in [('a', x), ('b', x)]:\n    v.exp()\nfor v, _ in [(x, 1)]:\n    v.sin()\n"
        "n = 0\nwhile n < 2:\n    n += 1\n    x.cos()"
    )
    found = scopes(text)

    assert found["exp"] == [("name = a",), ("name = b",)]
    assert found["sin"] == [("v, _ [0]",)]
    assert found["cos"] == [("while [0]",), ("while [1]",)]


def test_second_loop_over_the_same_numbers_is_told_apart() -> None:
    text = X + "for i in range(2):\n    x.exp()\nfor i in range(2):\n    x.exp()"

    assert scopes(text)["exp"] == [("i = 0",), ("i = 1",), ("i = 0 #2",), ("i = 1 #2",)]


def test_loop_that_is_left_early_ends_its_round() -> None:
    text = X + (
        "for i in range(3):\n    break\nx.exp()\n"
        "def f():\n    for i in range(3):\n        return x.sin()\nf()\nx.cos()\n"
        "try:\n    for i in range(3):\n        raise ValueError\nexcept ValueError:\n    x.tan()"
    )
    found = scopes(text)

    assert [found[op] for op in ("exp", "sin", "cos", "tan")] == [[()], [("f", "i = 0")], [()], [()]]


def test_item_of_a_loop_is_computed_outside_its_rounds() -> None:
    text = X + "for v in map(lambda w: w.exp(), [x, x]):\n    v.sin()"

    assert scopes(text) | {"leaf": []} == {
        "leaf": [], "exp": [("<lambda>",), ("<lambda> #2",)], "sin": [("v [0]",), ("v [1]",)],
    }  # fmt: skip


def test_producer_goes_on_in_the_round_where_it_stopped() -> None:
    text = X + "def g():\n    for i in range(2):\n        yield\n        x.exp()\nfor _ in g():\n    x.sin()"

    assert scopes(text)["exp"] == [("g", "i = 0"), ("g", "i = 1")]
    assert scopes(text)["sin"] == [("_ [0]",), ("_ [1]",)]


def test_gradients_are_listed_by_variable() -> None:
    recording = recorded(X + "unused = torch.ones(1, requires_grad=True)\n(x * x).sum().backward()")

    assert {name: None if g is None else g.tolist() for name, g in recording.gradients.items()} == {
        "x": [2.0, 4.0],
        "unused": None,
    }


def test_gradient_of_a_leaf_frozen_since_is_listed() -> None:
    recording = recorded(X + "(x * x).sum().backward()\nx.requires_grad = False")

    assert {name: g is not None and g.tolist() for name, g in recording.gradients.items()} == {"x": [2.0, 4.0]}


def test_variables_of_the_library_give_nodes_no_names() -> None:
    text = X + (
        "import torch.distributions as D\n"
        "flow = D.TransformedDistribution(D.Normal(0., 1.), [D.AffineTransform(1., 2.), D.ExpTransform()])\n"
        "lp = flow.log_prob(x)"
    )

    names = [node.name for node in recorded(text).nodes]

    assert (names.count("x"), names.count("lp"), names.count("total")) == (1, 1, 0)
