"""The spine of a graph: what it is, and that both engines draw it straight."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gradviz.layout.dot import has_dot, lay_out_dot
from gradviz.layout.layers import lay_out_layers
from gradviz.layout.layouter import suits_layers
from gradviz.layout.plan import NO_FRAME, Layout, Request
from gradviz.layout.spine import spine_of, spines_of
from tests.layout.plans import request_from_pairs

SKIPS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 3), (1, 4), (6, 2), (7, 4)]


def test_spine_is_the_longest_path() -> None:
    ends, ranks = np.array(SKIPS), np.array([0, 1, 2, 3, 4, 5, 1, 3])

    assert sorted(spine_of(ends, ranks).tolist()) == [0, 1, 2, 3, 4]


def test_a_net_has_no_spine() -> None:
    fan = np.array([(source, 20 + source // 2) for source in range(20)] + [(20, 30), (30, 31)])

    assert len(spine_of(fan, np.arange(32))) == 0
    assert len(spine_of(np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64))) == 0


def test_a_net_of_frames_has_a_spine_in_every_frame_that_has_a_way_to_follow() -> None:
    chains = [(start + step, start + step + 1) for start in (0, 4) for step in range(3)]
    fan = [(source, 20) for source in range(8, 20)]
    ends, ranks = np.array([*chains, *fan, (3, 20), (7, 20)]), np.arange(21)
    framed = np.array([0] * 4 + [1] * 4 + [2] * 13)

    assert sorted(spines_of(ends, ranks, framed).tolist()) == [0, 1, 2, 3, 4, 5]
    assert len(spines_of(ends, ranks, np.full(21, NO_FRAME))) == 0
    assert len(spines_of(ends, ranks, framed[:0])) == 0


ENGINES = [
    pytest.param(lay_out_dot, marks=pytest.mark.skipif(not has_dot(), reason="needs pygraphviz"), id="dot"),
    pytest.param(lay_out_layers, id="layers"),
]


@pytest.mark.parametrize("lay_out", ENGINES)
def test_both_engines_draw_the_spine_straight(lay_out: Callable[[Request], Layout]) -> None:
    layout = lay_out(request_from_pairs(8, SKIPS))

    assert np.ptp(layout.centres[:6, 0]) < 1.0


def test_a_long_chain_with_skips_is_laid_out_in_layers() -> None:
    chain = [(node, node + 1) for node in range(29)] + [(node // 2, node) for node in range(4, 30, 3)]

    assert suits_layers(request_from_pairs(30, chain))
