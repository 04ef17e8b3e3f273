"""The frames around open groups: a faint surface behind their boxes, a title, and the mark that folds them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.playback.folded import FoldedTrack
from gradviz.playback.group_report import count_text
from gradviz.playback.groups import Group
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.measure import FOLD_MARK
from gradviz.ui.canvas.panels import Surface, put_panel
from gradviz.ui.canvas.sprites import Art, MarkForm, paint_fold_mark
from gradviz.ui.canvas.stamps import draw_at, stamp
from gradviz.ui.canvas.text import Pen, Role, elided, text_width
from gradviz.ui.canvas.view import Point, Rect, View
from gradviz.ui.palette import Palette

_RADIUS = 14.0
_INSET = 8.0
_GAP = 7.0
_TITLE_HEIGHT = 30.0
_FONT = 14.0
"""Size of a title, in scene units."""
_READABLE, _LEGIBLE, _LARGEST = 11.5, 6.5, 4.0
"""Screen pixels that a title should have and must have; and how much it may grow for that."""
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

    def __init__(self, track: FoldedTrack | None, sides: Floats, boxes: Floats) -> None:
        self._track, self._boxes = track, boxes
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
        if tab is None:
            return False
        side = (FOLD_MARK + _INSET + 2.0) * (tab[3] - tab[1]) / _TITLE_HEIGHT
        return tab[0] <= point[0] <= tab[0] + side and tab[1] <= point[1] <= tab[3]

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

        In a small picture titles are written larger than their boxes, as far as they cover neither box nor title. They
        grow upwards; one that could not be read is left out.
        """
        if self._titled is None or self._titled[0] != scale:
            self._titled = (scale, self._placed(scale))
        return self._titled[1]

    def _placed(self, scale: float) -> tuple[Rect | None, ...]:
        taken, tabs = self._boxes, list[Rect | None]()
        for title, (left, top, right, _) in zip(self.titles, self.sides.tolist(), strict=True):
            tab = None
            if (right - left) * scale >= _LEAST_WIDTH:
                sizes = [size for size in _sizes(scale) if size * scale * _FONT >= _LEGIBLE]
                places = (_tab(title, left, top, right, size) for size in sizes)
                tab = next((place for place in places if not _covers(place, taken)), None)
            tabs.append(tab)
            if tab is not None:
                taken = np.vstack([taken, tab])
        return tuple(tabs)

    # ---- drawing ----

    def paint(self, painter: QPainter, view: View, rects: Sequence[Rect], art: Art) -> None:
        """Draw the surfaces of the frames that touch some screen rectangles."""
        surface = Surface(looks.frame_fill(art.palette), looks.frame_border(art.palette), _RADIUS * view.scale)
        for sides in self._sides_on(view, art):
            if _touches(sides, rects):
                if art.vector:
                    _draw_surface(painter, sides, surface)
                else:
                    put_panel(painter, sides, surface, art.ratio)

    def paint_titles(self, painter: QPainter, view: View, rects: Sequence[Rect], art: Art) -> None:
        """Draw their titles, over the edges that pass."""
        for index, tab in enumerate(self.tabs(view.scale)):
            if tab is not None and _touches(view.rect_to_screen(tab), rects):
                self._paint_title(painter, index, tab, view, art)

    def _sides_on(self, view: View, art: Art) -> list[Rect]:
        """The sides of the frames on the screen; on whole device pixels but in a vector picture."""
        if art.vector:
            screen = view.boxes_to_screen(self.sides)
        else:
            screen = np.hstack([art.corners(view, self.sides[:, :2]), art.corners(view, self.sides[:, 2:])])
        return [(left, top, right, bottom) for left, top, right, bottom in screen.tolist()]

    def _paint_title(self, painter: QPainter, index: int, tab: Rect, view: View, art: Art) -> None:
        left, top = view.to_screen(tab[:2]) if art.vector else art.corners(view, np.array([tab]))[0].tolist()
        rect = QRectF(left, top, (tab[2] - tab[0]) * view.scale, (tab[3] - tab[1]) * view.scale)
        title, size = self.titles[index], rect.height() / _TITLE_HEIGHT
        is_grown = tab[3] - tab[1] > _TITLE_HEIGHT + 0.1

        def draw(painter: QPainter) -> None:
            painter.scale(size, size)
            _draw_title(painter, title, rect.width() / size, art, on_border=is_grown)

        if art.vector:
            draw_at(painter, rect, draw)
        else:  # a copy is the same wherever the picture is drawn again
            stamp(painter, rect, ("frame title", title, is_grown, art.palette), draw)


