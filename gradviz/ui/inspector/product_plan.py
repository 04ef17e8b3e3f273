"""Where the tiles of a product stand: v, the Jacobians above or beside it, and what goes out below their columns.

A result stands where the row of v and its column of J meet. Where there is no room for v as a row, it is laid on the
rows of J: each row is multiplied by the number beside it. Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil
from typing import NamedTuple

from gradviz.playback.numbers import rounded
from gradviz.playback.product.form import OUT, J, V
from gradviz.playback.product.jacobian import Matrix
from gradviz.playback.product.product import Factor, Product
from gradviz.playback.words import number_text
from gradviz.ui.look.palette import SPACE

GAP = 3
"""Pixels between tiles."""
APART = 3 * SPACE
"""Pixels between v, J and the next J."""
CAPTION = 16
"""Height of a line of small words."""
LEAST_IN_A_ROW = 27
"""Width of a tile from which v is written as a row."""
LEAST = 19
"""Width of a tile from which several Jacobians stand side by side."""
WIDEST, HIGHEST, LOWEST = 46, 24, 18
WIDEST_LONG, LONG_PIXELS = 64, 11
"""Where the longest number asks for more than the widest tile: up to so many pixels, with numbers of this size."""
MAP_LEAST, MAP_MOST = 40, 96
"""Height of the map of a Jacobian that is too large to be drawn whole."""
FONTS = (12, 11, 10, 9, 8)
"""Sizes of numbers in pixels, tried in turn."""
DIGITS = 4
"""Significant digits of a number, as the formula beside it has them."""
LEAST_PIXELS = {4: 9, 3: 10}
"""By digits: the size in pixels below which a number rather loses one."""
DIGIT = 0.6
"""Width of a character of the font of numbers, in its size."""


class Tile(NamedTuple):
    """One number.

    Attributes:
        kind: V, J or OUT.
        factor: index of the factor; -1 for v.
        row, column: of the Jacobian; -1 where the number has none.
        box: x, y, width, height in pixels.
        panel: number of the matrix it is in, where two are multiplied.
    """

    kind: str
    factor: int
    row: int
    column: int
    box: tuple[int, int, int, int]
    number: float
    text: str
    panel: int = 0


class Words(NamedTuple):
    """A caption, centred in its box; `is_right` where it ends at the right of it."""

    text: str
    box: tuple[int, int, int, int]
    is_right: bool = False


class Ground(NamedTuple):
    """The area of a Jacobian, for its dashed frame."""

    factor: int
    box: tuple[int, int, int, int]


class Map(NamedTuple):
    """A large Jacobian seen from afar, and which part of it is drawn below."""

    factor: int
    box: tuple[int, int, int, int]
    part: tuple[int, int, int, int]


class Look(NamedTuple):
    """Which part of a factor is drawn: its first row and column and its numbers."""

    top: int
    left: int
    block: Matrix


@dataclass(frozen=True)
class Plan:
    """Everything to draw at one width.

    Attributes:
        tiles: in the order v, J, out of each band.
        words: captions.
        grounds: areas of Jacobians.
        maps: of large ones.
        pixels: size of the numbers.
        height: of it all.
    """

    tiles: tuple[Tile, ...]
    words: tuple[Words, ...]
    grounds: tuple[Ground, ...]
    maps: tuple[Map, ...]
    pixels: int
    height: int

    @cached_property
    def columns(self) -> list[tuple[int, int]]:
        """Factor and column of each number that goes out, from left to right."""
        return [(tile.factor, tile.column) for tile in self.tiles if tile.kind == OUT]


def planned(product: Product, looks: Sequence[Look], width: int) -> Plan:
    """Place the tiles of a product in a width in pixels.

    Args:
        product: which has factors.
        looks: the part of each factor that is drawn.
    """
    together = [list(range(len(looks)))]
    rows = {look.block.shape[0] for look in looks}
    is_small = all(factor.is_whole for factor in product.factors)
    if len(looks) > 1 and not (is_small and len(rows) == 1 and _fits(looks, width)):
        together = [[number] for number in range(len(looks))]
    bands = [_Band(product, looks, numbers, width) for numbers in together]
    pixels, digits = _size(bands)
    if digits < DIGITS and len(looks) > len(bands):  # one below the other they are wider, and the numbers whole
        bands = [_Band(product, looks, [number], width) for number in range(len(looks))]
        pixels, digits = _size(bands)
    tiles: list[Tile] = []
    words: list[Words] = []
    grounds: list[Ground] = []
    maps: list[Map] = []
    y = 0
    for band in bands:
        y += APART if y else 0
        y = band.place(y, pixels, digits, tiles, words, grounds, maps)
    return Plan(tuple(tiles), tuple(words), tuple(grounds), tuple(maps), pixels, y)


def _across(looks: Sequence[Look]) -> int:
    return sum(look.block.shape[1] for look in looks)


def _fits(looks: Sequence[Look], width: int) -> bool:
    """Whether several Jacobians stand beside one v, laid on their rows."""
    return _tile_width(1 + _across(looks), len(looks), width) >= LEAST


def _tile_width(tiles: int, gaps: int, width: int, widest: int = WIDEST) -> int:
    """Width of each of so many tiles in a row with so many larger gaps."""
    return min((width - gaps * (APART - GAP) - 2 * SPACE + GAP) // tiles - GAP, widest)


class _Band:
    """One v with the Jacobians that stand beside or above it."""

    def __init__(self, product: Product, looks: Sequence[Look], numbers: list[int], width: int) -> None:
        self._product, self._numbers = product, numbers
        self._looks = [looks[number] for number in numbers]
        self._factors: list[Factor] = [product.factors[number] for number in numbers]
        self._width = width
        self.rows: int = self._looks[0].block.shape[0]
        self._longest: dict[int, int] = {}
        self._distinct = self._written_once()
        across, apart = _across(self._looks), len(numbers)
        is_whole = all(factor.is_whole for factor in self._factors)
        widest = min(max(WIDEST, ceil(self.longest(DIGITS) * LONG_PIXELS * DIGIT) + SPACE), WIDEST_LONG)
        in_a_row = _tile_width(self.rows + across, apart, width, widest)
        self.tile = in_a_row
        is_read = is_whole and in_a_row >= LEAST_IN_A_ROW
        self.is_row = is_read and self.longest(DIGITS) * LEAST_PIXELS[DIGITS] * DIGIT <= in_a_row - 1
        self.tile = in_a_row if self.is_row else max(_tile_width(1 + across, apart, width, widest), 8)

    def longest(self, digits: int) -> int:
        """Characters of the longest number."""
        if digits not in self._longest:
            self._longest[digits] = max((len(written(number, digits)) for number in self._distinct), default=1)
        return self._longest[digits]

    def _written_once(self) -> set[float]:
        """The numbers that are written, each once: most of a Jacobian are 0."""
        top = self._looks[0].top
        found = set(self._product.v[top : top + self.rows].tolist())
        for factor, look in zip(self._factors, self._looks, strict=True):
            found.update(look.block.ravel().tolist())
            found.update(factor.sent[look.left : look.left + look.block.shape[1]].tolist())
        return found

    def place(
        self, y: int, pixels: int, digits: int, tiles: list[Tile], words: list[Words], grounds: list[Ground],
        maps: list[Map],
    ) -> int:  # fmt: skip
        """Place everything from a height on; returns where it ends."""
        if not self._factors[0].is_whole:
            y = self._place_map(y, maps, words)
        high = HIGHEST if self.rows <= 6 else LOWEST
        step, down = self.tile + GAP, high + GAP
        v_wide = (self.rows if self.is_row else 1) * step - GAP
        whole = v_wide + _across(self._looks) * step - GAP * len(self._looks) + APART * len(self._looks)
        x0 = max((self._width - whole) // 2, SPACE)
        grid, below = y + CAPTION, y + CAPTION + self.rows * down + SPACE
        top, most = self._looks[0].top, int((self.tile + 1) / (pixels * DIGIT))
        for row in range(self.rows):
            box = (x0 + row * step, below, self.tile, high) if self.is_row else (x0, grid + row * down, self.tile, high)
            number = float(self._product.v[top + row])
            tiles.append(Tile(V, -1, top + row, -1, box, number, fitted(number, digits, most)))
        x = x0 + v_wide + APART
        for number, look, factor in zip(self._numbers, self._looks, self._factors, strict=True):
            across = look.block.shape[1] * step - GAP
            name = f"∂{self._product.name}/∂{factor.name}"
            if not self.is_row and across >= 130:
                name += ", never built"
            words.append(Words(name, (x - APART // 2, y - 2, across + APART, CAPTION)))
            grounds.append(Ground(number, (x - 2, grid - 2, across + 4, self.rows * down - GAP + 4)))
            texts: dict[float, str] = {}
            for row, entries in enumerate(look.block.tolist()):
                for column, entry in enumerate(entries):
                    text = texts.get(entry) or texts.setdefault(entry, fitted(entry, digits, most))
                    box = (x + column * step, grid + row * down, self.tile, high)
                    tiles.append(Tile(J, number, look.top + row, look.left + column, box, entry, text))
            for column in range(look.block.shape[1]):
                sent = float(factor.sent[look.left + column])
                box = (x + column * step, below, self.tile, high)
                tiles.append(Tile(OUT, number, -1, look.left + column, box, sent, fitted(sent, digits, most)))
            under = (x - APART // 2, below + high, max(across, 50) + APART, CAPTION)
            words.append(Words("goes out" if len(self._numbers) == 1 else f"to {factor.name}", under))
            x += across + APART
        self._caption_v(words, x0, y, grid, below, high, v_wide)
        return below + high + CAPTION

    def _caption_v(self, words: list[Words], x: int, y: int, grid: int, below: int, high: int, v_wide: int) -> None:
        if not self.is_row:
            words.append(Words("v", (x - 8, y - 2, self.tile + 16, CAPTION)))
            return
        words.append(Words("v comes in" if v_wide >= 58 else "v", (x - 10, below + high, v_wide + 20, CAPTION)))
        if v_wide >= 68:  # the corner over v is free
            middle = (grid + below) // 2
            words.append(Words("J, never built", (x - SPACE, middle - CAPTION, v_wide + SPACE, CAPTION), True))

    def _place_map(self, y: int, maps: list[Map], words: list[Words]) -> int:
        factor, look = self._factors[0], self._looks[0]
        height, width = factor.jacobian.shape
        room = self._width - 4 * SPACE
        high = int(min(max(room * height / max(width, 1), MAP_LEAST), MAP_MOST))
        x = 2 * SPACE
        part = (
            x + int(room * look.left / width), y + CAPTION + int(high * look.top / height),
            max(int(room * look.block.shape[1] / width), 4), max(int(high * look.block.shape[0] / height), 4),
        )  # fmt: skip
        maps.append(Map(self._numbers[0], (x, y + CAPTION, room, high), part))
        words.append(Words(f"J would be {height:,} × {width:,}", (0, y - 2, self._width, CAPTION)))
        rows, columns = look.block.shape
        where = f"rows {look.top} to {look.top + rows - 1}, columns {look.left} to {look.left + columns - 1}"
        words.append(Words(where, (0, y + CAPTION + high + 2, self._width, CAPTION)))
        return y + 2 * CAPTION + high + 2 * SPACE


def _size(bands: Sequence[_Band]) -> tuple[int, int]:
    """Size of the numbers, and significant digits, at which the longest of all fits into its tile."""
    for digits in (DIGITS, 3, 2, 1):
        for pixels in FONTS:
            if pixels < LEAST_PIXELS.get(digits, 0):
                continue
            if all(band.longest(digits) * pixels * DIGIT <= band.tile - 1 for band in bands):
                return pixels, digits
    return (9 if min(band.tile for band in bands) > 20 else FONTS[-1]), 1


@lru_cache(maxsize=4096, typed=True)
def written(number: float, digits: int) -> str:
    """A number with a typographic minus; with `DIGITS` as it stands everywhere, with fewer than 3 without a 0 before
    the point.
    """
    text = number_text(number) if digits >= DIGITS else rounded(number + 0.0, digits)
    if digits < 3:
        text = text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
    return text.replace("-", "−")


def fitted(number: float, digits: int, most: int) -> str:
    """A number in at most so many characters, where there are any such: with fewer decimals, or as "≈0"."""
    text = written(number, digits)
    for decimals in (2, 1, 0):
        if len(text) <= most:
            return text
        short = f"{number:.{decimals}f}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.{decimals}f}"
        text = "≈0" if number and not float(short or 0) else short.replace("-", "−")
    return text if len(text) <= most else f"{number:.0e}".replace("e+0", "e").replace("-", "−")
