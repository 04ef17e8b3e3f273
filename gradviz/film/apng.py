"""An animated PNG, which every current browser plays: all colours, and of each image only the part that changed.

Written by the standard library: the chunks of the PNG specification, third edition, with acTL, fcTL and fdAT.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np

from gradviz.film.images import Image, changed_part

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COUNT_AT = len(_SIGNATURE) + 25 + 8
"""Where the number of images stands: after the signature, the header, and the head of its own chunk."""
_LEVEL = 6


class Apng:
    """An APNG that is being written.

    Args:
        rate: ticks per second.
        samples: images of its size.
    """

    def __init__(self, rate: int, samples: Sequence[Image]) -> None:
        height, width = samples[0].shape[:2]
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        self._file = bytearray(_SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"acTL", bytes(8)))
        self._rate, self._images, self._parts = rate, 0, 0
        self._before: Image | None = None
        self._delay_at, self._ticks = 0, 0

    def add(self, image: Image, ticks: int) -> None:
        """Show an image for so many ticks."""
        height, width = image.shape[:2]
        part = (0, 0, width, height) if self._before is None else changed_part(self._before, image)
        if part is None:
            self._ticks += ticks  # the image before stands longer
            self._write_control()
            return
        left, top, right, bottom = part
        self._place = (right - left, bottom - top, left, top)
        self._delay_at, self._ticks, self._number = len(self._file), ticks, self._parts
        self._file += bytes(38)
        self._write_control()
        self._parts += 1
        packed = zlib.compress(_filtered(image[top:bottom, left:right]), _LEVEL)
        if self._before is None:
            self._file += _chunk(b"IDAT", packed)
        else:
            self._file += _chunk(b"fdAT", struct.pack(">I", self._parts) + packed)
            self._parts += 1
        self._images += 1
        self._before = image

    def finish(self) -> bytes:
        """The whole file; it plays for ever."""
        count = _chunk(b"acTL", struct.pack(">II", self._images, 0))
        self._file[_COUNT_AT - 8 : _COUNT_AT + 12] = count
        return bytes(self._file + _chunk(b"IEND", b""))

    def _write_control(self) -> None:
        """What is said of the last image: its place, and how long it stands."""
        ticks, rate = self._ticks, self._rate
        while ticks > 0xFFFF:  # longer than the format can say in these units
            ticks, rate = (ticks + 1) // 2, max(1, rate // 2)
        control = struct.pack(">IIIIIHHBB", self._number, *self._place, ticks, rate, 0, 0)
        self._file[self._delay_at : self._delay_at + 38] = _chunk(b"fcTL", control)


def _filtered(image: Image) -> bytes:
    """The rows with each pixel told by its difference from the one above it, which flat areas make zero."""
    height, width = image.shape[:2]
    rows = np.empty((height, 1 + 3 * width), dtype=np.uint8)
    flat = image.reshape(height, 3 * width)
    rows[:, 0] = 2
    rows[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=rows[1:, 1:])
    return rows.tobytes()


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
