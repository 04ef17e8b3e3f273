"""Which parts of the widget have changed, as rectangles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QRegion

from gradviz.ui.canvas.marks import Mark
from gradviz.ui.canvas.view import Rect

_MOST_PIECES = 40
_SPARE = 3000
"""Pixels that are drawn in about the time that another rectangle takes."""


def changed(old: list[Mark], new: list[Mark]) -> list[QRectF]:
    """The rectangles of the marks that are not the same in both lists."""
    before, after = ({(mark.key, *sides(mark.rect)) for mark in marks if mark.key} for marks in (old, new))
    same = before & after
    return [mark.rect for mark in (*old, *new) if (mark.key, *sides(mark.rect)) not in same]


def pieces(region: QRegion) -> list[QRect]:
    """The rectangles of a region; the one around it where they are many."""
    return list(cast(Iterable[QRect], region)) if region.rectCount() <= _MOST_PIECES else [region.boundingRect()]


def gathered(rects: list[list[int]]) -> list[list[int]]:
    """Fewer rectangles (left, top, right, bottom) that cover some: to draw in one more costs as much as its spare."""
    kept: list[list[int]] = []
    for rect in rects:
        joined = rect
        while (near := next((one for one in kept if _spare_of(one, joined) <= _SPARE), None)) is not None:
            kept.remove(near)
            joined = _around(near, joined)
        kept.append(joined)
    return kept


def _spare_of(one: list[int], other: list[int]) -> int:
    """How many pixels more than both the rectangle around them has."""
    return _size(_around(one, other)) - _size(one) - _size(other)


def _around(one: list[int], other: list[int]) -> list[int]:
    return [min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])]


def _size(rect: list[int]) -> int:
    return (rect[2] - rect[0]) * (rect[3] - rect[1])


def sides(rect: QRectF) -> Rect:
    """Left, top, right, bottom."""
    return rect.left(), rect.top(), rect.right(), rect.bottom()
