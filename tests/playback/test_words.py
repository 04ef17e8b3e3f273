"""Nodes, shapes and numbers as short texts."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.playback import words
from gradviz.playback.formula.formula import gradient_of
from gradviz.playback.formula.jacobian import jacobian_words
from gradviz.playback.numbers import in_words, written_alike
from gradviz.playback.words import counted, label, labels, number_text, op_word, shape_text, short_value, symbol
from gradviz.recording import Node, Recording, Summary
from tests.recorded import run
from tests.samples import random_graph, weighted_sum

F = np.float32


def recording_of(*nodes: Node, values: dict[int, float] | None = None) -> Recording:
    numbers = values or {}
    return Recording(nodes, tuple(F(numbers[i]) if i in numbers else None for i in range(len(nodes))))


X, W = Node(0, "leaf", name="x"), Node(1, "leaf", name="w")


def test_label_is_the_variable_or_the_expression_that_made_the_node():
    assert labels(weighted_sum()) == ("x", "x·x", "w", "x·x·w", "y")


@pytest.mark.parametrize(
    ("op", "params", "text"),
    [
        ("exp", {}, "exp(x)"),
        ("neg", {}, "−x"),
        ("square", {}, "x²"),
        ("pow", {"exponent": 3}, "x³"),
        ("pow", {"exponent": 0.5}, "x^0.5"),
        ("t", {}, "x.T"),
        ("mul", {"other": 2.0}, "x·2"),
        ("mul_", {"other": -2.0}, "x·(−2)"),
        ("sum", {"dim": 0}, "sum(x)"),
    ],
)
def test_label_of_an_op_on_one_tensor(op, params, text):
    recording = recording_of(X, Node(1, op, (0,), params))

    assert label(recording, 1) == text


def test_label_keeps_the_parentheses_that_the_expression_needs():
    recording = recording_of(
        X,
        W,
        Node(2, "add", (0, 1)),
        Node(3, "mul", (2, 0)),
        Node(4, "sub", (0, 2)),
        Node(5, "matmul", (0, 2)),
        Node(6, "neg", (2,)),
        Node(7, "pow", (2,), {"exponent": 2}),
        Node(8, "div", (0, 3)),
    )

    assert labels(recording)[3:] == ("(x + w)·x", "x − (x + w)", "x @ (x + w)", "−(x + w)", "(x + w)²", "x/((x + w)·x)")


def test_label_of_a_number_is_the_number():
    recording = recording_of(X, Node(1, "constant"), Node(2, "mul", (1, 0)), values={1: -2.5})

    assert labels(recording)[1:] == ("−2.5", "(−2.5)·x")


def test_label_that_would_be_too_long_is_the_op():
    recording = recording_of(X, Node(1, "mul", (0, 0)), Node(2, "mul", (1, 1)), Node(3, "exp", (2,)))

    assert labels(recording, limit=4) == ("x", "x·x", "mul", "exp")


def test_fifty_thousand_nodes_are_labelled_once():
    recording = random_graph(50_000)

    texts = labels(recording)

    assert len(texts) == 50_000
    assert labels(recording) is texts


def test_labels_do_not_outlive_their_recording():
    recording = weighted_sum()
    labels(recording, 23)
    key = (id(recording), 23)
    assert key in words._LABELS

    del recording
    gc.collect()

    assert key not in words._LABELS


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (None, ""),
        (F(23), "23"),
        (F(0.13333), "0.1333"),
        (F(1.2e-5), "1.2e-5"),
        (F(0.01), "0.01"),
        (F(99.96), "99.96"),
        (np.array([0.01, 0.02], F), "[0.01, 0.02]"),
        (F("nan"), "nan"),
        (F("-inf"), "-inf"),
        (F(0), "0"),
        (np.int64(7), "7"),
        (np.array([-1, 2], F), "[-1, 2]"),
        (np.array([3, 20], F), "[3, 20]"),
        (np.array([200, 3.25], F), "[200, 3.25]"),
        (np.array([[1, 0], [0, 1]], F), "[[1, 0], [0, 1]]"),
        (np.array([0.13, 0.22, 0.5, 0.7], F), "[0.13, 0.22, 0.5, 0.7]"),
        (np.array([0.133, 0.22, 0.5, 0.7], F), "[0.133, 0.22, 0.5, …]"),
        (np.array([[0.25, 0.123], [0.5, 0.1]], F), "[[0.25, 0.123], …]"),
        (np.zeros((3, 4), F), "[[0, 0, 0, 0], [0, …]]"),
        (np.array([np.nan, np.inf, 1], F), "[nan, inf, 1]"),
        (np.array([1e-9, 5000], F), "[1e-9, 5000]"),
        (np.array([], F), "[]"),
        (np.zeros((2, 0), F), "empty 2×0"),
        (np.array([True, False]), "[True, False]"),
    ],
)
def test_short_value(array, text):
    assert short_value(array) == text


@pytest.mark.parametrize("limit", [18, 22, 40])
@pytest.mark.parametrize("shape", [(5,), (100_000,), (2, 3), (64, 64), (2, 2, 2, 2)])
def test_short_value_keeps_to_its_limit_and_closes_its_brackets(shape, limit):
    array = np.random.default_rng(0).normal(size=shape).astype(F)

    text = short_value(array, limit)

    assert len(text) <= limit
    assert text.count("[") == text.count("]")
    assert "…" in text or array.size * 4 < limit


@pytest.mark.parametrize("size", [1, 3, 4])
def test_a_number_is_written_alike_alone_in_an_array_and_in_a_sentence(size):
    number = F(0.9974859)

    assert short_value(number) == number_text(number.item()) == "0.9975"
    assert short_value(np.array([number] * size, F), 40) == f"[{', '.join(['0.9975'] * size)}]"


@pytest.mark.parametrize(
    ("number", "text"), [(12345.0, "12345"), (12345.6, "12346"), (999999.0, "999999"), (2e6, "2e6")]
)
def test_a_number_below_a_million_is_written_out(number, text):
    assert number_text(number) == text


def test_short_value_never_writes_a_small_number_as_zero():
    assert "0.00," not in short_value(np.array([0.0001, 5.0], F))


def test_a_shape_reads_as_no_value():
    assert [shape_text(shape) for shape in ((), (3,), (2, 3), (8, 1, 2))] == ["scalar", "(3,)", "2×3", "8×1×2"]


def test_minus_zero_is_zero():
    assert (number_text(-0.0), number_text(np.float32(-0.0)), number_text(-1e-9)) == ("0", "0", "-1e-9")
    assert short_value(np.array([-0.0, 1], F)) == "[0, 1]"
    assert written_alike(np.array([-0.0, 1.5], F), 2).texts == ["0.0", "1.5"]


def test_a_tensor_with_nan_says_how_many_and_not_its_first_number():
    large = np.ones((64, 11), F)
    large[:, 3] = np.nan
    both = large.copy()
    both[0, :2] = np.inf

    assert short_value(large) == "64 NaN of 704"
    assert short_value(both) == "64 NaN and 2 infinite of 704"
    assert short_value(Summary((64, 11), "float32", norm=float("nan"), nan=64)) == "64 NaN of 704"
    assert in_words(large) == "a 64×11 array with 64 NaN of 704"
    assert short_value(np.array([np.nan, 1], F)) == "[nan, 1]"
    assert short_value(np.full(500, 3e38, F)).startswith("[3e38,")  # a sum that overflows is no infinity


def test_a_count_has_its_plural():
    assert [counted(n, "parameter") for n in (0, 1, 2000)] == ["0 parameters", "1 parameter", "2,000 parameters"]
    assert [counted(n, "leaf", "leaves") for n in (1, 2)] == ["1 leaf", "2 leaves"]
    assert [counted(n, "second") for n in (0.5, 1.0, 60.0)] == ["0.5 seconds", "1 second", "60 seconds"]


def test_an_expression_stands_in_brackets_under_a_gradient():
    assert [gradient_of(name) for name in ("x", "fc.weight", "in₁", "x[0]", "x²", "x·w", "σ(x)")] == [
        "∂L/∂x", "∂L/∂fc.weight", "∂L/∂in₁", "∂L/∂x[0]", "∂L/∂(x²)", "∂L/∂(x·w)", "∂L/∂σ(x)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["a·(b + c)", "2·σ(x)", "(a + b)·(c + d)", "a / b[0]", "−σ(x)", "σ(x)²", "|x|", "[1, 2]"]
)
def test_an_expression_that_ends_in_a_bracket_of_its_own_stands_in_brackets(name: str):
    assert gradient_of(name) == f"∂L/∂({name})"


@pytest.mark.parametrize("name", ["σ(a + b)", "net(x).T", "where(a > 0, b², c)", "x[0, :]", "softmax(x)[0]"])
def test_a_call_or_a_part_of_one_needs_no_brackets_whatever_stands_in_it(name: str):
    assert gradient_of(name) == f"∂L/∂{name}"


def test_symbol_of_an_unknown_op_is_the_start_of_its_name():
    assert [symbol(op) for op in ("mul", "mul_", "sum", "matmul", "my_own_op")] == ["×", "×", "Σ", "@", "my"]


def test_op_word_is_pytorchs_spelling():
    assert [op_word(node) for node in weighted_sum().nodes] == ["leaf", "mul", "constant", "mul", "sum"]


def test_number_text_is_as_short_as_it_can_be():
    assert [number_text(n) for n in (2.0, 0.5, 1e-5, float("nan"), True)] == ["2", "0.5", "1e-5", "nan", "True"]


def test_symbol_of_a_custom_function_is_one_for_all():
    assert [symbol(op) for op in ("Square", "Products")] == ["ƒ", "ƒ"]


def test_symbol_of_a_derivative_is_that_of_the_op_with_a_prime():
    assert [symbol(op) for op in ("mse_loss_backward", "softmax_backward_data")] == ["mse′", "soft′"]


@pytest.mark.parametrize(
    ("shape", "takes"), [((), "Backward takes 1 number, one"), ((2, 3), "Backward takes 6 numbers, one")]
)
def test_op_that_no_words_are_kept_for_says_how_many_numbers_it_takes(shape, takes):
    nodes = (Node(0, "leaf", shape=(4,), requires_grad=True), Node(1, "Mine", (0,), shape=shape, requires_grad=True))
    recording = Recording(nodes, (np.ones(4), np.ones(shape)))

    said = jacobian_words(recording, nodes[1], None)

    assert said.startswith(takes)
    assert "gives back 4" in said


@pytest.mark.parametrize(
    ("op", "sign"),
    [
        ("conv2d", "conv"),
        ("conv_transpose1d", "convᵀ"),
        ("adaptive_avg_pool2d", "avg"),
        ("upsample_nearest_exact3d", "size"),
        ("upsample_bilinear2d_back", "size′"),
        ("linalg_solve", "A⁻¹b"),
        ("unbind", "x[i]"),
        ("add_", "+"),
    ],
)
def test_ops_of_one_family_have_one_sign(op, sign):
    assert symbol(op) == sign


@pytest.mark.parametrize(
    ("op", "words"),
    [
        ("conv2d", "a sum over one window"),
        ("max_pool3d", "goes to the elements that were chosen"),
        ("avg_pool1d", "shared out equally"),
        ("layer_norm", "Mean and variance"),
        ("reflection_pad2d", "copied from"),
        ("linalg_inv", "whole matrix"),
    ],
)
def test_ops_of_one_family_have_one_sentence_on_their_jacobian(op, words):
    nodes = (Node(0, "leaf", shape=(4,), requires_grad=True), Node(1, op, (0,), shape=(2,), requires_grad=True))

    assert words in jacobian_words(Recording(nodes, (np.ones(4), np.ones(2))), nodes[1], None)


def names_of(text: str) -> list[str]:
    recording = run(
        f"import torch\nx = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\n{text}", "a.py"
    ).recording
    return [label(recording, node.id) for node in recording.nodes if not node.is_leaf]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x[1].sum()", "x[1]"),
        ("x[:, 1].sum()", "x[:, 1]"),
        ("x[1:].sum()", "x[1:]"),
        ("x[0:1].sum()", "x[:1]"),
        ("(x * x)[0].sum()", "(x·x)[0]"),
        ("x.unbind(1)[1].sum()", "x[:, 1]"),
        ("x.split(1)[1].sum()", "x[1:]"),
        ("x.chunk(2, dim=-1)[0].sum()", "x[:, :1]"),
        ("x.T.sum()", "x.T"),
        ("x.permute(1, 0).sum()", "x.T"),
        ("2 * x", "2·x"),
        ("3 * x**3", "3·x³"),
        ("3*x**3", "3·x³"),
        ("2.0 * x", "2·x"),
        ("x * 2", "x·2"),
        ("1 + x", "1 + x"),
        ("x + 1", "x + 1"),
        ("x ** 2 * 2", "x²·2"),
        ("2 ** 3 * x", "x·8"),
    ],
)
def test_a_part_and_a_product_are_named_as_the_script_writes_them(text, name):
    assert name in names_of(f"y = ({text}).sum()\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fc1.weight", "fc1.weight"),
        ("net.layers.1.norm1.weight", "…1.norm1.weight"),
        ("net.layers.10.norm.bias", "…10.norm.bias"),
        ("net.fc.weight.grad +=", "…weight.grad +="),
        ("net.a_very_long_parameter_name", "…_parameter_name"),
        ("relu(x @ W1) @ W2", "relu(x @ W1) @ …"),
        ("[[[[0, 1.111, 0, 1]]]]", "[[[[0, 1.111, 0…"),
    ],
)
def test_of_a_path_the_end_is_kept_and_of_what_is_none_the_beginning(name, text):
    found = words.shortened(name, 16)

    assert found == text
    assert len(found) <= 16


@given(st.floats(0.5, 8.5))
def test_one_minus_y_squared_can_be_checked_by_eye(x):
    y = F(np.tanh(x)).item()
    shown = float(number_text(y))

    assert 1 - shown * shown == pytest.approx(1 - y * y, rel=0.06)
    assert len(number_text(-y)) <= 11


@pytest.mark.parametrize(
    ("number", "text"), [(0.9999877, "0.999988"), (-0.9995, "-0.9995"), (1 - 1e-12, "1"), (1.0, "1")]
)
def test_a_number_just_below_one_is_not_one(number, text):
    assert number_text(number) == text
