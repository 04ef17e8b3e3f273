"""The crossing counter of the benchmarks against counting pair by pair."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import numpy as np
import pytest

from gradviz.layout.layers import lay_out_layers
from gradviz.layout.plan import Floats
from tests.benchmarks.crossings import crossings_of, crossings_of_lines, length_of, polylines
from tests.benchmarks.graphs import request_of_kind
from tests.layout.plans import request_from_pairs


def pieces_cross(a: Floats, b: Floats, c: Floats, d: Floats) -> bool:
    def side(p: Floats, q: Floats, r: Floats) -> float:
        return float(np.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def counted(lines: list[Floats]) -> int:
    return sum(
        pieces_cross(*first, *second)
        for one, other in combinations(lines, 2)
        for first in pairwise(one)
        for second in pairwise(other)
    )


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


def test_a_line_drawn_upwards_counts_as_well() -> None:
    lines = [np.array([(0.0, 0.0), (100.0, 80.0)]), np.array([(0.0, 80.0), (100.0, 0.0)])]

    assert crossings_of_lines(lines) == 1


def test_no_lines_have_no_crossings() -> None:
    assert crossings_of_lines([]) == 0


def test_crossings_of_a_layout_are_those_of_its_curves() -> None:
    layout = lay_out_layers(request_of_kind("scattered", 40, seed=4))

    assert crossings_of(layout) == pytest.approx(counted(polylines(layout)), abs=2)


def test_the_length_of_a_straight_edge_is_the_gap_between_its_boxes() -> None:
    layout = lay_out_layers(request_from_pairs(2, [(0, 1)]))

    gap = layout.centres[1, 1] - layout.centres[0, 1] - 40.0
    assert length_of(layout) == pytest.approx(gap)
