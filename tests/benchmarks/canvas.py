"""The canvas against QGraphicsView with one item per node and edge: full redraw, step, move and zoom; and a window.

Both draw the same boxes with two lines of text and the same cubic edges, 1600 x 1000, offscreen, in one process.
A step is a change and the event loop until the widget has painted. Times are processor time of the process, and the
least of some repeats in each of many rounds: other work on the machine can only add to them. What is compared takes turns.
The rows of the whole window are in `tests.benchmarks.windows`.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
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
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.theme import Theme, mono_font
from tests.benchmarks.figures import Row, row
from tests.benchmarks.windows import window_rows
from tests.ui.canvas.grids import grid

WIDTH, HEIGHT = 1600, 1000
NEAR = 1.0
"""Scale of the zoomed figures: about 50 boxes in sight."""

MOVED = 8
"""Screen pixels by which a graph is moved."""

MANY = 50_000
"""A graph that must still be usable."""
USABLE = 100.0
"""Milliseconds of each change of such a graph."""
STEP = 0.05
"""Share of a full redraw that a step may take where it is near."""

AGAINST = "one QGraphicsItem per node and edge"


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


def cases(smoke: bool) -> Iterator[Row]:
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
    yield _row("open", [opened], count, theirs=[_ms(began)], against=AGAINST, aim=1 / 15)
    yield from _redraws(app, canvas, items, count)
    figures = _canvas_figures(app, canvas, track, count)
    theirs = _item_figures(app, items, layout, count)
    for case, times in figures.items():
        others = [theirs[case]] * len(times) if case in theirs else None
        yield _row(case, times, count, theirs=others, against=AGAINST if others else None)
    yield from _aims(figures, count)
    for widget in (canvas, items):
        widget.close()
        widget.deleteLater()
    yield from _many(app, theme, 900 if smoke else MANY)
    yield from window_rows(app, smoke)


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


def _redraws(app: Any, canvas: Canvas, items: ItemView, count: int) -> Iterator[Row]:
    """Everything drawn anew, fitted: against the items, and against as many sprites."""
    assert canvas._scene is not None
    sprites = Sprites(canvas.view.boxes_to_screen(canvas._scene.boxes))
    sprites.show()
    _settle(app, sprites)
    actions = (lambda: _redrawn(canvas), items.viewport().repaint, sprites.repaint)
    ours, theirs, fill = zip(*([_timed(one) for one in actions] for _ in range(15)), strict=True)
    case = "full redraw, fitted"
    yield _row(case, ours, count, theirs=theirs, against=AGAINST, aim=1 / 16)
    yield _row(case, ours, count, theirs=fill, against="a widget filled with as many sprites", aim=3.0)
    sprites.close()
    sprites.deleteLater()


def _redrawn(canvas: Canvas) -> None:
    canvas._drawn = None
    canvas.update()
    canvas.repaint()


def _many(app: Any, theme: Theme, count: int) -> Iterator[Row]:
    """A graph much larger than any picture of it can show."""
    canvas, opened = _opened(app, theme, count)
    yield _row("open", [opened], count)
    assert canvas._scene is not None
    for case, times in _canvas_figures(app, canvas, canvas._scene.track, count).items():
        yield _row(case, times, count, aim=USABLE)
    canvas.close()
    canvas.deleteLater()


def _canvas_figures(app: Any, canvas: Canvas, track: Track, count: int) -> dict[str, list[float]]:
    """Milliseconds of several rounds, by case."""
    middle = track.turn + count // 2
    figures = _in_one_view(app, canvas, "fitted", _there_and_back(middle, 20))
    canvas.zoom_by(NEAR / canvas.view.scale)
    node = track.node_at(middle)
    if node is not None:
        canvas.reveal(node)
    canvas.repaint()
    figures |= _in_one_view(app, canvas, "zoomed", _there_and_back(middle, 3))
    return figures | {"step out of sight, zoomed": _steps(canvas, _there_and_back(middle + count // 4, 3))}


def _there_and_back(position: int, steps: int) -> list[int]:
    """Steps one by one from a position and back: few enough, and their nodes are all in sight or none."""
    return [position + k for k in (*range(steps + 1), *range(steps - 1, 0, -1))]


def _in_one_view(app: Any, canvas: Canvas, sight: str, positions: list[int]) -> dict[str, list[float]]:
    paints, ways = Paints(canvas), [MOVED, -MOVED]

    def move() -> None:
        ways.append(ways.pop(0))
        _until_painted(app, paints, lambda: canvas.move_by(ways[0], 0.0))

    def zoom() -> None:
        ways.append(ways.pop(0))
        _until_painted(app, paints, lambda: canvas.zoom_by(1.01 ** (ways[0] / MOVED)))

    actions = {"full redraw": lambda: _redrawn(canvas), "move": move, "zoom": zoom}
    rounds = [{case: _least(action, 13) for case, action in actions.items()} for _ in range(6)]
    figures = {case: [each[case] for each in rounds] for case in actions} | {"step": _steps(canvas, positions)}
    return {f"{case}, {sight}": times for case, times in figures.items()}


def _steps(canvas: Canvas, positions: list[int]) -> list[float]:
    """Mean time of the steps through some positions in ms, of some rounds."""
    paints = Paints(canvas)

    def step(position: int) -> float:
        return _timed(lambda: _painted(paints, lambda: canvas.show_position(position)))

    canvas.show_position(positions[-1])
    canvas.repaint()
    return [sum(map(step, positions)) / len(positions) for _ in range(8)]


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


def _aims(figures: dict[str, list[float]], count: int) -> Iterator[Row]:
    """Our figures against one another: a step against a full redraw, and images in a second."""
    for sight in ("fitted", "zoomed"):
        step, full = figures[f"step, {sight}"], figures[f"full redraw, {sight}"]
        against = [statistics.median(full)] * len(step)
        yield _row(f"step over full redraw, {sight}", step, count, theirs=against, against="our full redraw", aim=STEP)
    for case, sight in product(("step", "move", "zoom"), ("fitted", "zoomed")):
        images = [1e3 / took for took in figures[f"{case}, {sight}"]]
        yield row("canvas", f"{case}, {sight}", images, "images a second", count, aim=60.0)


def _row(case: str, times: Sequence[float], count: int, **more: Any) -> Row:
    return row("canvas", case, times, "ms", count, **more)


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
