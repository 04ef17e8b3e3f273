"""A GIF by Pillow: 256 colours for all of it, and of each image only the part that changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image as Pillow
from PIL.GifImagePlugin import getdata, getheader

from gradviz.film.images import Image, changed_part

_Indices = np.ndarray[Any, np.dtype[np.uint8]]

_EXACT = 176
"""Colours taken as they are, the most frequent ones; the rest of the 256 stand for all others."""


class Gif:
    """A GIF that is being written.

    Args:
        rate: ticks per second; the format counts hundredths of a second, to which each moment is rounded.
        samples: images from which the colours are taken.
    """

    def __init__(self, rate: int, samples: Sequence[Image]) -> None:
        self._rate, self._ticks = rate, 0
        self._colours = _palette(samples)
        self._palette = self._colours.tobytes()
        # The index of each colour that was seen; Pillow's own search is faster, and off by a few shades.
        self._known = np.full(1 << 24, -1, dtype=np.int16)
        self._known[_codes(self._colours)[::-1]] = np.arange(256, dtype=np.int16)[::-1]
        self._file = bytearray()
        self._waiting: tuple[Pillow.Image, tuple[int, int], int] | None = None
        self._before: Image | None = None

    def add(self, image: Image, ticks: int) -> None:
        """Show an image for so many ticks."""
        indices = self._indices(image)
        image = indices[:, :, None]
        height, width = indices.shape
        part = (0, 0, width, height) if self._before is None else changed_part(self._before, image)
        began, self._ticks = self._ticks, self._ticks + ticks
        if part is None:
            return  # the image before stands longer
        self._write(began)
        left, top, right, bottom = part
        shown = Pillow.fromarray(np.ascontiguousarray(indices[top:bottom, left:right]))
        shown.putpalette(self._palette)
        self._waiting = (shown, (left, top), began)
        self._before = image

    def finish(self) -> bytes:
        """The whole file; it plays for ever."""
        self._write(self._ticks)
        return bytes(self._file) + b";"

    def _indices(self, image: Image) -> _Indices:
        """For each pixel the colour of the palette that is nearest."""
        codes = _codes(image)
        found = self._known[codes]
        if (found < 0).any():
            new = np.unique(codes[found < 0])
            away = _colours_of(new).astype(np.int32)[:, None] - self._colours.astype(np.int32)
            self._known[new] = (away * away).sum(axis=2).argmin(axis=1)
            found = self._known[codes]
        indices: _Indices = found.astype(np.uint8)
        return indices

    def _write(self, ends: int) -> None:
        """Write the image that was waiting until it is known how long it stands."""
        if self._waiting is None:
            return
        image, place, began = self._waiting
        if not self._file:
            for part in getheader(image.copy(), info={"loop": 0, "optimize": False})[0]:
                self._file += part
        duration = 10 * (self._hundredths(ends) - self._hundredths(began))
        for part in getdata(image, place, duration=duration, include_color_table=False):
            self._file += part

    def _hundredths(self, ticks: int) -> int:
        return (200 * ticks + self._rate) // (2 * self._rate)


def _palette(samples: Sequence[Image]) -> Image:
    """256 colours, shape (256, 3): the most frequent as they are, the others by cutting them up."""
    codes, counts = np.unique(np.concatenate([_codes(sample).ravel() for sample in samples]), return_counts=True)
    order = np.lexsort((codes, -counts.astype(np.int64)))
    exact, others = codes[order[:_EXACT]], codes[order[_EXACT:]]
    colours = _colours_of(exact)
    if len(others):
        rest = Pillow.fromarray(_colours_of(others)[None])
        cut = rest.quantize(256 - len(exact), method=Pillow.Quantize.MEDIANCUT).getpalette() or []
        colours = np.concatenate([colours, np.array(cut, dtype=np.uint8).reshape(-1, 3)])[:256]
    return np.concatenate([colours, np.repeat(colours[:1], 256 - len(colours), axis=0)])


def _codes(image: Image) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Each colour as one number."""
    wide = image.astype(np.uint32)
    codes: np.ndarray[Any, np.dtype[np.uint32]] = wide[..., 0] << np.uint32(16) | wide[..., 1] << np.uint32(8)
    return codes | wide[..., 2]


def _colours_of(codes: np.ndarray[Any, np.dtype[np.uint32]]) -> Image:
    return np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=-1).astype(np.uint8)
