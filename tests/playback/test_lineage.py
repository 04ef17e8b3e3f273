"""What a node depends on, what depends on it, the way to the output, and the way through selections."""

from __future__ import annotations

from dataclasses import replace

from gradviz.playback.lineage import ancestors, descendants, to_output
from gradviz.playback.track import Track
from gradviz.playback.visits import Visits
from gradviz.recording import Node, Recording
from tests.samples import random_graph, weighted_sum


def forked() -> Track:
    """x -> a -> y and x -> b, where nothing uses b; y is what backward would start from."""
    nodes = (
        Node(0, "leaf", name="x"),
        Node(1, "neg", (0,), name="a"),
        Node(2, "exp", (0,), name="b"),
        Node(3, "add", (1, 0), name="y"),
    )
    return Track(Recording(nodes, (None,) * 4))


def test_ancestors_and_descendants_include_the_node() -> None:
    track = Track(weighted_sum(), 0)

    assert ancestors(track, 3) == {0, 1, 2, 3}
    assert descendants(track, 1) == {1, 3, 4}
    assert ancestors(track, 0) == {0}
    assert descendants(track, 4) == {4}


def test_path_to_the_output_leaves_out_what_does_not_lead_there() -> None:
    track = Track(weighted_sum(), 0)

    assert to_output(track, 0) == {0, 1, 3, 4}
    assert to_output(track, 2) == {2, 3, 4}


def test_no_path_leads_from_what_the_loss_does_not_depend_on() -> None:
    recording = weighted_sum()
    nodes = (*recording.nodes, Node(5, "exp", (0,), shape=(2,), line=7))
    sweep = replace(recording.sweeps[0], outputs=(4,))
    track = Track(replace(recording, nodes=nodes, values=(*recording.values, None), sweeps=(sweep,)), 0)

    assert descendants(track, 0) == {0, 1, 3, 4}  # node 5 came after the call, so it is in no picture of it
    assert to_output(track, 4) == {4}


def test_without_a_backward_pass_every_end_is_an_output() -> None:
    assert to_output(forked(), 0) == {0, 1, 2, 3}
    assert to_output(forked(), 1) == {1, 3}


def test_deep_graphs_are_walked_without_recursion() -> None:
    track = Track(random_graph(5000), 0)

    assert track.forward[-1] in to_output(track, track.forward[-2])


# ---- the way through selections ----


def test_back_and_forward_lead_through_what_was_selected() -> None:
    visits = Visits()
    for node in (3, 3, 5, 7):
        visits.visit(node)

    assert [visits.back(range(9)), visits.back(range(9)), visits.back(range(9))] == [5, 3, None]
    assert [visits.forward(range(9)), visits.forward(range(9)), visits.forward(range(9))] == [5, 7, None]


def test_a_new_visit_ends_what_was_ahead_and_what_is_gone_is_passed() -> None:
    visits = Visits()
    for node in (1, 2, 3):
        visits.visit(node)
    visits.back(range(9))
    visits.visit(8)

    assert visits.forward(range(9)) is None
    assert visits.back(range(9)) == 2
    assert visits.forward(range(9)) == 8
    assert visits.back({1, 8}) == 1
