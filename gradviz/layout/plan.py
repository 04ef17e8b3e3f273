"""What a layout is asked, and what it answers. Plain arrays of scene units (pixels at zoom 1); y grows downwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


NO_FRAME = -1
"""The frame of a box in no frame, and the parent of the outermost frames."""


def _no_ints() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Request:
    """Boxes and edges to place.

    Attributes:
        nodes: node ids, ascending; shape (n,).
        sizes: width and height of each box; shape (n, 2).
        edges: one row (source id, consumer id, slot) per edge; shape (m, 3). Two rows may join the same pair.
        direction: "down" (inputs above, output below) or "right".
        framed: the innermost frame of each box, or `NO_FRAME`; shape (n,), or empty where there is no frame.
        frame_parents: the frame around each frame, or `NO_FRAME`; shape (k,). Parents have smaller numbers.
    """

    nodes: Ints
    sizes: Floats
    edges: Ints
    direction: str = "down"
    framed: Ints = field(default_factory=_no_ints)
    frame_parents: Ints = field(default_factory=_no_ints)


@dataclass(frozen=True, eq=False)
class Layout:
    """Where everything is.

    Attributes:
        nodes: as in the request.
        centres: centre of each box; shape (n, 2).
        sizes: as in the request.
        edges: as in the request.
        curves: per edge a cubic Bézier chain from the source's border to the consumer's border, shape
            (3k + 1, 2): start, then k times two control points and an end.
        bounds: left, top, right, bottom of everything.
        engine: "dot" or "layers".
        frames: left, top, right, bottom of each frame of the request; shape (k, 4).
    """

    nodes: Ints
    centres: Floats
    sizes: Floats
    edges: Ints
    curves: tuple[Floats, ...]
    bounds: tuple[float, float, float, float]
    engine: str
    frames: Floats = field(default_factory=lambda: np.zeros((0, 4)))
