"""Text on the canvas: the fonts by role, how wide a text is, and drawing it centred on a line.

All sizes are scene units: a text is scaled with its box, so what was measured always fits.
"""

from __future__ import annotations

import threading
from enum import IntEnum
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QStaticText, QTransform

from gradviz.ui.look.theme import MONO_FAMILY, UI_FAMILY, load_fonts, mono_font, ui_font


class Role(IntEnum):
    """What a text is."""

    NAME = 0  # the node's name
    WORD = 1  # the op, dim
    BADGE = 2  # the shape
    VALUE = 3  # numbers
    LABEL = 4  # numbers on an edge
    TILE = 5  # the sign in the tile, one or two characters
    TILE_SMALL = 6  # a longer sign
    CAPTION = 7  # legend and card
    BIG = 8  # the name when the box is small on the screen
    STRONG = 9  # the name in the card


BIG_SIZE = 24
_SIZES = {
    Role.NAME: 14, Role.WORD: 12, Role.BADGE: 11, Role.VALUE: 13, Role.LABEL: 12, Role.TILE: 17,
    Role.TILE_SMALL: 11, Role.CAPTION: 12, Role.BIG: BIG_SIZE, Role.STRONG: 13,
}  # fmt: skip
_MONO = (Role.BADGE, Role.VALUE, Role.LABEL)
_BOLD = (Role.NAME, Role.LABEL, Role.TILE, Role.TILE_SMALL, Role.BIG, Role.STRONG)


@cache
def font(role: Role) -> QFont:
    """The font of a role; signs that one shipped font lacks come from the other."""
    return _made_font(role)


def _made_font(role: Role) -> QFont:
    load_fonts()
    made = (mono_font if role in _MONO else ui_font)(_SIZES[role], bold=role in _BOLD)
    made.setFamilies([MONO_FAMILY, UI_FAMILY] if role in _MONO else [UI_FAMILY, MONO_FAMILY])
    return made


class _Measures(threading.local):
    """The measures of this thread: a font may be used by one thread only, even to measure."""

    def __init__(self) -> None:
        self.of: dict[Role, QFontMetricsF] = {}


_measures = _Measures()


def metrics(role: Role) -> QFontMetricsF:
    """The measures of a role's font."""
    known = _measures.of.get(role)
    if known is None:
        known = _measures.of[role] = QFontMetricsF(_made_font(role))
    return known


@cache
def _advance(role: Role) -> float:
    return metrics(role).horizontalAdvance("0")


@lru_cache(maxsize=65536)
def text_width(text: str, role: Role) -> float:
    """How wide a text is, in scene units."""
    if role in _MONO and text.isascii():
        return _advance(role) * len(text)
    return metrics(role).horizontalAdvance(text)


@cache
def _rise(role: Role) -> tuple[float, float]:
    """From the middle of the capitals down to the baseline, and from the baseline up to the top."""
    return metrics(role).capHeight() / 2, metrics(role).ascent()


@lru_cache(maxsize=16384)
def _prepared(text: str, role: Role) -> QStaticText:
    static = QStaticText(text)
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.prepare(QTransform(), font(role))
    return static


@lru_cache(maxsize=16384)
def elided(text: str, role: Role, width: float) -> str:
    """The text, cut with an ellipsis where it is wider than `width`."""
    return metrics(role).elidedText(text, Qt.TextElideMode.ElideRight, width) if text else text


class Pen:
    """Draws texts on one painter; remembers font and colour, which are dear to set.

    A vector file gets real text; on the screen texts that were laid out once are drawn again.
    """

    def __init__(self, painter: QPainter, *, vector: bool = False) -> None:
        self._painter = painter
        self._vector = vector
        self._role: Role | None = None
        self._color = ""

    def write(self, x: float, middle: float, text: str, role: Role, color: str) -> None:
        """Write a text from `x` on, its capitals centred on `middle`."""
        if role is not self._role:
            self._painter.setFont(font(role))
            self._role = role
        if color != self._color:
            self._painter.setPen(QColor(color))
            self._color = color
        drop, ascent = _rise(role)
        if self._vector:
            self._painter.drawText(QPointF(x, middle + drop), text)
        else:
            self._painter.drawStaticText(QPointF(x, middle + drop - ascent), _prepared(text, role))

    def centred(self, x: float, middle: float, text: str, role: Role, color: str) -> None:
        """Write a text centred on a point."""
        self.write(x - text_width(text, role) / 2, middle, text, role, color)
