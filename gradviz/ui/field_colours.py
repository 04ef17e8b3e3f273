"""The colours of a surface under arrows: forward blue, from the lowest to the highest, in even steps of lightness.

Quiet on purpose: the arrows on it are the fact. Every colour keeps 3 : 1 against the orange of the arrows.
Blended in OKLab (Björn Ottosson, 2020), where equal steps look equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ui.palette import Palette

Floats = np.ndarray[Any, np.dtype[np.float64]]
Image = np.ndarray[Any, np.dtype[np.uint8]]

STEPS = 256

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


def ends(palette: Palette) -> tuple[str, str]:
    """The colours of the lowest and the highest point. Higher is further from the background."""
    return ("#1A2130", "#285590") if palette.is_dark else ("#FBFCFE", "#A9CCF6")


def table(palette: Palette) -> Image:
    """All colours of the map, RGBA of shape (256, 4)."""
    low, high = (_lab(text) for text in ends(palette))
    blend = low + np.linspace(0, 1, STEPS)[:, None] * (high - low)
    cones = (blend @ np.linalg.inv(_TO_LAB).T) ** 3
    linear = np.clip(cones @ np.linalg.inv(_TO_CONES).T, 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    colours = np.full((STEPS, 4), 255, dtype=np.uint8)
    colours[:, :3] = np.rint(255 * encoded)
    return colours


def coloured(heights: Floats, low: float, high: float, palette: Palette) -> Image:
    """Heights as RGBA of shape (*heights.shape, 4); transparent where a height is not finite."""
    finite = np.isfinite(heights)
    share = (np.where(finite, heights, low) - low) / (high - low if high > low else 1.0)
    picture = table(palette)[np.rint(np.clip(share, 0, 1) * (STEPS - 1)).astype(np.intp)]
    picture[~finite] = 0
    return picture


def _lab(text: str) -> Floats:
    encoded = np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    result: Floats = _TO_LAB @ np.cbrt(_TO_CONES @ linear)
    return result
