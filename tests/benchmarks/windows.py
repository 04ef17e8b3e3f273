"""The whole window: what a step or a jump takes, how long it stands still, and how soon a picture follows the last key.

A step is all that a step does: canvas, inspector, timeline, table of leaves and editor, until nothing is left to be done.
Times are processor time of the process, and of the GUI thread where others work beside it; from the last key to the
picture it is time by the clock, with a run in a process of its own. Each round gives the usual and the worst of its steps.
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest

from gradviz.formats import load
from gradviz.recording import Recording
from gradviz.shipped import shipped
from gradviz.ui.inspector.cards import ProductCard
from gradviz.ui.window.window import Window
from tests.benchmarks.figures import Row, row
from tests.recorded import run
from tests.ui.real_windows import lay_out_parts, real_window

USUAL, WORST, FROZEN, PANNED, KEY = 16.0, 50.0, 100.0, 16.0, 200.0
"""Milliseconds: of a step or jump in the usual case and at worst, that nothing freezes longer, of panning, from the last key."""

TYPED = """\
import torch
x = torch.tensor(2.0, requires_grad=True)
(x * x).backward()
"""

MLP = """\
import random
import torch

random.seed(0)
def scalar():
    return torch.tensor(random.uniform(-1, 1), requires_grad=True)

sizes = {sizes}
h = [torch.tensor(random.uniform(-1, 1)) for _ in range(sizes[0])]
for inner, outer in zip(sizes, sizes[1:]):
    neurons = [([scalar() for _ in range(inner)], scalar()) for _ in range(outer)]
    h = [sum((w * x for w, x in zip(ws, h)), b).tanh() for ws, b in neurons]
h[0].backward()
"""
"""A multilayer perceptron of scalars: as many leaves as it has weights."""

LOOP = """\
import torch
x = torch.tensor([0.5, 0.25], requires_grad=True)
w = torch.tensor([1.5, 0.5], requires_grad=True)
y = x
for i in range({rounds}):
    y = torch.tanh(y * w + x)
