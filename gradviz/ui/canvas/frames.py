"""The frames around open groups: a faint surface behind their boxes, a title, and the mark that folds them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.playback.folded import FoldedTrack
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes import paint_fold_mark
from gradviz.ui.canvas.measure import FOLD_MARK
from gradviz.ui.canvas.sprites import Art
from gradviz.ui.canvas.text import Pen, Role, elided, text_width
from gradviz.ui.canvas.view import Point, Rect, View
from gradviz.ui.palette import Palette

_RADIUS = 14.0
_INSET = 8.0
_GAP = 7.0
_TITLE_HEIGHT = 30.0
_READABLE, _LARGEST = 11.5, 4.0
_LEAST_WIDTH = 46.0
"""Screen pixels: a narrower frame has no title."""


class Frames:
    """The frames of one scene; a group goes by its number.

    Attributes:
        groups: the group of each frame, outer ones first.
        sides: left, top, right, bottom of each; scene units, shape (k, 4).
    """

    def __init__(self, track: FoldedTrack | None, sides: Floats) -> None:
        self._track = track
        self.groups: tuple[int, ...] = () if track is None else track.frames
        self.sides = sides[: len(self.groups)]

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """What each frame is called."""
        if self._track is None:
            return ()
        groups = self._track.groups.groups
        return tuple(_title(groups[number].title, groups[number].count) for number in self.groups)

    def place(self, number: int) -> Rect | None:
        """Where the frame of a group is, or None where it has none."""
        if number not in self.groups:
            return None
        left, top, right, bottom = self.sides[self.groups.index(number)].tolist()
        return left, top, right, bottom

    # ---- what is under a point ----

    def title_at(self, point: Point, scale: float) -> int | None:
        """The group whose title is at a scene point, or None."""
        for index in range(len(self.groups) - 1, -1, -1):
            left, top, right, bottom = self.tab(index, scale)
            if left <= point[0] <= right and top <= point[1] <= bottom:
                return self.groups[index]
        return None

    def is_on_mark(self, point: Point, number: int, scale: float) -> bool:
        """Whether a scene point is on the mark that folds the group."""
        index = self.groups.index(number)
        left, top, _, _ = self.tab(index, scale)
        side = (FOLD_MARK + _INSET + 2.0) * _grown(scale)
        return left <= point[0] <= left + side and top <= point[1] <= top + side

    def around(self, point: Point) -> int | None:
        """The innermost group whose frame holds a scene point, or None."""
        inside = [
            number
            for number, (left, top, right, bottom) in zip(self.groups, self.sides.tolist(), strict=True)
            if left <= point[0] <= right and top <= point[1] <= bottom
        ]
        return inside[-1] if inside else None

    def tab(self, index: int, scale: float) -> Rect:
        """The rectangle of a title with its mark; empty where the frame is too small for one."""
        left, top, right, _ = self.sides[index].tolist()
        grown = _grown(scale)
        if (right - left) * scale < _LEAST_WIDTH:
            return left, top, left, top
        wide = (2 * _INSET + FOLD_MARK + _GAP + text_width(self.titles[index], Role.NAME)) * grown
        return left, top, min(left + wide, right), top + _TITLE_HEIGHT * grown

    # ---- drawing ----

    def paint(self, painter: QPainter, view: View, rects: Sequence[Rect], art: Art) -> None:
        """Draw the frames that touch some screen rectangles."""
        for index, side in enumerate(self.sides.tolist()):
            left, top, right, bottom = view.rect_to_screen((side[0], side[1], side[2], side[3]))
            if any(left <= r[2] and r[0] <= right and top <= r[3] and r[1] <= bottom for r in rects):
                self._paint_surface(painter, QRectF(left, top, right - left, bottom - top), view.scale, art.palette)
                self._paint_title(painter, index, view, art)

    def _paint_surface(self, painter: QPainter, rect: QRectF, scale: float, palette: Palette) -> None:
        painter.setPen(QPen(QColor(looks.frame_border(palette)), 1.0))
        painter.setBrush(QColor(looks.frame_fill(palette)))
        radius = min(_RADIUS * scale, rect.height() / 2, rect.width() / 2)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)

    def _paint_title(self, painter: QPainter, index: int, view: View, art: Art) -> None:
        left, top, right, _ = self.sides[index].tolist()
        if (right - left) * view.scale < _LEAST_WIDTH and not art.vector:
            return
        grown = 1.0 if art.vector else _grown(view.scale)
        room = (right - left) / grown - 2 * _INSET - FOLD_MARK - _GAP
        painter.save()
        x, y = view.to_screen((left, top))
        painter.translate(x, y)
        painter.scale(view.scale * grown, view.scale * grown)
        middle = _TITLE_HEIGHT / 2 + 1.0
        if not art.vector:  # in a file nothing can be folded
            paint_fold_mark(painter, _INSET, middle - FOLD_MARK / 2, art.palette, is_open=True)
        start = _INSET + (0.0 if art.vector else FOLD_MARK + _GAP)
        pen = Pen(painter, vector=art.vector)
        pen.write(start, middle, elided(self.titles[index], Role.NAME, room), Role.NAME, art.palette.dim)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.restore()


def _title(title: str, count: int) -> str:
    return title if count == 1 else f"{title}  ×{count}"


def _grown(scale: float) -> float:
    """How much larger a title is written in a small picture, so that it can be read."""
    return min(max(_READABLE / (14.0 * scale), 1.0), _LARGEST)
