"""Draws boxes too small to read as spots of colour: one call for all of a colour."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes.gauge_painting import gauge_color
from gradviz.ui.canvas.ink.painter import draw_lines, draw_rects, rough_edges
from gradviz.ui.canvas.plane.geometry import runs
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.gauges import Size, size_of
from gradviz.ui.canvas.scene.moment import Codes, Mood
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

_SHOWS_GAUGE = Mood.PLAIN << 2 | 1
"""In the face of a box whose step is done, and which is lit."""

_GAUGES, _FORMS = 64, 1024
"""Added to the code of a gauge: above that of any box without one; and where it is off the scale, to be on top."""

_GROWTH = 2.0
"""Screen pixels by which a spot is larger on each side where its gradient is off the scale."""

_HOLLOW = 4.0
"""Screen pixels of a spot that shows its frame; of a smaller one only the mean of frame and inside is seen."""


def far_reach() -> float:
    """How far a spot may reach beyond its box, in screen pixels."""
    return 1.0 + 3.0 * _GROWTH


def paint_spots(
    painter: QPainter, scene: Scene, view: View, faces: Codes, which: Ints, palette: Palette, *, gauges: bool
) -> None:
    """Draw the boxes `which` (indices), in the colours of their gradients where `gauges` are shown."""
    boxes = view.boxes_to_screen(scene.boxes[which])
    boxes[:, 2:] = np.maximum(boxes[:, 2:], boxes[:, :2] + 1.0)
    codes = _codes(scene, faces[which], which, gauges=gauges)
    order = np.argsort(codes, kind="stable")
    boxes = boxes[order]
    painter.setPen(Qt.PenStyle.NoPen)
    with rough_edges(painter):
        for code, rows in runs(codes[order]):
            if code < _FORMS:
                _fill(painter, boxes[rows], _color(palette, code))
            else:
                paint_far_gauge(painter, boxes[rows], code - _GAUGES - _FORMS, palette)


def _codes(scene: Scene, faces: Codes, which: Ints, *, gauges: bool) -> np.ndarray[tuple[int], np.dtype[np.uint16]]:
    """What the spots of one colour have in common; those drawn on top have the highest codes."""
    codes = (scene.kinds[which] << 3 | faces >> 1 & 6 | faces & 1).astype(np.uint16)
    found = scene.gauges[0][which]
    has = ((faces & 13) == _SHOWS_GAUGE) & (found > 0) & gauges
    is_off = found % 16 // 2 != Size.ORDINARY
    codes[has] = (found + _GAUGES + _FORMS * is_off)[has]
    return codes


@lru_cache(maxsize=1024)
def _color(palette: Palette, code: int) -> QColor:
    """The colour of spots of a code."""
    if code < _GAUGES:
        return QColor(looks.dot_color(palette, Kind(code >> 3), Mood(code >> 1 & 3), bool(code & 1)))
    return QColor(gauge_color(palette, code - _GAUGES))


def paint_far_gauge(painter: QPainter, boxes: Floats, code: int, palette: Palette) -> None:
    """Draw boxes too small for a strip whose gradient is off the scale in its form, all of one code.

    Args:
        boxes: left, top, right, bottom on the screen; shape (n, 4).
    """
    size, ink = size_of(code), QColor(gauge_color(palette, code))
    if size is Size.ODD:
        _fill(painter, _grown(boxes, _GROWTH), ink)
        painter.setPen(QPen(ink, 2.0))
        cross = _grown(boxes, 3 * _GROWTH)
        draw_lines(painter, np.vstack([cross, cross[:, [0, 3, 2, 1]]]))
        painter.setPen(Qt.PenStyle.NoPen)
    elif size is Size.EXPLODING:
        _fill(painter, _grown(boxes, _GROWTH), QColor(palette.text))
        _fill(painter, _grown(boxes, _GROWTH - 1.0), ink)
    else:
        has_room = (boxes[:, 2:] - boxes[:, :2]).min(axis=1) >= _HOLLOW
        _fill(painter, boxes[has_room], ink)
        _fill(painter, _grown(boxes[has_room], -1.0), QColor(palette.canvas))
        _fill(painter, boxes[~has_room], QColor(looks.mix(ink.name(), palette.canvas, 0.5)))


def _fill(painter: QPainter, boxes: Floats, ink: QColor) -> None:
    painter.setBrush(ink)
    draw_rects(painter, boxes)


def _grown(boxes: Floats, by: float) -> Floats:
    grown: Floats = boxes + np.array([-by, -by, by, by])
    return grown
