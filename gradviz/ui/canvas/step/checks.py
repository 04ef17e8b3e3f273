"""The marks of a gradient check on the boxes: agrees, at a kink, or wrong; none where nothing was compared."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.ink.marks import Mark, qt_rect
from gradviz.ui.canvas.ink.painter import draw_rects
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

_RADIUS = 6.5
_FAR = 0.24
"""Below this scale a mark is a small square without a sign."""


class Verdict(IntEnum):
    """What the check of one node has found."""

    AGREES = 0
    KINK = 1  # between the slopes of both sides: a convention
    WRONG = 2


class CheckMarks:
    """The verdicts on one scene.

    Args:
        verdicts: by id of the node.
    """

    def __init__(self, scene: Scene, verdicts: Mapping[int, Verdict]) -> None:
        self._scene = scene
        index_of = scene.track.index_of
        found = sorted((index_of[node], verdict) for node, verdict in verdicts.items() if node in index_of)
        self._boxes = np.array([index for index, _ in found], dtype=np.int64)
        self._verdicts = np.array([verdict for _, verdict in found], dtype=np.int64)

    def marks(self, view: View, sight: Rect, palette: Palette) -> list[Mark]:
        """One mark with all the verdicts in sight, or none."""
        corners = view.boxes_to_screen(self._scene.boxes[self._boxes])[:, 2:]
        seen = (corners >= np.array(sight[:2]) - 9).all(axis=1) & (corners <= np.array(sight[2:]) + 9).all(axis=1)
        if not seen.any():
            return []
        places, verdicts = corners[seen], self._verdicts[seen]

        def paint(painter: QPainter) -> None:
            for verdict in Verdict:
                _paint(painter, places[verdicts == verdict], verdict, palette, view.scale)

        return [Mark(qt_rect(sight), paint)]


def _paint(painter: QPainter, corners: Floats, verdict: Verdict, palette: Palette, scale: float) -> None:
    ink = {Verdict.AGREES: palette.leaf, Verdict.KINK: palette.warning, Verdict.WRONG: palette.error}[verdict]
    painter.setBrush(QColor(ink))
    if scale < _FAR:
        painter.setPen(Qt.PenStyle.NoPen)
        draw_rects(painter, np.hstack([corners - 2.5, corners + 1.5]))
        return
    for x, y in corners.tolist():
        middle = QPointF(x - 3, y - 2)
        painter.setPen(QPen(QColor(palette.canvas), 2.0))  # a rim keeps it apart from the border it sits on
        painter.setBrush(QColor(ink))
        painter.drawEllipse(middle, _RADIUS, _RADIUS)
        painter.setPen(QPen(QColor(palette.on_accent), 1.6))
        painter.drawPolyline([middle + QPointF(*point) for point in _SIGNS[verdict]])
        if verdict is Verdict.WRONG:
            painter.drawLine(middle + QPointF(-2.4, 2.4), middle + QPointF(2.4, -2.4))


_SIGNS = {
    Verdict.AGREES: ((-3.0, 0.2), (-0.8, 2.4), (3.0, -2.4)),
    Verdict.KINK: ((-3.0, 2.0), (0.0, -1.8), (3.0, 2.0)),
    Verdict.WRONG: ((-2.4, -2.4), (2.4, 2.4)),
}
"""A tick, a kink, and one stroke of a cross, around the middle of the mark."""
