"""The pixels of a picture in memory: many small rectangles filled, all of it moved, four times as fast as by Qt."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage, QPainter

from gradviz.layout.plan import Floats, Ints

Pixels = np.ndarray[Any, np.dtype[np.int32]]
Words = np.ndarray[Any, np.dtype[np.uint32]]

TIE = 1e-6
"""Places that are this near to the middle of two pixels go to the right one, whatever the last bit of a sum is."""

_LEAST_RUN = 24
"""Rectangles of one size, in the mean, for which it is faster to fill them together."""


def whole_pixels(boxes: Floats, ratio: float) -> Pixels:
    """Rectangles (left, top, right, bottom) on whole device pixels, `ratio` of them to a unit: as in QRects.

    Qt rounds halves in two ways, and fills whole numbers four times as fast.
    """
    rows = np.floor(boxes * ratio + (0.5 + TIE)).astype(np.int32)
    rows[:, 2:] -= 1  # the last pixel of a QRect is its own
    return rows


def sides_of(rows: Pixels) -> Pixels:
    """Left, top, right, bottom of rectangles from `whole_pixels`."""
    sides: Pixels = rows + np.array([0, 0, 1, 1], dtype=np.int32)
    return sides


def grown(rows: Pixels, by: int) -> Pixels:
    """Rectangles of whole pixels larger by so many on each side."""
    larger: Pixels = rows + np.array([-by, -by, by, by], dtype=np.int32)
    return larger


def fill_memory(painter: QPainter, rows: Pixels, starts: Sequence[int], inks: Sequence[QColor]) -> bool:
    """Fill rectangles of whole device pixels, if that can be done without the painter.

    Args:
        rows: from `whole_pixels`, shape (n, 4); those of one size in a row.
        starts: where those of each colour begin, and the end of the rows.

    Returns:
        False, and nothing is filled, where the painter draws on something else, cuts or moves what it draws, where a
        rectangle is not wholly inside the picture, or where they are of too many sizes.
    """
    image = plain_picture(painter)
    if image is None:
        return False
    left, top, right, bottom = np.ascontiguousarray(rows.T)
    if left.min() < 0 or top.min() < 0 or right.max() >= image.width() or bottom.max() >= image.height():
        return False
    sizes = (right - left) * (2 * image.height()) + (bottom - top)
    changes: list[int] = (np.flatnonzero(sizes[1:] != sizes[:-1]) + 1).tolist()
    if len(changes) * _LEAST_RUN > len(rows):
        return False
    cuts = sorted({*changes, *starts})
    places = top.astype(np.intp) * image.width() + left
    colours = [ink.rgb().to_bytes(4, sys.byteorder) for ink in inks]
    ends = np.searchsorted(starts, cuts[:-1], side="right").tolist()
    rows_of = zip(pairwise(cuts), rows.take(cuts[:-1], axis=0).tolist(), ends, strict=True)
    memory = _memory(image)
    for (first, last), (west, north, east, south), end in rows_of:
        across, down = east - west + 1, south - north + 1
        if across > 0 and down > 0:
            _alike(memory, across, down)[places[first:last]] = np.void(colours[end - 1] * across)
    return True


def _memory(image: QImage) -> Words:
    """The pixels of a picture; shape (height, width)."""
    return np.frombuffer(image.bits(), dtype=np.uint32).reshape(image.height(), image.width())


def _alike(memory: np.ndarray[Any, Any], across: int, down: int) -> np.ndarray[Any, Any]:
    """All blocks of a size in a picture, by the place of their first pixel; shape (p, down).

    A row of one is a single value, which is copied as a whole.
    """
    (height, width), item = memory.shape, memory.itemsize
    count = width * (height - down + 1) - across + 1
    return np.ndarray((count, down), f"V{item * across}", memory, strides=(item, item * width))


class Blocks:
    """Rectangles of whole pixels in a picture, to be filled over and over: all that depends on their places is known.

    Attributes:
        rows: the rectangles, as given.
        is_whole: whether all can be filled: they are inside the picture, apart from one another, and of few sizes.

    Args:
        rows: from `whole_pixels`, shape (n, 4); those of one size in a row.
        spare: pixels by which they may be grown.
    """

    def __init__(self, rows: Pixels, size: QSize, spare: int) -> None:
        self.rows = rows
        left, top, right, bottom = np.ascontiguousarray(rows.T)
        self._width = size.width()
        self._places = top.astype(np.intp) * self._width + left
        is_other = (np.diff(right - left) != 0) | (np.diff(bottom - top) != 0)
        self._starts: list[int] = [0, *(np.flatnonzero(is_other) + 1).tolist(), len(rows)]
        firsts = self._starts[:-1]
        sizes = zip((right - left)[firsts].tolist(), (bottom - top)[firsts].tolist(), strict=True)
        self._sizes = [(across + 1, down + 1) for across, down in sizes]
        self.is_whole = len(firsts) * _LEAST_RUN <= len(rows) and min(left.min(), top.min()) >= spare
        self.is_whole &= bool(right.max() < size.width() - spare and bottom.max() < size.height() - spare)
        self.is_whole = self.is_whole and self._are_apart(size)

    def covered(self, size: QSize) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which pixels they are on; shape (height, width)."""
        pixels = np.zeros((size.height(), size.width()), dtype=np.bool_)
        for (first, last), (across, down) in zip(pairwise(self._starts), self._sizes, strict=True):
            _alike(pixels, across, down)[self._places[first:last]] = np.void(b"\1" * across)
        return pixels

    def _are_apart(self, size: QSize) -> bool:
        counts = zip(pairwise(self._starts), self._sizes, strict=True)
        area = sum((last - first) * across * down for (first, last), (across, down) in counts)
        return bool(np.count_nonzero(self.covered(size)) == area)

    def fill(self, image: QImage, colours: Words) -> None:
        """Fill each with its own opaque colour, as in a picture; shape (n,)."""
        memory = _memory(image)
        for (first, last), (across, down) in zip(pairwise(self._starts), self._sizes, strict=True):
            rows = np.repeat(colours[first:last], across).view(f"V{4 * across}")
            _alike(memory, across, down)[self._places[first:last]] = rows[:, None]

    def fill_some(self, image: QImage, which: Ints, growth: int, ink: QColor) -> None:
        """Fill some (ascending indices), larger by so many pixels on each side, with an opaque colour."""
        memory, colour = _memory(image), ink.rgb().to_bytes(4, sys.byteorder)
        places = self._places.take(which) - growth * (self._width + 1)
        cuts: list[int] = np.searchsorted(which, self._starts).tolist()
        for (first, last), size in zip(pairwise(cuts), self._sizes, strict=True):
            across, down = (side + 2 * growth for side in size)
            if first < last and across > 0 and down > 0:
                _alike(memory, across, down)[places[first:last]] = np.void(colour * across)


