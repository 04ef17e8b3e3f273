"""The frames around open groups: a faint surface behind their boxes, a title, and the mark that folds them."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.playback.groups.groups import Group
from gradviz.playback.groups.report import count_text
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes.sprites import Art, paint_fold_mark
from gradviz.ui.canvas.boxes.titles import HEIGHT, INSET, MARK, placed
from gradviz.ui.canvas.ink.painter import scaled_to
from gradviz.ui.canvas.ink.text import Pen, Role, elided
from gradviz.ui.canvas.plane.geometry import touching
from gradviz.ui.canvas.plane.view import Point, Rect, View, holds
from gradviz.ui.canvas.scene.measure import FOLD_MARK
from gradviz.ui.canvas.scene.scene import Scene

_RADIUS = 14.0
_AROUND = 1.0
"""Titles are placed for so many screens around what is in sight as well: they do not jump when it is moved."""


class _Placed(NamedTuple):
    """The titles near a part of the scene at one scale: the index of the frame, and the rectangle of its title."""

    scale: float
    area: Rect
    tabs: list[tuple[int, Rect]]


class Frames:
    """The frames of one scene; a group goes by its number.

    Attributes:
        groups: the group of each frame, outer ones first.
        sides: left, top, right, bottom of each; scene units, shape (k, 4).

    Args:
        folds: with the marks that fold them.
    """

    def __init__(self, scene: Scene, *, folds: bool = True) -> None:
        self._scene, self._mark = scene, MARK if folds else 0.0
        self.groups: tuple[int, ...] = () if scene.folded is None else scene.folded.frames
        self.sides = scene.layout.frames[: len(self.groups)]
        self._placed = _Placed(0.0, (0.0, 0.0, 0.0, 0.0), [])

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """What each frame is called."""
        folded = self._scene.folded
        return () if folded is None else tuple(_title(folded.groups.groups[number]) for number in self.groups)

    def sides_of(self, number: int) -> Rect | None:
        """Where the frame of a group is, or None where it has none."""
        if number not in self.groups:
            return None
        left, top, right, bottom = self.sides[self.groups.index(number)].tolist()
        return left, top, right, bottom

    # ---- titles ----

    def title_at(self, point: Point, scale: float) -> int | None:
        """The group whose title is at a scene point, or None."""
        here = self._titles_in((*point, *point), scale)
        return self.groups[here[-1][0]] if here else None

    def is_on_mark(self, point: Point, number: int, scale: float) -> bool:
        """Whether a scene point is on the mark that folds the group."""
        tab = self.tab(number, scale)
        if tab is None:
            return False
        side = (FOLD_MARK + INSET + 2.0) * (tab[3] - tab[1]) / HEIGHT
        return tab[0] <= point[0] <= tab[0] + side and tab[1] <= point[1] <= tab[3]

    def tab(self, number: int, scale: float) -> Rect | None:
        """The rectangle of a group's title with its mark, in scene units; None where it finds no room at a scale."""
        sides = self.sides_of(number)
        return None if sides is None else dict(self._titles_in(sides, scale)).get(self.groups.index(number))

    def title_boxes(self, view: View, sight: Rect) -> Floats:
        """The rectangles of the titles in sight, in screen pixels; shape (t, 4)."""
        tabs = [tab for _, tab in self._titles_in(view.rect_to_scene(sight), view.scale)]
        return view.boxes_to_screen(np.array(tabs, dtype=np.float64).reshape(-1, 4))

    def _titles_in(self, area: Rect, scale: float) -> list[tuple[int, Rect]]:
        """The titles that touch a rectangle of the scene."""
        if not self.groups:
            return []
        known = self._placed
        if known.scale != scale or not holds(known.area, area):
            across, down = (max(area[i + 2] - area[i], 800.0 / scale) * _AROUND for i in (0, 1))
            wide = (area[0] - across, area[1] - down, area[2] + across, area[3] + down)
            near = touching(self.sides, wide, HEIGHT / scale)
            titles = [self.titles[index] for index in near.tolist()]
            tabs = placed(titles, self.sides[near], self._scene.boxes, scale, self._mark)
            found = [(index, tab) for index, tab in zip(near.tolist(), tabs, strict=True) if tab is not None]
            known = self._placed = _Placed(scale, wide, found)
        hits = touching(np.array([tab for _, tab in known.tabs]).reshape(-1, 4), area)
        return [known.tabs[hit] for hit in hits.tolist()]

    # ---- drawing ----

    def paint(self, painter: QPainter, view: View, area: Rect, art: Art) -> None:
        """Draw the surfaces of the frames that touch a rectangle of the scene."""
        painter.setPen(QPen(QColor(looks.frame_border(art.palette)), 1.0))
        painter.setBrush(QColor(looks.frame_fill(art.palette)))
        some = self.sides[touching(self.sides, area)]
        corners = np.hstack([art.corners(view, some[:, :2]), art.corners(view, some[:, 2:])])
        for left, top, right, bottom in corners.tolist():
            radius = min(_RADIUS * view.scale, (bottom - top) / 2, (right - left) / 2)
            painter.drawRoundedRect(
                QRectF(left + 0.5, top + 0.5, right - left - 1.0, bottom - top - 1.0), radius, radius
            )

    def paint_titles(self, painter: QPainter, view: View, area: Rect, art: Art) -> None:
        """Draw their titles, over the edges that pass."""
        for index, tab in self._titles_in(area, view.scale):
            left, top = art.corners(view, np.array([tab]))[0].tolist()
            size = (tab[3] - tab[1]) / HEIGHT
            with scaled_to(painter, left, top, size * view.scale):
                _paint_title(painter, self.titles[index], (tab[2] - tab[0]) / size, art)


def _paint_title(painter: QPainter, title: str, wide: float, art: Art) -> None:
    """A title and its mark from the origin on, on a tab of its own below which edges are seen to pass."""
    palette, middle, start = art.palette, HEIGHT / 2 + 1.0, INSET
    painter.setPen(QPen(QColor(looks.frame_border(palette)), 0.8))
    painter.setBrush(QColor(looks.mix(palette.keyword, palette.canvas, 0.07)))
    painter.drawRoundedRect(QRectF(1.0, 2.0, wide - 2.0, HEIGHT - 3.0), 6.0, 6.0)
    if art.folds:
        paint_fold_mark(painter, INSET, middle - FOLD_MARK / 2, palette, is_open=True)
        start += MARK
    text = elided(title, Role.NAME, wide - start - INSET + 1.0)
    Pen(painter, vector=art.vector).write(start, middle, text, Role.NAME, palette.dim)


def _title(group: Group) -> str:
    words = count_text(group)
    return f"{group.title}  ·  {words}" if words else group.title
