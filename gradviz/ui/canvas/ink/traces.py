"""Lines a pixel wide as the pixels that Qt draws of them: many short ones are set in memory, twice as fast."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.ink.memory import Pixels
from gradviz.ui.canvas.plane.reach import Flags

_LENGTHS = (4, 18)
"""Pixels: lines up to each of these are kept together. Longer ones are few where the picture is small."""

_RIM = 2.0
"""Pixels from the rim in which Qt cuts lines off."""


class Traces:
    """The pixels of lines without smooth edges.

    They are those of Qt's QCosmeticStroker (qcosmeticstroker.cpp): ends in 64ths of a pixel, lengthened by half a
    pixel; then pixel by pixel along the longer side, with a slope in 65536ths.

    Args:
        lines: (x1, y1, x2, y2) in device pixels, shape (n, 4).
        size: of the picture, in device pixels.
    """

    def __init__(self, lines: Floats, size: QSize) -> None:
        self._groups = np.full(len(lines), len(_LENGTHS), dtype=np.uint8)
        self._places = np.zeros(len(lines), dtype=np.intp)
        self._pixels: list[Ints] = []
        x1, y1, x2, y2 = np.ascontiguousarray(lines.T)
        longer = np.maximum(np.abs(x2 - x1), np.abs(y2 - y1))
        is_seen = (np.minimum(x1, x2) >= _RIM) & (np.maximum(x1, x2) < size.width() - _RIM)
        is_seen &= (np.minimum(y1, y2) >= _RIM) & (np.maximum(y1, y2) < size.height() - _RIM)
        short = np.flatnonzero(is_seen & (longer > 1.0) & (longer < _LENGTHS[-1]))
        walks = _walks((lines.take(short, axis=0).T * 64.0).astype(np.int32), size.width())
        shorter = 0
        for group, most in enumerate(_LENGTHS):
            some = np.flatnonzero((walks[0] > shorter) & (walks[0] <= most))
            self._groups[short[some]], self._places[short[some]] = group, np.arange(len(some))
            self._pixels.append(_pixels(walks[:, some], most))
            shorter = most

    def fill(self, image: QImage, which: Ints, ink: QColor) -> Flags:
        """Draw the lines `which` (indices) in an opaque colour; which of them are left to draw otherwise."""
        groups = self._groups.take(which)
        memory = np.frombuffer(image.bits(), dtype=np.uint32)
        for group, pixels in enumerate(self._pixels):
            memory[pixels.take(self._places.take(which[groups == group]), axis=0)] = ink.rgb()
        is_left: Flags = groups == len(_LENGTHS)
        return is_left


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


def _pixels(walks: Pixels, most: int) -> Ints:
    """Places of pixels in memory; the last one of a line again where it has fewer; shape (n, most)."""
    counts, firsts, across, slopes, along_by, across_by = walks[:, :, None]
    steps = np.minimum(np.arange(most, dtype=np.int32), counts - 1)
    places = (firsts + steps) * along_by + (across + steps * slopes >> 16) * across_by
    indices: Ints = places.astype(np.intp)
    return indices
