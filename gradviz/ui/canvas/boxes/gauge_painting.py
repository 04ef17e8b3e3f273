"""Gauges: a strip in each box that says how large its gradient is, and the key to them.

The larger a gradient, the fuller the strip and the stronger its colour; below zero it hangs from the top. What is off
the scale has a form: vanishing a ring, zero a bar, exploding a full strip with a wedge, NaN and infinity a cross.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen, QPolygonF

from gradviz.layout.plan import Floats, Ints
from gradviz.playback.words import superscript
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.ink.painter import draw_lines, draw_rects, rough_edges
from gradviz.ui.canvas.ink.text import Pen, Role, text_width
from gradviz.ui.canvas.plane.geometry import runs
from gradviz.ui.canvas.scene.gauges import NEGATIVE, Size, level_of, size_of
from gradviz.ui.canvas.scene.measure import GAUGE_WIDTH
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.scales import LEAST, LEVELS, MOST, level_colours

_LARGE = 2.6
"""How much wider it is in a small box that has only its sign."""


def gauge_color(palette: Palette, code: int) -> str:
    """The colour of a gradient's size, by its code."""
    size = size_of(code)
    if size is Size.ODD:
        return palette.error
    if size in (Size.ZERO, Size.VANISHING):
        return palette.text
    return level_colours(palette, bool(code & NEGATIVE))[level_of(code)]


def paint_gauge(painter: QPainter, code: int, height: float, palette: Palette) -> None:
    """Draw a gauge of a height in scene units, its top left corner at the origin."""
    size, wide = size_of(code), GAUGE_WIDTH
    whole, ink = QRectF(0, 0, wide, height), QColor(gauge_color(palette, code))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(_empty(palette)))
    painter.drawRoundedRect(whole, wide / 2, wide / 2)
    painter.setBrush(ink)
    if size in (Size.ORDINARY, Size.EXPLODING):
        long = max(height * (level_of(code) + 1) / LEVELS, wide)
        top = 0.0 if code & NEGATIVE else height - long
        painter.drawRoundedRect(QRectF(0, top, wide, long), wide / 2, wide / 2)
    end = QPointF(wide / 2, wide / 2 if code & NEGATIVE else height - wide / 2)
    if size is not Size.ORDINARY:
        at = whole.center() if size is Size.ODD else QPointF(wide / 2, wide) if size is Size.EXPLODING else end
        paint_form(painter, size, at, wide, palette)


def _empty(palette: Palette) -> str:
    return palette.hairline if palette.is_strong else looks.mix(palette.hairline, palette.card, 0.75)


def paint_form(painter: QPainter, size: Size, at: QPointF, wide: float, palette: Palette) -> None:
    """The form of what is off the scale, around a point."""
    painter.setBrush(QColor(palette.card))
    pen = QPen(QColor(palette.error if size is Size.ODD else palette.text), max(1.6, wide / 4))
    painter.setPen(pen)
    arm = wide * 0.75
    if size is Size.VANISHING:
        painter.drawEllipse(at, wide * 0.6, wide * 0.6)
    elif size is Size.ZERO:
        painter.drawLine(at - QPointF(arm, 0), at + QPointF(arm, 0))
    elif size is Size.ODD:
        painter.drawLine(at - QPointF(arm, arm), at + QPointF(arm, arm))
        painter.drawLine(at - QPointF(arm, -arm), at + QPointF(arm, -arm))
    elif size is Size.EXPLODING:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.text))
        painter.drawPolygon(QPolygonF([at + QPointF(0, -wide), at + QPointF(wide, arm), at + QPointF(-wide, arm)]))


_TOP, _BOTTOM = f"10{superscript(MOST)}", f"10{superscript(LEAST)}"
_KEY = ((Size.ZERO, "0"), (Size.VANISHING, f"< {_BOTTOM}"), (Size.EXPLODING, f"> {_TOP}"), (Size.ODD, "NaN, ∞"))
_RAMP, _GAP, _SIGN = 84.0, 14.0, 14.0


def key_width() -> float:
    """The width of the key, in screen pixels."""
    words = sum(_GAP + _SIGN + text_width(word, Role.CAPTION) for _, word in _KEY)
    return text_width(f"−{_TOP}", Role.CAPTION) + _RAMP + 12.0 + text_width(_TOP, Role.CAPTION) + words


def paint_key(painter: QPainter, x: float, middle: float, palette: Palette, *, vector: bool = False) -> None:
    """The scale with the numbers at its ends, then the forms of what is off it."""
    for number, end in enumerate((f"−{_TOP}", _TOP)):
        Pen(painter, vector=vector).write(x, middle, end, Role.CAPTION, palette.dim)
        x += text_width(end, Role.CAPTION) + 6.0
        if number == 0:
            _paint_ramp(painter, QRectF(x, middle - 4.5, _RAMP, 9.0), palette)
            x += _RAMP + 6.0
    x += _GAP - 6.0
    for size, word in _KEY:
        paint_form(painter, size, QPointF(x + 4.0, middle), GAUGE_WIDTH, palette)
        Pen(painter, vector=vector).write(x + _SIGN, middle, word, Role.CAPTION, palette.dim)
        x += _SIGN + text_width(word, Role.CAPTION) + _GAP