y.sum().backward()
"""
"""Three nodes a round."""


PANEL = """\
import torch
x = torch.linspace(-1, 1, 12, requires_grad=True)
w = torch.linspace(1, 2, 12, requires_grad=True)
a = torch.linspace(0.1, 1.2, 12).reshape(3, 4).requires_grad_()
b = torch.linspace(-1, 1, 12).reshape(4, 3).requires_grad_()
h = torch.tanh(x * w)
p = torch.softmax(h, 0)
c = torch.cumsum(p.flip(0), 0)
m = torch.nn.functional.layer_norm(c, (12,))
s = (a @ b).relu().reshape(9)
y = (m * w).sum() + torch.cat((s, s[:3])).mul(x).sum() + torch.linalg.inv(a[:, :3] + 2 * torch.eye(3)).sum()
y.backward()
"""
"""Every step has a Jacobian of at most 12 rows and columns."""


def window_rows(app: Any, smoke: bool) -> Iterator[Row]:
    """All rows of the window; with `smoke` small graphs and few rounds."""
    with tempfile.TemporaryDirectory() as folder:
        window = real_window(Path(folder) / "settings.ini", size=(1280, 720))
        for name, recording in recordings(smoke):
            yield from _graph_rows(app, window, name, recording, 2 if smoke else 6)
        yield from _panel_rows(app, window)
        window.session.close()
        window.close()
        window.deleteLater()
        yield key_to_picture(app, Path(folder), 2 if smoke else 15)


def recordings(smoke: bool) -> Iterator[tuple[str, Recording]]:
    """What is opened, by name."""
    lesson = next(file for file in shipped("examples").glob("13_*.py"))
    yield "lesson 13", run(lesson.read_text(encoding="utf-8"), lesson.name).recording
    yield "a loop over shared leaves", run(LOOP.format(rounds=20 if smoke else 3_333)).recording
    for sizes in ([2, 3, 1],) if smoke else ([5, 18, 16, 1], [10, 56, 52, 1]):
        yield "a scalar MLP", run(MLP.format(sizes=sizes)).recording
    if not smoke and importlib.util.find_spec("torch"):
        yield "captured ResNet-18", _resnet18()


def _resnet18() -> Recording:
    import torch

    import gradviz
    from tests.capture.models import MODELS

    torch.manual_seed(0)
    net, x, y = MODELS["resnet18"]()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "resnet18.gradviz"
        with gradviz.capture(path=str(file)):  # type: ignore[operator]
            torch.nn.functional.cross_entropy(net(x), y).backward()
        return load(file)


def _graph_rows(app: Any, window: Window, name: str, recording: Recording, rounds: int) -> Iterator[Row]:
    """One graph opened, stepped and jumped through, unfolded, and moved."""
    session = window.session
    count = len(recording.nodes)

    def told(what: str, times: list[float], aim: float) -> Row:
        return row("canvas", f"window, {name}: {what}", times, "ms", count, aim=aim)

    frozen = _longest(app, window, lambda: session.open_recording(recording, "opened.json"))
    yield told("longest freeze on opening", [frozen], FROZEN)
    picture, player = session.picture, session.clock.player
    if picture is None:
        raise RuntimeError(f"{name} was not drawn")
    lay_out_parts(window)
    track = picture.track
    choose = random.Random(0)
    places = [choose.randint(0, track.length) for _ in range(20)]

    def jumps() -> list[float]:
        return [_done(app, partial(player.go, place)) for place in places]

    def steps() -> list[float]:
        player.go(track.turn)
        app.processEvents()
        times: list[float] = []
        while player.position < track.length and len(times) < 40:
            times.append(_done(app, player.step))
        return times

    for what, measure in (("jump", jumps), ("step", steps)):
        found = [measure() for _ in range(rounds)]
        yield told(what, [statistics.median(times) for times in found], USUAL)
        yield told(f"worst {what}", [max(times) for times in found], WORST)
    unfold = window.actions_by_name.by_name["unfold_all"]
    if unfold.isEnabled():
        yield told("longest freeze on unfolding", [_longest(app, window, unfold.trigger)], FROZEN)
    canvas = window.workbench.canvas
    canvas.fit()
    moved = [_done(app, partial(canvas.move_by, way, 0.0)) for way in (8.0, -8.0) * 3 * rounds]
    yield told("panning, unfolded", moved, PANNED)


def _longest(app: Any, window: Window, change: Callable[[], object]) -> float:
    """The longest stretch in ms in which the GUI thread does not come back to its events, until all has been drawn."""
    session = window.session
    times = []
    is_done = False

    def pass_on() -> None:
        app.processEvents()
        QCoreApplication.sendPostedEvents()

    work: Callable[[], object] = change
    while not is_done:
        began = time.thread_time()
        work()
        times.append((time.thread_time() - began) * 1e3)
        is_idle = not (session.opening.is_busy or session._runs.is_busy or session._layouts.is_busy)
        is_done = is_idle and work is pass_on
        work = pass_on
    return max(times)


def _done(app: Any, action: Callable[[], object]) -> float:
    """Milliseconds of processor time of an action and all that follows from it."""
    began = time.process_time()
    action()
    for _ in range(2):
        app.processEvents()
        QCoreApplication.sendPostedEvents()
    return (time.process_time() - began) * 1e3


def key_to_picture(app: Any, folder: Path, rounds: int) -> Row:
    """From the last key in a small script to its picture, by the clock."""
    from gradviz.ui.app.rooms import Rooms
    from gradviz.ui.app.start import build

    window = build(app, Rooms(), folder / "typed.ini")
    window.show()
    shown: list[object] = []
    window.session.picture_changed.connect(lambda *_: shown.append(None))
    window.session.open_script(TYPED, "typed.py")
    _wait(app, shown)
    area = window.workbench.editor.area
    times = []
    for number in range(rounds):
        area.setFocus()
        cursor = area.textCursor()
        cursor.setPosition(area.toPlainText().index("2.") + 2)
        area.setTextCursor(cursor)
        shown.clear()
        began = time.perf_counter()
        QTest.keyClick(area, Qt.Key(Qt.Key.Key_1.value + number % 9))
        _wait(app, shown)
        window.workbench.canvas.repaint()
        times.append((time.perf_counter() - began) * 1e3)
    window.session.open_script(TYPED, "typed.py")  # with nothing unsaved, the window closes without a question
    window.session.close()
    window.close()
    window.deleteLater()
    return row("canvas", "window, a small script: last key to picture", times, "ms", 3, aim=KEY)


def _wait(app: Any, shown: list[object]) -> None:
    ends = time.perf_counter() + 60
    while not shown:
        app.processEvents()
        if time.perf_counter() > ends:
            raise RuntimeError("no picture came within a minute")


def _panel_rows(app: Any, window: Window) -> Iterator[Row]:
    """What the product in the inspector adds to a step: open and closed, the mean and the slowest step."""
    session, inspector = window.session, window.workbench.inspector
    _longest(app, window, lambda: session.open_script(PANEL, "panel.py"))
    lay_out_parts(window)
    picture, player = session.picture, session.clock.player
    if picture is None:
        raise RuntimeError("the panel's script was not drawn")
    card = next(card for card in inspector.cards if isinstance(card, ProductCard))
    track = picture.track
    for is_open in (True, False):
        if card.is_open != is_open:
            card.toggle()
        rounds = []
        for _ in range(6):
            player.go(track.turn)
            app.processEvents()
            positions = range(track.turn + 1, track.length + 1)
            rounds.append([_done(app, partial(player.go, position)) for position in positions])
        state = "open" if is_open else "closed"
        means = [float(np.mean(times)) for times in rounds]
        figures = {
            "step": (means, USUAL),
            "slowest step": ([max(times) for times in rounds], WORST),
            "slowest step, the first time": ([max(rounds[0])], WORST),
        }
        for what, (times, aim) in figures.items():
            yield row("canvas", f"panel, {state}: {what}", times, "ms", len(track.forward), aim=aim)
    card.toggle()
