"""Formulas as people read them: signs, superscripts and parentheses that keep the meaning."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from gradviz.ops.op import Op
from gradviz.ops.table import TABLE
from gradviz.playback.formula.formula import Symbol, takes_numbers, typeset
from gradviz.playback.formula.jacobian import added_axes, jacobian_words
from gradviz.playback.formula.lines import equation_of, lines, saved
from gradviz.playback.formula.text import GRADIENT, VALUE, Piece, html, plain
from gradviz.recording import Node, Recording

LETTERS = {
    "g": Symbol("∂L/∂y", GRADIENT),
    "y": Symbol("y"),
    "a": Symbol("a"),
    "b": Symbol("b"),
    "s": Symbol("s", VALUE, is_number=True),
    "exponent": Symbol("n", "", is_number=True),
}


def row(op: str, inputs: int = 2, **params: object) -> Op:
    found = TABLE.find(op, inputs, params)
    assert found is not None, op
    return found


def shown(formula: str, **names: Symbol) -> str:
    return plain(typeset(formula, LETTERS | names))


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("g * b", "∂L/∂y ⊙ b"),
        ("g * s", "∂L/∂y · s"),
        ("g * (1 - y * y)", "∂L/∂y ⊙ (1 − y²)"),
        ("g * exponent * a ** (exponent - 1)", "∂L/∂y · n ⊙ a^(n − 1)"),
        ("a ** 2", "a²"),
        ("a ** -1", "a⁻¹"),
        ("a ** b ** 2", "a^(b²)"),
        ("g ** 2", "(∂L/∂y)²"),
        ("g @ T(b)", "∂L/∂y @ bᵀ"),
        ("T(a @ b)", "(a @ b)ᵀ"),
        ("a.mT @ g", "aᵀ @ ∂L/∂y"),
        ("-g * a / b ** 2", "−∂L/∂y ⊙ a / b²"),
        ("g / (2 * sqrt(a))", "∂L/∂y / (2 · √a)"),
        ("g / a / b", "(∂L/∂y / a) / b"),
        ("g * (a / b)", "∂L/∂y ⊙ (a / b)"),
        ("a / b * g", "(a / b) ⊙ ∂L/∂y"),
        ("g * -sin(a)", "∂L/∂y ⊙ (−sin(a))"),
        ("a - (b - a)", "a − (b − a)"),
        ("a + (b + a)", "a + b + a"),
        ("(-a) ** 2", "(−a)²"),
        ("-a ** 2", "−a²"),
        ("where(a > b, g, 0)", "∂L/∂y where a > b, else 0"),
        ("where((s <= a) & (a <= b), g, 0)", "∂L/∂y where s ≤ a and a ≤ b, else 0"),
        ("g * abs(a)", "∂L/∂y ⊙ |a|"),
        ("reshape(g, shape(a))", "∂L/∂y in the shape of a"),
        ("spread(g / count(a, dim), a, dim, keepdim)", "(∂L/∂y / n) copied to every element that was summed"),
        ("y * (g - sum(g * y, dim, True))", "y ⊙ (∂L/∂y − Σ[dim](∂L/∂y ⊙ y))"),
        ("sum(g, 0)", "Σ[axis 0](∂L/∂y)"),
        ("put(g, shape(a), index)", "∂L/∂y put back at index, 0 elsewhere"),
        ("g[..., 0]", "∂L/∂y[..., 0]"),
        ("frobnicate(g, a, n=3, mode='x', dim=dim)", "frobnicate(∂L/∂y, a, n=3)"),
    ],
)
def test_formula_is_typeset_as_people_write_it(formula, text):
    assert shown(formula) == text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("see the paper, section 3:", "see the paper, section 3:"),
        ("the part of g that came from x", "the part of ∂L/∂y that came from x"),
        ("-g * 1 / n at each sample's class, else 0", "−∂L/∂y · 1 / n at each sample's class, else 0"),
        ("0 where a < -3, g - y where a >= 3", "0 where a < −3, ∂L/∂y − y where a ≥ 3"),
        ("1 in the one-hot row", "1 in the one-hot row"),
        ("g * a ** 2, at a place of its own", "∂L/∂y ⊙ a², at a place of its own"),
    ],
)
def test_text_that_is_no_expression_is_shown_in_its_words(formula, text):
    assert shown(formula) == text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("g where a > 0, else 0", "∂L/∂y where a > 0, else 0"),
        ("g where |a| > s, else g * b", "∂L/∂y where |a| > s, else ∂L/∂y ⊙ b"),
        ("g / s * (a - b where |a - b| <= s, else sign(a - b))",
         "(∂L/∂y / s) ⊙ (a − b where |a − b| ≤ s, else sign(a − b))"),
    ],
)  # fmt: skip
def test_choice_in_words_is_a_choice(formula, text):
    assert shown(formula) == text


def test_choice_in_words_takes_numbers():
    names = {"a": Symbol("[−1, 2]"), "g": Symbol("[1, 1]", GRADIENT)}

    assert takes_numbers("g where a > 0, else 0", {"g", "a"})
    assert shown("g where a > 0, else 0", **names) == "[1, 1] where [−1, 2] > 0, else 0"


def test_numbers_take_the_place_of_letters_and_are_folded():
    names = {"a": Symbol("[−1, 2]"), "g": Symbol("[1, 1]", GRADIENT), "exponent": Symbol("2", "", True, 2)}

    text = shown("g * exponent * a ** (exponent - 1)", **names)

    assert text == "[1, 1] · 2 ⊙ [−1, 2]"


def test_negative_number_behind_a_sign_is_in_parentheses():
    assert shown("g * s", s=Symbol("−3", VALUE, is_number=True)) == "∂L/∂y · (−3)"
    assert shown("s ** 2", s=Symbol("−3", VALUE, is_number=True)) == "(−3)²"


def test_rich_text_carries_colours_superscripts_and_escapes():
    pieces = (*typeset("g * b ** 2", LETTERS), Piece(" < "), Piece("axis 0", "", -1))

    text = html(pieces, {GRADIENT: "#C2410B", VALUE: "#2563C9"})

    assert '<span style="color:#C2410B">∂L/∂y</span>' in text
    assert '<span style="color:#2563C9">b</span><sup>2</sup>' in text
    assert " &lt; " in text
    assert "<sub>axis 0</sub>" in text


_WORDS = re.compile(r"\w+")
NAMES = {"g": 1.7, "a": -0.6, "b": 2.3, "y": 0.4}


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
    return binary | inner.map(lambda e: f"(-{e})") | inner.map(lambda e: f"({e} ** 2)") | inner.map("exp({})".format)


EXPRESSIONS = st.recursive(st.sampled_from(["g", "a", "b", "y", "2", "3"]), _combined, max_leaves=8)


@settings(max_examples=300)
@given(EXPRESSIONS)
def test_typeset_formula_means_what_the_formula_means(formula):
    text = shown(formula).replace("∂L/∂y", "g")
    text = text.replace("⊙", "*").replace("·", "*").replace("−", "-").replace("^", "**")
    text = re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: "**" + m[0].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")), text)
    scope = {"exp": np.exp, **{name: np.float64(value) for name, value in NAMES.items()}}

    with np.errstate(all="ignore"):
        try:
            expected = eval(formula, scope)
        except ZeroDivisionError:  # of numbers alone, such as 2 / (2 - 2): it means nothing
            reject()
        actual = eval(text, scope)

    assert math.isclose(expected, actual, rel_tol=1e-5) or (expected == actual) or not np.isfinite(expected)


@pytest.mark.parametrize("op", TABLE.rows(), ids=lambda op: op.name)
def test_every_formula_of_the_table_is_read_and_shown_without_python_signs(op):
    for formula in filter(None, op.formula):
        text = shown(formula, **{name: Symbol(name) for name in op.inputs})

        assert text
        assert "g" not in _WORDS.findall(text)
        assert "**" not in text
        assert " * " not in text


def test_only_arithmetic_takes_numbers():
    assert takes_numbers("g * exp(a)", {"g", "a"})
    assert not takes_numbers("g * hits", {"g"})
    assert not takes_numbers("reshape(g, shape(a))", {"g", "a"})
    assert not takes_numbers("g[..., 0]", {"g"})
    assert not takes_numbers("no formula at all", {"g"})


def test_words_take_numbers_where_every_letter_has_one():
    assert takes_numbers("g copied to every element", {"g"})
    assert not takes_numbers("g / n, copied to all n elements", {"g"})


def test_mean_says_how_many_elements_it_is_of():
    recording, node = recorded("mean", f32(1, 2, 3, 6), result=np.float32(3))

    (line,) = lines(recording, node, row("mean", 1), np.float32(1), (f32(0.25, 0.25, 0.25, 0.25),))

    assert plain(line.letters) == "∂L/∂x = (∂L/∂out / n) copied to every element that was summed"
    assert plain(line.numbers) == "[0.25, 0.25, 0.25, 0.25] = (1 / 4) copied to every element that was summed"


# ---- the lines of a node ----------------------------------------------------------------------------------------


def recorded(op: str, *inputs: np.ndarray, result: np.ndarray, takers: tuple[bool, ...] = (), **params: object):
    takers = takers or (True,) * len(inputs)
    nodes = [
        Node(i, "leaf" if taker else "constant", shape=x.shape, name="xwz"[i], requires_grad=taker)
        for i, (x, taker) in enumerate(zip(inputs, takers, strict=True))
    ]
    nodes.append(Node(len(inputs), op, tuple(range(len(inputs))), params, result.shape, requires_grad=any(takers)))
    return Recording(tuple(nodes), (*inputs, result)), nodes[-1]


def f32(*numbers: float) -> np.ndarray:
    return np.array(numbers, dtype=np.float32)


def test_line_of_an_input_shows_letters_and_numbers():
    recording, node = recorded("mul", f32(1, 4), f32(3, 5), result=f32(3, 20), takers=(True, False))

    (line,) = lines(recording, node, row("mul"), f32(1, 1), (f32(3, 5), None))

    assert plain(line.letters) == "∂L/∂x = ∂L/∂out ⊙ w"
    assert plain(line.numbers) == "[3, 5] = [1, 1] ⊙ [3, 5]"


def test_line_has_no_numbers_before_the_step_nor_for_many():
    recording, node = recorded("exp", np.ones(50, np.float32), result=np.full(50, np.e, np.float32))

    before = lines(recording, node, row("exp", 1), None, ())
    large = lines(recording, node, row("exp", 1), np.ones(50, np.float32), (np.ones(50, np.float32),))

    assert before[0].numbers == large[0].numbers == ()
    assert plain(large[0].letters) == "∂L/∂x = ∂L/∂out ⊙ out"


def test_line_of_a_broadcast_input_is_summed_over_the_added_axes():
    recording, node = recorded("mul", np.ones((2, 3), np.float32), f32(1, 2, 3), result=np.ones((2, 3), np.float32))

    first, second = lines(recording, node, row("mul"), None, ())

    assert plain(first.letters) == "∂L/∂x = ∂L/∂out ⊙ w"
    assert plain(second.letters) == "∂L/∂w = Σ[axis 0](∂L/∂out ⊙ x)"


def test_inputs_of_an_op_that_takes_many_have_their_names():
    recording, node = recorded("stack", f32(1), f32(2), result=np.array([[1], [2]], np.float32), dim=0)

    found = lines(recording, node, row("stack", 2, dim=0), None, ())

    assert [plain(line.letters) for line in found] == [
        f"∂L/∂{x} = the part of ∂L/∂out that came from {x}" for x in ("x", "w")
    ]


def test_parameter_has_a_letter_and_then_its_number():
    recording, node = recorded("pow", f32(-1, 2), result=f32(-1, 8), exponent=3)

    (line,) = lines(recording, node, row("pow", 1, exponent=3), f32(1, 1), (f32(3, 12),))

    assert plain(line.letters) == "∂L/∂x = ∂L/∂out · n ⊙ x^(n − 1)"
    assert plain(line.numbers) == "[3, 12] = [1, 1] · 3 ⊙ [−1, 2]²"


@pytest.mark.parametrize(
    ("shape", "target", "axes"),
    [((3,), (3,), ()), ((3,), (2, 3), (0,)), ((3, 1), (2, 3, 4), (0, 2)), ((), (2,), (0,)), ((1,), (1,), ())],
)
def test_axes_that_broadcasting_added(shape, target, axes):
    assert added_axes(shape, target) == axes


@pytest.mark.parametrize("shape", [(1, 1, 2), (3,), (2, 1)])
def test_an_elementwise_op_of_a_file_whose_shapes_do_not_fit_gets_the_words_of_an_unknown_op(shape):
    nodes = (Node(0, "leaf", shape=shape, requires_grad=True), Node(1, "exp", (0,), shape=(2,), requires_grad=True))
    recording = Recording(nodes, (None, None))

    assert added_axes(shape, (2,)) == ()
    assert jacobian_words(recording, nodes[1], row("exp", 1)).startswith("Backward takes 2 numbers")


# What PyTorch 2.13 keeps: `_saved_self` and `_saved_other` of the backward node.
@pytest.mark.parametrize(
    ("op", "takers", "kept"),
    [
        ("mul", (True, False), ["w"]),
        ("mul", (False, True), ["x"]),
        ("mul", (True, True), ["x", "w"]),
        ("div", (True, False), ["w"]),
        ("div", (False, True), ["x", "w"]),
        ("matmul", (True, False), ["w"]),
    ],
)
def test_only_what_a_wanted_gradient_needs_is_saved(op, takers, kept):
    recording, node = recorded(
        op, np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32), result=np.eye(2), takers=takers
    )

    assert [entry.name for entry in saved(recording, node, row(op))] == kept


def test_nothing_is_saved_where_no_gradient_flows():
    recording, node = recorded("mul", f32(1), f32(2), result=f32(2), takers=(False, False))

    assert saved(recording, node, row("mul")) == ()


# ---- words on the Jacobian --------------------------------------------------------------------------------------


def test_elementwise_jacobian_is_diagonal_and_spelled_out():
    recording, node = recorded("mul", f32(1, 4), f32(3, 5), result=f32(3, 20), takers=(True, False))

    assert jacobian_words(recording, node, row("mul")) == (
        "The Jacobian here is diagonal, diag(3, 5). "
        "Backward multiplies by the diagonal; the 2 × 2 matrix is never built."
    )


def test_a_diagonal_too_long_to_spell_is_not_spelled():
    x = f32(0.07065, 0.001341, 0.00002456, 0.0000004501)
    recording, node = recorded("mul", x, x, result=x * x)

    assert jacobian_words(recording, node, row("mul")).startswith("The Jacobians here are diagonal. ")


def test_one_number_has_a_plain_number_as_derivative():
    recording, node = recorded("exp", np.float32(0), result=np.float32(1))

    assert "a plain number, 1." in jacobian_words(recording, node, row("exp", 1))


def test_broadcast_input_is_said_to_be_summed():
    recording, node = recorded("add", np.ones((2, 3)), np.ones(3), result=np.ones((2, 3)), takers=(False, True))

    assert jacobian_words(recording, node, row("add")) == (
        "w was broadcast from (3,) to 2×3: its gradient is summed over the axes that broadcasting added."
    )


@pytest.mark.parametrize(
    ("op", "inputs", "result", "words"),
    [
        ("sum", [np.ones(3)], np.float64(3), "one row of 3 ones: every element of the input gets the same"),
        ("sum", [np.ones((1, 1))], np.float64(1), "One number in, one number out"),
        ("mean", [np.ones((2, 2))], np.float64(1), "one row of 4 times 1/4"),
        ("sum", [np.ones((2, 3))], np.ones(2), "2 × 6 Jacobian of ones and zeros"),
        ("matmul", [np.ones((2, 3)), np.ones((3, 4))], np.ones((2, 4)), "8 × 6 and 8 × 12 Jacobians are never built"),
        ("view", [np.ones((2, 3))], np.ones(6), "permutation"),
        ("stack", [np.ones(2), np.ones(2)], np.ones((2, 2)), "cuts ∂L/∂out into pieces"),
        ("nll_loss", [np.ones((2, 3))], np.float64(1), "one row of 6, with −w/n at the targets"),
        ("nll_loss", [np.ones((2, 3))], np.ones(2), "every row of the 2 × 6 Jacobian has one entry"),
        ("mse_loss", [np.ones(3), np.ones(3)], np.float64(1), "one row of 3 slopes"),
        ("huber_loss", [np.ones(3), np.ones(3)], np.ones(3), "diagonal"),
        ("multi_margin_loss", [np.ones((2, 3))], np.float64(1), "closer to the target than the margin"),
        ("dist", [np.ones(3), np.ones(3)], np.float64(1), "the vector over its length"),
        ("cdist", [np.ones((2, 3)), np.ones((4, 3))], np.ones((2, 4)), "two rows alone"),
        ("MySquare", [np.ones(2), np.ones(2)], np.ones(3), "takes 3 numbers"),
    ],
)
def test_every_kind_of_op_has_its_sentence(op, inputs, result, words):
    recording, node = recorded(op, *inputs, result=result)

    assert words in jacobian_words(recording, node, TABLE.find(op, len(inputs), {}))


def test_rule_that_cannot_take_a_files_parameters_leaves_the_diagonal_unsaid():
    recording, node = recorded("pow", f32(1, 2), result=f32(1, 4), power=2)

    assert jacobian_words(recording, node, row("pow", 1, exponent=3)).startswith("The Jacobian here is diagonal. ")


def test_factor_that_is_one_is_not_written_and_any_other_is():
    arrays = [np.ones((2, 3), np.float32), np.ones((2, 4), np.float32), np.ones((4, 3), np.float32)]
    plainly, node = recorded("addmm", *arrays, result=np.ones((2, 3), np.float32), beta=1, alpha=1)
    scaled, other = recorded("addmm", *arrays, result=np.ones((2, 3), np.float32), beta=1, alpha=2)
    op = row("addmm", 3, beta=1, alpha=1)

    assert plain(lines(plainly, node, op, None, ())[1].letters) == "∂L/∂w = ∂L/∂out @ zᵀ"
    assert equation_of(plainly, node, op) == "out = x + w @ z"
    assert plain(lines(scaled, other, op, None, ())[1].letters) == "∂L/∂w = α · ∂L/∂out @ zᵀ"
    assert equation_of(scaled, other, op) == "out = x + alpha · w @ z"
