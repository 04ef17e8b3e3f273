"""Lines a pixel wide as the pixels that Qt draws of them: set in memory all at once, several times as fast."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.ink.memory import Pixels
from gradviz.ui.canvas.plane.geometry import Bytes
from gradviz.ui.canvas.plane.reach import Flags

_RIM = 2.0
"""Pixels from the rim in which Qt cuts lines off."""

_MOST_PIXELS = 1_000_000

_DEEP = 8
"""Lines over one pixel that are gone through one by one; more are compared at once, which is slow for few."""

_OPAQUE = np.uint32(0xFF000000)


class Traces:
    """The pixels of lines without smooth edges, and which lines are over each.

    They are those of Qt's QCosmeticStroker (qcosmeticstroker.cpp): ends in 64ths of a pixel, lengthened by half a
    pixel; then pixel by pixel along the longer side, with a slope in 65536ths.

    Attributes:
        is_whole: whether all lines are in it. Those at the rim of the picture and those of up to a pixel Qt draws
            otherwise; without all of them it can draw none, as they lie over one another.

    Args:
        lines: (x1, y1, x2, y2) in device pixels, shape (n, 4).
        size: of the picture, in device pixels.
        covered: the pixels that something is drawn over each time, shape (height * width,); they are left out.
    """

    def __init__(self, lines: Floats, size: QSize, covered: Flags | None = None) -> None:
        self.is_whole = len(lines) > 0 and bool(_are_inside(lines, size).all())
        if not self.is_whole:
            return
        walks = _walks((lines.T * 64.0).astype(np.int32), size.width())
        self.is_whole = int(walks[0].sum()) <= _MOST_PIXELS
        if self.is_whole:
            places, owners = _pixels(walks)
            seen = slice(None) if covered is None else np.flatnonzero(~covered.take(places))
            self._take(places[seen], owners[seen])

    def _take(self, places: Ints, owners: Ints) -> None:
        """Keep each pixel once, those under the most lines last.

        Args:
            places: of pixels in memory.
            owners: the line of each.
        """
        order = np.argsort(places)
        places, owners = places[order], owners[order]
        starts = np.flatnonzero(np.append(len(places) > 0, places[1:] != places[:-1]))
        counts = np.diff(np.append(starts, len(places)))
        by_count = np.argsort(np.minimum(counts, _DEEP + 1).astype(np.uint8), kind="stable")
        starts, counts = starts[by_count], counts[by_count]
        self._places = places[starts]
        ends = np.searchsorted(np.minimum(counts, _DEEP + 1), np.arange(_DEEP + 1), side="right").tolist()
        self._layers = [(end, owners[starts[end:] + number]) for number, end in enumerate(ends[:-1])]
        deep = counts[ends[-1] :]
        self._deep = ends[-1]
        self._deep_starts = np.cumsum(deep) - deep
        self._deep_owners = owners[np.repeat(starts[ends[-1] :] - self._deep_starts, deep) + np.arange(deep.sum())]

    def fill(self, image: QImage, codes: Bytes, inks: Sequence[QColor]) -> None:
        """Draw lines in opaque colours.

        Args:
            codes: of each line; one of a higher code lies over one of a lower code. Those without an ink are not drawn.
            inks: the colour of each code.
        """
        table = np.zeros(256, dtype=np.uint32)
        table[: len(inks)] = [code + 1 << 24 | ink.rgb() & 0xFFFFFF for code, ink in enumerate(inks)]
        # The higher of two of these numbers is that of the line above; its colour is what remains without the code.
        numbers = table.take(codes)
        (_, owners), *above = self._layers
        values = numbers.take(owners)
        for start, owners in above:
            np.maximum(values[start:], numbers.take(owners), out=values[start:])
        if len(self._deep_starts):
            values[self._deep :] = np.maximum.reduceat(numbers.take(self._deep_owners), self._deep_starts)
        memory = np.frombuffer(image.bits(), dtype=np.uint32)
        hidden = np.flatnonzero(values == 0)
        values |= _OPAQUE
        values[hidden] = memory[self._places[hidden]]
        memory[self._places] = values


def _are_inside(lines: Floats, size: QSize) -> Flags:
    """Which lines Qt does not draw in a way of their own."""
    x1, y1, x2, y2 = np.ascontiguousarray(lines.T)
    inside: Flags = np.maximum(np.abs(x2 - x1), np.abs(y2 - y1)) > 1.0
    inside &= (np.minimum(x1, x2) >= _RIM) & (np.maximum(x1, x2) < size.width() - _RIM)
    inside &= (np.minimum(y1, y2) >= _RIM) & (np.maximum(y1, y2) < size.height() - _RIM)
    return inside


def _walks(ends: Pixels, width: int) -> Pixels:
    """How lines are walked along, by x1, y1, x2, y2 in 64ths of a pixel, shape (4, n).

    Returns:
        How many pixels, the first one along, where it is across in 65536ths, by how much that grows with each, and how
        far the next pixel along and the next one across are in memory; shape (6, n).
    """
    is_steep = np.abs(ends[2] - ends[0]) < np.abs(ends[3] - ends[1])
    along = np.where(is_steep, ends[1::2], ends[::2])
    across = np.where(is_steep, ends[::2], ends[1::2])
    is_back = along[0] > along[1]
    start, end = np.where(is_back, along[::-1], along)
    side, other = np.where(is_back, across[::-1], across)
    slopes = ((other - side) * 65536.0 / (end - start)).astype(np.int32)
    firsts = start >> 6
    before = (firsts << 6) + (slopes > 0) * np.int32(32) - (start - 32)
    sides = (side << 10) - (slopes >> 1) + (before * slopes >> 6)
    strides = np.where(is_steep, *np.array([[[width], [1]], [[1], [width]]], dtype=np.int32))
    walks: Pixels = np.vstack([(end + 64 >> 6) - firsts, firsts, sides, slopes, strides])
    return walks


def _pixels(walks: Pixels) -> tuple[Ints, Ints]:
    """Places in memory of the pixels of walks, and the line of each; both of shape (p,)."""
    counts = walks[0]
    owners = np.repeat(np.arange(len(counts)), counts)
    befores = np.cumsum(counts) - counts
    _, firsts, across, slopes, along_by, across_by = walks.take(owners, axis=1)
    steps = np.arange(len(owners), dtype=np.int32) - befores.astype(np.int32).take(owners)
    places = (firsts + steps) * along_by + (across + steps * slopes >> 16) * across_by
    return places.astype(np.intp), owners