TALL_KEY_ROWS = 3
_SECOND = 62.0
"""Where the second of two forms in a row begins."""


def tall_key_width() -> float:
    """The width of the key in rows, in screen pixels."""
    ramp = text_width(f"−{_TOP}", Role.CAPTION) + _RAMP + 12.0 + text_width(_TOP, Role.CAPTION)
    return max(ramp, _SECOND + _SIGN + max(text_width(word, Role.CAPTION) for _, word in _KEY[1::2]))


def paint_tall_key(painter: QPainter, x: float, middle: float, row: float, palette: Palette) -> None:
    """The same in rows, `row` pixels apart, the middle of the first one at `middle`."""
    wide = text_width(f"−{_TOP}", Role.CAPTION) + 6.0
    Pen(painter).write(x, middle, f"−{_TOP}", Role.CAPTION, palette.dim)
    _paint_ramp(painter, QRectF(x + wide, middle - 4.5, _RAMP, 9.0), palette)
    Pen(painter).write(x + wide + _RAMP + 6.0, middle, _TOP, Role.CAPTION, palette.dim)
    for number, (size, word) in enumerate(_KEY):
        left, line = x + _SECOND * (number % 2), middle + row * (1 + number // 2)
        paint_form(painter, size, QPointF(left + 4.0, line), GAUGE_WIDTH, palette)
        Pen(painter).write(left + _SIGN, line, word, Role.CAPTION, palette.dim)


def _paint_ramp(painter: QPainter, rect: QRectF, palette: Palette) -> None:
    colours = (*level_colours(palette, True)[::-1], *level_colours(palette, False))
    blend = QLinearGradient(rect.topLeft(), rect.topRight())
    for number, ink in enumerate(colours):
        blend.setColorAt((number + 0.5) / len(colours), QColor(ink))
    painter.setBrush(blend)
    painter.setPen(QPen(QColor(palette.hairline), 1.0))
    painter.drawRoundedRect(rect, 3.0, 3.0)


def paint_strips(
    painter: QPainter, ends: Floats, codes: Ints, scale: float, palette: Palette, *, is_large: bool
) -> None:
    """Draw the gauges of many small boxes at once, of plain rectangles.

    Args:
        ends: right, top and bottom of each on the screen; shape (n, 3).
        codes: the code of each.
        is_large: wider, for boxes that have only their sign.
    """
    wide = GAUGE_WIDTH * (_LARGE if is_large else 1.0) * scale
    order = np.argsort(codes, kind="stable")
    right, top, bottom = ends[order].T
    rects = np.column_stack([right - wide, top, right, bottom])
    painter.setPen(Qt.PenStyle.NoPen)
    with rough_edges(painter):
        _fill(painter, rects, _empty(palette))
        for code, rows in runs(codes[order]):
            _paint_strip(painter, rects[rows], wide, code, palette)


def _paint_strip(painter: QPainter, rects: Floats, wide: float, code: int, palette: Palette) -> None:
    size, ink, hangs = size_of(code), gauge_color(palette, code), bool(code & NEGATIVE)
    if size in (Size.ORDINARY, Size.EXPLODING):
        filled = rects.copy()
        long = (rects[:, 3] - rects[:, 1]) * (level_of(code) + 1) / LEVELS
        filled[:, 3 if hangs else 1] = rects[:, 1] + long if hangs else rects[:, 3] - long
        _fill(painter, filled, ink)
    if size is Size.ORDINARY:
        return
    if size is Size.ODD:
        _fill(painter, rects, ink)
        painter.setPen(QPen(QColor(ink), 2.0))
        cross = _square((rects[:, :2] + rects[:, 2:]) / 2, wide)
        draw_lines(painter, np.vstack([cross, cross[:, [0, 3, 2, 1]]]))
        painter.setPen(Qt.PenStyle.NoPen)
        return
    side = rects[:, 1 if hangs or size is Size.EXPLODING else 3]
    square = _square(np.column_stack([rects[:, 0] + wide / 2, side]), wide * 0.8)
    if size is Size.VANISHING:
        _fill(painter, square, ink)
        _fill(painter, square + np.array([1.0, 1.0, -1.0, -1.0]), palette.card)
    else:
        square[:, 3] -= wide * (1.0 if size is Size.ZERO else 0.4)
        _fill(painter, square, palette.text)


def _square(middles: Floats, reach: float) -> Floats:
    return np.hstack([middles - reach, middles + reach])


def _fill(painter: QPainter, rects: Floats, ink: str) -> None:
    painter.setBrush(QColor(ink))
    draw_rects(painter, rects)
