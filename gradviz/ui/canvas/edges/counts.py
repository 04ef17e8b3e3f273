"""How many uses an edge of a folded group stands for: a small ×n on its middle."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.boxes.sprites import Art
from gradviz.ui.canvas.ink.painter import scaled_to
from gradviz.ui.canvas.ink.text import Pen, Role, text_width
from gradviz.ui.canvas.plane.geometry import point_at, touching
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.scene import Scene

_HEIGHT, _PAD = 16.0, 5.0


class Counts:
    """The counts of one scene.

    Attributes:
        texts: what each says.
        boxes: left, top, right, bottom of each in scene units; shape (k, 4).
    """

    def __init__(self, scene: Scene) -> None:
        track = scene.folded
        many = [] if track is None or not track.has_folded else np.flatnonzero(track.edge_counts > 1).tolist()
        self.texts = [f"×{track.edge_counts[edge]:,}" for edge in many] if track is not None else []
        middles = np.array([point_at(scene.line(edge), 0.5) for edge in many]).reshape(-1, 2)
        half = np.array([(text_width(text, Role.BADGE) / 2 + _PAD, _HEIGHT / 2) for text in self.texts]).reshape(-1, 2)
        self.boxes: Floats = np.hstack([middles - half, middles + half])

    def paint(self, painter: QPainter, view: View, area: Rect, art: Art) -> None:
        """Draw the counts that touch a rectangle of the scene; none where numbers cannot be read."""
        if not (art.vector or detail_of(view.scale) is Detail.FULL):
            return
        near = touching(self.boxes, area)
        corners = art.corners(view, self.boxes[near]).tolist()
        for index, (left, top) in zip(near.tolist(), corners, strict=True):
            wide = float(self.boxes[index, 2] - self.boxes[index, 0])
            with scaled_to(painter, left, top, view.scale):
                painter.setPen(QPen(QColor(art.palette.hairline), 1.0))
                painter.setBrush(QColor(art.palette.canvas))
                painter.drawRoundedRect(QRectF(0.0, 0.0, wide, _HEIGHT), _HEIGHT / 2, _HEIGHT / 2)
                pen = Pen(painter, vector=art.vector)
                pen.centred(wide / 2, _HEIGHT / 2, self.texts[index], Role.BADGE, art.palette.dim)

    def boxes_in(self, view: View, sight: Rect) -> Floats:
        """The rectangles of the counts in sight, in screen pixels; shape (c, 4)."""
        if detail_of(view.scale) is not Detail.FULL:
            return np.zeros((0, 4))
        return view.boxes_to_screen(self.boxes[touching(self.boxes, view.rect_to_scene(sight))])
