"""Long edges beside frames: they pass them on one side, clear of their borders."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from gradviz.layout.frames.frames import is_inside
from gradviz.layout.graph import indices_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.plan import NO_FRAME, Layout, Request
from tests.layout.plans import request_from_pairs, sampled

CELL = 6
"""Boxes of one step: two that read two parameters each, their sum, the state, two more below it."""


def recurrent_net(steps: int) -> Request:
    """An unrolled loop: every step is a frame around a cell, which is one too, and reads the same six parameters."""
    pairs: list[tuple[int, int]] = []
    inside, parents = [NO_FRAME] * 6, []
    state = None
    for step in range(steps):
        left, right, total, h, out, end = range(6 + CELL * step, 6 + CELL * (step + 1))
        pairs += [(0, left), (1, left), (2, right), (3, right), (left, total), (right, total), (total, h), (h, out)]
        pairs += [(4, out), (5, out), (out, end)]
        if state is not None:
            pairs += [(state, right), (state + 2, end)]
        state = h
        parents += [NO_FRAME, 2 * step]
        inside += [2 * step + 1] * 4 + [2 * step] * 2
    request = request_from_pairs(6 + CELL * steps, pairs)
    return replace(request, framed=np.array(inside), frame_parents=np.array(parents))


def residual_net(blocks: int) -> Request:
    """Blocks of two frames, one below the other, and a shortcut around both; frames hold a box and two parameters."""
    pairs: list[tuple[int, int]] = []
    inside, parents = [NO_FRAME], []
    for block in range(blocks):
        first = 1 + 9 * block
        pairs += [*pairwise((first - 1, first, first + 3, first + 4, first + 7, first + 8)), (first, first + 8)]
        pairs += [(first + 1, first + 3), (first + 2, first + 3), (first + 5, first + 7), (first + 6, first + 7)]
        parents += [NO_FRAME, 3 * block, 3 * block]
        inside += [3 * block, *[3 * block + 1] * 3, 3 * block, *[3 * block + 2] * 3, 3 * block]
    request = request_from_pairs(1 + 9 * blocks, pairs)
    return replace(request, framed=np.array(inside), frame_parents=np.array(parents))


def frames_crossed(layout: Layout, request: Request) -> list[tuple[int, int]]:
    """(frame, row of an edge) where an edge runs through a frame that it has no end in."""
    found = []
    for row, (ends, curve) in enumerate(zip(indices_of(request).tolist(), layout.curves, strict=True)):
        points = sampled(curve)
        for frame, (left, top, right, bottom) in enumerate(layout.frames.tolist()):
            passes = (points > (left + 1, top + 1)).all(axis=1) & (points < (right - 1, bottom - 1)).all(axis=1)
            if passes.any() and not any(is_inside(request, end, frame) for end in ends):
                found.append((frame, row))
    return found


@pytest.mark.parametrize("steps", [2, 3, 5, 9])
def test_what_many_frames_read_runs_beside_them(steps: int) -> None:
    request = recurrent_net(steps)

    layout = lay_out_layers(request)

    assert not frames_crossed(layout, request)


def test_a_shortcut_around_frames_keeps_clear_of_their_borders() -> None:
    request = residual_net(3)

    layout = lay_out_layers(request)

    assert not frames_crossed(layout, request)
