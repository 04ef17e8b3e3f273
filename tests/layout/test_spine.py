"""The spine of a graph: what it is, and that both engines draw it straight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gradviz.layout.dot.dot import has_dot, lay_out_dot
from gradviz.layout.graph import indices_of
from gradviz.layout.layered.layers import lay_out_layers, layered
from gradviz.layout.layered.order import order_of, sortable_rows
from gradviz.layout.layered.plane import Plane
from gradviz.layout.layered.skips import skips_on_the_right
from gradviz.layout.layered.spine import spine_of
from gradviz.layout.layouter import suits_layers
from gradviz.layout.plan import NO_FRAME, Layout, Request
from tests.benchmarks.graphs import request_of_kind
from tests.layout.plans import request_from_pairs
from tests.layout.test_frames import framed
from tests.layout.test_passing import residual_net

SKIPS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 3), (1, 4), (6, 2), (7, 4)]


def test_spine_is_the_longest_path() -> None:
    ends, ranks = np.array(SKIPS), np.array([0, 1, 2, 3, 4, 5, 1, 3])

    assert sorted(spine_of(ends, ranks).tolist()) == [0, 1, 2, 3, 4]


def test_a_net_has_no_spine() -> None:
    fan = np.array([(source, 20 + source // 2) for source in range(20)] + [(20, 30), (30, 31)])

    assert len(spine_of(fan, np.arange(32))) == 0
    assert len(spine_of(np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64))) == 0


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


def chain_with_frames(frames: int) -> Request:
    """A chain in which every frame, of three boxes, begins below a box that its last one reads as well."""
    count = 4 * frames
    pairs = [(node, node + 1) for node in range(count)] + [(node, node + 3) for node in range(0, count, 4)]
    inside = [NO_FRAME, *[frame if step < 3 else NO_FRAME for frame in range(frames) for step in range(4)]]
    return framed(request_from_pairs(count + 1, pairs), inside, [NO_FRAME] * frames)


def without_frames(request: Request) -> Request:
    return replace(request, framed=np.zeros(0, dtype=np.int64), frame_parents=np.zeros(0, dtype=np.int64))


NETS = [*map(chain_with_frames, (1, 2, 5)), *map(residual_net, (1, 2, 3))]


@pytest.mark.parametrize("request_", [*NETS, *map(without_frames, NETS)])
def test_shortcuts_run_on_the_right_away_from_the_titles_of_frames(request_: Request) -> None:
    proper = layered(Plane.of(without_frames(request_)))
    spine = proper.spine[proper.spine < proper.nodes]

    layout = lay_out_layers(request_)

    way = np.median(layout.centres[spine, 0])
    shortcuts = np.flatnonzero(np.isin(indices_of(request_), spine).all(axis=1) & (np.diff(proper.first) > 1))
    assert len(shortcuts)
    assert all(np.median(layout.curves[edge][:, 0]) > way for edge in shortcuts)


@pytest.mark.parametrize("kind", ["skipping_chain", "residual", "scalar_mlp"])
def test_to_have_shortcuts_on_the_right_costs_no_crossing(kind: str) -> None:
    proper = layered(Plane.of(request_of_kind(kind, 120, 12)))
    rows, position = sortable_rows(proper), order_of(proper, lambda _: None)

    left = proper.row_size[proper.row] - 1 - position

    assert rows.crossings(skips_on_the_right(proper, left)) == rows.crossings(position)
