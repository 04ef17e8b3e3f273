"""Colours in OKLab (Björn Ottosson, 2020), where equal steps look equal.

Arrays of colours have their three channels in the last axis; encoded colours are sRGB, 0..1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
Image = np.ndarray[Any, np.dtype[np.uint8]]

_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def lab_of(text: str) -> Floats:
    """Lightness, green to red, blue to yellow of "#RRGGBB"; shape (3,)."""
    return lab(np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)]) / 255)


def lab(encoded: Floats) -> Floats:
    """OKLab of sRGB colours; shape (..., 3)."""
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    result: Floats = np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T
    return result


def blend(one: str, other: str, shares: Floats) -> Image:
    """Colours on the straight way from one to another, RGBA of shape (len(shares), 4).

    Args:
        shares: 0 for `one`, 1 for `other`.
    """
    start, end = lab_of(one), lab_of(other)
    cones = ((start + shares[:, None] * (end - start)) @ np.linalg.inv(_TO_LAB).T) ** 3
    linear = np.clip(cones @ np.linalg.inv(_TO_CONES).T, 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    colours = np.full((len(shares), 4), 255, dtype=np.uint8)
    colours[:, :3] = np.rint(255 * encoded)
    return colours
