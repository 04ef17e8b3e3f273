"""Gauges: a strip in each box that says how large its gradient is, and the key to them.

The larger a gradient, the fuller the strip and the stronger its colour; below zero it hangs from the top. What is off
the scale has a form: vanishing a ring, zero a bar, exploding a full strip with a wedge, NaN and infinity a cross.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen, QPolygonF

from gradviz.layout.plan import Floats, Ints
from gradviz.playback.words import superscript
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.ink.bulk import draw_lines, fill_pixels, fill_rects, runs
from gradviz.ui.canvas.ink.memory import TIE, Pixels, grown, sides_of, whole_pixels
from gradviz.ui.canvas.ink.on_screen import GROWTH, growth
from gradviz.ui.canvas.ink.text import Pen, Role, text_width
from gradviz.ui.canvas.scene.gauges import NEGATIVE, Size, code_of, level_of, ranks_of, size_of
from gradviz.ui.canvas.scene.measure import GAUGE_INSET, GAUGE_WIDTH, STACK
from gradviz.ui.look.palette import RADIUS, Palette
from gradviz.ui.look.scales import LEAST, LEVELS, MOST, level_colours

_LARGE = 2.6
"""How much wider it is in a small box that has only its sign."""


class GaugeForm(NamedTuple):
    """All that a gauge depends on: its code, and its height in scene units."""

    code: int
    height: float


def gauge_form(code: int, height: float, *, is_group: bool) -> GaugeForm:
    """The gauge of a box of a height."""
    return GaugeForm(code, height - 2 * RADIUS - (STACK if is_group else 0.0))


def gauge_color(palette: Palette, code: int) -> str:
    """The colour of a gradient's size, by its code."""
    size = size_of(code)
    if size is Size.ODD:
        return palette.error
    if size in (Size.ZERO, Size.VANISHING):
        return palette.text
    return level_colours(palette, bool(code & NEGATIVE))[level_of(code)]


def paint_gauge(painter: QPainter, form: GaugeForm, palette: Palette) -> None:
    """Draw a gauge in scene units, its top left corner at the origin."""
    size, wide = size_of(form.code), GAUGE_WIDTH
    whole, ink = QRectF(0, 0, wide, form.height), QColor(gauge_color(palette, form.code))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(_empty(palette)))
    painter.drawRoundedRect(whole, wide / 2, wide / 2)
    painter.setBrush(ink)
    if size in (Size.ORDINARY, Size.EXPLODING):
        long = max(form.height * (level_of(form.code) + 1) / LEVELS, wide)
        top = 0.0 if form.code & NEGATIVE else form.height - long
        painter.drawRoundedRect(QRectF(0, top, wide, long), wide / 2, wide / 2)
    end = QPointF(wide / 2, wide / 2 if form.code & NEGATIVE else form.height - wide / 2)
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


def _paint_ramp(painter: QPainter, rect: QRectF, palette: Palette) -> None:
    colours = (*level_colours(palette, True)[::-1], *level_colours(palette, False))
    blend = QLinearGradient(rect.topLeft(), rect.topRight())
    for number, ink in enumerate(colours):
        blend.setColorAt((number + 0.5) / len(colours), QColor(ink))
    painter.setBrush(blend)
    painter.setPen(QPen(QColor(palette.hairline), 1.0))
    painter.drawRoundedRect(rect, 3.0, 3.0)


_HOLLOW = 4.0
"""Screen pixels of a spot that shows its frame; of a smaller one only the mean of frame and inside is seen."""


def far_reach(sizes: frozenset[Size]) -> float:
    """How far gauges of some sizes reach beyond boxes too small for a strip, in screen pixels."""
    return GROWTH * (3.0 if Size.ODD in sizes else 1.0 if Size.EXPLODING in sizes else 0.0)


Fill = Callable[[Ints | slice, int, QColor], None]
"""Fills some of the spots of one code (indices), larger by so many device pixels on each side, with a colour."""


def paint_far_gauge(painter: QPainter, rows: Pixels, code: int, palette: Palette, fill: Fill | None = None) -> None:
    """Draw boxes too small for a strip whose gradient is off the scale in its form, all of one code.

    A frame is about a pixel wide: the spot is filled twice, which is faster than a pen.

    Args:
        rows: the device pixels that they are on, as from `whole_pixels`; shape (n, 4).
        fill: fills these; None for the painter itself.
    """
    size, ink, every = size_of(code), QColor(gauge_color(palette, code)), slice(None)
    ratio = painter.device().devicePixelRatioF()
    larger, line = growth(ratio), round(ratio)
    fill = fill or partial(_fill_rows, painter, rows)
    if size is Size.ODD:
        fill(every, larger, ink)
        _cross(painter, sides_of(grown(rows, 3 * larger)) / ratio, ink.name())
    elif size is Size.EXPLODING:
        fill(every, larger, QColor(palette.text))
        fill(every, larger - line, ink)
    else:
        has_room = (rows[:, 2:] - rows[:, :2]).min(axis=1) >= round(_HOLLOW * ratio) - 1
        hollow = np.flatnonzero(has_room)
        fill(hollow, 0, ink)
        fill(hollow, -line, QColor(palette.canvas))
        fill(np.flatnonzero(~has_room), 0, QColor(looks.mix(ink.name(), palette.canvas, 0.5)))


