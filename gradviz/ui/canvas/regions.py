"""Which parts of the widget have changed, as rectangles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QRegion

from gradviz.ui.canvas.marks import Mark
from gradviz.ui.canvas.view import Rect

_MOST_PIECES = 40


def changed(old: list[Mark], new: list[Mark]) -> list[QRectF]:
    """The rectangles of the marks that are not the same in both lists."""
    before, after = ({(mark.key, *sides(mark.rect)) for mark in marks if mark.key} for marks in (old, new))
    same = before & after
    return [mark.rect for mark in (*old, *new) if (mark.key, *sides(mark.rect)) not in same]


def pieces(region: QRegion) -> list[QRect]:
    """The rectangles of a region; the one around it where they are many."""
    return list(cast(Iterable[QRect], region)) if region.rectCount() <= _MOST_PIECES else [region.boundingRect()]


def sides(rect: QRectF) -> Rect:
    """Left, top, right, bottom."""
    return rect.left(), rect.top(), rect.right(), rect.bottom()