def _draw_surface(painter: QPainter, sides: Rect, surface: Surface) -> None:
    left, top, right, bottom = sides
    radius = min(surface.radius, (bottom - top) / 2, (right - left) / 2)
    painter.setPen(QPen(QColor(surface.border), 1.0))
    painter.setBrush(QColor(surface.fill))
    painter.drawRoundedRect(QRectF(left + 0.5, top + 0.5, right - left - 1.0, bottom - top - 1.0), radius, radius)


def _draw_title(painter: QPainter, title: str, wide: float, art: Art, *, on_border: bool) -> None:
    """A title and its mark from the origin on; in scene units."""
    middle, start = _TITLE_HEIGHT / 2 + 1.0, _INSET
    _paint_ground(painter, wide, art.palette, has_border=on_border)
    if not art.vector:  # in a file nothing can be folded
        paint_fold_mark(painter, _INSET, middle - FOLD_MARK / 2, art.palette, MarkForm(is_open=True))
        start += FOLD_MARK + _GAP
    text = elided(title, Role.NAME, wide - start - _INSET + 1.0)
    Pen(painter, vector=art.vector).write(start, middle, text, Role.NAME, art.palette.dim)


def _paint_ground(painter: QPainter, wide: float, palette: Palette, *, has_border: bool) -> None:
    """A surface of its own: neither the border of the frame nor an edge runs through a title."""
    fill = looks.mix(palette.keyword, palette.canvas, 0.07) if has_border else looks.frame_fill(palette)
    painter.setPen(QPen(QColor(looks.frame_border(palette)), 0.8) if has_border else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(fill))
    painter.drawRoundedRect(QRectF(1.0, 2.0, wide - 2.0, _TITLE_HEIGHT - 3.0), 6.0, 6.0)


def _touches(rect: Rect, rects: Sequence[Rect]) -> bool:
    left, top, right, bottom = rect[0] - _SOFT, rect[1] - _SOFT, rect[2] + _SOFT, rect[3] + _SOFT
    return any(left <= r[2] and r[0] <= right and top <= r[3] and r[1] <= bottom for r in rects)


def _title(group: Group) -> str:
    words = count_text(group)
    return f"{group.title}  ·  {words}" if words else group.title


def _sizes(scale: float) -> tuple[float, ...]:
    """How much larger a title may be written in a small picture, the most readable first."""
    grown = min(max(_READABLE / (_FONT * scale), 1.0), _LARGEST)
    return (grown, (grown + 1.0) / 2, 1.0) if grown > 1.0 else (1.0,)


def _tab(title: str, left: float, top: float, right: float, size: float) -> Rect:
    """The rectangle of a title in a frame that begins there; its lower border stays when it grows."""
    floor = top + _TITLE_HEIGHT
    wide = (2 * _INSET + FOLD_MARK + _GAP + text_width(title, Role.NAME)) * size
    return left, floor - _TITLE_HEIGHT * size, min(left + wide, right), floor


def _covers(tab: Rect, taken: Floats) -> bool:
    """Whether a title would cover what has its place."""
    left, top, right, bottom = tab
    hits = (taken[:, 0] < right) & (taken[:, 2] > left) & (taken[:, 1] < bottom - 1) & (taken[:, 3] > top + 1)
    return bool(hits.any())
