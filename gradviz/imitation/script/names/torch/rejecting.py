"""Draws that try again until a number fits: with shapes out of all bounds none ever does, and Stop is not heard."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import TorchError


def check_shapes(given: list[Any], least: float, most: float, *, pole: float | None = None) -> None:
    """Check the numbers that shape a distribution; what is no number is left to the draw itself.

    Args:
        given: numbers, or arrays of them.
        least: numbers nearer to 0 than this are refused, but 0 itself is not.
        most: and so are those further from it than this.
        pole: and those next to this one.

    Raises:
        TorchError: a number is out of bounds.
    """
    for shape in given:
        try:
            numbers = np.abs(np.asarray(shape, dtype=float))
        except (TypeError, ValueError, OverflowError):
            continue
        usual = (numbers == 0) | ((numbers > least) & (numbers < most))
        if pole is not None:
            usual &= np.abs(numbers - pole) >= 1e-6
        if not usual.all():
            raise TorchError("what shapes a distribution must be of usual size", kind="ValueError")
