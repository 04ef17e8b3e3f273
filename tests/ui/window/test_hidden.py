"""While a gradient is to be predicted, nothing that can be read, seen or found depends on it.

Two windows show one script at one question; in the second the gradient that is asked for, and with it all that comes
later, is another. Whatever is told of either must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gradviz.changes import Change, Spot, WhatIf
from gradviz.graph.what_if import Recalculation
from gradviz.playback.prediction import Question, questions
from gradviz.playback.track import Track
from gradviz.ui.canvas.scene.measure import box_sizes
from gradviz.ui.window.window import Window
from tests.recorded import Ran, run
from tests.ui.canvas.canvases import look_alike
from tests.ui.real_windows import real_window, settle
from tests.ui.same_state import assert_same
from tests.ui.window.test_leading import SCRIPT, texts_of

TIMES = (1.21, 1.13, 1.17, 1.33, 0.83, 0.71, 1.09, 0.91, *np.linspace(0.6, 1.6, 83))
"""What the hidden gradients may be multiplied by in the other run."""

NESTED = """\
import torch

def layer(h, w):
    return torch.tanh(h * w)

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

x = torch.tensor([0.57, -0.41], requires_grad=True)
w = torch.tensor([[0.73, 1.19], [0.37, -0.61]], requires_grad=True)
h = Square.apply(x)
for _ in range(2):
    h = layer(h @ w, x)
h.sum().backward(torch.tensor(1.7))
"""


def conditions(question: Question) -> list[str]:
    """Those that hold of the one run and not of the other, and some that do not know the gradient."""
    between = float(np.linalg.norm(question.gradient)) * 1.04
    return [
        *(f"{what} {sign} {between:g}" for what in ("norm", "out norm") for sign in "<>"),
        f"backward and grad > {between:g}", "norm > 0", "nan", "inf", "op = mul", "name = x", "line = 4",
    ]  # fmt: skip


def other_run(ran: Ran, question: Question) -> Ran:
    """The same run with other gradients from a question's step on, of which no text makes a box wider."""
    sizes = box_sizes(Track(ran.recording, 0))
    every = (changed_from(ran, question, times) for times in TIMES)
    return next(each for each in every if np.array_equal(box_sizes(Track(each.recording, 0)), sizes))


def changed_from(ran: Ran, question: Question, times: float) -> Ran:
    """The same run in which what a question's step sends is so many times as large."""
    sweep = ran.recording.sweeps[0]
    step = sweep.steps[sweep.step_of[question.node]]
    sent = [(slot, each) for slot, each in enumerate(step.outgoing) if each is not None]
    changes = [
        Change(Spot(question.node, at, 0, slot), float(number) * times)
        for slot, array in sent
        for at, number in enumerate(np.ravel(array))
    ]
    made = Recalculation(ran.recording, ran.ask).apply(WhatIf(tuple(changes)))
    assert not made.kept
    return replace(ran, outcome=replace(ran.outcome, recording=made.recording))


def asking(qtbot, file: Path, ran: Ran, question: Question) -> Window:
    """A window that asks a question about a run."""
    window = real_window(file, size=(1280, 800), interpret=lambda *_args, **_details: ran)
    qtbot.addWidget(window)
    assert ran.recording.source is not None
    window.session.open_script(ran.recording.source.text, "own.py")
    settle(qtbot, window)
    for text in conditions(question):
        window.workbench.stopping.add(text)
    window.workbench.show_part(window.workbench.breakpoints, True)
    window.trigger("predict")
    predicting = window.workbench.leading.predicting
    while predicting._waiting and predicting._waiting[0][:4] != question[:4]:
        window.session.clock.player.last()
        predicting.reveal()
    settle(qtbot, window)
    return window


@pytest.fixture(params=[(SCRIPT, 1), (NESTED, 2)], ids=["flat", "nested"])
def pairs(request, qtbot, tmp_path: Path) -> Iterator[Iterator[tuple[Question, Window, Window]]]:
    text, every = request.param
    ran = run(text, "own.py")
    track = Track(ran.recording, 0)
    made: list[Window] = []

    def each() -> Iterator[tuple[Question, Window, Window]]:
        for number, question in enumerate(questions(track)[::every]):
            if question.slot is None:
                continue
            pair = [
                asking(qtbot, tmp_path / f"{number}{name}.ini", each, question)
                for name, each in (("mine", ran), ("its", other_run(ran, question)))
            ]
            made.extend(pair)
            yield question, *pair
            for window in pair:
                window.hide()

    yield each()
    for window in made:
        window.session.close()


def read(window: Window) -> list[tuple[str, str]]:
    QApplication.processEvents()
    bench = window.workbench
    return [
        *texts_of(window),
        *((name, bench.inspector.copy_part(name)) for name in ("copy_value", "copy_formula", "copy_markdown")),
        ("stops", f"{bench.stopping.positions} {bench.stopping.counts}"),
        ("dots", f"{bench.canvas._lights.stops}"),
        ("lit", f"{sorted(bench.canvas.lit_nodes)}"),
        ("message", window.statusBar().currentMessage()),
    ]


def assert_told_alike(mine: Window, its: Window, where: str) -> None:
    for one, other in zip(read(mine), read(its), strict=True):
        assert one == other, where
    assert_same(mine.workbench.canvas, its.workbench.canvas)
    drawn = [window.workbench.inspector.grab().toImage() for window in (mine, its)]
    assert look_alike(*drawn), where


def test_nothing_that_can_be_seen_read_or_found_depends_on_what_is_hidden(pairs):
    for question, mine, its in pairs:
        assert_shown_alike(question, mine, its)
        assert_found_alike(question, mine, its)
        assert_lit_alike(question, mine, its)


def assert_shown_alike(question: Question, mine: Window, its: Window) -> None:
    """Whatever node is selected and pointed at, here and a step before."""
    nodes = mine.session.picture.track.forward
    for position, seen in ((question.position - 2, (None, question.node)), (question.position - 1, (*nodes, None))):
        for node in seen:
            for window in (mine, its):
                window.session.clock.player.go(position)
                window.workbench.select(node)
                window.workbench.canvas._hovered = node
                window.workbench.canvas._has_card = node is not None
            assert_told_alike(mine, its, f"{question.words} at {position}, node {node}")


def assert_found_alike(question: Question, mine: Window, its: Window) -> None:
    """Whatever is searched for."""
    for text in (*conditions(question), "x"):
        for window in (mine, its):
            window.trigger("find")
            window.workbench.find_bar.field.setText(text)
            window.trigger("find_next")
        assert_told_alike(mine, its, f"{question.words} found {text}")
    for window in (mine, its):
        window.workbench.leave_find()


def assert_lit_alike(question: Question, mine: Window, its: Window) -> None:
    """Whatever path is lit, and wherever playing would stop."""
    nodes = mine.session.picture.track.forward
    for name in ("path", "ancestors", "next_stop", "previous_stop", "show_all"):
        for node in nodes if name == "path" else nodes[::4]:
            for window in (mine, its):
                window.workbench.select(node)
                window.trigger(name)
            assert_told_alike(mine, its, f"{question.words} after {name} at {node}")
