"""Numbers as tiles in rows and columns, which can be dragged, typed over, and changed by keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QToolTip, QWidget

from gradviz.playback.numbers import in_words, rounded
from gradviz.playback.words import number_text
from gradviz.recording import Array
from gradviz.ui.look.dragging import Drag
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import Theme, color, mono_font

GAP = 3
"""Pixels between tiles."""
WIDTH, HEIGHT = 60, 26
"""Of a tile, in pixels, unless it is told another."""
FONTS = tuple(range(18, 7, -1))
"""Sizes of numbers in pixels: the largest in which all fit, and no more than `SHARE` of the height of a tile."""
SHARE = 0.56
READ = 10
"""Size in pixels below which numbers lose digits rather than become smaller."""
_BEGUN = 3
"""Pixels from where on a press is a drag."""
_TYPED = "0123456789.+-−"
_ROLES = ("forward", "backward", "leaf", "constant", "warning")


class Look(NamedTuple):
    """How a tile is drawn besides its number.

    Attributes:
        share: how full its colour is, 0..1; the ground of 0 is empty.
        is_lit: whether it is filled, with its number on it.
        is_empty: whether it has no number yet: dashed.
    """

    share: float = 1.0
    is_lit: bool = False
    is_empty: bool = False


PLAIN = Look()
EMPTY = Look(is_empty=True)


class NumberTiles(QWidget):
    """The numbers of a small array. Drag a tile to change its number, double-click or type to write it.

    With keys: the arrows go from tile to tile, Page Up and Page Down change the number, Enter opens it, and Esc takes
    back what is being dragged or typed. Shift makes steps ten times finer.

    Attributes:
        array: the numbers as they are now.
        at: flat index of the tile that the keys change.
        columns: how many tiles stand in a row.
        plain_keys: those that it uses itself while it has the focus.

    Args:
        role: of the colour: "forward", "backward", "leaf", "constant" or "warning".
        tile: width and height of a tile in pixels.

    Signals:
        numbers_changed: the array with a number changed, while it is dragged too. Payload: the array.
        settled: a drag has ended, or a number was typed or changed by a key. Payload: the array.
        tile_clicked: a tile was clicked and not dragged, or Space pressed at it. Payload: its flat index.
        tile_pointed: the pointer is over a tile. Payload: its flat index, or -1.
        refused: what was typed is no number. Payload: the sentence.
    """

    plain_keys = frozenset({"Left", "Right", "Up", "Down", "Space"})

    numbers_changed = Signal(object)
    settled = Signal(object)
    tile_clicked = Signal(int)
    tile_pointed = Signal(int)
    refused = Signal(str)

    def __init__(self, theme: Theme, role: str = "backward", *, tile: tuple[int, int] = (WIDTH, HEIGHT)) -> None:
        super().__init__()
        assert role in _ROLES
        self._theme, self._role, self._size = theme, role, tile
        self.array: Array = np.zeros(0)
        self.columns = 1
        self._looks: Sequence[Look] = ()
        self._written: tuple[list[str], int] | None = None
        self._is_editable = False
        self.at = 0
        self._pointed = -1
        self._pressed: QPointF | None = None
        self._drag: Drag | None = None
        self._before: Array | None = None
        self._field: QLineEdit | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    # ---- what is shown ----

    @property
    def is_changing(self) -> bool:
        """Whether a number is being dragged or typed right now."""
        return self._drag is not None or self._field is not None

    def show_numbers(
        self, array: Array, *, columns: int | None = None, is_editable: bool = False, looks: Sequence[Look] = ()
    ) -> None:
        """Show an array; what is being dragged or typed goes on if the shape is the same.

        Args:
            columns: how many tiles stand in a row; None for the length of the last axis, 1 for a single number.
            is_editable: whether the numbers can be changed.
            looks: one for each number; () for plain ones.
        """
        given = np.asarray(array)
        columns = max(1, columns or (given.shape[-1] if given.ndim else 1))
        if given.shape != self.array.shape or columns != self.columns or not is_editable:
            self._give_up()
        moved = (given.size, columns) != (self.array.size, self.columns)
        self.array, self.columns, self._looks, self._is_editable = given, columns, looks, is_editable
        self._written = None
        self.at = min(self.at, max(0, given.size - 1))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_editable else Qt.FocusPolicy.NoFocus)
        self.setAccessibleDescription(in_words(given, 400))
        if moved:
            self.updateGeometry()
        self.update()

    def resize_tiles(self, width: int, height: int) -> None:
        """Draw the tiles in another size, in pixels."""
        if (width, height) != self._size:
            self._size, self._written = (width, height), None
            self.updateGeometry()
            self.update()

    def box(self, index: int) -> QRect:
        """Where a tile stands."""
        row, column = divmod(index, self.columns)
        wide, high = self._size
        return QRect(column * (wide + GAP), row * (high + GAP), wide, high)

    def _index_at(self, point: QPointF) -> int:
        wide, high = self._size
        row, column = int(point.y() // (high + GAP)), int(point.x() // (wide + GAP))
        index = row * self.columns + column
        return index if 0 <= column < self.columns and row >= 0 and index < self.array.size else -1

    # ---- changing ----

    def put(self, index: int, number: float) -> None:
        """Give one tile another number, and say so; the dtype of the array stays."""
        changed = np.array(self.array, copy=True)
        with np.errstate(over="ignore"):
            changed.reshape(-1)[index] = number
        self.array, self._written = changed[()] if changed.ndim == 0 else changed, None
        self.setAccessibleDescription(in_words(self.array, 400))
        self.update()
        self.numbers_changed.emit(self.array)

    def cancel(self) -> None:
        """Take back what is being dragged or typed."""
        before = self._before
        self._give_up()
        if before is not None:
            self.array, self._written = before, None
            self.update()
            self.numbers_changed.emit(before)

    def _give_up(self) -> None:
        self._drag = self._pressed = self._before = None
        if self._field is not None:
            field, self._field = self._field, None
            field.hide()
            field.deleteLater()

    def _drag_of(self, index: int) -> Drag:
        flat = np.abs(self.array.ravel().astype(np.float64))
        finite = flat[np.isfinite(flat) & (flat > 0)]
        scale = float(np.median(finite)) if finite.size else 1.0
        return Drag(float(self.array.reshape(-1)[index]), scale, self.array.dtype.kind in "iub")

    def write(self, index: int, text: str = "") -> None:
        """Open a tile for typing, with its number selected, or begun with a text."""
        self._give_up()
        self.at = index
        field = self._field = QLineEdit(text or repr(self.array.reshape(-1)[index].item()), self)
        field.setAccessibleName(f"Number {index + 1}")
        field.setFont(mono_font(min(13, self._size[1] // 2)))
        field.setStyleSheet("QLineEdit { padding: 0 3px; border-radius: 4px; min-height: 0; }")
        field.setGeometry(self.box(index))
        if not text:
            field.selectAll()
        field.editingFinished.connect(self._take_typed)
        field.installEventFilter(self)
        field.show()
        field.setFocus()

    def _take_typed(self) -> None:
        field = self._field
        if field is None:
            return
        text = field.text().strip().replace("−", "-")
        has_focus = field.hasFocus()
        self._give_up()
        if has_focus:
            self.setFocus()
        try:
            number = float(text)
        except ValueError:
            self.refused.emit(f"“{text}” is not a number." if text else "Type a number.")
            return
        if math.isfinite(number) and number != float(self.array.reshape(-1)[self.at]):
            self.put(self.at, number)
            self.settled.emit(self.array)
        elif not math.isfinite(number):
            self.refused.emit(f"“{text}” is not a finite number.")

    def _move_to(self, index: int) -> None:
        if 0 <= index < self.array.size:
            self.at = index
            self.update()

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        count = max(1, self.array.size)
        rows, columns = -(-count // self.columns), min(self.columns, count)
        wide, high = self._size
        return QSize(columns * (wide + GAP) - GAP, rows * (high + GAP) - GAP)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or index < 0:
            event.ignore()
            return
        self.at, self._pressed = index, event.position()
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None and self._is_editable:
            moved = event.position().x() - self._pressed.x()
            if self._drag is None and abs(moved) >= _BEGUN:
                self._drag, self._before = self._drag_of(self.at), self.array
            if self._drag is not None:
                number = self._drag.number(moved, is_fine=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
                if number != float(self.array.reshape(-1)[self.at]):
                    self.put(self.at, number)
            return
        self._point(self._index_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_dragged, was_pressed = self._drag is not None, self._pressed is not None
        self._drag = self._pressed = self._before = None
        if was_dragged:
            self.settled.emit(self.array)
        elif was_pressed:
            self.tile_clicked.emit(self.at)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position())
        if index >= 0 and self._is_editable:
            self.write(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, text = Qt.Key(event.key()), event.text()
        ways = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -self.columns, Qt.Key.Key_Down: self.columns}
        steps = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}
        if key in ways:
            self._move_to(self.at + ways[key])
        elif key == Qt.Key.Key_Space:
            self.tile_clicked.emit(self.at)
        elif key == Qt.Key.Key_Escape and self.is_changing:
            self.cancel()
        elif not self._is_editable or not self.array.size:
            super().keyPressEvent(event)
        elif key in steps:
            is_fine = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.put(self.at, self._drag_of(self.at).after(steps[key], is_fine=is_fine))
            self.settled.emit(self.array)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.write(self.at)
        elif text and text in _TYPED and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.write(self.at, text)
        else:
            super().keyPressEvent(event)

    def _is_escape(self, event: QEvent) -> bool:
        is_asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        return is_asked and event.key() == Qt.Key.Key_Escape and self.is_changing  # type: ignore[attr-defined]

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        if watched is self._field and self._is_escape(event):
            event.accept()
            return True
        is_key = watched is self._field and event.type() == QEvent.Type.KeyPress
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self.cancel()
            self.setFocus()
            return True
        if is_key and isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take_typed()  # here, since a line edit passes the key on, and it would open the tile again
            return True
        return super().eventFilter(watched, event)

    def leaveEvent(self, event: QEvent) -> None:
        self._point(-1)

    def _point(self, index: int) -> None:
        drags = self._is_editable and index >= 0
        self.setCursor(Qt.CursorShape.SizeHorCursor if drags else Qt.CursorShape.ArrowCursor)
        if index != self._pointed:
            self._pointed = index
            self.update()
            self.tile_pointed.emit(index)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        if self._is_escape(event):
            event.accept()  # it takes back what is dragged or typed, before it is a key of the window
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self._index_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self.tip(index), self)
            return True
        return super().event(event)

    def tip(self, index: int) -> str:
        """All digits of a tile, and how it is changed."""
        if index < 0 or self._look(index).is_empty:
            return ""
        how = "\nDrag to change it, double-click to type" if self._is_editable else ""
        return f"{self.array.reshape(-1)[index]}{how}"

    def _look(self, index: int) -> Look:
        return self._looks[index] if index < len(self._looks) else PLAIN

    # ---- painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index, number in enumerate(self.array.ravel().tolist()):
            self._paint_tile(painter, index, number)

    def _paint_tile(self, painter: QPainter, index: int, number: float) -> None:
        p, look, box = self._theme.palette, self._look(index), QRectF(self.box(index))
        accent, tint = getattr(p, self._role), getattr(p, f"{self._role}_tint", p.backward_tint)
        is_active = self._is_editable and index == self._pointed
        is_chosen = self._is_editable and self.hasFocus() and index == self.at
        if look.is_empty:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color(p.dim if p.is_strong else p.faint), 1, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), SPACE, SPACE)
            return
        edge = is_active or is_chosen or (self._is_editable and not look.is_lit) or (p.is_strong and look.share > 0)
        painter.setBrush(color(accent) if look.is_lit else _ground(tint, look.share))
        painter.setPen(
            QPen(color(accent, 1 if is_active or is_chosen or p.is_strong else 0.45), 1.5 if is_chosen else 1)
            if edge
            else Qt.PenStyle.NoPen
        )
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), SPACE, SPACE)
        ink = p.on_accent if look.is_lit else p.text if look.share > 0 else p.dim
        painter.setPen(color(ink if math.isfinite(number) or look.is_lit else p.error))
        texts, pixels = self._writing()
        painter.setFont(mono_font(pixels))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, texts[index])

    def _writing(self) -> tuple[list[str], int]:
        """The numbers as texts of one precision, and their one size in pixels."""
        if self._written is None:
            shown = [
                number for index, number in enumerate(self.array.ravel().tolist()) if not self._look(index).is_empty
            ]
            digits, pixels = _fitting(shown, *self._size)
            self._written = [_text(number, digits) for number in self.array.ravel().tolist()], pixels
        return self._written


def _ground(tint: str, share: float) -> QColor:
    return color(tint, min(max(share, 0.0), 1.0))


def _fitting(numbers: Sequence[float], width: int, height: int) -> tuple[int, int]:
    """Significant digits and size in pixels in which all numbers fit into tiles."""
    for digits in (4, 3, 2):
        longest = max((len(_text(number, digits)) for number in numbers), default=1)
        for pixels in FONTS:
            fits = pixels <= max(SHARE * height, FONTS[-1]) and longest * _digit(pixels) <= width - 4
            if fits and (pixels >= READ or digits == 2):
                return digits, pixels
    return 2, FONTS[-1]


def _text(number: float, digits: int) -> str:
    number += 0.0 if isinstance(number, float) else 0  # no -0
    text = number_text(number) if digits > 3 else rounded(number, digits)
    return text.replace("-", "−")


@lru_cache(maxsize=16)
def _digit(pixels: int) -> float:
    """Width of any character of the font of numbers, in pixels."""
    return QFontMetricsF(mono_font(pixels)).horizontalAdvance("0")
