"""The crossing counter of the benchmarks against counting pair by pair."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.plan import Floats
from tests.benchmarks.crossings import crossings_of, crossings_of_lines, length_of, polylines
from tests.benchmarks.graphs import KINDS, request_of_kind
from tests.layout.plans import request_from_pairs


def counted(lines: list[Floats]) -> int:
    return sum(times_crossed(one, other) for one, other in combinations(lines, 2))


def times_crossed(one: Floats, other: Floats) -> int:
    """How often two lines that run downwards change sides; where they run as one, neither is on a side."""
    if (one.max(axis=0) < other.min(axis=0)).any() or (other.max(axis=0) < one.min(axis=0)).any():
        return 0
    heights = np.concatenate([one[:, 1], other[:, 1]])
    # A line that runs level has two x at its height, so it is asked right above and right below.
    near = np.unique(np.concatenate([heights - 1e-6, heights + 1e-6]))
    inside = near[(near > max(one[0, 1], other[0, 1])) & (near < min(one[-1, 1], other[-1, 1]))]
    apart = np.interp(inside, one[:, 1], one[:, 0]) - np.interp(inside, other[:, 1], other[:, 0])
    sides = np.sign(apart[np.abs(apart) > 1e-3])
    return int((np.diff(sides) != 0).sum())


@pytest.mark.parametrize("seed", range(8))
def test_the_counter_agrees_with_counting_pairs(seed: int) -> None:
    rng = random.Random(seed)
    lines = []
    for _ in range(40):
        first = rng.randrange(0, 6)
        rows = range(first, rng.randrange(first + 1, 8))
        lines.append(np.array([(rng.uniform(0, 900), 80.0 * row) for row in [*rows, rows.stop]]))

    assert crossings_of_lines(lines) == counted(lines)


def test_lines_that_meet_in_a_point_do_not_cross() -> None:
    fan = [np.array([(50.0, 0.0), (x, 80.0)]) for x in (0.0, 50.0, 100.0)]

    assert crossings_of_lines(fan) == 0


def test_lines_that_cross_where_both_have_a_point_cross_once() -> None:
    lines = [np.array([(x, 0.0), (50.0, 40.0), (100.0 - x, 80.0)]) for x in (0.0, 20.0, 100.0)]

    assert crossings_of_lines(lines) == counted(lines) == 3


def test_a_line_that_runs_level_crosses_all_that_it_passes() -> None:
    bus = np.array([(0.0, 0.0), (0.0, 40.0), (100.0, 40.0), (100.0, 80.0)])
    passed = [np.array([(x, 0.0), (x, 80.0)]) for x in (-10.0, 30.0, 60.0, 130.0)]

    assert crossings_of_lines([bus, *passed]) == counted([bus, *passed]) == 2


def test_lines_that_run_as_one_and_part_do_not_cross() -> None:
    trunk = [np.array([(0.0, 0.0), (10.0, 40.0), (10.0 + 1e-12 * x, 80.0), (x, 120.0)]) for x in (-50.0, 0.0, 50.0)]

    assert crossings_of_lines(trunk) == counted(trunk) == 0


def test_a_line_drawn_upwards_counts_as_well() -> None:
    lines = [np.array([(0.0, 0.0), (100.0, 80.0)]), np.array([(0.0, 80.0), (100.0, 0.0)])]

    assert crossings_of_lines(lines) == 1


def test_no_lines_have_no_crossings() -> None:
    assert crossings_of_lines([]) == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_crossings_of_a_layout_are_those_of_its_curves(kind: str, seed: int) -> None:
    layout = lay_out_layers(request_of_kind(kind, 30, seed))

    assert crossings_of(layout) == counted(polylines(layout))


def test_crossings_of_a_layout_with_buses_are_those_of_its_curves() -> None:
    fans = [(source, 2 + consumer) for source in (0, 1) for consumer in range(40) if (source + consumer) % 3]
    layout = lay_out_layers(request_from_pairs(42, fans))

    steps = np.abs(np.concatenate([np.diff(line, axis=0) for line in polylines(layout)]))
    assert steps[steps[:, 1] < 1e-9, 0].max() > 50
    assert crossings_of(layout) == counted(polylines(layout)) > 0


def test_the_length_of_a_straight_edge_is_the_gap_between_its_boxes() -> None:
    layout = lay_out_layers(request_from_pairs(2, [(0, 1)]))

    gap = layout.centres[1, 1] - layout.centres[0, 1] - 40.0
    assert length_of(layout) == pytest.approx(gap)
