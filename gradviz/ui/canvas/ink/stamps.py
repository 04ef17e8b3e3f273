"""Small pictures drawn once and then copied: a pill, a ring, the legend.

Drawing a rounded surface with its shadow takes thirty times as long as copying it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from gradviz.ui.canvas.ink.bulk import lay, painter_on
from gradviz.ui.canvas.ink.memory import TIE

SPARE = 12.0
"""How far a stamp may reach beyond its rectangle, in screen pixels."""

_LIMIT = 400
_KEPT: dict[Hashable, QImage] = {}


def stamp(painter: QPainter, rect: QRectF, key: Hashable, paint: Callable[[QPainter], None]) -> QPointF:
    """Copy a picture to `rect`, on whole device pixels.

    Args:
        key: all that the picture depends on besides the size of `rect`.
        paint: draws it with the top left corner of `rect` at the origin; it may reach `SPARE` beyond.

    Returns:
        Where the top left corner came to be.
    """
    if painter.worldTransform().isScaling():
        draw_at(painter, rect, paint)  # a copy would be stretched
        return rect.topLeft()
    ratio = painter.device().devicePixelRatioF()
    whole = (key, rect.width(), rect.height(), ratio)
    image = _KEPT.get(whole)
    if image is None:
        if len(_KEPT) >= _LIMIT:
            _KEPT.clear()
        image = _KEPT[whole] = _drawn(rect, ratio, paint)
    spare = _spare(ratio)
    corner = QPointF(on_pixel(rect.left(), ratio), on_pixel(rect.top(), ratio))
    lay(painter, corner.x() - spare, corner.y() - spare, image, ratio)
    return corner


def draw_at(painter: QPainter, rect: QRectF, paint: Callable[[QPainter], None]) -> None:
    """Draw without a copy."""
    painter.save()
    painter.translate(rect.topLeft())
    paint(painter)
    painter.restore()


def on_pixel(place: float, ratio: float) -> float:
    """The nearest whole device pixel; a place moved by whole pixels moves by just as many."""
    return math.floor(place * ratio + (0.5 + TIE)) / ratio


def _spare(ratio: float) -> float:
    return math.ceil(SPARE * ratio) / ratio


def _drawn(rect: QRectF, ratio: float, paint: Callable[[QPainter], None]) -> QImage:
    spare = _spare(ratio)
    width, height = (math.ceil((side + 2 * spare) * ratio) + 1 for side in (rect.width(), rect.height()))
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    with painter_on(image) as painter:
        painter.translate(spare, spare)
        paint(painter)
    image.setDevicePixelRatio(1.0)
    return image
