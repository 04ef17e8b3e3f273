"""The colours of a surface under arrows: forward blue, from the lowest to the highest, in even steps of lightness.

Quiet on purpose: the arrows on it are the fact. Every colour keeps 3 : 1 against the orange of the arrows.
Blended in OKLab, where equal steps look equal.
"""

from __future__ import annotations

import numpy as np

from gradviz.ui.look.oklab import Floats, Image, blend
from gradviz.ui.look.palette import Palette

STEPS = 256


def ends(palette: Palette) -> tuple[str, str]:
    """The colours of the lowest and the highest point. Higher is further from the background."""
    return ("#1A2130", "#285590") if palette.is_dark else ("#FBFCFE", "#A9CCF6")


def table(palette: Palette) -> Image:
    """All colours of the map, RGBA of shape (256, 4)."""
    return blend(*ends(palette), np.linspace(0, 1, STEPS))


def coloured(heights: Floats, low: float, high: float, palette: Palette) -> Image:
    """Heights as RGBA of shape (*heights.shape, 4); transparent where a height is not finite."""
    finite = np.isfinite(heights)
    share = (np.where(finite, heights, low) - low) / (high - low if high > low else 1.0)
    picture = table(palette)[np.rint(np.clip(share, 0, 1) * (STEPS - 1)).astype(np.intp)]
    picture[~finite] = 0
    return picture
