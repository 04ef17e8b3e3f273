"""How large the gradient of each node is, as small codes: a pure function of the track; knows no colours.

The level of a gradient is half a decade of its norm. A gradient of one number has its sign, a norm counts as positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from gradviz.playback.measures import Floats, measured
from gradviz.playback.track import NEVER, Track
from gradviz.recording import Array, Summary
from gradviz.ui.look.scales import LEAST, LEVELS, MOST

Codes = np.ndarray[Any, np.dtype[np.int64]]
Signs = np.ndarray[Any, np.dtype[np.int8]]


class Size(IntEnum):
    """What a gradient of a size is; each has a form besides its colour."""

    NONE = 0
    ZERO = 1
    VANISHING = 2
    ORDINARY = 3
    EXPLODING = 4
    ODD = 5  # NaN or infinity is among its numbers


NEGATIVE, _SIZE = 1, 2
_LEVEL = 16
"""A code is level * 16 + size * 2 + (1 where it is negative)."""


def size_of(code: int) -> Size:
    """The size in a code."""
    return Size(code % _LEVEL // _SIZE)


def level_of(code: int) -> int:
    """The level in a code: 0..LEVELS - 1."""
    return code // _LEVEL


def gauge_codes(track: Track) -> tuple[Codes, Floats]:
    """The code and the norm of the gradient that comes into each node of `track.forward`; nan where none does."""
    norms = np.full(len(track.forward), np.nan)
    signs = np.zeros(len(track.forward), dtype=np.int8)
    reached = np.flatnonzero(track.backward_ranks != NEVER).tolist()
    found = zip(reached, track.incoming(reached), strict=True)
    gradients = {index: incoming for index, incoming in found if incoming is not None}
    if gradients:
        places = list(gradients)
        norms[places] = measured(list(gradients.values()))[0]
        signs[places] = _signs(list(gradients.values()))
    return coded(norms, signs), norms


def coded(norms: Floats, signs: Signs) -> Codes:
    """The codes of some norms, with signs of -1 or 1; 0 where nothing comes in."""
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.log10(norms)
    sizes = np.select(
        [signs == 0, ~np.isfinite(norms), norms == 0, powers < LEAST, powers <= MOST],
        [Size.NONE, Size.ODD, Size.ZERO, Size.VANISHING, Size.ORDINARY],
        Size.EXPLODING,
    )
    levels = np.nan_to_num((powers - LEAST) * LEVELS / (MOST - LEAST), posinf=0.0, neginf=0.0)
    levels = np.where(sizes == Size.ORDINARY, np.clip(levels, 0, LEVELS - 1), 0).astype(np.int64)
    levels[sizes == Size.EXPLODING] = LEVELS - 1
    # NaN and 0 have no sign, and are drawn alike with any.
    negative = (signs < 0) & np.isin(sizes, (Size.VANISHING, Size.ORDINARY, Size.EXPLODING))
    codes: Codes = (levels * _LEVEL + sizes * _SIZE + negative).astype(np.int64)
    return codes


def _signs(gradients: Sequence[Array | Summary]) -> Signs:
    """-1 for each that is a single number below 0, else 1."""
    numbers = [
        array.item() if not isinstance(array, Summary) and array.size == 1 and array.dtype.kind != "c" else 0.0
        for array in gradients
    ]
    return np.where(np.array(numbers, dtype=np.float64) < 0, -1, 1).astype(np.int8)


WORDS = {Size.ZERO: "zero", Size.VANISHING: "vanishing", Size.EXPLODING: "exploding", Size.ODD: "not finite"}
"""What is said of a size."""
