"""How large a box of the page must be for its texts, whatever fonts the reader's system has.

A page brings no fonts, so widths are those of wide ones; a text that is wider still is drawn narrower by the page.
The places of the texts in a box are those of `resources/player/player.js`.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gradviz.layout.plan import Floats

TEXT_LEFT, RIGHT = 56.0, 14.0
"""From the left of a box to its texts, and from these to its right border; in scene units."""

HEIGHT, HEIGHT_WITHOUT_ROW, NUMBER_HEIGHT, STACK = 78.0, 58.0, 30.0, 8.0
_NAME, _WORD, _BADGE, _VALUE = 14.0, 12.0, 11.0, 13.0
_LEAST_WIDTH, _WIDTH_STEP, _GAP = 132.0, 12, 8.0
_MONO, _BOLD = 0.605, 1.1
_NARROW, _WIDE = frozenset("ijlrtfI.,:;'|!()[]·1 "), frozenset("mwMW@%ΣΩ+−=<>×÷")
_NUMBER, _GROUP = 3, 4


class Card(Protocol):
    """The texts of a box, as the canvas of the window has them.

    Attributes:
        kind: 0 leaf, 1 constant, 2 op, 3 a constant that is one number, 4 a folded group.
        sign: what stands in the tile.
        word: the op.
        badge: the shape.
        prefix: what the gradient is of.
        gradient: once it is known; "" where none ever comes.
        has_row: whether the box keeps a row for a gradient.
    """

    @property
    def kind(self) -> int: ...
    @property
    def sign(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def word(self) -> str: ...
    @property
    def badge(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def prefix(self) -> str: ...
    @property
    def gradient(self) -> str: ...
    @property
    def has_row(self) -> bool: ...


def box_sizes(cards: Sequence[Card]) -> Floats:
    """Width and height of each box, in scene units; shape (n, 2)."""
    return np.array([_size(card) for card in cards], dtype=np.float64).reshape(-1, 2)


def text_width(text: str, size: float, *, mono: bool = False) -> float:
    """About how wide a text is in a font of `size` pixels; rather too wide than too narrow."""
    return size * sum(_advance(character, mono) for character in text)


def _advance(character: str, mono: bool) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if unicodedata.combining(character):
        return 0.0
    if mono:
        return _MONO
    if character in _WIDE:
        return 0.95
    return 0.36 if character in _NARROW else 0.72 if character.isupper() else 0.61


def _size(card: Card) -> tuple[float, float]:
    if card.kind == _NUMBER:
        return max(44.0, text_width(card.name, _VALUE, mono=True) + 26), NUMBER_HEIGHT
    first = text_width(card.name, _NAME) * _BOLD
    first += _GAP + text_width(card.word, _WORD) if card.word else 0.0
    first += 2 * _GAP + text_width(card.badge, _BADGE, mono=True) + 10 if card.badge else 0.0
    gradient = f"{card.prefix} {card.gradient}" if card.gradient else "not reached" if card.has_row else ""
    widest = max(first, *(text_width(text, _VALUE, mono=True) for text in (card.value, gradient)))
    # Few different widths: neighbours of about the same size line up.
    width = math.ceil(max(TEXT_LEFT + widest + RIGHT, _LEAST_WIDTH) / _WIDTH_STEP) * _WIDTH_STEP
    height = HEIGHT if card.has_row else HEIGHT_WITHOUT_ROW
    return width, height + (STACK if card.kind == _GROUP else 0.0)
