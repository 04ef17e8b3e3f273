"""The pixels of a picture in memory: many small rectangles filled, all of it moved, four times as fast as by Qt."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from PySide6.QtGui import QColor, QImage, QPainter

from gradviz.layout.plan import Floats

Pixels = np.ndarray[Any, np.dtype[np.int32]]

_LEAST_RUN = 24
"""Rectangles of one size, in the mean, for which it is faster to fill them together."""


def whole_pixels(boxes: Floats, ratio: float) -> Pixels:
    """Rectangles (left, top, right, bottom) on whole device pixels, `ratio` of them to a unit: as in QRects.

    Qt rounds halves in two ways, and fills whole numbers four times as fast.
    """
    rows = np.floor(boxes * ratio + 0.5).astype(np.int32)
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
    memory, (width, height) = image.bits(), image.size().toTuple()
    for (first, last), (west, north, east, south), end in rows_of:
        across, down = east - west + 1, south - north + 1
        if across > 0 and down > 0:
            # Every block of this size, by its first pixel; a row of it is one value, which is copied as a whole.
            row = np.void(colours[end - 1] * across)
            count = width * (height - down + 1) - across + 1
            np.ndarray((count, down), row.dtype, memory, strides=(4, 4 * width))[places[first:last]] = row
    return True


def plain_picture(painter: QPainter) -> QImage | None:
    """The picture on which a painter draws opaque pixels just where it is told to; None where it does not."""
    image = painter.device()
    if not isinstance(image, QImage) or image.format() != QImage.Format.Format_RGB32 or painter.hasClipping():
        return None
    return image if painter.opacity() == 1.0 and painter.worldTransform().isIdentity() else None


def scroll(image: QImage, across: int, down: int) -> None:
    """Move all of a picture by some pixels; what comes from outside is undefined."""
    pixels = np.frombuffer(image.bits(), dtype=np.uint32)
    by = down * image.width() + across
    if by > 0:
        pixels[by:] = pixels[:-by]
    elif by < 0:
        pixels[:by] = pixels[-by:]
