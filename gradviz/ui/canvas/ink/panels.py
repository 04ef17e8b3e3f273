"""Large surfaces with round corners, put together from whole device pixels: the same wherever they are drawn.

Qt draws the border of a rounded rectangle a shade otherwise where the rim of the picture cuts it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.ink.bulk import fill_rects, lay, painter_on
from gradviz.ui.canvas.plane.view import Rect


class Surface(NamedTuple):
    """How a panel looks; `radius` in screen pixels."""

    fill: str
    border: str
    radius: float


def put_panel(painter: QPainter, rect: Rect, surface: Surface, ratio: float) -> None:
    """Draw a panel whose sides are on whole device pixels, `ratio` of them to a screen pixel.

    A border is whole device pixels wide. A panel too small for round corners is a plain rectangle.
    """
    line, side = _line(ratio) / ratio, _side(surface.radius, ratio) / ratio
    is_round = min(rect[2] - rect[0], rect[3] - rect[1]) >= 2 * side
    inset = side if is_round else 0.0
    fill_rects(painter, _some(_borders(rect, line, inset)), QColor(surface.border))
    fill_rects(painter, _some(_insides(rect, line, max(inset, line))), QColor(surface.fill))
    if is_round:
        _put_corners(painter, rect, side, surface, ratio)


def _borders(rect: Rect, line: float, inset: float) -> tuple[Rect, ...]:
    left, top, right, bottom = rect
    return (
        (left + inset, top, right - inset, top + line),
        (left + inset, bottom - line, right - inset, bottom),
        (left, top + inset, left + line, bottom - inset),
        (right - line, top + inset, right, bottom - inset),
    )


def _insides(rect: Rect, line: float, inset: float) -> tuple[Rect, ...]:
    """The surface between the corners above, between the borders, and between the corners below."""
    left, top, right, bottom = rect
    return (
        (left + inset, top + line, right - inset, top + inset),
        (left + line, top + inset, right - line, bottom - inset),
        (left + inset, bottom - inset, right - inset, bottom - line),
    )


def _put_corners(painter: QPainter, rect: Rect, side: float, surface: Surface, ratio: float) -> None:
    left, top, right, bottom = rect
    places = [(x, y) for y in (top, bottom - side) for x in (left, right - side)]
    for (x, y), image in zip(places, _corners(surface, ratio), strict=True):
        lay(painter, x, y, image, ratio)


def _some(strips: Sequence[Rect]) -> Floats:
    """Those that are not empty; shape (n, 4)."""
    rows = np.array(strips)
    kept: Floats = rows[(rows[:, 0] < rows[:, 2]) & (rows[:, 1] < rows[:, 3])]
    return kept


def _line(ratio: float) -> int:
    """The width of a border in device pixels."""
    return max(round(ratio), 1)


def _side(radius: float, ratio: float) -> int:
    """The side of a corner in device pixels; its border is straight where it ends."""
    return math.ceil(radius * ratio) + _line(ratio)


@lru_cache(maxsize=64)
def _corners(surface: Surface, ratio: float) -> tuple[QImage, ...]:
    """The corners of a panel: left and right above, left and right below."""
    side, line = _side(surface.radius, ratio), _line(ratio)
    whole = QImage(2 * side, 2 * side, QImage.Format.Format_ARGB32_Premultiplied)
    whole.fill(Qt.GlobalColor.transparent)
    with painter_on(whole) as painter:
        painter.setPen(QPen(QColor(surface.border), line))
        painter.setBrush(QColor(surface.fill))
        half, radius = line / 2, surface.radius * ratio
        painter.drawRoundedRect(QRectF(half, half, 2 * side - line, 2 * side - line), radius, radius)
    return tuple(whole.copy(x, y, side, side) for y in (0, side) for x in (0, side))
