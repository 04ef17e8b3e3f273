"""Where the numbers of a product of two matrices stand: where a row of one and a column of the other meet, the result.

What is not multiplied so, a convolution or a normalisation, has its two matrices side by side, or one below the other,
and the result below. Of a large matrix the part around the pointer is drawn. Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from gradviz.playback.product.form import Form, Panel
from gradviz.playback.product.product import BLOCK, WHOLE
from gradviz.ui.inspector.product_plan import (
    APART,
    CAPTION,
    DIGIT,
    DIGITS,
    FONTS,
    GAP,
    HIGHEST,
    LEAST_PIXELS,
    LONG_PIXELS,
    LOWEST,
    MAP_LEAST,
    MAP_MOST,
    WIDEST,
    WIDEST_LONG,
    Ground,
    Map,
    Plan,
    Tile,
    Words,
    fitted,
    written,
)
from gradviz.ui.look.palette import SPACE

LEFT, RIGHT, RESULT = 0, 1, 2
"""Numbers of the matrices of a form."""
_LEAST_BESIDE = 24
"""Width of a tile from which two matrices stand side by side."""


class Part(NamedTuple):
    """Which part of a matrix is drawn: its first row and column, and how many of each."""

    top: int
    left: int
    rows: int
    columns: int


def parts_around(form: Form, row: int, column: int) -> tuple[Part, Part, Part]:
    """The parts of the three matrices that are drawn around a number of the result."""
    result = _around(form.result, row, column)
    terms = form.find(row, column)
    first = [places[len(places) // 2].tolist() if len(places) else (0, 0) for places in (terms.left, terms.right)]
    left, right = (_around(panel, *place) for panel, place in zip(form.panels[:2], first, strict=True))
    if form.crosses:
        left = left._replace(top=result.top, rows=result.rows, left=0)
        right = right._replace(left=result.left, columns=result.columns, top=0)
    return left, right, result


def _around(panel: Panel, row: int, column: int) -> Part:
    height, width = panel.numbers.shape
    rows, columns = (size if size <= WHOLE else BLOCK for size in (height, width))
    top, left = (
        min(max(at - some // 2, 0), size - some) for at, some, size in ((row, rows, height), (column, columns, width))
    )
    return Part(top, left, rows, columns)


def planned_forms(forms: Sequence[Form], parts: Sequence[tuple[Part, Part, Part]], width: int) -> Plan:
    """Place the matrices of some forms, one form below the other, in a width in pixels."""
    sides = [_Sides(form, part, width) for form, part in zip(forms, parts, strict=True)]
    pixels, digits = _size(sides)
    out = _Out([], [], [], [])
    y = 0
    for number, side in enumerate(sides):
        y = side.place(number, y + (APART if y else 0), pixels, digits, out)
    return Plan(tuple(out.tiles), tuple(out.words), tuple(out.grounds), tuple(out.maps), pixels, y)


def _size(sides: Sequence[_Sides]) -> tuple[int, int]:
    """Size of the numbers, and significant digits, at which the longest fits into its tile."""
    for digits in (DIGITS, 3, 2, 1):
        fonts = [pixels for pixels in FONTS if pixels >= LEAST_PIXELS.get(digits, 0)]
        if all(side.holds(digits, fonts[-1]) for side in sides):
            return next(pixels for pixels in fonts if all(side.holds(digits, pixels) for side in sides)), digits
    return FONTS[-1], 1


class _Out(NamedTuple):
    tiles: list[Tile]
    words: list[Words]
    grounds: list[Ground]
    maps: list[Map]


class _Sides:
    """One form at one width."""

    def __init__(self, form: Form, parts: tuple[Part, Part, Part], width: int) -> None:
        self._form, self._parts, self._width = form, parts, width
        left, right, result = (part.columns for part in parts)
        room = width - 2 * SPACE - APART
        beside = (room + 2 * GAP) // (left + (result if form.crosses else right)) - GAP
        self._numbers = {
            number
            for panel, part in zip(form.panels, parts, strict=True)
            for row in _cut(panel, part)
            for number in row
        }
        longest = max((len(written(number, DIGITS)) for number in self._numbers), default=1)
        is_read = beside >= max(_LEAST_BESIDE, longest * LEAST_PIXELS[DIGITS] * DIGIT + 1)
        self.is_beside = form.crosses or is_read
        below = (width - 2 * SPACE + GAP) // max(left, right, result) - GAP
        tile = beside if self.is_beside else below
        widest = max(WIDEST, min(ceil(longest * LONG_PIXELS * DIGIT) + SPACE, WIDEST_LONG))
        self.tile = max(min(tile, widest, (width - 2 * SPACE + GAP) // result - GAP), 8)

    def holds(self, digits: int, pixels: int) -> bool:
        """Whether each number fits into its tile in a size."""
        return all(len(written(number, digits)) * pixels * DIGIT <= self.tile - 1 for number in self._numbers)

    def place(self, number: int, y: int, pixels: int, digits: int, out: _Out) -> int:
        """Place everything from a height on; returns where it ends."""
        form, (left, right, result) = self._form, self._parts
        out.words.append(Words(form.equation, (0, y, self._width, CAPTION)))
        y += CAPTION + SPACE
        if form.note:
            out.words.append(Words(form.note, (0, y - SPACE, self._width, CAPTION)))
            y += CAPTION
        y = self._place_map(number, y, out)
        wide = [part.columns * (self.tile + GAP) - GAP for part in self._parts]
        if form.crosses:
            high = self._row_height(right.rows + result.rows)
            x = max((self._width - wide[LEFT] - wide[RESULT] - APART) // 2, SPACE)
            across = x + wide[LEFT] + APART
            below = y + CAPTION + right.rows * (high + GAP) + 2 * SPACE
            self._panel(number, RIGHT, across, y + CAPTION, high, pixels, digits, out, captioned_at=y)
            end = self._panel(number, LEFT, x, below, high, pixels, digits, out, captioned_at=below - CAPTION - 2)
            self._panel(number, RESULT, across, below, high, pixels, digits, out, captioned_at=end)
            return end + CAPTION
        high = self._row_height(max(left.rows, right.rows) if self.is_beside else left.rows + right.rows)
        if self.is_beside:
            x = max((self._width - wide[LEFT] - wide[RIGHT] - APART) // 2, SPACE)
            ends = [
                self._panel(number, which, at, y + CAPTION, high, pixels, digits, out, captioned_at=y)
                for which, at in ((LEFT, x), (RIGHT, x + wide[LEFT] + APART))
            ]
            y = max(ends) + SPACE
        else:
            for which in (LEFT, RIGHT):
                x = max((self._width - wide[which]) // 2, SPACE)
                y = self._panel(number, which, x, y + CAPTION, high, pixels, digits, out, captioned_at=y) + SPACE
        x = max((self._width - wide[RESULT]) // 2, SPACE)
        end = self._panel(number, RESULT, x, y + 2, high, pixels, digits, out, captioned_at=0)
        out.words.append(Words(f"{form.result.name} goes out", (0, end, self._width, CAPTION)))
        return end + CAPTION

    def _row_height(self, rows: int) -> int:
        return HIGHEST if rows <= 8 else LOWEST

    def _panel(self, number: int, which: int, x: int, y: int, high: int, pixels: int, digits: int, out: _Out, *,
               captioned_at: int) -> int:  # fmt: skip
        """Place one matrix; returns where it ends."""
        panel, part = self._form.panels[which], self._parts[which]
        most, texts = int((self.tile + 1) / (pixels * DIGIT)), dict[float, str]()
        wide = part.columns * (self.tile + GAP) - GAP
        for row, entries in enumerate(_cut(panel, part)):
            for column, entry in enumerate(entries):
                text = texts.get(entry) or texts.setdefault(entry, fitted(entry, digits, most))
                box = (x + column * (self.tile + GAP), y + row * (high + GAP), self.tile, high)
                out.tiles.append(Tile(panel.kind, number, part.top + row, part.left + column, box, entry, text, which))
        end = y + part.rows * (high + GAP) - GAP + 2
        if captioned_at or self._form.crosses:
            name = f"{panel.name} goes out" if which == RESULT else panel.name
            room = max(wide + 2 * APART, 9 * len(name))
            at = min(max(x + wide // 2 - room // 2, 0), max(self._width - room, 0))
            out.words.append(Words(name, (at, captioned_at, min(room, self._width), CAPTION)))
        return end

    def _place_map(self, number: int, y: int, out: _Out) -> int:
        """A map of a result that is too large to be drawn whole, and what of it is drawn."""
        height, width = self._form.result.numbers.shape
        part = self._parts[RESULT]
        if (part.rows, part.columns) == (height, width):
            return y
        room = self._width - 4 * SPACE
        high, x = int(min(max(room * height / width, MAP_LEAST), MAP_MOST)), 2 * SPACE
        seen = (
            x + int(room * part.left / width), y + int(high * part.top / height),
            max(int(room * part.columns / width), 4), max(int(high * part.rows / height), 4),
        )  # fmt: skip
        out.maps.append(Map(number, (x, y, room, high), seen))
        where = f"rows {part.top} to {part.top + part.rows - 1}, columns {part.left} to {part.left + part.columns - 1}"
        out.words.append(Words(f"{where} of {height:,} × {width:,}", (0, y + high + 2, self._width, CAPTION)))
        return y + high + CAPTION + 2 * SPACE


def _cut(panel: Panel, part: Part) -> list[list[float]]:
    rows: list[list[float]] = panel.numbers[
        part.top : part.top + part.rows, part.left : part.left + part.columns
    ].tolist()
    return rows
