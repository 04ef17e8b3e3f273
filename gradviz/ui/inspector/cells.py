"""A small array as a grid of aligned numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.playback.numbers import Column, in_words, written_alike
from gradviz.recording import Array
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import Theme, color, mono_font

LIMIT = 6
"""Rows and columns up to which a matrix is shown in cells."""
ROW_LIMIT = 12
"""Elements up to which a vector is; it wraps."""

HEIGHT = 24
LEAST_WIDTH = 30
"""Of a cell, where there is room: that of a single digit is no sliver."""
GAP = 4
STEPS = ((12, 3, 7), (11, 3, 4), (10, 3, 3), (11, 2, 4), (10, 2, 3), (9, 2, 2), (9, 1, 2))
"""Font size in pixels, significant digits and padding, tried in turn until a row fits."""


def fits_in_cells(shape: tuple[int, ...]) -> bool:
    """Whether an array of this shape is shown as cells."""
    if len(shape) > 2 or 0 in shape:
        return False
    return all(size <= (ROW_LIMIT if len(shape) == 1 else LIMIT) for size in shape)


class Fit(NamedTuple):
    """How the numbers of an array stand at one width: lengths in pixels."""

    columns: int
    width: int
    pixels: int
    padding: int
    column: Column


@lru_cache(maxsize=16)
def digit_width(pixels: int) -> float:
    """Width of any character of the font of numbers, in pixels."""
    return QFontMetricsF(mono_font(pixels)).horizontalAdvance("0")


def fitted(array: Array, width: int) -> Fit:
    """The largest and most exact writing in which a row of the array fits; a vector wraps before it shrinks."""
    wanted = (1, *array.shape)[-1]
    for pixels, digits, padding in STEPS:
        column = written_alike(array, digits)
        text = int(max(map(len, column.texts)) * digit_width(pixels))
        cell = max(text + 2 * padding + 1, LEAST_WIDTH if digits > 2 else 0)
        room = max(1, (width + GAP) // (cell + GAP))
        if room >= wanted or array.ndim == 1:
            return Fit(min(room, wanted), cell, pixels, max(padding, (cell - text) // 2), column)
    return Fit(wanted, max(1, (width + GAP) // wanted - GAP), pixels, padding, column)


class Cells(QWidget):
    """The numbers of an array of at most two axes. Drag selects, Ctrl+C copies, hovering shows all digits."""

    def __init__(self, theme: Theme, role: str) -> None:
        super().__init__()
        self._theme, self._role = theme, role
        self._array: Array = np.zeros(())
        self._fits: dict[int, Fit] = {}
        self._from: QPoint | None = None
        self._to: QPoint | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setCursor(Qt.CursorShape.IBeamCursor)

    def show_array(self, array: Array) -> None:
        """Show an array for which `fits_in_cells` holds."""
        same_shape = array.shape == self._array.shape
        self._array = array
        self._fits.clear()
        self._from = self._to = None
        self.setAccessibleDescription(in_words(array, 400))
        if not same_shape or self.heightForWidth(self.width()) != self.height():
            self.updateGeometry()  # of one shape too: longer numbers take more rows
        self.update()

    def selected_text(self) -> str:
        """The selected numbers, or all: tabs between columns, full precision."""
        table = self._table()
        if self._from is not None and self._to is not None:
            area = QRect(self._from, self._to).normalized()
            table = table[area.top() : area.bottom() + 1, area.left() : area.right() + 1]
        return "\n".join("\t".join(str(number) for number in row if number is not None) for row in table.tolist())

    @property
    def exponent(self) -> int:
        """The power of ten that all numbers shown are to be multiplied by."""
        return self._fit().column.exponent

    # ---- where things are --------------------------------------------------------------------------------------

    def _table(self) -> np.ndarray[tuple[int, int], np.dtype[np.object_]]:
        """The elements as rows of cells; a wrapped vector's last row is filled up with None."""
        columns = self._fit().columns
        flat = self._array.ravel().tolist()
        flat += [None] * (-len(flat) % columns)
        table = np.empty((len(flat) // columns, columns), dtype=object)
        table.ravel()[:] = flat
        return table

    def _fit(self, width: int | None = None) -> Fit:
        """How the numbers stand at a width in pixels (the widget's own where None)."""
        width = self.width() if width is None else width
        if width not in self._fits:
            self._fits[width] = fitted(self._array, width)
        return self._fits[width]

    def _rows(self, columns: int) -> int:
        return -(-max(self._array.size, 1) // columns)

    def _cell(self, row: int, column: int) -> QRect:
        width = self._fit().width
        return QRect(column * (width + GAP), row * (HEIGHT + GAP), width, HEIGHT)

    def _index_at(self, point: QPoint) -> QPoint:
        """Column and row of the nearest cell."""
        columns, width = self._fit()[:2]
        column = min(max(point.x() // (width + GAP), 0), columns - 1)
        row = min(max(point.y() // (HEIGHT + GAP), 0), self._rows(columns) - 1)
        return QPoint(column, row)

    # ---- Qt ----------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.heightForWidth(self.width()) != self.height():  # what was hinted was for another width
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(8 * HEIGHT, self.heightForWidth(max(self.width(), 8 * HEIGHT)))

    def heightForWidth(self, width: int) -> int:
        return self._rows(self._fit(width).columns) * (HEIGHT + GAP) - GAP

    def paintEvent(self, event: QPaintEvent) -> None:
        columns, _, pixels, padding, (texts, _) = self._fit()
        palette = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(mono_font(pixels))
        tint = color(palette.backward_tint if self._role == "backward" else palette.forward_tint)
        chosen = color(palette.backward if self._role == "backward" else palette.forward)
        area = QRect(self._from, self._to).normalized() if self._from is not None and self._to is not None else QRect()
        for index, text in enumerate(texts):
            row, column = divmod(index, columns)
            box = self._cell(row, column)
            is_chosen = area.contains(column, row)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(chosen if is_chosen else tint)
            painter.drawRoundedRect(QRectF(box), SPACE, SPACE)
            finite = text.lstrip("-") not in ("nan", "inf")
            painter.setPen(color(palette.on_accent if is_chosen else palette.text if finite else palette.error))
            painter.drawText(
                box.adjusted(0, 0, -padding, 0), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text
            )
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(chosen, 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), SPACE, SPACE)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = self._to = None
        self._from = self._index_at(event.position().toPoint())
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is not None:
            self._to = self._index_at(event.position().toPoint())
            self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._from = self._to = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place = self._index_at(event.pos())
            table = self._table()
            number = table[place.y(), place.x()]
            at = (
                f"[{place.y()}, {place.x()}]"
                if self._array.ndim == 2
                else f"[{place.y() * table.shape[1] + place.x()}]"
            )
            text = "" if number is None else f"{at if self._array.ndim else ''} {number}".strip()
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)
