"""A new op is one row: it computes, sends its gradient back, is checked, and is stepped through in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import gradviz.engine as torch
from gradviz.engine.apply import apply
from gradviz.engine.nn.module import Module
from gradviz.engine.tensor import Tensor
from gradviz.graph.replay import add_sweep
from gradviz.graph.verify import check
from gradviz.ops.op import Op, example, names
from gradviz.ops.table import TABLE
from gradviz.playback.formula.jacobian import is_elementwise
from gradviz.playback.formula.tex import tex
from gradviz.playback.formula.text import plain
from gradviz.playback.report import node_report
from gradviz.playback.track import Track
from gradviz.playback.words import symbol
from gradviz.recording import Recording, Source
from gradviz.run.job import Keep
from gradviz.run.levels import Trace
from gradviz.run.recorder import Recorder
from gradviz.texts.numpy_script import numpy_script

SOFTSQUARE = Op(
    name="softsquare",
    forward=lambda x: x * x / (1 + x * x),
    vjp=(lambda g, y, x: g * 2 * x / ((1 + x * x) * (1 + x * x)),),
    equation="y = x² / (1 + x²)",
    examples=(example([-1.0, 0.5, 2.0]),),
    saves=names("x"),
    sign="s²",
    kind="elementwise",
)


@pytest.fixture
def added() -> Iterator[None]:
    TABLE.add(SOFTSQUARE)
    yield
    TABLE._rows.pop("softsquare")


@pytest.fixture
def recording(added) -> Recording:
    recorder = Recorder({__file__: ""}, Trace((Tensor,), Module), Keep())
    recorder.start()
    try:
        x = torch.tensor([1.0, 3.0], requires_grad=True)
        y = apply(SOFTSQUARE, (x,))
        y.sum().backward()
    finally:
        recorder.stop()
    return recorder.freeze(variables={"x": x, "y": y}, source=Source("script", "new.py", ""))[0]


def test_new_row_is_stepped_through_in_letters_and_numbers(recording):
    track = Track(recording, 0)
    (made,) = (node.id for node in recording.nodes if node.op == "softsquare")

    report = node_report(track, track.length, made)

    assert report.rule.equation == "out = x² / (1 + x²)"
    assert plain(report.rule.lines[0].letters) == "∂L/∂x = ∂L/∂out · 2 ⊙ x / (1 + x²)²"
    assert plain(report.rule.lines[0].numbers) == "[0.5, 0.06] = [1, 1] · 2 ⊙ [1, 3] / (1 + [1, 3]²)²"
    assert [kept.name for kept in report.saved] == ["x"]
    np.testing.assert_allclose(recording.gradients["x"], [0.5, 0.06], rtol=1e-6)


def test_new_row_is_checked_and_sent_another_v_through(recording):
    (made,) = (node.id for node in recording.nodes if node.op == "softsquare")

    again = add_sweep(recording, made, [10.0, 100.0])

    assert [row.passed for row in check(recording) if row.op == "softsquare"] == [True]
    np.testing.assert_allclose(again.sweeps[-1].steps[-1].incoming, [5.0, 6.0], rtol=1e-6)


def test_new_row_has_its_formula_its_tex_its_line_of_numpy_its_sign_and_its_kind(recording):
    track = Track(recording, 0)
    (made,) = (node.id for node in recording.nodes if node.op == "softsquare")
    letters = node_report(track, track.length, made).rule.lines[0].letters
    space: dict[str, object] = {}

    script = numpy_script(track)
    exec(script, space)

    assert SOFTSQUARE.formula == ("g * 2 * x / ((1 + x * x) * (1 + x * x))",)
    assert tex(letters).startswith(r"\frac{\partial L}{\partial x} = ")
    assert "softsquare1 = x * x / (1 + x * x)" in script
    assert "d_x = d_softsquare1 * 2 * x / ((1 + x * x) * (1 + x * x))" in script
    np.testing.assert_allclose(space["gradients"]["x.grad"], [0.5, 0.06], rtol=1e-6)
    assert symbol("softsquare") == "s²"
    assert is_elementwise("softsquare")
