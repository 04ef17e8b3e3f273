"""How large a graph will be, run downwards or to the right: estimated from its layers, before it is laid out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradviz.layout.layered.place import NODE_GAP, RANK_GAP
from gradviz.layout.plan import Floats, Ints

MOST = 5_000
"""Boxes up to which it is estimated: larger graphs run downwards."""
LEAST_GAIN = 1.15
"""How much larger the boxes must be drawn for a graph to run to the right: downwards is what people know."""


class Spread(NamedTuple):
    """Width and height in scene units for either direction."""

    down: tuple[float, float]
    right: tuple[float, float]

    def direction(self, room: tuple[float, float]) -> str:
        """ "right" where the boxes are then drawn clearly larger in a room in pixels, else "down"."""
        down, right = (
            min(room[0] / max(width, 1.0), room[1] / max(height, 1.0), 1.0) for width, height in (self.down, self.right)
        )
        return "right" if right > LEAST_GAIN * down > 0 else "down"


NOWHERE = Spread((0.0, 0.0), (0.0, 0.0))
"""Of no boxes, or too many."""


def spread_of(sizes: Floats, sources: Ints, consumers: Ints) -> Spread:
    """The spread of boxes of some sizes, shape (n, 2), with edges between their indices."""
    if not 0 < len(sizes) <= MOST:
        return NOWHERE
    layers = _layers(len(sizes), sources.tolist(), consumers.tolist())
    count = int(layers.max()) + 1
    sums, most, boxes = np.zeros((count, 2)), np.zeros((count, 2)), np.bincount(layers, minlength=count)
    np.add.at(sums, layers, sizes)
    np.maximum.at(most, layers, sizes)
    beside = sums + (NODE_GAP * (boxes - 1))[:, None]
    along = most.sum(axis=0) + RANK_GAP * (count - 1)
    return Spread((float(beside[:, 0].max()), float(along[1])), (float(along[0]), float(beside[:, 1].max())))


def _layers(count: int, sources: list[int], consumers: list[int]) -> Ints:
    """The length of the longest way to each box; boxes of a circle stay where it is entered."""
    waiting, out = [0] * count, [list[int]() for _ in range(count)]
    for source, consumer in zip(sources, consumers, strict=True):
        waiting[consumer] += 1
        out[source].append(consumer)
    layers, ready = np.zeros(count, dtype=np.int64), [box for box in range(count) if not waiting[box]]
    while ready:
        box = ready.pop()
        for consumer in out[box]:
            layers[consumer] = max(int(layers[consumer]), int(layers[box]) + 1)
            waiting[consumer] -= 1
            if not waiting[consumer]:
                ready.append(consumer)
    return layers
