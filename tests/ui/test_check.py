"""The gradient check in the window: marks on the boxes, the two numbers in the inspector, one sentence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradviz.graph.verify import CheckRow
from gradviz.ui.canvas.step.checks import Verdict
from gradviz.ui.inspector.cards import HealthCard
from gradviz.ui.session.runner import Going
from gradviz.ui.window.checked import checked, finding_of, summary, verdict_of
from gradviz.ui.window.window import Window
from tests.recorded import run
from tests.ui.canvas.canvases import picture
from tests.ui.inspector.inspectors import seen
from tests.ui.real_windows import real_window, settle

TEXT = """\
import torch

class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x ** 2

x = torch.tensor([1., 0., 2.], requires_grad=True)
h = torch.relu(x)
y = Wrong.apply(h + 1)
z = (torch.tanh(y) * y).sum()
z.backward()
"""


@pytest.fixture
def window(qtbot, tmp_path) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(made)
    made.session.open_script(TEXT, "wrong.py")
    settle(qtbot, made)
    yield made
    made.session.close()


def check(qtbot, window: Window) -> None:
    window.trigger("check")
    qtbot.waitUntil(lambda: not window.commands.checking.is_busy)


def ops(window: Window) -> dict[str, int]:
    track = window.session.picture.track
    return {track.recording.nodes[i].op: i for i in track.forward}


def test_every_op_of_the_picture_has_its_verdict_and_the_wrong_one_is_selected(qtbot, window):
    check(qtbot, window)

    node, verdicts = ops(window), window.workbench.canvas._lights.verdicts
    assert verdicts == {
        node["relu"]: Verdict.KINK, node["add"]: Verdict.AGREES, node["Wrong"]: Verdict.WRONG,
        node["tanh"]: Verdict.AGREES, node["mul"]: Verdict.AGREES, node["sum"]: Verdict.AGREES,
    }  # fmt: skip
    assert window.workbench.selected == node["Wrong"]
    assert window.statusBar().currentMessage() == "Gradient check: 1 of 6 rules is wrong: y."


def test_the_inspector_has_both_numbers_and_the_verdict(qtbot, window):
    check(qtbot, window)
    inspector = window.workbench.inspector
    card = next(card for card in inspector.cards if isinstance(card, HealthCard))

    assert "Gradient check: analytic" in seen(card)
    assert "they differ." in seen(card)

    window.workbench.select(ops(window)["tanh"])

    assert "they agree. Largest error" in seen(card)


def test_the_same_command_takes_the_marks_away_and_so_does_another_run(qtbot, window):
    canvas = window.workbench.canvas
    before = picture(canvas)
    check(qtbot, window)
    window.workbench.select(None)
    assert picture(canvas) != before

    window.trigger("check")
    assert canvas._lights.verdicts == {}
    assert window.commands.checking.rows == {}

    check(qtbot, window)
    window.session.edit(TEXT.replace("g * 2", "g * 3"))
    settle(qtbot, window)

    assert canvas._lights.verdicts == {}

    check(qtbot, window)

    assert window.statusBar().currentMessage() == "Gradient check: all 6 rules agree with central differences."


def test_of_a_run_that_is_gone_a_function_of_its_own_is_not_checked():
    recording = run(TEXT).recording
    going = Going(lambda: False, lambda _: None, lambda _: None)

    rows = checked(recording, range(len(recording.nodes)), None, going)

    own = next(row for row in rows if row.op == "Wrong")
    assert own.reason
    assert finding_of(own).text == "Gradient check: not checked, no rule in the table."
    assert summary(recording, rows) == "Gradient check: all 5 rules agree with central differences. 1 not checked."


def test_a_check_that_is_cancelled_ends():
    recording = run(TEXT).recording
    asked = iter([False, True])

    rows = checked(recording, range(len(recording.nodes)), None, Going(lambda: next(asked), lambda _: None, print))

    assert len(rows) == 1


def test_nothing_to_check_is_said():
    recording = run("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n").recording
    row = CheckRow(1, "sum", None, None, None, True, False, "no elements")

    assert summary(recording, [row]) == "Nothing could be checked. 1 not checked."
    assert verdict_of(row._replace(passed=False)) is Verdict.WRONG
