"""Which parts of the widget have changed, as rectangles."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import cast

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QRegion

from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.plane.view import Rect

_MOST_PIECES = 40
_SPARE = 3000
"""Pixels that are drawn in about the time that another rectangle takes."""


def changed(old: list[Mark], new: list[Mark]) -> list[QRect]:
    """The rectangles of the marks that are not the same in both lists."""
    before, after = ({(mark.key, *sides(mark.rect)) for mark in marks if mark.key} for marks in (old, new))
    same = before & after
    return [mark.rect.toAlignedRect() for mark in (*old, *new) if (mark.key, *sides(mark.rect)) not in same]


def region_of(rects: Iterable[QRect]) -> QRegion:
    """The region that some rectangles cover."""
    region = QRegion()
    for rect in rects:
        region += rect
    return region


def device_rect(rect: QRect, ratio: float) -> QRect:
    """The whole device pixels that a rectangle is on; `ratio` of them to a pixel."""
    left, top = math.floor(rect.left() * ratio), math.floor(rect.top() * ratio)
    right, bottom = math.ceil((rect.right() + 1) * ratio), math.ceil((rect.bottom() + 1) * ratio)
    return QRect(left, top, right - left, bottom - top)


def pieces(region: QRegion) -> list[QRect]:
    """The rectangles of a region; the one around it where they are many."""
    return list(cast(Iterable[QRect], region)) if region.rectCount() <= _MOST_PIECES else [region.boundingRect()]


def gathered(rects: list[list[int]]) -> list[list[int]]:
    """Fewer rectangles (left, top, right, bottom) that cover some: to draw in one more costs as much as its spare."""
    kept: list[list[int]] = []
    for rect in rects:
        whole = rect
        while (joined := _joined(whole, kept)) is not None:
            whole = joined
        kept.append(whole)
    return kept


def _joined(rect: list[int], kept: list[list[int]]) -> list[int] | None:
    """The rectangle around one and the first of others near it, which is taken out of them; None where none is near.

    Written out: it is asked for each of some dozen rectangles, at every step.
    """
    left, top, right, bottom = rect
    size = (right - left) * (bottom - top) + _SPARE
    for place, (first, above, last, below) in enumerate(kept):
        west, north = first if first < left else left, above if above < top else top
        east, south = last if last > right else right, below if below > bottom else bottom
        if (east - west) * (south - north) <= size + (last - first) * (below - above):
            del kept[place]
            return [west, north, east, south]
    return None


def sides(rect: QRectF) -> Rect:
    """Left, top, right, bottom."""
    return rect.left(), rect.top(), rect.right(), rect.bottom()
