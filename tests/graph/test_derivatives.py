"""v·J, J·u, H·u and differences of a recorded graph agree with each other, whoever computes them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradviz.engine.apply import apply
from gradviz.engine.tensor import constant
from gradviz.errors import GradvizError
from gradviz.graph.derivatives import AskedDerivatives, Derivatives
from gradviz.ops.op import Op
from gradviz.ops.params import thaw
from gradviz.ops.table import TABLE
from gradviz.recording import Array, Node, Recording
from tests.recorded import Ran, run

UNARY = (
    "torch.tanh({})", "torch.sigmoid({})", "torch.sin({})", "torch.exp({} * 0.3)", "({}) ** 2", "torch.relu({})",
    "torch.softmax({}, -1)", "({}).cumsum(-1)", "({}).abs()", "({}).flip(-1)", "torch.log1p(({}) ** 2)",
    "({})[..., [0, 2, 2]]", "torch.where({} > 0, {}, {} * 0.1)", "torch.nn.functional.layer_norm({}, (3,))",
)  # fmt: skip
BINARY = (
    "{} * {}",
    "{} + {}",
    "{} - {}",
    "torch.maximum({}, {})",
    "{} / (2 + ({}) ** 2)",
    "{} @ m + {}",
    "torch.atan2({}, 3 + ({}) ** 2)",
)
SHAPES = ("3", "2, 3", "4, 3")


def random_script(number: int) -> str:
    """A float64 graph of a dozen ops over two leaves of one shape and a matrix."""
    draw = random.Random(number)
    shape = draw.choice(SHAPES)
    lines = [
        "import torch",
        f"torch.manual_seed({number})",
        f"a = torch.randn({shape}, dtype=torch.float64, requires_grad=True)",
        f"b = torch.randn({shape}, dtype=torch.float64, requires_grad=True)",
        "m = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)",
    ]
    names = ["a", "b"]
    for count in range(12):
        form = draw.choice(UNARY if draw.random() < 0.5 else BINARY)
        one = draw.choice(names[-4:])
        operands = [one] * form.count("{}") if form in UNARY else [draw.choice(names[-4:]) for _ in range(2)]
        lines.append(f"t{count} = {form.format(*operands)}")
        names.append(f"t{count}")
    lines.append(f"y = {draw.choice(('a * b @ m + ', 'm.sum() * a + ', 'b - '))}{names[-1]}")
    return "\n".join(lines) + "\n"


def output_of(recording: Recording, name: str = "y") -> int:
    """The last node of a name."""
    return [node.id for node in recording.nodes if node.name == name][-1]


def drawn(like: Array, seed: int) -> Any:
    """Random numbers in the shape and dtype of an array."""
    return np.asarray(np.random.default_rng(seed).standard_normal(like.shape), like.dtype)[()]


def dot(a: Any, b: Any) -> float:
    return float(np.sum(np.multiply(a, b)))


@pytest.mark.parametrize("number", range(50))
def test_forward_and_reverse_mode_agree_on_random_graphs(number: int) -> None:
    recording = run(random_script(number)).recording
    assert recording.problem is None
    output = output_of(recording)
    asked = Derivatives(recording, output)
    value = recording.values[output]
    assert value is not None
    v = drawn(value, number)
    back = asked.send_back(v)

    assert asked.leaves
    for leaf in asked.leaves:
        u = drawn(back[leaf], leaf)
        forward = asked.push_forward(leaf, u)
        matrix = asked.rows(leaf, range(value.size))

        size = float(np.abs(v).ravel() @ np.abs(matrix) @ np.abs(u).ravel())
        assert abs(dot(v, forward) - dot(back[leaf], u)) <= 1e-12 * max(1.0, size)
        np.testing.assert_allclose(np.ravel(forward), matrix @ np.ravel(u), rtol=1e-9, atol=1e-11)


def one_node(op: Op, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> tuple[Derivatives, list[Any], Any] | None:
    """A graph of one op in float64, or None where it takes no gradient."""
    entries = []
    for given in inputs:
        x = constant(np.asarray(given, np.float64 if given.dtype.kind == "f" else given.dtype)[()])
        x.tracked = given.dtype.kind == "f"
        entries.append(x)
    entries.append(apply(op, tuple(entries), **params))
    if not entries[-1].tracked:
        return None
    nodes = [
        Node(i, "leaf", shape=x.array.shape, dtype="float64", requires_grad=x.tracked)
        for i, x in enumerate(entries[:-1])
    ]
    y = entries[-1].array
    nodes.append(Node(len(inputs), op.name, tuple(range(len(inputs))), {}, y.shape, "float64", requires_grad=True))
    recording = Recording(nodes=tuple(nodes), values=tuple([x.array for x in entries]))
    arrays = [x.array for x in entries]
    return Derivatives(recording, len(inputs), dict(enumerate(entries))), arrays[:-1], y


@pytest.mark.parametrize("op", TABLE.rows(), ids=lambda op: op.name)
def test_forward_mode_needs_no_rule_of_its_own_for_any_op(op: Op) -> None:
    for example in op.examples:
        with np.errstate(all="ignore"):
            made = one_node(op, example.inputs, example.params)
        if made is None:
            continue
        asked, inputs, y = made
        v = drawn(y, 1)
        back = asked.send_back(v)
        for leaf in asked.leaves:
            u = drawn(inputs[leaf], 2)

            assert dot(v, asked.push_forward(leaf, u)) == pytest.approx(dot(back[leaf], u), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("number", range(0, 50, 7))
def test_differences_say_the_same(number: int) -> None:
    recording = run(random_script(number)).recording
    output = output_of(recording)
    asked = Derivatives(recording, output)
    v = drawn(recording.values[output], number)
    for leaf in asked.leaves:
        g = asked.send_back(v)[leaf]
        u = drawn(g, leaf)

        np.testing.assert_allclose(asked.difference(leaf, u), asked.push_forward(leaf, u), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(asked.slopes(v, leaf, range(g.size)), np.ravel(g), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(asked.bend_difference(v, leaf, u), asked.bend(v, leaf, u), rtol=1e-4, atol=1e-5)


SCALAR = """\
import torch
x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
y = (x ** 3).sum() + x[0] * x[1]
y.backward()
"""


def test_a_row_of_the_hessian_is_h_times_a_one_hot_u() -> None:
    recording = run(SCALAR).recording
    asked = Derivatives(recording, output_of(recording))
    (leaf,) = asked.leaves

    rows = [asked.bend(np.float64(1.0), leaf, u) for u in np.eye(3)]

    np.testing.assert_allclose(rows, [[6, 1, 0], [1, 12, 0], [0, 0, 18]])
    np.testing.assert_allclose(asked.bend(np.float64(0.5), leaf, np.eye(3)[2]), [0, 0, 9])


CUSTOM = """\
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x ** 2
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
w = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
y = Cube.apply(x) * w
y.backward(torch.ones(2))
"""


def test_the_run_of_a_custom_function_is_asked() -> None:
    ran: Ran = run(CUSTOM)
    output = output_of(ran.recording)
    with pytest.raises(GradvizError, match="Cube"):
        Derivatives(ran.recording, output)
    asked = AskedDerivatives(ran.recording, output, ran.ask)
    x, w = asked.leaves
    v, u = np.array([1.0, 3.0]), np.array([1.0, -1.0])

    np.testing.assert_allclose(asked.send_back(v)[x], [6, 72])
    np.testing.assert_allclose(asked.send_back(v)[w], 25)
    np.testing.assert_allclose(asked.rows(x, [1]), [[0, 24]])
    np.testing.assert_allclose(asked.push_forward(x, u), [6, -24])
    np.testing.assert_allclose(asked.push_forward(w, 1.0), [1, 8])
    np.testing.assert_allclose(asked.bend(v, x, u), [12, -72])
    np.testing.assert_allclose(asked.difference(x, u), [6, -24], rtol=1e-6)
    np.testing.assert_allclose(asked.slopes(v, x, [1, 0]), [72, 6], rtol=1e-6)
    np.testing.assert_allclose(asked.bend_difference(v, x, u), [12, -72], rtol=1e-6)


def test_what_is_asked_leaves_the_run_as_it_was() -> None:
    ran = run(CUSTOM)
    output = output_of(ran.recording)
    before = ran.with_seed(output, np.array([1.0, 1.0])).sweeps[-1].accumulated
    asked = AskedDerivatives(ran.recording, output, ran.ask)
    for leaf in asked.leaves:
        asked.push_forward(leaf, np.ones(ran.recording.nodes[leaf].shape))
        asked.bend(np.ones(2), leaf, np.ones(ran.recording.nodes[leaf].shape))

    after = ran.with_seed(output, np.array([1.0, 1.0])).sweeps[-1].accumulated

    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one.after, other.after)


def test_what_an_output_does_not_depend_on_twice_has_no_second_derivative() -> None:
    recording = run("import torch\nx = torch.ones(2, requires_grad=True)\ny = 3 * x\ny.sum().backward()\n").recording
    asked = Derivatives(recording, output_of(recording))

    assert asked.bend(np.ones(2, np.float32), asked.leaves[0], np.ones(2, np.float32)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (lambda asked, leaf: asked.send_back(np.ones(3)), "v has shape"),
        (lambda asked, leaf: asked.push_forward(leaf, np.ones(3)), "u has shape"),
        (lambda asked, leaf: asked.push_forward(leaf + 1, np.ones(2)), "no gradient of"),
        (lambda asked, leaf: asked.answer("how", {}), "how"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(question: Any, words: str) -> None:
    recording = run("import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.sum().backward()\n").recording
    asked = Derivatives(recording, output_of(recording))

    with pytest.raises(GradvizError, match=words):
        question(asked, asked.leaves[0])


def test_a_forward_pass_that_gives_other_numbers_has_no_differences() -> None:
    recording = run("import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.sum().backward()\n").recording
    output = output_of(recording)
    values = list(recording.values)
    values[output] = np.float32([9.0, 9.0])
    asked = Derivatives(replace(recording, values=tuple(values)), output)

    with pytest.raises(GradvizError, match="other numbers"):
        asked.difference(asked.leaves[0], np.ones(2))


def test_nan_is_an_answer_also_where_the_script_looks_for_it() -> None:
    text = "import torch\nx = torch.tensor([0.0, 4.0], requires_grad=True)\ny = x.sqrt()\ny.sum().backward()\n"
    text = text.replace("x = ", "torch.autograd.set_detect_anomaly(True)\nx = ")
    ran = run(text)
    output = output_of(ran.recording)

    for asked in (Derivatives(ran.recording, output), AskedDerivatives(ran.recording, output, ran.ask)):
        (g,) = asked.send_back(np.float32([0, 1])).values()
        np.testing.assert_array_equal(g, np.float32([np.nan, 0.25]))
    run("import torch\ntorch.autograd.set_detect_anomaly(False)\n")


def test_the_second_graph_says_which_step_made_each_node_and_computes_the_gradients() -> None:
    ran = run(CUSTOM)
    output = output_of(ran.recording)
    asked = AskedDerivatives(ran.recording, output, ran.ask)
    v = np.array([1.0, 3.0])
    graph, first = asked.second_graph(v), len(ran.recording.nodes)
    back = asked.send_back(v)

    assert graph.nodes[0].value.tolist() == [1, 3]
    assert {None if each.step is None else ran.recording.nodes[each.step].op for each in graph.nodes} == {
        None, "mul", "Cube",
    }  # fmt: skip
    for leaf, node in graph.sent.items():
        np.testing.assert_allclose(graph.nodes[node - first].value, back[leaf])


@pytest.mark.parametrize("number", range(0, 50, 11))
def test_a_second_graph_computed_again_by_its_own_rules_gives_its_own_values(number: int) -> None:
    recording = run(random_script(number)).recording
    output = output_of(recording)
    graph = Derivatives(recording, output).second_graph(drawn(recording.values[output], number))
    values = [*recording.values, *[each.value for each in graph.nodes]]

    for each in graph.nodes:
        if each.inputs:
            op = TABLE.find(each.op, len(each.inputs), each.params)
            assert op is not None, each.op
            again = op.forward(*[np.asarray(values[i])[()] for i in each.inputs], **thaw(each.params))
            np.testing.assert_allclose(again, each.value, rtol=1e-12, atol=1e-14)


def test_differences_beside_a_pole_are_numbers_or_nan_and_warn_of_nothing() -> None:
    text = "import torch\nx = torch.tensor([0.0, 4.0], requires_grad=True)\ny = x.log() / x\ny.sum().backward()\n"
    recording = run(text).recording
    asked = Derivatives(recording, output_of(recording))
    (leaf,) = asked.leaves
    v, u = np.ones(2, np.float32), np.ones(2, np.float32)

    assert np.isfinite(asked.difference(leaf, u)[1])
    assert np.isfinite(asked.bend_difference(v, leaf, u)[1])
    assert asked.slopes(v, leaf, [0, 1]).shape == (2,)
    assert asked.push_forward(leaf, u).shape == (2,)
