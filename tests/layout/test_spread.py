"""A graph runs to the right where its boxes are then drawn clearly larger."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.layout.spread import LEAST_GAIN, MOST, NOWHERE, spread_of

WIDE, HIGH = 160.0, 60.0


def chain(count: int):
    sizes = np.tile([WIDE, HIGH], (count, 1))
    return spread_of(sizes, np.arange(count - 1), np.arange(1, count))


def fan(count: int):
    """Many leaves into one box."""
    sizes = np.tile([WIDE, HIGH], (count + 1, 1))
    return spread_of(sizes, np.arange(count), np.full(count, count))


def test_a_chain_runs_down_in_a_high_room_and_to_the_right_in_a_flat_one():
    assert chain(10).direction((600, 900)) == "down"
    assert chain(10).direction((2400, 500)) == "right"


def test_many_boxes_side_by_side_run_to_the_right_where_they_would_be_small():
    assert fan(12).direction((900, 700)) == "right"


def test_what_is_shown_in_full_size_either_way_runs_down():
    assert chain(2).direction((3000, 500)) == "down"


@pytest.mark.parametrize("room", [(0.0, 0.0), (900.0, 0.0)])
def test_without_a_room_it_runs_down(room):
    assert chain(10).direction(room) == "down"


def test_layers_are_the_longest_ways():
    spread = spread_of(np.tile([100.0, 50.0], (4, 1)), np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3]))

    assert spread.down[0] == 100
    assert spread.right[1] == 50
    assert spread.right[0] > 4 * 100


def test_no_boxes_and_too_many_have_none():
    none = np.zeros(0, dtype=np.int64)

    assert spread_of(np.zeros((0, 2)), none, none) == NOWHERE
    assert spread_of(np.ones((MOST + 1, 2)), none, none) == NOWHERE
    assert NOWHERE.direction((100, 100)) == "down"


def test_the_gain_must_be_clear():
    for width in range(400, 3000, 50):
        spread, room = chain(10), (float(width), 600.0)
        down, right = (min(room[0] / w, room[1] / h, 1.0) for w, h in (spread.down, spread.right))
        assert (spread.direction(room) == "right") == (right > LEAST_GAIN * down)