def plain_picture(painter: QPainter) -> QImage | None:
    """The picture on which a painter draws opaque pixels just where it is told to; None where it does not."""
    image = painter.device()
    if not isinstance(image, QImage) or image.format() != QImage.Format.Format_RGB32 or painter.hasClipping():
        return None
    return image if painter.opacity() == 1.0 and painter.worldTransform().isIdentity() else None


def repeat(image: QImage, tile: QImage, left: int, top: int) -> None:
    """Cover a picture with a tile over and over: rows of tiles are copied as a whole.

    Args:
        tile: of the same kind of pixels.
        left, top: where a tile begins, in pixels of the picture.
    """
    memory, cell = _memory(image), _memory(tile)
    high, wide = cell.shape
    rows, columns = (np.arange(high) - top) % high, (np.arange(image.width()) - left) % wide
    band = cell.take(rows, axis=0).take(columns, axis=1)
    rest = image.height() % high
    memory[: image.height() - rest].reshape(-1, band.size)[:] = band.reshape(-1)
    memory[image.height() - rest :] = band[:rest]


def scroll(image: QImage, across: int, down: int) -> None:
    """Move all of a picture by some pixels; what comes from outside is undefined."""
    pixels = np.frombuffer(image.bits(), dtype=np.uint32)
    by = down * image.width() + across
    if by > 0:
        pixels[by:] = pixels[:-by]
    elif by < 0:
        pixels[:by] = pixels[-by:]
