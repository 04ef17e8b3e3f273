"""How many uses an edge of a folded group stands for: a small ×n on its middle. Drawn into the kept picture."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.boxes.sprites import Art
from gradviz.ui.canvas.ink.stamps import draw_at, stamp
from gradviz.ui.canvas.ink.text import Pen, Role, text_width
from gradviz.ui.canvas.plane.geometry import point_at
from gradviz.ui.canvas.plane.reach import Rectangles
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.scene import Scene

_HEIGHT, _PAD = 16.0, 5.0
_SOFT = 3.0
"""Screen pixels by which a count may reach beyond its rectangle: soft edges, and whole device pixels."""


class Counts:
    """The counts of one scene."""

    def __init__(self, scene: Scene) -> None:
        track = scene.folded
        many = [] if track is None or not track.has_folded else np.flatnonzero(track.edge_counts > 1).tolist()
        self.texts = [f"×{track.edge_counts[edge]:,}" for edge in many] if track is not None else []
        middles = [point_at(scene.line(edge), 0.5) for edge in many]
        half = np.array([(text_width(text, Role.BADGE) / 2 + _PAD, _HEIGHT / 2) for text in self.texts]).reshape(-1, 2)
        points = np.array(middles, dtype=np.float64).reshape(-1, 2)
        self.places = np.hstack([points - half, points + half])
        """Left, top, right, bottom of each in scene units; shape (k, 4)."""

    def paint(self, painter: QPainter, view: View, areas: Floats, art: Art) -> None:
        """Draw the counts that touch some scene rectangles, shape (r, 4); none in a small picture."""
        if not self.texts or not (self._shows(view) or art.vector):
            return
        near = self._near.touching(areas, _SOFT / view.scale)
        places = self.places[near]
        sizes = (places[:, 2:] - places[:, :2]) * view.scale
        at = view.boxes_to_screen(places)[:, :2] if art.vector else art.corners(view, places)
        for index, (left, top), (wide, high) in zip(near.tolist(), at.tolist(), sizes.tolist(), strict=True):
            self._paint(painter, self.texts[index], QRectF(left, top, wide, high), view.scale, art)

    def places_in(self, view: View, sight: Rect) -> Floats:
        """The rectangles of the counts in sight, in screen pixels; shape (c, 4)."""
        if not self.texts or not self._shows(view):
            return np.zeros((0, 4))
        near = self._near.touching(np.array([view.rect_to_scene(sight)]), 0.0)
        return view.boxes_to_screen(self.places[near])

    @staticmethod
    def _shows(view: View) -> bool:
        return detail_of(view.scale) is Detail.FULL

    @cached_property
    def _near(self) -> Rectangles:
        return Rectangles(self.places)

    def _paint(self, painter: QPainter, text: str, rect: QRectF, scale: float, art: Art) -> None:
        palette = art.palette

        def draw(painter: QPainter) -> None:
            painter.scale(scale, scale)
            inner = QRectF(0.0, 0.0, rect.width() / scale, rect.height() / scale)
            painter.setPen(QPen(QColor(palette.hairline), 1.0))
            painter.setBrush(QColor(palette.canvas))
            painter.drawRoundedRect(inner, _HEIGHT / 2, _HEIGHT / 2)
            middle = inner.center()
            Pen(painter, vector=art.vector).centred(middle.x(), middle.y(), text, Role.BADGE, palette.dim)

        if art.vector:
            draw_at(painter, rect, draw)
        else:
            stamp(painter, rect, ("count", text, palette, scale), draw)
