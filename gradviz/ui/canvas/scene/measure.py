"""How large each box is. Boxes are sized once per track for all they will ever show, so nothing jumps."""

from __future__ import annotations

import math

import numpy as np

from gradviz.layout.plan import Floats
from gradviz.playback.track import Track
from gradviz.playback.words import shape_text
from gradviz.ui.canvas.ink.text import Role, text_width
from gradviz.ui.canvas.scene.cards import NOT_REACHED, Card, Kind, cards

PAD = 10.0
TILE = 36.0
TEXT_X = PAD + TILE + 10.0
"""Where the texts begin, from the left of the box."""

LINE_1, LINE_2, LINE_3 = 20.0, 41.0, 61.0
"""The middles of the three lines, from the top of the box."""

ROW = 17.0
"""Between the rows of a matrix."""

BESIDE = 20.0
"""Between a value and the gradient beside it."""

HEIGHT, HEIGHT_WITHOUT_ROW, NUMBER_HEIGHT = 78.0, 58.0, 30.0
STACK = 8.0
"""How far the cards under the first one of a folded group reach below it."""

FOLD_MARK = 18.0
"""Side of the square with + or −."""

GAUGE_WIDTH, GAUGE_INSET = 5.0, 4.0
"""Of the strip that is the gauge of a gradient, and between it and the right border."""

GROUP_PAD = 15.0
"""Between the texts of a card and the right border where there is a gauge."""

PROGRESS_ROOM = 86.0
BADGE_PAD, BADGE_HEIGHT = 5.0, 18.0
GAP = 8.0
_NUMBER = "1.234e-5"
_WIDTH_STEP = 12
_LEAST_WIDTH = 132.0


def box_sizes(track: Track) -> Floats:
    """Width and height of the box of every node of `track.forward`, in scene units; shape (n, 2)."""
    sizes = [_size(card) for card in cards(track)]
    return np.array(sizes, dtype=np.float64).reshape(-1, 2)


def has_rows(card: Card) -> bool:
    """Whether a matrix is shown row by row; then the gradient stands beside the value, not below it."""
    return bool(card.value_rows or card.gradient_rows)


def gradient_place(card: Card) -> tuple[float, float]:
    """Where the gradient begins: from the left of the box, and the middle of its first line, from the top."""
    return (TEXT_X + _value_width(card) + BESIDE, LINE_2) if has_rows(card) else (TEXT_X, LINE_3)


def badge_width(card: Card) -> float:
    """The width of the badge with the shape; 0 without one."""
    return text_width(card.badge, Role.BADGE) + 2 * BADGE_PAD if card.badge else 0.0


def badge_right(card: Card) -> float:
    """The distance of the badge from the right border of its box."""
    return GROUP_PAD + FOLD_MARK + GAP if card.kind is Kind.GROUP else _right(card)


def _right(card: Card) -> float:
    """Between the texts of a card and its right border: room for the gauge where a gradient comes in."""
    return GROUP_PAD if card.gradient else PAD


def _size(card: Card) -> tuple[float, float]:
    if card.kind is Kind.NUMBER:
        return max(44.0, text_width(card.name, Role.VALUE) + 26), NUMBER_HEIGHT
    if card.kind is Kind.GROUP:
        return _group_size(card)
    numbers = (_value_width(card), _gradient_width(card))
    widest = max(_first_line(card), sum(numbers) + BESIDE if has_rows(card) else max(numbers))
    # Few different widths: boxes of one size share one sprite.
    width = math.ceil(max(TEXT_X + widest + _right(card) + 2, _LEAST_WIDTH) / _WIDTH_STEP) * _WIDTH_STEP
    if not has_rows(card):
        return width, HEIGHT if card.has_row else HEIGHT_WITHOUT_ROW
    return width, HEIGHT_WITHOUT_ROW + ROW * (max(len(card.value_rows), len(card.gradient_rows)) - 1)


def _value_width(card: Card) -> float:
    return max(*(text_width(row, Role.VALUE) for row in card.value_rows or (card.value,)), _least(card))


def _least(card: Card) -> float:
    """Room for any single number of four digits: another one moves nothing."""
    return text_width(_NUMBER, Role.VALUE) if card.badge == shape_text(()) else 0.0


def _group_size(card: Card) -> tuple[float, float]:
    """Room for the fold mark beside the title, and for the progress beside the shapes."""
    second = text_width(card.value, Role.VALUE) + PROGRESS_ROOM
    widest = max(_first_line(card) + GAP + FOLD_MARK, second, _gradient_width(card))
    width = math.ceil(max(TEXT_X + widest + GROUP_PAD + 2, _LEAST_WIDTH) / _WIDTH_STEP) * _WIDTH_STEP
    return width, (HEIGHT if card.has_row else HEIGHT_WITHOUT_ROW) + STACK


def _first_line(card: Card) -> float:
    word = GAP + text_width(card.word, Role.WORD) if card.word else 0.0
    return text_width(card.name, Role.NAME) + word + GAP + 4 + badge_width(card)


def _gradient_width(card: Card) -> float:
    if not card.gradient:
        return text_width(NOT_REACHED, Role.WORD) if card.has_row else 0.0
    rows = card.gradient_rows or (card.gradient,)
    numbers = max(text_width(row, Role.VALUE) for row in rows)
    return text_width(f"{card.prefix} ", Role.VALUE) + max(numbers, _least(card))
