"""A bare expression becomes a whole script: what is filled in, what stays, and what is no expression."""

from __future__ import annotations

import ast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.source.expression import complete_expression
from gradviz.source.leaves import find_leaves
from tests.recorded import run


def completed(text: str) -> str:
    script = complete_expression(text)
    assert script is not None
    ast.parse(script)
    return script


def shapes(text: str) -> dict[str, tuple[int, ...]]:
    return {spec.name: spec.shape for spec in find_leaves(completed(text))}


def test_weighted_sum_of_squares_becomes_this_script():
    script = complete_expression("sum(x**2 * w)")

    assert script == (
        "import torch\n\n"
        "x = torch.tensor([1., 2., 3.], requires_grad=True)\n"
        "w = torch.tensor([1.5, -0.25, 2.], requires_grad=True)\n\n"
        "y = torch.sum(x**2 * w)\n\n"
        "y.backward()\n\n"
        "print(x.grad)\nprint(w.grad)\n"
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x*x", "y = x*x"),
        ("  \n(x *\n   w)", "y = (x *\n   w)"),
        ("  x*w ", "y = x*w"),
        ("  a = x*w\r\n  a*2", "a = x*w\ny = a*2"),
        ("h = x  *  w   # twice", "h = x  *  w   # twice"),
        ("y = sigmoid(w @ x + b)", "y = torch.sigmoid(w @ x + b)"),
        ("a = x*w\nb = a + x\nsum(b)", "a = x*w\nb = a + x\ny = torch.sum(b)"),
        ("(x * w).sum()", "y = (x * w).sum()"),
        ("y * 2", "z = y * 2"),
        ("ln(x) + gelu(x)", "y = torch.log(x) + torch.nn.functional.gelu(x)"),
        ("softmax(x)", "y = torch.softmax(x, dim=-1)"),
        ("max(x, 0)", "y = torch.max(x, torch.tensor(0.))"),
        ("max(x, 0.5)", "y = torch.max(x, torch.tensor(0.5))"),
        ("f(x) = 2x^2 + 3x", "f = 2*x**2 + 3*x"),
        ("2(x + 1)", "y = 2*(x + 1)"),
        ("1e-3 * x", "y = 1e-3 * x"),
        ("π·r²", "y = torch.pi*r**2"),
        ("e**x * e1", "y = torch.e**x * e1"),
        ("tahn(x)", "y = torch.tahn(x)"),
        ("torch.softmax(x, 0).log().sum()", "y = torch.softmax(x, 0).log().sum()"),
        ("F.relu(x).sum()", "y = torch.relu(x).sum()"),
        ("torch.nn.functional.gelu(x)", "y = torch.nn.functional.gelu(x)"),
    ],
)
def test_typed_text_stays_but_for_the_spelling(text, line):
    assert f"\n{line}\n" in completed(text)


@pytest.mark.parametrize(
    "text",
    [
        "sum(x)",
        "mean(x*w)",
        "dot(x, w)",
        "(x*w).sum()",
        "norm(x)",
        "x[0] * x[1]",
        "mse_loss(x, t)",
        "a = x*w\nsum(a) + 1",
    ],
)
def test_scalar_needs_no_seed(text):
    assert ".backward()\n" in completed(text)


@pytest.mark.parametrize("text", ["x*w", "w @ x", "sum(x, 0)", "sin(x)", "stack([x, w])"])
def test_what_may_be_no_scalar_is_seeded_with_ones(text):
    assert "y.backward(torch.ones_like(y))\n" in completed(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x * w", {"x": (3,), "w": (3,)}),
        ("w @ x + b", {"w": (2, 3), "x": (3,), "b": (2,)}),
        ("x @ W + b", {"x": (3,), "W": (3, 2), "b": (2,)}),
        ("A @ B", {"A": (2, 3), "B": (3, 2)}),
        ("W2 @ relu(W1 @ x + b1) + b2", {"W2": (2, 2), "W1": (2, 3), "x": (3,), "b1": (2,), "b2": (2,)}),
        ("mean((X @ w - t)**2)", {"X": (2, 3), "w": (3,), "t": (2,)}),
        ("matmul(A, x)", {"A": (2, 3), "x": (3,)}),
        ("x.T @ A @ x", {"x": (3, 2), "A": (3, 3)}),
        ("x[0] * x[4]", {"x": (5,)}),
        ("x[0, 1]", {"x": (3, 3)}),
    ],
)
def test_unknown_names_get_shapes_that_fit(text, expected):
    assert shapes(text) == expected


def test_names_in_the_domain_of_a_function_start_inside_it():
    values = [spec.values for spec in find_leaves(completed("asin(x) + log(w)"))]

    assert all(0 < number < 1 for row in values for number in row)


def test_no_two_unknown_names_start_at_the_same_values():
    values = [tuple(spec.values) for spec in find_leaves(completed("a*b*c*d*f*g"))]

    assert len(set(values)) == 6


def test_backward_and_print_that_are_typed_are_not_doubled():
    script = completed("y = x**2\ny.backward(v)\nprint(x.grad)")

    assert script.count("backward") == 1
    assert script.count("print") == 1


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "1 + 2", "x = 5", "x =", "import torch", "torch.linalg.norm(x)", "np.sum(x)", "tensor([1.])",
        "print('hi')", "print(x)", "def f(): pass", "for i in x: pass", "lambda x: x", "[x for x in y]", "'a' + b",
        "range(3)", "a, b = x*2, 3", "x if w else y", "len(x)", "open(x)", "f'{x}' * w", "x * w" * 10_000,
    ],
)  # fmt: skip
def test_what_is_no_expression_of_unknown_names_is_left_alone(text):
    assert complete_expression(text) is None


@given(st.text(max_size=60))
def test_any_text_is_answered_without_an_exception(text):
    script = complete_expression(text)

    if script is not None:
        ast.parse(script)


terms = st.recursive(
    st.sampled_from(["x", "w", "b2", "θ", "3", "0.5"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("{}.sin()".format, inner.filter(lambda t: t[0] not in "30")),
    ),
    max_leaves=12,
)


@given(terms.filter(lambda t: any(name in t for name in ("x", "w", "θ", "b2")) and len(t) > 2))
def test_expression_stands_in_the_script_as_it_was_typed(text):
    assert f"\ny = {text}\n" in completed(text)


def gradients_of(expression: str) -> dict[str, np.ndarray]:
    text = complete_expression(expression)
    assert text is not None
    recording = run(text, "a.py").recording
    assert recording.problem is None, recording.problem
    return {name: np.abs(np.asarray(gradient)) for name, gradient in recording.gradients.items()}


@pytest.mark.parametrize(
    "expression",
    [
        "tanh(x @ w + b)",
        "sigmoid(w*x + b)",
        "softmax(x)",
        "softmax(x @ w)",
        "softmax(v * x)",
        "sigmoid(w1*x1 + w2*x2 + b)",
        "tanh(w2 * tanh(w1 * x))",
        "softmax(Q @ K.T) @ V",
        "logsumexp(x)",
        "tanh(x)",
        "erf(a * b)",
    ],
)
def test_values_that_are_made_up_give_gradients_that_can_be_seen(expression):
    for gradient in gradients_of(expression).values():
        assert gradient.max() > 0.01


@pytest.mark.parametrize("expression", ["relu(x)", "abs(x)", "gelu(x)"])
def test_values_that_are_made_up_lie_on_both_sides_of_a_kink(expression):
    text = complete_expression(expression)

    assert text is not None
    assert "-2." in text
    assert "1., " in text
