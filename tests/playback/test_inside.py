"""The lines of a custom backward as the run tells them: what came in, what each line gave its variables, what goes out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.errors import GradvizError
from gradviz.playback.product.inside import COMES_IN, GOES_OUT, INNER, Row, read_inside
from gradviz.recording import Recording
from tests.recorded import Ran, run

SCRIPT = """\
import torch

class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, scale):
        ctx.save_for_backward(a, b)
        ctx.scale = scale
        return a * b * scale

    @staticmethod
    def backward(ctx, g):
        "What goes back."
        a, b = ctx.saved_tensors
{body}

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 5.0], requires_grad=True)
y = Own.apply(a, b, 2.0)
y.backward(torch.tensor([1.0, 10.0]))
"""
PLAIN = "        return g * b * ctx.scale, g * a * ctx.scale, None"


def asked(body: str, v: Any = (1.0, 10.0)) -> tuple[Ran, tuple[Row, ...]]:
    ran = run(SCRIPT.replace("{body}", body))
    assert ran.recording.problem is None, ran.recording.problem
    node = next(node for node in ran.recording.nodes if node.name == "y")
    return ran, read_inside(ran.recording, node, ran.ask("inside", {"node": node.id, "v": list(v)}))


def test_arguments_come_in_and_each_input_has_a_slot_that_goes_out():
    _, rows = asked(PLAIN)

    assert rows == (
        Row(11, "def backward(ctx, g):", (("g", "[1, 10]"),), COMES_IN),
        Row(13, "    a, b = ctx.saved_tensors", (("a", "[1, 2]"), ("b", "[3, 5]"))),
        Row(14, "    return g * b * ctx.scale, g * a * ctx.scale, None",
            (("a", "[6, 100]"), ("b", "[2, 40]"), ("scale", "none")), GOES_OUT),
    )  # fmt: skip


def test_another_v_gives_other_numbers_and_nothing_of_the_recording_changes():
    ran, rows = asked(PLAIN, v=(0.0, 1.0))

    assert rows[0].values == (("g", "[0, 1]"),)
    assert rows[-1].values[0] == ("a", "[0, 10]")
    assert [node.name for node in ran.recording.nodes if node.op == "leaf"] == ["a", "b"]


def test_branches_loops_and_statements_over_several_lines():
    body = """\
        if ctx.scale > 1:
            h = g * ctx.scale
        else:
            h = g
        for _ in range(3):
            k = (
                h * 1
            )
        return h * b, h * a, None"""
    _, rows = asked(body)

    shown = {row.code.strip(): row for row in rows}
    assert shown["h = g * ctx.scale"].values == (("h", "[2, 20]"),)
    assert shown["h = g"].values == ()
    assert shown["k = ( h * 1 )"].times == 3
    assert shown["if ctx.scale > 1:"].kind == INNER
    assert shown["return h * b, h * a, None"].kind == GOES_OUT


def test_of_several_returns_the_one_behind_the_last_line_that_ran_goes_out():
    body = """\
        if ctx.scale < 1:
            return g * 0, g * 0, None
        h = g * ctx.scale
        return h * b, h * a, None"""
    _, rows = asked(body)

    assert [row.kind for row in rows if "return" in row.code] == [INNER, GOES_OUT]


def test_several_outputs_and_a_once_differentiable_backward():
    text = SCRIPT.replace("return a * b * scale", "return a * scale, b * scale").replace(
        "    @staticmethod\n    def backward(ctx, g):",
        "    @staticmethod\n    @torch.autograd.function.once_differentiable\n    def backward(ctx, g, *more):",
    )
    text = text.replace("{body}", "        h = g * ctx.scale\n        return h, more[0] * ctx.scale, None")
    text = text.replace("y = Own.apply(a, b, 2.0)\ny.backward(torch.tensor([1.0, 10.0]))",
                        "y, z = Own.apply(a, b, 2.0)\n(y + 2 * z).sum().backward()")  # fmt: skip
    ran = run(text)
    assert ran.recording.problem is None, ran.recording.problem
    node = next(node for node in ran.recording.nodes if node.op == "Own")

    rows = read_inside(ran.recording, node, ran.ask("inside", {"node": node.id, "v": [1.0, 1.0, 2.0, 2.0]}))

    assert rows[0].values == (("g", "[1, 1]"), ("more[0]", "[2, 2]"))
    assert [row.values for row in rows if row.code.strip() == "h = g * ctx.scale"] == [(("h", "[2, 2]"),)]
    assert rows[-1].values == (("a", "[2, 2]"), ("b", "[4, 4]"), ("scale", "none"))


def test_large_tensors_are_told_by_shape_and_norm():
    text = SCRIPT.replace("{body}", PLAIN).replace("[1.0, 2.0]", "[1.0] * 100").replace("[3.0, 5.0]", "[2.0] * 100")
    ran = run(text.replace("[1.0, 10.0]", "[1.0] * 100"))
    node = next(node for node in ran.recording.nodes if node.name == "y")

    rows = read_inside(ran.recording, node, ran.ask("inside", {"node": node.id, "v": [1.0] * 100}))

    assert rows[0].values == (("g", "(100,) norm 10"),)


def test_what_cannot_be_stepped_through_is_one_sentence():
    ran = run(SCRIPT.replace("{body}", PLAIN))
    node = next(node for node in ran.recording.nodes if node.name == "y")

    with pytest.raises(GradvizError, match=r"^the backward of Own cannot be stepped through: "):
        ran.ask("inside", {"node": node.id, "v": [1.0]})
    with pytest.raises(GradvizError, match="custom Function"):
        ran.ask("inside", {"node": 0, "v": [1.0]})
    with pytest.raises(GradvizError, match="custom Function"):
        ran.ask("inside", "y")


ANY = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["arguments", "lines", "returned", "line", "values", "shape", "numbers", "text", "norm"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(ANY | st.fixed_dictionaries({"arguments": ANY, "lines": ANY, "returned": ANY}))
def test_whatever_a_child_answers_is_read_or_is_nothing(answer):
    """A script that broke out may answer what it likes."""
    recording = Recording() if answer is None else RECORDED
    node = RECORDED.nodes[-1]

    assert isinstance(read_inside(recording, node, answer), tuple)


RECORDED = run(SCRIPT.replace("{body}", PLAIN)).recording
