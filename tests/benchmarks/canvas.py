"""The canvas against QGraphicsView with one item per node and edge: full redraw, step, move and zoom; and a window.

Both draw the same boxes with two lines of text and the same cubic edges, 1600 x 1000, offscreen, in one process.
A step is a change and the event loop until the widget has painted. Times are processor time of the process, and the
least of many rounds: other work on the machine can only add to them. What is compared takes turns. A step of the
window is all that a step does: canvas, inspector, timeline and editor, until nothing is left to be done.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsItem,
    QGraphicsPathItem,
    QGraphicsScene,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QWidget,
)

from gradviz.layout.plan import Floats, Layout
from gradviz.playback.track import Track
from gradviz.shipped import shipped
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.inspector.cards import ProductCard
from gradviz.ui.look.theme import Theme, mono_font
from gradviz.ui.window.window import Window
from tests.ui.canvas.grids import grid
from tests.ui.real_windows import lay_out_parts, real_window

WIDTH, HEIGHT = 1600, 1000
NEAR = 1.0
"""Scale of the zoomed figures: about 50 boxes in sight."""

MOVED = 8
"""Screen pixels by which a graph is moved."""

MANY = 50_000
"""A graph that must still be usable."""

AGAINST = "one QGraphicsItem per node and edge"
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
PANEL_AIM = 16.0
"""Milliseconds that a step may take with the product drawn: one image of sixty in a second."""


class NodeItem(QGraphicsItem):
    """A rounded box with two lines of text."""

    def __init__(self, box: list[float], name: str, value: str) -> None:
        super().__init__()
        self._rect = QRectF(0, 0, box[2] - box[0], box[3] - box[1])
        self._texts = (name, value)
        self.fill = QColor("#FFFFFF")
        self.setPos(box[0], box[1])

    def boundingRect(self) -> QRectF:
        return self._rect.adjusted(-1, -1, 1, 1)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.setPen(QPen(QColor("#222222"), 1))
        painter.setBrush(self.fill)
        painter.drawRoundedRect(self._rect, 10, 10)
        for line, text in enumerate(self._texts):
            painter.drawText(self._rect.adjusted(10, 8 + 22 * line, -10, 0), Qt.AlignmentFlag.AlignLeft, text)


class ItemView(QGraphicsView):
    """The graph with an item for everything."""

    def __init__(self, track: Track, layout: Layout) -> None:
        super().__init__()
        shapes = QGraphicsScene(self)
        self.setScene(shapes)
        self.setFont(mono_font(13))
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontSavePainterState)
        scene = Scene(track, layout)
        for curve in layout.curves:
            path = QPainterPath()
            path.moveTo(*curve[0])
            path.cubicTo(*curve[1], *curve[2], *curve[3])
            edge = QGraphicsPathItem(path)
            edge.setPen(QPen(QColor("#5A5A5A"), 1.3))
            shapes.addItem(edge)
        cards = zip(scene.boxes.tolist(), scene.cards, strict=True)
        self.items_by_node = [NodeItem(box, card.name, card.value) for box, card in cards]
        for item in self.items_by_node:
            shapes.addItem(item)
        self.resize(WIDTH, HEIGHT)

    def recolour(self, index: int, colour: str) -> None:
        """Give one node another colour."""
        self.items_by_node[index].fill = QColor(colour)
        self.items_by_node[index].update()


class Sprites(QWidget):
    """An empty widget filled with copies of one small picture, as many and as large as the boxes of a canvas."""

    def __init__(self, places: Floats) -> None:
        super().__init__()
        self.resize(WIDTH, HEIGHT)
        across, down = (max(1, round(side)) for side in (places[:, 2:] - places[:, :2]).mean(axis=0).tolist())
        self._sprite = QPixmap(across, down)
        self._sprite.fill(QColor("#7A95D8"))
        self._corners = [QPointF(round(x), round(y)) for x, y in places[:, :2].tolist()]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("#FFFFFF"))
        for corner in self._corners:
            painter.drawPixmap(corner, self._sprite)
        painter.end()


class Paints(QObject):
    """Counts the paint events of a widget."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.count += 1
        return False


