"""The images of a film as arrays, and what changes from one to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

Image = np.ndarray[Any, np.dtype[np.uint8]]
"""Pixels in red, green and blue; shape (height, width, 3)."""


def changed_part(before: Image, after: Image) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom of the least rectangle outside which two images are equal; None where all of it is."""
    differs = (before != after).any(axis=2)
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
