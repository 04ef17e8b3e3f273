"""The frames around open groups: a faint surface behind their boxes, a title, and the mark that folds them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.groups import Group
from gradviz.playback.groups.report import count_text
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes.frame_titles import HEIGHT, INSET, MARK, Titles
from gradviz.ui.canvas.boxes.sprites import Art, MarkForm, paint_fold_mark
from gradviz.ui.canvas.ink.panels import Surface, put_panel
from gradviz.ui.canvas.ink.stamps import draw_at, stamp
from gradviz.ui.canvas.ink.text import Pen, Role, elided
from gradviz.ui.canvas.plane.reach import Rectangles
from gradviz.ui.canvas.plane.view import Point, Rect, View
from gradviz.ui.canvas.scene.measure import FOLD_MARK
from gradviz.ui.look.palette import Palette

_RADIUS = 14.0
_SOFT = 3.0
"""Screen pixels by which a surface may reach beyond its rectangle: a soft edge, and whole device pixels."""


class Frames:
    """The frames of one scene; a group goes by its number.

    Attributes:
        groups: the group of each frame, outer ones first.
        sides: left, top, right, bottom of each; scene units, shape (k, 4).

    Args:
        folds: with the marks that fold them.
    """

    def __init__(self, track: FoldedTrack | None, sides: Floats, boxes: Rectangles, *, folds: bool = True) -> None:
        self._track, self._boxes, self._mark = track, boxes, MARK if folds else 0.0
        self.groups: tuple[int, ...] = () if track is None else track.frames
        self.sides = sides[: len(self.groups)]
        self._titled: tuple[float, Titles] | None = None

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
        here = self._titles(scale).touching(np.array([[*point, *point]]), 0.0)
        return self.groups[here[-1][0]] if here else None

    def is_on_mark(self, point: Point, number: int, scale: float) -> bool:
        """Whether a scene point is on the mark that folds the group."""
        tab = self.tab(number, scale)
        if tab is None:
            return False
        side = (FOLD_MARK + INSET + 2.0) * (tab[3] - tab[1]) / HEIGHT
        return tab[0] <= point[0] <= tab[0] + side and tab[1] <= point[1] <= tab[3]

    def around(self, point: Point) -> int | None:
        """The innermost group whose frame holds a scene point, or None."""
        inside = [
            number
            for number, (left, top, right, bottom) in zip(self.groups, self.sides.tolist(), strict=True)
            if left <= point[0] <= right and top <= point[1] <= bottom
        ]
        return inside[-1] if inside else None

    def tab(self, number: int, scale: float) -> Rect | None:
        """The rectangle of a group's title with its mark, in scene units; None where it finds no room at a scale."""
        return self._titles(scale).tab(self.groups.index(number))

    def title_places(self, view: View, sight: Rect) -> Floats:
        """The rectangles of the titles in sight, in screen pixels; shape (t, 4)."""
        near = self._titles(view.scale).touching(np.array([view.rect_to_scene(sight)]), 0.0)
        return view.boxes_to_screen(np.array([tab for _, tab in near], dtype=np.float64).reshape(-1, 4))

    def _titles(self, scale: float) -> Titles:
        if self._titled is None or self._titled[0] != scale:
            self._titled = (scale, Titles(self.titles, self.sides, self._boxes, scale, self._mark))
        return self._titled[1]

    # ---- drawing ----

    def paint(self, painter: QPainter, view: View, areas: Floats, art: Art) -> None:
        """Draw the surfaces of the frames that touch some scene rectangles, shape (r, 4)."""
        if not self.groups:
            return
        surface = Surface(looks.frame_fill(art.palette), looks.frame_border(art.palette), _RADIUS * view.scale)
        near = self._near.touching(areas, _SOFT / view.scale)
        for sides in self._sides_on(view, self.sides[near], art):
            if art.vector:
                _draw_surface(painter, sides, surface)
            else:
                put_panel(painter, sides, surface, art.ratio)

    @cached_property
    def _near(self) -> Rectangles:
        return Rectangles(self.sides)

    def paint_titles(self, painter: QPainter, view: View, areas: Floats, art: Art) -> None:
        """Draw their titles, over the edges that pass."""
        if not self.groups:
            return
        for index, tab in self._titles(view.scale).touching(areas, _SOFT / view.scale):
            self._paint_title(painter, index, tab, view, art)

    @staticmethod
    def _sides_on(view: View, sides: Floats, art: Art) -> list[Rect]:
        """The sides of frames on the screen; on whole device pixels but in a vector picture."""
        if art.vector:
            screen = view.boxes_to_screen(sides)
        else:
            screen = np.hstack([art.corners(view, sides[:, :2]), art.corners(view, sides[:, 2:])])
        return [(left, top, right, bottom) for left, top, right, bottom in screen.tolist()]

    def _paint_title(self, painter: QPainter, index: int, tab: Rect, view: View, art: Art) -> None:
        left, top = view.to_screen(tab[:2]) if art.vector else art.corners(view, np.array([tab]))[0].tolist()
        rect = QRectF(left, top, (tab[2] - tab[0]) * view.scale, (tab[3] - tab[1]) * view.scale)
        title, size = self.titles[index], rect.height() / HEIGHT

        def draw(painter: QPainter) -> None:
            painter.scale(size, size)
            _draw_title(painter, title, rect.width() / size, art)

        if art.vector:
            draw_at(painter, rect, draw)
        else:  # a copy is the same wherever the picture is drawn again
            stamp(painter, rect, ("frame title", title, art.folds, art.palette), draw)


def _draw_surface(painter: QPainter, sides: Rect, surface: Surface) -> None:
    left, top, right, bottom = sides
    radius = min(surface.radius, (bottom - top) / 2, (right - left) / 2)
    painter.setPen(QPen(QColor(surface.border), 1.0))
    painter.setBrush(QColor(surface.fill))
    painter.drawRoundedRect(QRectF(left + 0.5, top + 0.5, right - left - 1.0, bottom - top - 1.0), radius, radius)


def _draw_title(painter: QPainter, title: str, wide: float, art: Art) -> None:
    """A title and its mark from the origin on; in scene units."""
    middle, start = HEIGHT / 2 + 1.0, INSET
    _paint_ground(painter, wide, art.palette)
    if art.folds:
        paint_fold_mark(painter, INSET, middle - FOLD_MARK / 2, art.palette, MarkForm(is_open=True))
        start += MARK
    text = elided(title, Role.NAME, wide - start - INSET + 1.0)
    Pen(painter, vector=art.vector).write(start, middle, text, Role.NAME, art.palette.dim)


def _paint_ground(painter: QPainter, wide: float, palette: Palette) -> None:
    """A tab of its own: the border of the frame and edges are seen to pass below a title."""
    painter.setPen(QPen(QColor(looks.frame_border(palette)), 0.8))
    painter.setBrush(QColor(looks.mix(palette.keyword, palette.canvas, 0.07)))
    painter.drawRoundedRect(QRectF(1.0, 2.0, wide - 2.0, HEIGHT - 3.0), 6.0, 6.0)


def _title(group: Group) -> str:
    words = count_text(group)
    return f"{group.title}  ·  {words}" if words else group.title