def cases(smoke: bool) -> Iterator[dict[str, Any]]:
    """Rows of figures; with `smoke` a small graph."""
    app = QApplication.instance() or QApplication([])
    count = 300 if smoke else 10_000
    theme = Theme("light")

    canvas, opened = _opened(app, theme, count)
    track, layout = grid(count)

    began = time.process_time()
    items = ItemView(track, layout)
    items.fitInView(items.sceneRect(), Qt.AspectRatioMode.KeepAspectRatio)
    items.show()
    _settle(app, items.viewport())
    yield from _compared([_row("open", opened, count)], [_ms(began)])
    yield from _redraws(app, canvas, items, count)
    rows = _canvas_rows(app, canvas, track, count)
    theirs = _item_figures(app, items, layout, count)
    yield from _compared(rows, [theirs.get(row["case"]) for row in rows])
    yield from _aims({row["case"]: row["value"] for row in rows}, count)
    for widget in (canvas, items):
        widget.close()
        widget.deleteLater()
    yield from _many(app, theme, 900 if smoke else MANY)
    yield from _window_steps(app, smoke)


def _opened(app: Any, theme: Theme, count: int) -> tuple[Canvas, float]:
    """A canvas that shows a graph fitted, in the middle of its backward pass, and how long that took in ms."""
    track, layout = grid(count)
    began = time.process_time()
    canvas = Canvas(theme)
    canvas.resize(WIDTH, HEIGHT)
    canvas.show_track(track, layout)
    canvas.show_position(track.turn + count // 2)
    canvas.show()
    _settle(app, canvas)
    return canvas, _ms(began)


def _redraws(app: Any, canvas: Canvas, items: ItemView, count: int) -> Iterator[dict[str, Any]]:
    """Everything drawn anew, fitted: against the items, and against as many sprites."""
    assert canvas._scene is not None
    sprites = Sprites(canvas.view.boxes_to_screen(canvas._scene.boxes))
    sprites.show()
    _settle(app, sprites)
    actions = (lambda: _redrawn(canvas), items.viewport().repaint, sprites.repaint)
    ours, theirs, fill = (
        min(times) for times in zip(*([_timed(one) for one in actions] for _ in range(15)), strict=True)
    )
    row = _row("full redraw, fitted", ours, count)
    yield {**row, "against": AGAINST, "ratio": round(ours / theirs, 4), "aim": 1 / 16}
    yield {**row, "against": "a widget filled with as many sprites", "ratio": round(ours / fill, 4), "aim": 3.0}
    sprites.close()
    sprites.deleteLater()


def _redrawn(canvas: Canvas) -> None:
    canvas._drawn = None
    canvas.update()
    canvas.repaint()


def _many(app: Any, theme: Theme, count: int) -> Iterator[dict[str, Any]]:
    """A graph much larger than any picture of it can show."""
    canvas, opened = _opened(app, theme, count)
    yield _row("open", opened, count)
    assert canvas._scene is not None
    yield from _canvas_rows(app, canvas, canvas._scene.track, count)
    canvas.close()
    canvas.deleteLater()


def _canvas_rows(app: Any, canvas: Canvas, track: Track, count: int) -> list[dict[str, Any]]:
    middle = track.turn + count // 2
    rows = _in_one_view(app, canvas, "fitted", _there_and_back(middle, 20), count)
    canvas.zoom_by(NEAR / canvas.view.scale)
    node = track.node_at(middle)
    if node is not None:
        canvas.reveal(node)
    canvas.repaint()
    rows += _in_one_view(app, canvas, "zoomed", _there_and_back(middle, 3), count)
    return [*rows, _row("step out of sight, zoomed", _steps(canvas, _there_and_back(middle + count // 4, 3)), count)]


def _there_and_back(position: int, steps: int) -> list[int]:
    """Steps one by one from a position and back: few enough, and their nodes are all in sight or none."""
    return [position + k for k in (*range(steps + 1), *range(steps - 1, 0, -1))]


def _in_one_view(app: Any, canvas: Canvas, sight: str, positions: list[int], count: int) -> list[dict[str, Any]]:
    paints, ways = Paints(canvas), [MOVED, -MOVED]

    def move() -> None:
        ways.append(ways.pop(0))
        _until_painted(app, paints, lambda: canvas.move_by(ways[0], 0.0))

    def zoom() -> None:
        ways.append(ways.pop(0))
        _until_painted(app, paints, lambda: canvas.zoom_by(1.01 ** (ways[0] / MOVED)))

    actions = {"full redraw": lambda: _redrawn(canvas), "move": move, "zoom": zoom}
    rounds = [{case: _least(action, 13) for case, action in actions.items()} for _ in range(4)]
    figures = {case: min(row[case] for row in rounds) for case in actions} | {"step": _steps(canvas, positions)}
    return [_row(f"{case}, {sight}", value, count) for case, value in figures.items()]


def _steps(canvas: Canvas, positions: list[int]) -> float:
    """Mean time of the steps through some positions in ms; the least of some rounds."""
    paints = Paints(canvas)

    def step(position: int) -> float:
        return _timed(lambda: _painted(paints, lambda: canvas.show_position(position)))

    canvas.show_position(positions[-1])
    canvas.repaint()
    return min(sum(map(step, positions)) for _ in range(8)) / len(positions)


def _window_steps(app: Any, smoke: bool) -> Iterator[dict[str, Any]]:
    """What a step of the whole window takes: through the backward pass, again and again."""
    lesson = next(file for file in shipped("examples").glob("13_*.py"))
    texts = {"lesson 13": lesson.read_text(encoding="utf-8"), "a loop": LOOP.format(rounds=20 if smoke else 330)}
    with tempfile.TemporaryDirectory() as folder:
        window = real_window(Path(folder) / "settings.ini", size=(1280, 720))
        for (name, text), steps_over in product(texts.items(), (True, False)):
            window.session.step_over(steps_over)
            yield from _steps_of(app, window, f"window step, {name}{'' if steps_over else ', node by node'}", text)
        yield from _panel_steps(app, window)
        window.session.close()
        window.close()
        window.deleteLater()


def _steps_of(app: Any, window: Window, case: str, text: str) -> Iterator[dict[str, Any]]:
    session = window.session
    session.open_script(text, "one.py")
    while session._runs.is_busy or session._layouts.is_busy:
        app.processEvents()
    lay_out_parts(window)
    picture, player = session.picture, session.clock.player
    if picture is None:
        return
    times = []
    for _ in range(6):
        player.go(picture.track.turn)
        app.processEvents()
        count, began = 0, time.process_time()
        while player.position < picture.track.length and count < 40:
            player.step()
            for _ in range(2):
                app.processEvents()
                QCoreApplication.sendPostedEvents()
            count += 1
        times.append(_ms(began) / max(count, 1))
    yield {**_row(case, min(times), len(picture.track.forward)), "aim": 6.0}
    yield {**_row(f"{case}, the first time", times[0], len(picture.track.forward)), "aim": 6.0}


def _panel_steps(app: Any, window: Window) -> Iterator[dict[str, Any]]:
    """What the product in the inspector adds to a step: open and closed, the mean and the slowest step."""
    session, inspector = window.session, window.workbench.inspector
    session.open_script(PANEL, "panel.py")
    while session._runs.is_busy or session._layouts.is_busy:
        app.processEvents()
    lay_out_parts(window)
    picture, player = session.picture, session.clock.player
    if picture is None:
        return
    card = next(card for card in inspector.cards if isinstance(card, ProductCard))
    count = len(picture.track.forward)
    for is_open in (True, False):
        if card.is_open != is_open:
            card.toggle()
        rounds = []
        for _ in range(6):
            player.go(picture.track.turn)
            app.processEvents()
            times = []
            for position in range(picture.track.turn + 1, picture.track.length + 1):
                began = time.process_time()
                player.go(position)
                for _ in range(2):
                    app.processEvents()
                    QCoreApplication.sendPostedEvents()
                times.append(_ms(began))
            rounds.append(times)
        least = np.min(rounds, axis=0)
        state = "open" if is_open else "closed"
        yield _row(f"panel, {state}: step", float(least.mean()), count) | {"aim": PANEL_AIM if is_open else 6.0}
        yield _row(f"panel, {state}: slowest step", float(least.max()), count) | {"aim": PANEL_AIM}
        yield _row(f"panel, {state}: slowest step, the first time", float(max(rounds[0])), count) | {"aim": PANEL_AIM}
    card.toggle()


def _item_figures(app: Any, view: ItemView, layout: Layout, count: int) -> dict[str, float]:
    """The same figures of the items, by case; but for what was compared before."""
    paints = Paints(view.viewport())
    rng = np.random.default_rng(0)
    near = [int(index) for index in rng.integers(0, count, 40)]

    def full() -> None:
        view.viewport().repaint()

    def step() -> None:
        near.append(near.pop(0))
        _until_painted(app, paints, lambda: view.recolour(near[0], f"#{int(rng.integers(1 << 24)):06X}"))

    bar, ways = view.horizontalScrollBar(), [MOVED, -MOVED]

    def move() -> None:
        ways.append(ways.pop(0))
        _until_painted(app, paints, lambda: bar.setValue(bar.value() + ways[0]))

    def zoom() -> None:
        ways.append(ways.pop(0))
        factor = 1.01 ** (ways[0] / MOVED)
        _until_painted(app, paints, lambda: view.scale(factor, factor))

    figures = {"step, fitted": _least(step, 39), "zoom, fitted": _least(zoom, 5)}
    middle = count // 2
    view.resetTransform()
    view.scale(NEAR, NEAR)
    view.centerOn(*layout.centres[middle])
    view.viewport().repaint()
    away = np.abs(layout.centres - layout.centres[middle])
    near[:] = np.flatnonzero((away[:, 0] < WIDTH / 3) & (away[:, 1] < HEIGHT / 3)).tolist()
    near_by = {"full redraw": full, "step": step, "move": move, "zoom": zoom}
    return figures | {f"{case}, zoomed": _least(action, 19) for case, action in near_by.items()}


def _compared(rows: list[dict[str, Any]], theirs: list[float | None]) -> Iterator[dict[str, Any]]:
    for row, their in zip(rows, theirs, strict=True):
        yield row if their is None else {**row, "against": AGAINST, "ratio": round(row["value"] / their, 4)}


def _aims(figures: dict[str, float], count: int) -> Iterator[dict[str, Any]]:
    """Our figures against one another: a step against a full redraw, and images in a second."""
    for sight in ("fitted", "zoomed"):
        step, full = figures[f"step, {sight}"], figures[f"full redraw, {sight}"]
        row = _row(f"step over full redraw, {sight}", step, count)
        yield {**row, "against": "our full redraw", "ratio": round(step / full, 4)}
    for case, sight in product(("step", "move", "zoom"), ("fitted", "zoomed")):
        took = figures[f"{case}, {sight}"]
        row = _row(f"{case}, {sight}", 1e3 / took, count)
        ratio = round(took / figures[f"full redraw, {sight}"], 4)
        yield {**row, "unit": "images a second", "aim": 60.0, "against": "our full redraw, in time", "ratio": ratio}


def _row(case: str, value: float, count: int) -> dict[str, Any]:
    return {"bench": "canvas", "case": case, "against": None, "ratio": None, "unit": "ms", "value": round(value, 3),
            "n": count}  # fmt: skip


def _settle(app: Any, widget: QWidget) -> None:
    app.processEvents()
    widget.repaint()


def _until_painted(app: Any, paints: Paints, change: Callable[[], None]) -> None:
    before = paints.count
    change()
    ends = time.process_time() + 5.0
    while paints.count == before and time.process_time() < ends:
        app.processEvents()


def _painted(paints: Paints, change: Callable[[], None]) -> None:
    """Change a widget and let it paint, but let none of its timers run."""
    before = paints.count
    change()
    QCoreApplication.sendPostedEvents()
    assert paints.count > before


def _least(action: Callable[[], None], times: int) -> float:
    action()
    return min(_timed(action) for _ in range(times))


def _timed(action: Callable[[], None]) -> float:
    began = time.process_time()
    action()
    return _ms(began)


def _ms(began: float) -> float:
    return (time.process_time() - began) * 1e3
