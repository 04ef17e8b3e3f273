"""The texts of a box that is too small for all of them: its name and its numbers, in a size that can be read.

Sizes are screen pixels: these texts do not shrink with the picture; what has no room is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gradviz.ui.canvas.ink.text import Role, elided, text_width
from gradviz.ui.canvas.scene.cards import Card, Kind
from gradviz.ui.canvas.scene.measure import GAUGE_INSET, GAUGE_WIDTH

LEAST = 0.3
"""Screen pixels per scene unit from which a name and a number have room, one below the other."""

PITCH = 10.5
NAME_SIZE, NUMBER_SIZE, SIGN_SIZE = 10.5 / 14, 9.2 / 13, 9.0 / 11
"""How many times their own size names, numbers and signs are written."""

_SIDE, _ROUND_SIDE, _RIGHT, _RIM = 5.0, 9.0, 2.0, 2.0
_FEWEST = 4
"""Characters: a number cut to fewer says nothing."""


class Line(NamedTuple):
    """A row of numbers, of the value or of the gradient."""

    text: str
    is_gradient: bool


class Texts(NamedTuple):
    """What is written in a box.

    Attributes:
        sign: of the op, at the right of the name; "" where it has no room.
        is_whole: whether all that is known of the box at the moment is there.
    """

    name: str
    sign: str
    lines: tuple[Line, ...]
    is_whole: bool


def texts_of(card: Card, face: int, size: tuple[float, float]) -> Texts:
    """The texts of a box at a moment.

    Args:
        face: of the box, as in `moment.Frame`.
        size: width and height in screen pixels, without its gauge.
    """
    width = size[0] - start_of(card) - _RIGHT
    most = max(0, int((size[1] - 2 * _RIM) / PITCH) - 1)
    name = card.name if text_width(card.name, Role.NAME) * NAME_SIZE <= width or not card.short else card.short
    name = elided(name, Role.NAME, width / NAME_SIZE)
    left = width - text_width(name, Role.NAME) * NAME_SIZE - 6.0
    sign = card.sign if card.kind is Kind.OP and text_width(card.sign, Role.TILE_SMALL) * SIGN_SIZE <= left else ""
    room = width / NUMBER_SIZE
    wanted = list(_wanted(card, face))
    for lines in wanted:
        if len(lines) <= most and all(text_width(line.text, Role.VALUE) <= room for line in lines):
            return Texts(name, sign, lines, len(lines) == len(wanted[0]) or len(lines) >= _blocks(card, face))
    cut = [line._replace(text=elided(line.text, Role.VALUE, room)) for line in (wanted[-1] if wanted else ())]
    return Texts(name, sign, tuple(line for line in cut[:most] if len(line.text) >= _FEWEST), not cut)


def start_of(card: Card) -> float:
    """Where the texts begin, from the left of the box: a leaf is rounder there."""
    return _ROUND_SIDE if card.kind is Kind.LEAF else _SIDE


def gauge_room(scale: float) -> float:
    """What the gauge takes at the right of a box."""
    return (GAUGE_INSET + GAUGE_WIDTH) * scale


def _blocks(card: Card, face: int) -> int:
    return bool(face & 2 and card.value) + bool(face & 1 and card.gradient)


def _wanted(card: Card, face: int) -> Iterator[tuple[Line, ...]]:
    """What may be written, the most wanted first: all that is known, row by row or in one line; at last the newest."""
    values = _forms(card.value, card.value_rows, is_gradient=False) if face & 2 and card.value else [()]
    gradients = _forms(card.gradient, card.gradient_rows, is_gradient=True) if face & 1 and card.gradient else [()]
    yield from (value + gradient for gradient in gradients for value in values)
    if gradients != [()]:
        yield from gradients


def _forms(text: str, rows: tuple[str, ...], *, is_gradient: bool) -> list[tuple[Line, ...]]:
    whole = [tuple(Line(row, is_gradient) for row in rows)] if rows else []
    return [*whole, (Line(text, is_gradient),)]
