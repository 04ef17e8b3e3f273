"""A layout near to the one before: valid like any other, and what did not change hardly moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gradviz.errors import Cancelled
from gradviz.layout.dot.dot import has_dot, lay_out_dot
from gradviz.layout.graph import indices_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.layered.proper import components_of
from gradviz.layout.near import Near, lay_out_near, near_to
from gradviz.layout.plan import NO_FRAME, Floats, Ints, Layout, Request
from tests.benchmarks.crossings import crossings_of as crossings_of_curves
from tests.benchmarks.graphs import KINDS, request_of_kind
from tests.layout.plans import check_layout, intruders, request_from_pairs, requests
from tests.layout.test_frames import linear_layers, perceptron
from tests.layout.test_passing import frames_crossed, recurrent_net

ENGINES = [
    pytest.param(lay_out_dot, marks=pytest.mark.skipif(not has_dot(), reason="needs pygraphviz"), id="dot"),
    pytest.param(lay_out_layers, id="layers"),
]
BOX = 90.0


def without(request: Request, box: int) -> tuple[Request, Ints]:
    """The request without one box (by index), and the place in the whole request of each box that stays."""
    kept = np.delete(np.arange(len(request.nodes)), box)
    edges = request.edges[(indices_of(request) != box).all(axis=1)]
    framed = request.framed[kept] if len(request.framed) else request.framed
    return replace(request, nodes=request.nodes[kept], sizes=request.sizes[kept], edges=edges, framed=framed), kept


def sideways(old: Layout, new: Layout, was: Ints, direction: str = "down") -> Floats:
    """How far each known box has moved within its row, beyond what most have."""
    axis = 0 if direction == "down" else 1
    away = (new.centres[was >= 0] - old.centres[was[was >= 0]])[:, axis]
    return np.asarray(np.abs(away - np.median(away)))


def places_of(kept: Ints, count: int) -> Ints:
    """Where each box of the whole request is among those kept, -1 for one that is not."""
    was = np.full(count, -1, dtype=np.int64)
    was[kept] = np.arange(len(kept))
    return was


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=25)
@given(request=requests(largest=14), data=st.data())
def test_a_near_layout_keeps_every_promise_of_a_layout(engine, request: Request, data: st.DataObject) -> None:
    assume(len(request.nodes) > 1)
    less, kept = without(request, data.draw(st.integers(0, len(request.nodes) - 1)))
    old = engine(less)

    grown = lay_out_near(request, near_to(old, places_of(kept, len(request.nodes)), request), engine(request))
    shrunk = lay_out_near(less, near_to(engine(request), kept, less), engine(less))

    check_layout(grown, request)
    check_layout(shrunk, less)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=25)
@given(request=requests(largest=20))
def test_what_does_not_change_at_all_does_not_move_at_all(engine, request: Request) -> None:
    old = engine(request)

    new = lay_out_near(request, near_to(old, np.arange(len(request.nodes)), request), engine(request))

    assert np.abs(new.centres - old.centres).max() < 1e-6
    assert new.engine == old.engine


@settings(max_examples=30, derandomize=True)
@given(kind=st.sampled_from(sorted(KINDS)), count=st.integers(30, 60), seed=st.integers(0, 99), data=st.data())
def test_one_box_more_or_less_hardly_moves_the_others(kind: str, count: int, seed: int, data: st.DataObject) -> None:
    """A fresh layout moves them by two boxes on average, since it turns whole parts of the picture round."""
    whole = request_of_kind(kind, count, seed)
    uses = np.bincount(indices_of(whole).ravel())
    box = data.draw(st.sampled_from(np.flatnonzero(uses <= 3).tolist()))
    less, kept = without(whole, box)
    parts = [components_of(len(each.nodes), indices_of(each)).max() for each in (less, whole)]
    assume(parts[0] == parts[1])
    was = places_of(kept, len(whole.nodes))
    old, full = lay_out_layers(less), lay_out_layers(whole)

    grown = sideways(old, lay_out_near(whole, near_to(old, was, whole)), was)
    shrunk = sideways(full, lay_out_near(less, near_to(full, kept, less)), kept)

    assert grown.mean() < BOX
    assert shrunk.mean() < BOX


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_near_layout_moves_no_more_and_is_hardly_worse_than_a_fresh_one(engine, kind: str) -> None:
    whole = request_of_kind(kind, 60, seed=3)
    less, kept = without(whole, 20)
    was = places_of(kept, len(whole.nodes))
    old, fresh = engine(less), engine(whole)

    near = lay_out_near(whole, near_to(old, was, whole), fresh)

    assert sideways(old, near, was).sum() <= sideways(old, fresh, was).sum() + 1e-6
    assert crossings_of_curves(near) <= 1.5 * crossings_of_curves(fresh) + 10


def test_an_old_order_full_of_crossings_is_given_up_for_a_fresh_layout() -> None:
    # Twelve strands side by side; the old picture had their lower ends the other way round.
    request = request_from_pairs(24, [(strand, 12 + strand) for strand in range(12)] + [(0, 23)])
    fresh = lay_out_layers(request)
    centres = fresh.centres.copy()
    centres[12:] = centres[12:][::-1]

    near = lay_out_near(request, Near(centres, (None,) * len(request.edges)), fresh)

    assert crossings_of_curves(near) <= crossings_of_curves(fresh) + 2


def test_boxes_that_are_equally_good_left_or_right_keep_their_old_order() -> None:
    request = request_from_pairs(3, [(0, 2), (1, 2)])
    fresh = lay_out_layers(request)
    swapped = fresh.centres[[1, 0, 2]]

    near = lay_out_near(request, Near(swapped, (None, None)))

    assert (near.centres[0, 0] < near.centres[1, 0]) == (swapped[0, 0] < swapped[1, 0])


def test_a_new_box_in_a_straight_chain_stands_in_line() -> None:
    old = lay_out_layers(request_from_pairs(4, [(0, 1), (1, 2), (2, 3)]))
    request = request_from_pairs(5, [(0, 1), (1, 4), (4, 2), (2, 3)])

    near = lay_out_near(request, near_to(old, np.array([0, 1, 2, 3, -1]), request))

    assert np.ptp(near.centres[:, 0]) < 1e-6


def test_shortcuts_stay_on_their_side_of_a_chain() -> None:
    pairs = [*((box, box + 1) for box in range(12)), (0, 4), (4, 8), (8, 12)]
    right = lay_out_layers(request_from_pairs(13, pairs))
    left = turned_round(right)
    longer = request_from_pairs(14, [*pairs, (12, 13)])
    was = np.append(np.arange(13), -1)

    for old, side in ((right, 1), (left, -1)):
        near = lay_out_near(longer, near_to(old, was, longer), lay_out_layers(longer))

        shortcuts = np.flatnonzero(np.ptp(indices_of(longer), axis=1) > 1)
        beside = [np.median(near.curves[edge][:, 0]) - near.centres[0, 0] for edge in shortcuts]
        assert np.sign(beside).tolist() == [side] * 3


def turned_round(layout: Layout) -> Layout:
    """The layout with left and right exchanged."""
    mirror, width = np.array([-1.0, 1.0]), np.array([layout.bounds[2], 0.0])
    curves = tuple(width + mirror * curve for curve in layout.curves)
    return replace(layout, centres=width + mirror * layout.centres, curves=curves)


def test_boxes_straight_above_each_other_move_as_one() -> None:
    # Without box 0, which joins two parts, these stand side by side, and what is below them moves to the middle.
    whole = request_of_kind("residual", 30, seed=0)
    less, kept = without(whole, 0)
    old = lay_out_layers(whole)
    path = [25, 6, 11, 15, 8, 28, 31, 24]

    near = lay_out_near(less, near_to(old, kept, less))

    assert np.ptp(old.centres[path, 0]) < 1e-6
    assert np.ptp(near.centres[np.searchsorted(kept, path), 0]) < 1.0


def test_a_new_part_that_nothing_known_is_joined_to_stands_beside_the_rest() -> None:
    old = lay_out_layers(request_from_pairs(3, [(0, 1), (1, 2)]))
    request = request_from_pairs(6, [(0, 1), (1, 2), (3, 5), (4, 5)])

    near = lay_out_near(request, near_to(old, np.array([0, 1, 2, -1, -1, -1]), request))

    check_layout(near, request)
    assert sideways(old, near, np.array([0, 1, 2, -1, -1, -1])).max() < 1e-6


def test_frames_stay_clear_of_what_is_not_in_them() -> None:
    pairs = [(0, 1), (1, 2), (3, 5), (2, 4), (4, 5), (5, 6), (0, 6)]
    framed = np.array([NO_FRAME, 0, 0, 1, 1, 1, NO_FRAME])
    whole = replace(request_from_pairs(7, pairs), framed=framed, frame_parents=np.array([NO_FRAME, NO_FRAME]))
    less, kept = without(whole, 3)
    was = places_of(kept, 7)

    near = lay_out_near(whole, near_to(lay_out_layers(less), was, whole), lay_out_layers(whole))

    assert intruders(near, whole) == []
    check_layout(near, whole)


def test_long_edges_of_a_near_layout_run_through_no_foreign_frame_either() -> None:
    whole = recurrent_net(8)
    less, kept = without(whole, 10)

    near = lay_out_near(whole, near_to(lay_out_layers(less), places_of(kept, len(whole.nodes)), whole))

    assert frames_crossed(near, whole) == []


def test_work_on_a_near_layout_can_be_cancelled() -> None:
    request = request_of_kind("local", 60, seed=1)
    near = near_to(lay_out_layers(request), np.arange(len(request.nodes)), request)

    with pytest.raises(Cancelled):
        lay_out_near(request, near, cancelled=lambda: True)


@pytest.mark.parametrize("whole", [recurrent_net(8), perceptron(2, 5), linear_layers(6)], ids=["loop", "net", "model"])
@pytest.mark.parametrize("direction", ["down", "right"])
def test_a_box_more_in_frames_moves_the_others_hardly_more_than_a_fresh_layout(whole: Request, direction: str) -> None:
    whole = replace(whole, direction=direction)
    box = int(np.flatnonzero(np.bincount(indices_of(whole).ravel()) <= 3)[-3])
    less, kept = without(whole, box)
    was = places_of(kept, len(whole.nodes))
    old, fresh = lay_out_layers(less), lay_out_layers(whole)

    near = lay_out_near(whole, near_to(old, was, whole), fresh)

    check_layout(near, whole)
    assert intruders(near, whole) == []
    moved, anew = (sideways(old, each, was, direction).mean() for each in (near, fresh))
    assert moved <= anew + 5.0


@pytest.mark.parametrize("whole", [recurrent_net(8), perceptron(2, 5)], ids=["loop", "net"])
def test_frames_that_do_not_change_do_not_move(whole: Request) -> None:
    old = lay_out_layers(whole)

    new = lay_out_near(whole, near_to(old, np.arange(len(whole.nodes)), whole), old)

    assert np.abs(new.centres - old.centres).max() < 1.0
