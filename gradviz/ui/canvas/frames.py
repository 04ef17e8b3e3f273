"""The frames around open groups: a faint surface behind their boxes, a title, and the mark that folds them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.playback.folded import FoldedTrack
from gradviz.playback.group_report import count_text
from gradviz.playback.groups import Group
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes import paint_fold_mark
from gradviz.ui.canvas.measure import FOLD_MARK
from gradviz.ui.canvas.sprites import Art
from gradviz.ui.canvas.stamps import draw_at, stamp
from gradviz.ui.canvas.text import Pen, Role, elided, text_width
from gradviz.ui.canvas.view import Point, Rect, View
from gradviz.ui.palette import Palette

_RADIUS = 14.0
_INSET = 8.0
_GAP = 7.0
_TITLE_HEIGHT = 30.0
_READABLE, _LARGEST = 11.5, 4.0
_SOFT = 2.0
"""Screen pixels by which a soft edge may reach beyond its rectangle."""
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
        self._titled: tuple[float, tuple[Rect | None, ...]] | None = None

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """What each frame is called."""
        if self._track is None:
            return ()
        groups = self._track.groups.groups
        return tuple(_title(groups[number]) for number in self.groups)

    def place(self, number: int) -> Rect | None:
        """Where the frame of a group is, or None where it has none."""
        if number not in self.groups:
            return None
        left, top, right, bottom = self.sides[self.groups.index(number)].tolist()
        return left, top, right, bottom

    # ---- what is under a point ----

    def title_at(self, point: Point, scale: float) -> int | None:
        """The group whose title is at a scene point, or None."""
        for number, tab in zip(reversed(self.groups), reversed(self.tabs(scale)), strict=True):
            if tab is not None and tab[0] <= point[0] <= tab[2] and tab[1] <= point[1] <= tab[3]:
                return number
        return None

    def is_on_mark(self, point: Point, number: int, scale: float) -> bool:
        """Whether a scene point is on the mark that folds the group."""
        tab = self.tabs(scale)[self.groups.index(number)]
        side = (FOLD_MARK + _INSET + 2.0) * _grown(scale)
        return tab is not None and tab[0] <= point[0] <= tab[0] + side and tab[1] <= point[1] <= tab[3]

    def around(self, point: Point) -> int | None:
        """The innermost group whose frame holds a scene point, or None."""
        inside = [
            number
            for number, (left, top, right, bottom) in zip(self.groups, self.sides.tolist(), strict=True)
            if left <= point[0] <= right and top <= point[1] <= bottom
        ]
        return inside[-1] if inside else None

    def tabs(self, scale: float) -> tuple[Rect | None, ...]:
        """The rectangle of each title with its mark, in scene units; None for one that finds no room at a scale.

        In a small picture titles are written larger than their boxes. They grow upwards, and that of a frame right
        inside another is left out, rather than written over it.
        """
        if self._titled is None or self._titled[0] != scale:
            self._titled = (scale, self._placed(scale))
        return self._titled[1]

    def _placed(self, scale: float) -> tuple[Rect | None, ...]:
        grown, taken = _grown(scale), np.zeros((0, 4))
        tabs: list[Rect | None] = []
        for title, (left, top, right, _) in zip(self.titles, self.sides.tolist(), strict=True):
            floor = top + _TITLE_HEIGHT
            wide = (2 * _INSET + FOLD_MARK + _GAP + text_width(title, Role.NAME)) * grown
            tab = (left, floor - _TITLE_HEIGHT * grown, min(left + wide, right), floor)
            hidden = (
                (taken[:, 0] < tab[2])
                & (taken[:, 2] > tab[0])
                & (taken[:, 1] < tab[3] - 1)
                & (taken[:, 3] > tab[1] + 1)
            )
            if (right - left) * scale < _LEAST_WIDTH or hidden.any():
                tabs.append(None)
            else:
                tabs.append(tab)
                taken = np.vstack([taken, tab])
        return tuple(tabs)

    # ---- drawing ----

    def paint(self, painter: QPainter, view: View, rects: Sequence[Rect], art: Art) -> None:
        """Draw the frames that touch some screen rectangles."""
        tabs = self.tabs(view.scale)
        for left, top, right, bottom in map(view.rect_to_screen, map(tuple, self.sides.tolist())):
            if _touches((left, top, right, bottom), rects):
                self._paint_surface(painter, QRectF(left, top, right - left, bottom - top), view.scale, art.palette)
        for index, tab in enumerate(tabs):
            if tab is not None and _touches(view.rect_to_screen(tab), rects):
                self._paint_title(painter, index, tab, view, art)

    def _paint_surface(self, painter: QPainter, rect: QRectF, scale: float, palette: Palette) -> None:
        painter.setPen(QPen(QColor(looks.frame_border(palette)), 1.0))
        painter.setBrush(QColor(looks.frame_fill(palette)))
        radius = min(_RADIUS * scale, rect.height() / 2, rect.width() / 2)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)

    def _paint_title(self, painter: QPainter, index: int, tab: Rect, view: View, art: Art) -> None:
        left, top, right, bottom = view.rect_to_screen(tab)
        rect, size = QRectF(left, top, right - left, bottom - top), (bottom - top) / _TITLE_HEIGHT
        title, is_grown = self.titles[index], _grown(view.scale) > 1.0

        def draw(painter: QPainter) -> None:
            painter.scale(size, size)
            _draw_title(painter, title, rect.width() / size, art, on_border=is_grown)

        if art.vector:
            draw_at(painter, rect, draw)
        else:  # a copy is the same wherever the picture is drawn again
            stamp(painter, rect, ("frame title", title, is_grown, art.palette), draw)


def _draw_title(painter: QPainter, title: str, wide: float, art: Art, *, on_border: bool) -> None:
    """A title and its mark from the origin on; in scene units."""
    middle, start = _TITLE_HEIGHT / 2 + 1.0, _INSET
    if on_border:  # which must not run through it
        _paint_ground(painter, wide, art.palette)
    if not art.vector:  # in a file nothing can be folded
        paint_fold_mark(painter, _INSET, middle - FOLD_MARK / 2, art.palette, is_open=True)
        start += FOLD_MARK + _GAP
    text = elided(title, Role.NAME, wide - start - _INSET + 1.0)
    Pen(painter, vector=art.vector).write(start, middle, text, Role.NAME, art.palette.dim)


def _paint_ground(painter: QPainter, wide: float, palette: Palette) -> None:
    painter.setPen(QPen(QColor(looks.frame_border(palette)), 0.8))
    painter.setBrush(QColor(looks.mix(palette.keyword, palette.canvas, 0.07)))
    painter.drawRoundedRect(QRectF(1.0, 2.0, wide - 2.0, _TITLE_HEIGHT - 3.0), 6.0, 6.0)


def _touches(rect: Rect, rects: Sequence[Rect]) -> bool:
    left, top, right, bottom = rect[0] - _SOFT, rect[1] - _SOFT, rect[2] + _SOFT, rect[3] + _SOFT
    return any(left <= r[2] and r[0] <= right and top <= r[3] and r[1] <= bottom for r in rects)


def _title(group: Group) -> str:
    words = count_text(group)
    return f"{group.title}  ·  {words}" if words else group.title


def _grown(scale: float) -> float:
    """How much larger a title is written in a small picture, so that it can be read."""
    return min(max(_READABLE / (14.0 * scale), 1.0), _LARGEST)