def _fill_rows(painter: QPainter, rows: Pixels, which: Ints | slice, by: int, ink: QColor) -> None:
    fill_pixels(painter, grown(rows[which], by), ink)


def strips(boxes: Floats, scale: float, ratio: float, *, is_large: bool) -> Floats:
    """Where the strips of boxes are on the screen, on whole device pixels; both of shape (n, 4).

    Args:
        boxes: the left top corners and the sizes of the boxes, on the screen.
    """
    wide = GAUGE_WIDTH * (_LARGE if is_large else 1.0) * scale
    right = boxes[:, 0] + boxes[:, 2] - GAUGE_INSET * scale
    top, bottom = boxes[:, 1] + RADIUS * scale, boxes[:, 1] + boxes[:, 3] - RADIUS * scale
    placed: Floats = np.floor(np.column_stack([right - wide, top, right, bottom]) * ratio + (0.5 + TIE)) / ratio
    return placed


def paint_strips(painter: QPainter, rects: Floats, codes: Ints, palette: Palette) -> None:
    """Draw the gauges of many small boxes at once, of plain rectangles.

    Args:
        rects: from `strips`.
        codes: the code of each.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    _fill(painter, rects, _empty(palette))
    for size, code, group in _groups(rects, codes):
        _paint_strip(painter, group, size, code, palette)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _paint_strip(painter: QPainter, rects: Floats, size: Size, code: int, palette: Palette) -> None:
    ink, hangs = gauge_color(palette, code), bool(code & NEGATIVE)
    wide = rects[:, 2] - rects[:, 0]
    if size in (Size.ORDINARY, Size.EXPLODING):
        filled = rects.copy()
        long = (rects[:, 3] - rects[:, 1]) * (level_of(code) + 1) / LEVELS
        filled[:, 3 if hangs else 1] = rects[:, 1] + long if hangs else rects[:, 3] - long
        _fill(painter, filled, ink)
    if size is Size.ORDINARY:
        return
    if size is Size.ODD:
        _fill(painter, rects, ink)
        _cross(painter, _square((rects[:, :2] + rects[:, 2:]) / 2, wide), ink)
        return
    ends = np.column_stack(
        [rects[:, 0] + wide / 2, np.where(hangs or size is Size.EXPLODING, rects[:, 1], rects[:, 3])]
    )
    square = _square(ends, wide * 0.8)
    if size is Size.VANISHING:
        _framed(painter, whole_pixels(square, painter.device().devicePixelRatioF()), ink, palette.card)
    else:
        square[:, 3] -= wide * (1.0 if size is Size.ZERO else 0.4)
        _fill(painter, square, palette.text)


def _groups(rects: Floats, codes: Ints) -> Iterator[tuple[Size, int, Floats]]:
    """The rectangles of each code, in the order in which they are drawn."""
    ranks = ranks_of(codes)
    order = np.argsort(ranks, kind="stable")
    rects, (kinds, starts) = rects[order], runs(ranks[order])
    for rank, (first, last) in zip(kinds, pairwise(starts), strict=True):
        code = code_of(rank)
        yield size_of(code), code, rects[first:last]


def _square(middles: Floats, reach: Floats) -> Floats:
    around = np.column_stack([reach, reach])
    return np.hstack([middles - around, middles + around])


def _fill(painter: QPainter, rects: Floats, ink: str) -> None:
    fill_rects(painter, rects, QColor(ink))


def _framed(painter: QPainter, rows: Pixels, frame: str, ink: str) -> None:
    """Rectangles of whole device pixels with a frame of about a pixel: filled twice, which is faster than a pen."""
    fill_pixels(painter, rows, QColor(frame))
    fill_pixels(painter, grown(rows, -round(painter.device().devicePixelRatioF())), QColor(ink))


def _cross(painter: QPainter, rects: Floats, ink: str) -> None:
    painter.setPen(QPen(QColor(ink), 2.0))
    draw_lines(painter, rects)
    draw_lines(painter, rects[:, [0, 3, 2, 1]])
