"""Dots on the nodes at which playing stops; hollow where the breakpoint is off. All in sight are one mark."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.ink.bulk import draw_rects
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

_RADIUS = 6.0
_FAR = 0.24
"""Below this scale a dot is a small square without a rim."""


class StopDots:
    """The dots on one scene.

    Args:
        on, off: ids of the nodes; one that is in both counts as on.
    """

    def __init__(self, scene: Scene, on: frozenset[int], off: frozenset[int]) -> None:
        self._scene = scene
        index_of = scene.track.index_of
        self._on = _indices([index_of[node] for node in on if node in index_of])
        self._off = _indices([index_of[node] for node in off - on if node in index_of])
        self._marks: tuple[tuple[object, ...], list[Mark]] | None = None

    def marks(self, view: View, sight: Rect, palette: Palette) -> list[Mark]:
        """One mark with all the dots in sight, or none."""
        key = (view, sight, palette.name)
        if self._marks is None or self._marks[0] != key:
            self._marks = (key, self._made(view, sight, palette))
        return self._marks[1]

    def _made(self, view: View, sight: Rect, palette: Palette) -> list[Mark]:
        on, off = (self._in_sight(which, view, sight) for which in (self._on, self._off))
        if not len(on) and not len(off):
            return []

        def paint(painter: QPainter) -> None:
            _paint(painter, on, off, palette, view.scale)

        around = np.concatenate([on, off])
        (left, top), (right, bottom) = around.min(axis=0).tolist(), around.max(axis=0).tolist()
        rect = QRectF(left - 9, top - 9, right - left + 18, bottom - top + 18)
        return [Mark(rect, paint, ("stops", id(self), view, palette.name))]

    def _in_sight(self, which: Ints, view: View, sight: Rect) -> Floats:
        """The top left corners on the screen of those that can be seen; shape (n, 2)."""
        corners = view.boxes_to_screen(self._scene.boxes[which])[:, :2]
        seen = (corners >= np.array(sight[:2]) - 9).all(axis=1) & (corners <= np.array(sight[2:]) + 9).all(axis=1)
        return corners[seen]


def _indices(found: list[int]) -> Ints:
    return np.array(sorted(found), dtype=np.int64)


def _paint(painter: QPainter, on: Floats, off: Floats, palette: Palette, scale: float) -> None:
    painter.setBrush(QColor(palette.error))
    if scale < _FAR:
        painter.setPen(Qt.PenStyle.NoPen)
        draw_rects(painter, np.hstack([on - 1.5, on + 2.5]))
        return
    # A rim in the colour of the ground keeps the dot apart from the border it sits on.
    painter.setPen(QPen(QColor(palette.canvas), 2.0))
    for x, y in on.tolist():
        painter.drawEllipse(QPointF(x + 3, y + 3), _RADIUS, _RADIUS)
    painter.setBrush(QColor(palette.canvas))
    painter.setPen(QPen(QColor(palette.error), 1.8))
    for x, y in off.tolist():
        painter.drawEllipse(QPointF(x + 3, y + 3), _RADIUS - 1, _RADIUS - 1)
