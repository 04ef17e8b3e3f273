"""The heat strip drawn: a row for each parameter, a column for each backward call, thinned to the pixels there are."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from gradviz.playback.health.heat import Cell, Flags, Floats, Heat, cell_at, thinned
from gradviz.playback.words import superscript
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.scales import LEAST, LEVELS, MOST, level_colours
from gradviz.ui.look.theme import Theme, color, mono_font, ui_font

Codes = np.ndarray[Any, np.dtype[np.int64]]

LEFT, TOP, SIDE = 12, 20, 16
"""Margins of the cells: left of the names, above the cells for the key, at the right and below."""
HIGHEST, READABLE = 20.0, 11.0
"""Screen pixels of a row: as much as it takes, and from where on its name is written."""
_NAMES = 0.3
"""Share of the width that names may take."""
_RAMP = 72.0
_MOVES = {
    int(Qt.Key.Key_Left): (0, -1), int(Qt.Key.Key_Right): (0, 1),
    int(Qt.Key.Key_Up): (-1, 0), int(Qt.Key.Key_Down): (1, 0),
}  # fmt: skip


class HeatStrip(QWidget):
    """Shows a table; asks for a cell that is clicked, or that the keys have come to.

    Signals:
        cell_chosen: payload: a Cell.
        cell_pointed: payload: a Cell under the pointer or the keys, or None.
    """

    cell_chosen = Signal(object)
    cell_pointed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heat: Heat | None = None
        self._as_ratios = False
        self._sweep: int | None = None
        self._node: int | None = None
        self._cursor: Cell | None = None
        self._image: QImage | None = None
        self._decades = Decades(LEAST, MOST)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumHeight(64)
        self.setAccessibleName("Heat strip")
        theme.changed.connect(self._redraw)

    def show_heat(self, heat: Heat | None, *, as_ratios: bool) -> None:
        """Take a table; None for none."""
        if heat is not self._heat:
            self._cursor = None
        self._heat, self._as_ratios = heat, as_ratios
        self._redraw()

    def show_place(self, sweep: int | None, node: int | None) -> None:
        """Mark the call that is shown, and the leaf that is selected in it."""
        if (sweep, node) != (self._sweep, self._node):
            self._sweep, self._node = sweep, node
            self.update()

    def _redraw(self) -> None:
        self._image = None
        self.update()

    # ---- where things are ----

    @property
    def _parts(self) -> tuple[int, int]:
        """Rows and columns that are drawn: of the table those that have a pixel."""
        assert self._heat is not None
        rows, columns = self._heat.nodes.shape
        return min(rows, max(1, int(self._room.height()))), min(columns, max(1, int(self._room.width())))

    @property
    def _room(self) -> QRectF:
        """Where cells may be."""
        left = LEFT + self._names_width() + 8
        return QRectF(left, TOP, max(1.0, self.width() - left - SIDE), max(1.0, self.height() - TOP - SIDE / 2))

    @property
    def _area(self) -> QRectF:
        """Where they are: a few rows do not fill the room."""
        room, (rows, _) = self._room, self._parts
        return QRectF(room.left(), room.top(), room.width(), min(room.height(), rows * HIGHEST))

    def _names_width(self) -> float:
        names = () if self._heat is None else self._heat.names
        widest = max((_width(name) for name in names[:400]), default=0.0)
        return min(widest, self.width() * _NAMES)

    def _rect(self, cell: Cell) -> QRectF:
        """Of a cell of the whole table."""
        assert self._heat is not None
        area, (rows, columns) = self._area, self._heat.nodes.shape
        high, wide = area.height() / rows, area.width() / columns
        left, top = area.left() + cell.column * wide, area.top() + cell.row * high
        return QRectF(left, top, max(wide, 2.0), max(high, 2.0))

    def cell_under(self, point: QPointF) -> Cell | None:
        """The cell that is seen at a point; of several that share a pixel the one that is drawn."""
        if self._heat is None or not self._heat.nodes.size or not self._area.contains(point):
            return None
        area, (rows, columns) = self._area, self._parts
        row = min(int((point.y() - area.top()) / area.height() * rows), rows - 1)
        column = min(int((point.x() - area.left()) / area.width() * columns), columns - 1)
        return cell_at(self._heat, rows, columns, Cell(row, column), as_ratios=self._as_ratios)

    # ---- painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        heat = self._heat
        if heat is None or not heat.nodes.size:
            return
        painter = QPainter(self)
        area = self._area
        painter.drawImage(area, self._picture(heat))
        self._paint_names(painter, heat, area)
        self._paint_groups(painter, heat, area)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_marks(painter, heat, area)
        self._paint_key(painter)
        painter.end()

    def _picture(self, heat: Heat) -> QImage:
        if self._image is None:
            rows, columns = self._parts
            numbers, odd, there = thinned(heat, rows, columns, as_ratios=self._as_ratios)
            self._decades = Decades.of(heat.values(as_ratios=self._as_ratios))
            self._image = painted(numbers, odd, there, self._decades, self._theme.palette)
        return self._image

    def _paint_names(self, painter: QPainter, heat: Heat, area: QRectF) -> None:
        p, high = self._theme.palette, area.height() / len(heat.names)
        painter.setFont(mono_font(11))
        selected = self._selected_row(heat)
        wide = self._names_width()
        if high >= READABLE:
            named = [(row, name, high) for row, name in enumerate(heat.names)]
        else:
            named = _groups_with_room(heat.groups, high)
        for row, name, room in named:
            box = QRectF(LEFT, area.top() + row * high, wide, room)
            painter.setPen(color(p.text if row == selected else p.dim))
            text = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideLeft, int(wide) + 1)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_groups(self, painter: QPainter, heat: Heat, area: QRectF) -> None:
        """A line between the parameters of one module and those of the next."""
        high = area.height() / len(heat.names)
        painter.setPen(QPen(color(self._theme.palette.panel), 1))
        if high < 3:
            return
        for row in range(1, len(heat.names)):
            if heat.groups[row] != heat.groups[row - 1]:
                y = round(area.top() + row * high)
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))

    def _paint_marks(self, painter: QPainter, heat: Heat, area: QRectF) -> None:
        p = self._theme.palette
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._sweep in heat.sweeps:
            column = self._rect(Cell(0, heat.sweeps.index(self._sweep)))
            painter.setPen(QPen(color(p.text), 1.5))
            painter.drawRect(QRectF(column.left() - 1, area.top() - 2, column.width() + 2, area.height() + 4))
        if heat.first_odd is not None:
            painter.setPen(QPen(color(p.error), 2))
            middle = self._rect(heat.first_odd).center()
            painter.drawEllipse(middle, 7, 7)
        marked = self._cursor if self.hasFocus() and self._cursor is not None else self._selected(heat)
        if marked is not None:
            painter.setPen(QPen(color(p.forward), 2))
            painter.drawRect(self._rect(marked).adjusted(-1, -1, 1, 1))

    def _paint_key(self, painter: QPainter) -> None:
        """The scale, at the right above the cells."""
        p = self._theme.palette
        painter.setFont(ui_font(11))
        x, top = float(self.width() - SIDE), 4.0
        for word, ink in (("NaN, ∞", p.error), (f"< 10{superscript(LEAST)}", p.dim), ("0", p.text)):
            x -= painter.fontMetrics().horizontalAdvance(word)
            painter.setPen(color(p.dim))
            painter.drawText(QPointF(x, top + 9), word)
            painter.fillRect(QRectF(x - 13, top + 1, 9, 9), color(ink))
            x -= 25
        least, most = (f"10{superscript(power)}" for power in self._decades)
        x -= painter.fontMetrics().horizontalAdvance(most)
        painter.setPen(color(p.dim))
        painter.drawText(QPointF(x, top + 9), most)
        colours = level_colours(p, False)
        for number, ink in enumerate(colours):
            each = _RAMP / len(colours)
            painter.fillRect(QRectF(x - 4 - _RAMP + number * each, top + 1, each + 0.5, 9), QColor(ink))
        painter.drawText(QPointF(x - 10 - _RAMP - painter.fontMetrics().horizontalAdvance(least), top + 9), least)

    def _selected(self, heat: Heat) -> Cell | None:
        """The leaf that is selected, in the call that is shown."""
        row = self._selected_row(heat)
        return None if row is None or self._sweep is None else Cell(row, heat.sweeps.index(self._sweep))

    def _selected_row(self, heat: Heat) -> int | None:
        if self._node is None or self._sweep not in heat.sweeps:
            return None
        found = np.flatnonzero(heat.nodes[:, heat.sweeps.index(self._sweep)] == self._node)
        return int(found[0]) if len(found) else None

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        rows = 4 if self._heat is None else len(self._heat.names)
        return QSize(400, int(TOP + SIDE + min(max(rows, 2), 12) * HIGHEST))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._redraw()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_under(event.position())
        self.setCursor(Qt.CursorShape.ArrowCursor if cell is None else Qt.CursorShape.PointingHandCursor)
        self.cell_pointed.emit(cell)

    def leaveEvent(self, event: QEvent) -> None:
        self.cell_pointed.emit(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_under(event.position())
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self._cursor = cell
            self.cell_chosen.emit(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        heat, move = self._heat, _MOVES.get(event.key())
        if heat is None or not heat.nodes.size:
            super().keyPressEvent(event)
        elif move is not None:
            start = self._cursor or self._selected(heat) or Cell(0, 0)
            rows, columns = heat.nodes.shape
            row, column = start.row + move[0], start.column + move[1]
            self._cursor = Cell(min(max(row, 0), rows - 1), min(max(column, 0), columns - 1))
            self.setAccessibleDescription(heat.text(self._cursor))
            self.cell_pointed.emit(self._cursor)
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor is not None:
            self.cell_chosen.emit(self._cursor)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and event.key() in _MOVES:
            event.accept()  # else they would step through the passes
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._heat is not None:
            cell = self.cell_under(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), "" if cell is None else self._heat.text(cell), self, QRect())
            return True
        return super().event(event)


class Decades(NamedTuple):
    """The powers of ten between which the colours lie: as few whole decades as hold all that is shown."""

    least: int
    most: int

    @staticmethod
    def of(numbers: Floats) -> Decades:
        """Those of some numbers; what has vanished or explodes is off the scale, as it is in the graph."""
        shown = numbers[np.isfinite(numbers) & (numbers >= 10.0**LEAST)]
        if not len(shown):
            return Decades(LEAST, MOST)
        low = min(math.floor(math.log10(float(shown.min()))), MOST - 1)
        return Decades(low, min(max(math.ceil(math.log10(float(shown.max()))), low + 1), MOST))

    def level(self, numbers: Floats) -> Codes:
        """The level of each number, 0..LEVELS - 1."""
        shares = (np.log10(numbers) - self.least) / (self.most - self.least)
        levels: Codes = np.clip(shares * LEVELS, 0, LEVELS - 1).astype(np.int64)
        return levels


def painted(numbers: Floats, odd: Flags, there: Flags, decades: Decades, palette: Palette) -> QImage:
    """One pixel for each cell; where no gradient is, the ground is seen."""
    pixels = np.zeros((*numbers.shape, 4), dtype=np.uint8)
    known = there & ~odd & (numbers >= 10.0**LEAST)
    colours = np.array([_rgba(ink) for ink in level_colours(palette, False)], dtype=np.uint8)
    pixels[known] = colours[decades.level(numbers[known])]
    pixels[there & ~odd & (numbers < 10.0**LEAST)] = _rgba(palette.dim)
    pixels[there & (numbers == 0)] = _rgba(palette.text)
    pixels[odd] = _rgba(palette.error)
    height, width = numbers.shape
    return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()


def _rgba(ink: str) -> tuple[int, int, int, int]:
    found = QColor(ink)
    return found.red(), found.green(), found.blue(), 255


def _groups_with_room(groups: tuple[str, ...], high: float) -> list[tuple[int, str, float]]:
    """First row, name and height of the modules that are high enough for a name: the innermost that mostly are."""
    deepest = max((group.count(".") + 1 for group in groups), default=1)
    named: list[tuple[int, str, float]] = []
    for depth in range(deepest, 0, -1):
        outer = [".".join(group.split(".")[:depth]) for group in groups]
        starts = [row for row, group in enumerate(outer) if not row or outer[row - 1] != group]
        sizes = [after - row for row, after in zip(starts, [*starts[1:], len(outer)], strict=True)]
        every = [(row, outer[row], size * high) for row, size in zip(starts, sizes, strict=True)]
        named = [each for each in every if each[2] >= READABLE]
        if 2 * sum(each[2] for each in named) >= len(groups) * high:
            break
    return named


@lru_cache(maxsize=4096)
def _width(text: str) -> float:
    return QFontMetricsF(mono_font(11)).horizontalAdvance(text)
