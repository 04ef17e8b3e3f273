"""Text of the picture: the fonts by role, how wide a text is, and drawing it centred on a line.

All sizes are scene units: a text is scaled with its box, so what was measured always fits.
"""

from __future__ import annotations

import threading
from enum import IntEnum
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QStaticText, QTransform

from gradviz.ui.canvas.ink.stamps import on_pixel
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


LARGE = 64
"""Device pixels of a font from which on Qt fills outlines and keeps no pictures of its signs."""
_FINE = 16


@lru_cache(maxsize=256)
def _outline(text: str, role: Role) -> QPainterPath:
    """A large text, begun on its baseline. Qt's own lies a tenth of a pixel elsewhere once other sizes were drawn."""
    fine = QFont(font(role))
    fine.setPixelSize(_SIZES[role] * _FINE)  # since Qt rounds outlines to a 64th of a pixel
    path = QPainterPath()
    path.addText(QPointF(), fine, text)
    return QTransform.fromScale(1 / _FINE, 1 / _FINE).map(path)


@lru_cache(maxsize=16384)
def elided(text: str, role: Role, width: float) -> str:
    """The text, cut with an ellipsis where it is wider than `width`."""
    return metrics(role).elidedText(text, Qt.TextElideMode.ElideRight, width) if text else text


_PARTS = 64
"""Qt counts places of texts in this part of a device pixel."""


def _kept_place(place: float, scale: float, offset: float) -> float:
    """A coordinate moved to the middle of a part of a pixel; `scale` and `offset` are those of the painter.

    Qt cuts what is beyond such a part off, towards zero. So two texts that are whole pixels apart would differ where
    the last bit of a sum does, and where one begins left of the picture.
    """
    part = on_pixel(place * scale + offset, _PARTS) * _PARTS
    return ((part + (0.5 if part >= 0 else -0.5)) / _PARTS - offset) / scale


class Pen:
    """Draws texts on one painter; remembers font and colour, which are dear to set.

    A vector picture gets real text; on the screen laid-out texts are kept and drawn again, or outlines of large ones.
    """

    def __init__(self, painter: QPainter, *, vector: bool = False) -> None:
        self._painter = painter
        self._vector = vector
        self._role: Role | None = None
        self._color = ""
        self.take_place()

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
        elif _SIZES[role] * self._down[0] >= LARGE:
            self._painter.fillPath(_outline(text, role).translated(x, middle + drop), QColor(color))
        else:
            at = QPointF(_kept_place(x, *self._across), _kept_place(middle + drop - ascent, *self._down))
            self._painter.drawStaticText(at, _prepared(text, role))

    def take_place(self) -> None:
        """Learn where the painter draws: to be called after each change of its transform."""
        at = self._painter.deviceTransform()
        self._across, self._down = (at.m11(), at.dx()), (at.m22(), at.dy())

    def forget(self) -> None:
        """Set font and colour again: the painter was used for something else."""
        self._role, self._color = None, ""

    def centred(self, x: float, middle: float, text: str, role: Role, color: str) -> None:
        """Write a text centred on a point."""
        self.write(x - text_width(text, role) / 2, middle, text, role, color)
