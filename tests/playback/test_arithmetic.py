"""No line of arithmetic is false, whatever hooks, `.data`, changes in place and custom Functions do to the numbers.

Every equation that is printed is read again and computed, and its sides are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradviz.playback.formula.arithmetic import EQUALS, FROM, NOT, adds_up, formula_holds, sign_before
from gradviz.playback.formula.text import Piece, plain
from gradviz.playback.product.product import product_at
from gradviz.playback.report import READ, node_report
from gradviz.playback.sentence import sentence
from gradviz.playback.step_table import step_rows
from gradviz.playback.track import Track
from gradviz.player.node_pages import node_page, sections
from gradviz.player.products import product_of
from gradviz.recording import Recording
from gradviz.shipped import shipped
from gradviz.texts.step_text import markdown_table
from gradviz.ui.inspector.as_text import as_text
from tests.recorded import run

# ---- reading what is printed ------------------------------------------------------------------------------------

_SIGNS = str.maketrans({"−": "-", "·": "*", "⊙": "*"})
_RAISED = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_WORDS = re.compile(r",? (copied|spread|put back)\b.*")
_CHOICE = re.compile(r"^(.*) where (.*), else (.*)$")
_NAMES: dict[str, Any] = {
    **{name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "tanh", "cosh", "sqrt", "where")},
    "nan": np.nan,
    "inf": np.inf,
    "pi": np.pi,
    "array": np.array,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "along": lambda axes, x: np.sum(x, axis=axes),
    "magnitude": np.abs,
}


def computed(text: str) -> np.ndarray | None:
    """One side of a printed equation as numbers; None where it is words."""
    text = _WORDS.sub("", text.strip())
    if choice := _CHOICE.match(text):
        parts = [computed(part) for part in (choice[2], choice[1], choice[3])]
        return None if any(part is None for part in parts) else np.where(*parts)  # type: ignore[call-overload]
    text = re.sub(r"Σ\[ax(?:i|e)s ([\d, ]+)\] (.*)", r"along((\1,), \2)", text)
    text = re.sub(r"\|([^|]*)\|", r"magnitude(\1)", text)
    text = _RAISED.sub(lambda found: f"**({found[0].translate(_DIGITS)})", text).translate(_SIGNS)
    text = text.replace("^", "**").replace("√", "sqrt").replace("σ(", "sigmoid(").replace("π", "pi")
    text = text.replace("≥", ">=").replace("≤", "<=").replace("≠", "!=")
    text = re.sub(r"(\[(?:[^\[\]]|\[[^\[\]]*\])*\])", r"array(\1)", text)
    text = re.sub(r"sqrt(\d[\d.e+-]*)", r"sqrt(\1)", text)
    try:
        with np.errstate(all="ignore"):
            return np.asarray(eval(text, {"__builtins__": {}}, _NAMES), dtype=np.float64)
    except (NameError, SyntaxError, TypeError, ValueError):
        return None


def is_true(equation: str) -> bool | None:
    """Whether both sides of a printed equation are the same within their digits; None where one is words."""
    left, _, right = equation.partition(" = ")
    sides = computed(left), computed(right)
    if sides[0] is None or sides[1] is None:
        return None
    a, b = sides
    b = b.reshape(a.shape) if b.size == a.size else b
    return bool(np.allclose(a, b, rtol=1e-2, atol=1e-12, equal_nan=True))


def equations(track: Track) -> Iterator[str]:
    """Every equation with numbers that is printed of a backward call."""
    for number, step in enumerate(track.steps, 1):
        position = track.turn + number
        report = node_report(track, position, step.node)
        yield from (plain(line.numbers) for line in (report.rule.lines if report.rule else ()) if line.numbers)
        for words in sentence(track, position):
            yield from re.findall(r"(?:adds|receives) ([^;]+? = [^;]+?);", words)
        page = node_page(track, step.node)
        for _, rule in page.get("rule", ()):
            for _, numbers in rule.get("lines", ()):
                if numbers:
                    yield plain([Piece(str(piece[0]), "", piece[2] if len(piece) > 2 else 0) for piece in numbers])
        yield from _of_product(track, step.node, position)
    for row in step_rows(track):
        yield from (line.strip() for line in row.rule if line.startswith("  "))
    for line in markdown_table(track).splitlines():
        for part in line.replace("\\", "").split("<br>"):
            yield from (each.strip() for each in part.split(" | ") if re.match(r"\s*[\[\d−.]+.* = ", each))


def _of_product(track: Track, node: int, position: int) -> Iterator[str]:
    drawn = product_of(track, node)
    for factor in drawn["factors"] if drawn else ():
        for column, (sent, sign) in enumerate(zip(factor["sent"], factor["signs"], strict=True)):
            if sign == EQUALS:
                terms = [f"({v})*({row[column]})" for v, row in zip(drawn["v"], factor["rows"], strict=True)]
                yield f"{sent} = {' + '.join(terms)}"
    product = product_at(track, position, node)
    for form in product.forms if product else ():
        for place in np.ndindex(form.result.numbers.shape):
            pieces = form.find(*place).pieces
            text = "".join(f"({part:.4g})" if isinstance(part, float) else part for part, _ in pieces)
            if "more term" not in text and EQUALS in text:
                yield text


# ---- scripts that meddle ----------------------------------------------------------------------------------------

NUMBERS = st.sampled_from((-3.0, -1.5, -1.0, 0.0, 0.3333333, 0.5, 1.0, 2.0, 7.25, 1234.5, 1e-6, 99999.0))
OPS = st.sampled_from((
    "a * b", "a + b", "a - b", "a * a", "a ** 2", "a ** 3", "torch.sin(a)", "torch.tanh(b)", "torch.sigmoid(a)",
    "torch.relu(a)", "a.abs()", "a.square()", "3 * a", "a / 4", "torch.exp(a / 1000)", "Twice.apply(a)",
    "Wrong.apply(b)", "a.sum() * b", "a.mean() + b", "torch.outer(a.reshape(-1), b.reshape(-1)).sum(0).sum()",
    "(a.reshape(1, -1) @ b.reshape(-1, 1)).sum() + a",
))  # fmt: skip
MEDDLING = st.sampled_from((
    "", "", "", "{0}.data += 1", "{0}.data.mul_(3)", "with torch.no_grad(): {0}.mul_(1.5)", "{0}.data = {0}.data * 2",
    "{0}.register_hook(lambda g: g * 10)", "{0}.register_hook(lambda g: g * 1.0005)", "{0}.register_hook(lambda g: g)",
    "{0}.grad_fn and {0}.grad_fn.register_hook(lambda i, o: tuple(g if g is None else g * 7 for g in i))",
    "{0}.grad_fn and {0}.retain_grad()", "{0}.is_leaf or {0}.add_(1)", "{0}.detach().add_(1)",
))  # fmt: skip
HEAD = """import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 2 * x
    @staticmethod
    def backward(ctx, g):
        return 2 * g
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g * 5
"""


@st.composite
def scripts(draw: st.DrawFn) -> str:
    """A script with some leaves and ops, and things in between that autograd, or only the graph, does not know of."""
    count = draw(st.integers(1, 3))
    lines = [HEAD]
    for name in ("p", "q"):
        numbers = draw(st.lists(NUMBERS, min_size=count, max_size=count))
        shown = numbers[0] if count == 1 and draw(st.booleans()) else numbers
        lines.append(f"{name} = torch.tensor({shown}, requires_grad=True)")
    names = ["p", "q"]
    for number in range(draw(st.integers(1, 4))):
        a, b = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        op = re.sub(r"\b([ab])\b(?!\()", lambda found, a=a, b=b: a if found[1] == "a" else b, draw(OPS))
        lines.append(f"t{number} = {op}")
        names.append(f"t{number}")
        lines.append(draw(MEDDLING).format(draw(st.sampled_from(names))))
    lines += [f"L = ({' * 1.0 + '.join(names[2:])}).sum()", "L.backward()"]
    return "\n".join(lines)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scripts())
def test_every_printed_equation_is_true(text: str) -> None:
    recording = run(text).recording
    for at in range(len(recording.sweeps)):
        for equation in equations(Track(recording, at)):
            assert is_true(equation) is not False, equation


def recorded(text: str) -> Recording:
    found = run(text).recording
    assert found.problem is None, found.problem
    return found


def test_the_equations_of_a_plain_run_are_printed_and_read() -> None:
    recording = recorded(HEAD + "x = torch.tensor([1., 2.], requires_grad=True)\ny = (x ** 3 * x).sum()\ny.backward()")

    found = list(equations(Track(recording, 0)))

    assert len(found) > 8
    assert [is_true(each) for each in found].count(True) > 8
    assert "[3, 24] = [1, 2] · 3 ⊙ [1, 2]²" in found
    assert is_true("[3, 24] = [1, 2] · 3 ⊙ [1, 3]²") is False


LESSON_21 = shipped("examples", "21_changed_behind_its_back.py").read_text(encoding="utf-8")

# ---- what is said instead ----------------------------------------------------------------------------------------


def rule_of(recording: Recording, name: str) -> Any:
    track = Track(recording, len(recording.sweeps) - 1)
    node = next(node.id for node in recording.nodes if node.name == name and node.id in track.call.step_of)  # type: ignore[union-attr]
    return node_report(track, track.length, node).rule


def test_a_value_changed_through_data_is_the_one_that_backward_read() -> None:
    recording = recorded(LESSON_21)

    rule = rule_of(recording, "y")

    assert [plain(line.numbers) for line in rule.lines] == ["6 = 1 · 2 · 3"]
    assert rule.remark == "x was changed at line 18, after pow saved it: backward read 3, not 2."
    (row, *_) = step_rows(Track(recording, len(recording.sweeps) - 1))
    assert row.rule[1:] == ("  6 = 1 · 2 · 3", rule.remark)


def test_what_was_saved_is_what_it_was_then_and_what_backward_read_stands_beside_it() -> None:
    recording = recorded(LESSON_21)
    track = Track(recording, len(recording.sweeps) - 1)
    node = track.steps[0].node
    before, after = (node_report(track, position, node) for position in (track.turn, track.turn + 1))

    (kept,), (read,) = before.saved, after.saved

    assert kept.value == read.value == 2
    assert kept.read is None
    assert read.read is not None
    assert (read.read.value, read.read.line) == (3, 18)
    assert [name for name, _, _ in sections(track, track.turn + 1, node)["saved"]["rows"]] == ["x", READ]
    text = as_text(after)
    assert text.index("saved x (freed at this step): 2") < text.index(f"{READ}: 3")


def test_the_product_is_made_of_what_backward_read() -> None:
    recording = recorded(LESSON_21)
    track = Track(recording, len(recording.sweeps) - 1)

    product = product_at(track, track.length, track.steps[0].node)

    assert product is not None
    assert product.note == ""
    assert product.factors[0].sample.tolist() == [[6]]


def test_a_gradient_that_a_hook_of_the_node_changed_stands_in_no_equation() -> None:
    recording = recorded(
        "import torch\nx = torch.tensor(2., requires_grad=True)\ny = x * 3\n"
        "y.grad_fn.register_hook(lambda sent, came: (sent[0] * 10, None))\ny.backward()"
    )
    track = Track(recording, 0)

    rule, product = rule_of(recording, "y"), product_at(track, track.length, track.steps[0].node)

    assert [line.numbers for line in rule.lines] == [()]
    assert rule.remark == "What went out to x is not what the rule gives: something, such as a hook, changed it."
    assert product is not None
    assert product.changed == {0}


def test_a_sum_that_a_hook_changed_is_no_equation_in_the_sentence() -> None:
    recording = recorded(
        "import torch\nx = torch.tensor(2., requires_grad=True)\nx.register_hook(lambda g: g * 10)\n"
        "y = x * 3 + x * 4\ny.backward()"
    )
    track = Track(recording, 0)

    said = [sentence(track, position)[0] for position in range(track.length + 1)]

    assert (
        "x receives 4 and 3, which something, such as a hook, changes to 70; x.grad was None and is now 70." in said
        or "x receives 3 and 4, which something, such as a hook, changes to 70; x.grad was None and is now 70." in said
    )


@pytest.mark.parametrize(
    ("total", "terms", "sign"),
    [
        (6.0, [(1.0, 2.0), (2.0, 2.0)], EQUALS),
        (0.6667, [(1.0, 1 / 3), (1.0, 1 / 3)], EQUALS),
        (40.0, [(1.0, 4.0)], NOT),
        (0.1, [(1.0, 1000.1), (-1.0, 1000.0)], FROM),
        (float("nan"), [(float("nan"), 1.0)], EQUALS),
        (float("inf"), [(1.0, 1.0)], NOT),
    ],
)
def test_the_sign_before_terms_says_whether_they_make_the_number(
    total: float, terms: list[tuple[float, float]], sign: str
) -> None:
    assert sign_before(total, terms) == sign


def test_terms_add_up_or_not() -> None:
    third = np.array([1 / 3, 1.0], np.float32)

    assert adds_up([third, third], third * 2) is True
    assert adds_up([np.float32(1000.1), np.float32(-1000.0)], np.float32(0.1)) is None
    assert adds_up([third, third], third) is False


def test_a_formula_holds_only_in_the_digits_that_are_shown() -> None:
    one = np.float32(1)

    assert formula_holds("g * (a - b)", {"g": one, "a": np.float32(5), "b": np.float32(3)}, np.float32(2), ()) is True
    assert (
        formula_holds("g * (a - b)", {"g": one, "a": np.float32(1000.1), "b": np.float32(1e3)}, one / 10, ()) is False
    )
    assert formula_holds("the sum of g", {"g": one}, one, ()) is None
