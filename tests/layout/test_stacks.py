"""Many boxes that only one box reads stand in rows above one another, in the order of their numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.layered.plane import Plane
from gradviz.layout.layered.stacks import ABREAST, stacks_of
from gradviz.layout.layouter import suits_layers
from gradviz.layout.near import lay_out_near, near_to
from gradviz.layout.plan import NO_FRAME, Floats, Layout, Request
from tests.layout.plans import check_layout, intruders, request_from_pairs
from tests.layout.test_frames import framed


def fan(count: int) -> Request:
    """So many leaves into one box, and a chain of two below it."""
    pairs = [*((leaf, count) for leaf in range(count)), (count, count + 1), (count + 1, count + 2)]
    request = request_from_pairs(count + 3, pairs)
    return replace(request, sizes=np.tile([190.0, 56.0], (count + 3, 1)))


def in_reading_order(centres: Floats) -> bool:
    rightwards, downwards = np.diff(centres, axis=0).T
    return bool(np.where(np.abs(downwards) < 1e-6, rightwards > 0, downwards > 0).all())


@pytest.mark.parametrize("count", [ABREAST + 1, 40, 256])
@pytest.mark.parametrize("direction", ["down", "right"])
def test_a_fan_of_many_leaves_is_no_wider_than_tall(count: int, direction: str) -> None:
    request = replace(fan(count), direction=direction)

    layout = lay_out_layers(request)

    check_layout(layout, request)
    assert suits_layers(request)
    across, along = layout.bounds[2:] if direction == "down" else layout.bounds[3:1:-1]
    assert across <= max(2 * along, 9 * 226)
    leaves = layout.centres[:count] if direction == "down" else layout.centres[:count, ::-1]
    assert in_reading_order(leaves)


def test_the_line_that_leaves_join_runs_down_amid_them() -> None:
    layout = lay_out_layers(fan(256))

    line = np.median(layout.curves[0][4:, 0])
    full_row = np.flatnonzero(np.abs(layout.centres[:256, 1] - layout.centres[100, 1]) < 1e-6)
    assert abs(int((layout.centres[full_row, 0] < line).sum()) - len(full_row) / 2) <= 0.5


def test_a_few_leaves_stand_side_by_side() -> None:
    layout = lay_out_layers(fan(ABREAST))

    assert len(np.unique(layout.centres[:ABREAST, 1])) == 1


def test_only_what_reads_nothing_and_is_read_once_is_stacked() -> None:
    pairs = [*((leaf, 40) for leaf in range(40)), (0, 41), (40, 41), (42, 1)]
    request = request_from_pairs(43, pairs)

    (stack,) = stacks_of(Plane.of(request))

    assert stack.tolist() == list(range(2, 40))


def test_leaves_of_two_frames_stay_in_them() -> None:
    pairs = [*((leaf, 60) for leaf in range(60)), (60, 61), (61, 62)]
    request = framed(request_from_pairs(63, pairs), [0] * 30 + [1] * 30 + [NO_FRAME] * 3, [NO_FRAME] * 2)

    layout = lay_out_layers(request)

    assert intruders(layout, request) == []


def edited(old: Layout, request: Request, was: list[int]) -> Layout:
    return lay_out_near(request, near_to(old, np.array(was), request), lay_out_layers(request))


def test_one_leaf_more_leaves_the_others_in_place() -> None:
    old, request = lay_out_layers(fan(100)), fan(101)

    near = edited(old, request, [*range(100), -1, 100, 101, 102])

    away = near.centres[:100] - old.centres[:100]
    assert in_reading_order(near.centres[:101])
    assert np.abs(away - np.median(away, axis=0)).max() < 226


def test_leaves_that_change_rows_are_set_anew() -> None:
    old, request = lay_out_layers(fan(100)), fan(90)

    near = edited(old, request, [*range(5, 95), 100, 101, 102])

    check_layout(near, request)
    assert in_reading_order(near.centres[:90])
    assert np.ptp(near.centres[:90, 0]) < 1.1 * np.ptp(lay_out_layers(request).centres[:90, 0])
