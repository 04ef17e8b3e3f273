"""Lists in a card: rows of a name and a value, and what is said where there is no value."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.playback.numbers import figures
from gradviz.playback.words import number_text, shape_text, short_value
from gradviz.recording import Known, Summary
from gradviz.ui.inspector.card import link, rich, styled, visible
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import UI_FAMILY

TERMS_LIMIT = 12
"""Terms of a sum, and inputs, that are listed."""
VALUE_LIMIT = 28
"""Characters of a value in a row: what fits in the narrowest window, so that it is never broken."""
NAME_LIMIT = 16
"""Characters of a name up to which the values beside it are aligned."""
NBSP = "\u00a0"
NUMBERS_PX = 12


def short(array: Known) -> str:
    """A value in a row: its numbers if they are few, else its shape and norm."""
    if array is None:
        return "not recorded"
    if isinstance(array, Summary):
        return f"{shape_text(array.shape)} {short_value(array, VALUE_LIMIT)}"
    text = short_value(array, VALUE_LIMIT)
    return text if "…" not in text else f"{shape_text(array.shape)} norm {number_text(figures(array).norm)}"


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Rows of two columns as rich text; the second starts at the same place in all of them.

    Aligned by the width of the font, as a table of rich text takes six times as long to lay out.
    """
    listed = [(left, right, len(visible(left))) for left, right in rows]
    column = max((length for *_, length in listed if length <= NAME_LIMIT), default=0)
    lines = [
        f'<p style="margin:{4 if index else 0}px 0 0 0">{left}{NBSP * (max(column - length, 0) + 1)} {right}</p>'
        for index, (left, right, length) in enumerate(listed)
    ]
    return styled("".join(lines), mono=True, pixels=NUMBERS_PX)


def numbers(text: str, colour: str = "") -> str:
    """A value in a row; where there is no room beside the name it moves to the next line, and there breaks at most
    between a shape and a norm: a number that is cut off reads as another one.
    """
    return rich(text.replace(" ", NBSP).replace(f"{NBSP}norm", " norm"), colour)


def in_words_font(text: str, palette: Palette) -> str:
    """Words in the place of a value: a reason why there is none."""
    return f'<span style="font-family:{UI_FAMILY}">{rich(text, palette.dim)}</span>'


def paragraphs(*parts: str) -> str:
    """Rich texts one below the other; empty ones are left out."""
    return "".join(f'<p style="margin:8px 0 0 0">{part}</p>' for part in parts if part)


def node_link(node: int, text: str, palette: Palette) -> str:
    """A node's label that asks for that node when it is clicked."""
    return link(f"node:{node}", rich(text), palette.text)


def more(count: int, palette: Palette) -> str:
    """A line for what a list leaves out; "" where it leaves out nothing."""
    return rich(f"and {count - TERMS_LIMIT} more", palette.dim) if count > TERMS_LIMIT else ""


def elided(name: str, limit: int = 8) -> str:
    """A name short enough for the head of a card; the head of the inspector has it whole."""
    return name if len(name) <= limit else f"{name[: limit - 1]}…"
