"""A number that is dragged: how far it goes for so many pixels. Knows no Qt.

It goes in steps of a tenth of its own power of ten, and lands on round numbers: from 1 by 0.1, from 250 by 10. So 40
pixels are ten steps, whatever its size, and dragging back to where it began gives the very number of the beginning.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

PIXELS = 4
"""For one step."""
FINE = 10
"""A fine step is so many times smaller."""
_LEAST, _MOST = 1e-30, 1e30
"""Magnitudes between which a number has steps of its own: float32 holds all of them."""


@dataclass(frozen=True)
class Drag:
    """One number under the pointer.

    Attributes:
        start: the number where dragging began.
        scale: a usual size of the numbers around it, for a start of 0, which has no power of ten.
        is_whole: whether only whole numbers will do.
    """

    start: float
    scale: float = 1.0
    is_whole: bool = False

    @property
    def step(self) -> float:
        """What one step adds."""
        size = abs(self.start) if math.isfinite(self.start) and self.start else abs(self.scale)
        size = min(max(size if math.isfinite(size) and size else 1.0, _LEAST), _MOST)
        step = 10.0 ** (math.floor(math.log10(size) + 1e-9) - 1)
        return max(1.0, step) if self.is_whole else step

    def number(self, pixels: float, *, is_fine: bool = False) -> float:
        """The number after dragging to the right (or up) by so many pixels; to the left it falls."""
        return self.after(int(pixels / PIXELS), is_fine=is_fine)

    def after(self, steps: int, *, is_fine: bool = False) -> float:
        """The number after so many steps: on a round number, unless that is where it began."""
        if not steps:
            return self.start
        step = self.step / (FINE if is_fine and not self.is_whole else 1)
        start = self.start if math.isfinite(self.start) else 0.0
        reached = (round(start / step) + steps) * step
        return float(f"{reached:.12g}") + 0.0  # without the last digits that a product of decimals has, and no -0
