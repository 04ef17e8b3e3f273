"""A typeset formula as a row of pieces, and how it is printed: as rich text or as plain text. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from itertools import groupby
from typing import NamedTuple

GRADIENT = "gradient"
VALUE = "value"
SIGN = ""


class Piece(NamedTuple):
    """A run of characters. `role` is "gradient", "value" or "" (signs); `raised` counts superscripts, -1 is below."""

    text: str
    role: str = SIGN
    raised: int = 0


Pieces = tuple[Piece, ...]


def plain(pieces: Iterable[Piece]) -> str:
    """The pieces as text: "∂L/∂y ⊙ (1 − y²)"; an exponent without a sign of its own is written ^(…)."""
    row = [piece._replace(text=f"[{piece.text}]", raised=0) if piece.raised < 0 else piece for piece in pieces]
    # The deepest exponents first: each becomes text of the level below it.
    for level in range(max((piece.raised for piece in row), default=0), 0, -1):
        row = list(_lowered(row, level))
    return "".join(piece.text for piece in row)


def _lowered(row: Iterable[Piece], level: int) -> Iterable[Piece]:
    for is_raised, run in groupby(row, lambda piece: piece.raised >= level):
        if is_raised:
            yield Piece(_superscript("".join(piece.text for piece in run)), SIGN, level - 1)
        else:
            yield from run


def html(pieces: Iterable[Piece], colours: Mapping[str, str]) -> str:
    """The pieces as rich text for a label; `colours` gives "#RRGGBB" by role, a role without one keeps the label's."""
    return "".join(_html(piece, colours.get(piece.role)) for piece in pieces)


_DIGITS = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def _superscript(text: str) -> str:
    if text == "T":
        return "ᵀ"
    return text.translate(_DIGITS) if text.lstrip("−").isdigit() else f"^({text})"


def _html(piece: Piece, colour: str | None) -> str:
    text = escape(piece.text)
    if piece.raised:
        tag = "sup" if piece.raised > 0 else "sub"
        text = f"<{tag}>" * abs(piece.raised) + text + f"</{tag}>" * abs(piece.raised)
    return f'<span style="color:{colour}">{text}</span>' if colour else text
