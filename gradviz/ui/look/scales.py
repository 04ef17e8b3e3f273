"""The signed scale of numbers, in even steps from blue over the ground to orange, for heat maps and the graph alike.

Blue is below zero and orange above, which people who tell red from green badly see too; both ends are equally far
from zero in OKLab. A heat map spreads it evenly over its numbers. In the graph, where sizes differ by decades, it goes
by the power of ten, from 10⁻⁶ to 10³, the same for every graph; what lies beyond has a form of its own.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gradviz.ui.look.oklab import Floats, Image, blend
from gradviz.ui.look.palette import Palette

LEAST, MOST = -6, 3
"""Powers of ten: below the first a gradient vanishes, above the second it explodes."""

LEVELS = 2 * (MOST - LEAST)
"""Half a decade each."""

_FIRST = 0.22
"""Share of the full colour that the smallest size has: it is seen on the ground."""

_ENDS = {
    (False, False): ("#206AB6", "#F7F7F7", "#A64B00"),
    (True, False): ("#60A8FA", "#2A2C30", "#E9884D"),
    (False, True): ("#114984", "#FFFFFF", "#742E00"),
    (True, True): ("#8AC2FF", "#1C1C1C", "#F7A97C"),
}


def scale_colours(palette: Palette) -> tuple[str, str, str]:
    """The colours of the least, zero and the greatest value."""
    return _ENDS[palette.is_dark, palette.is_strong]


def signed(palette: Palette, shares: Floats) -> Image:
    """Colours by share of the full scale, -1..1; RGBA of shape (len(shares), 4)."""
    low, zero, high = scale_colours(palette)
    return np.where(shares[:, None] < 0, blend(zero, low, np.abs(shares)), blend(zero, high, np.abs(shares)))


@lru_cache(maxsize=16)
def level_colours(palette: Palette, is_negative: bool) -> tuple[str, ...]:
    """The colour of each of the `LEVELS` sizes, "#rrggbb", the smallest first."""
    shares = _FIRST + (1 - _FIRST) * np.linspace(0, 1, LEVELS)
    rows = signed(palette, -shares if is_negative else shares)[:, :3].tolist()
    return tuple(f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in rows)
