"""The two passes as positions: the state of everything at each of them, by hand and on random graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.playback.track import NEVER, EdgeState, NodeState, Track
from gradviz.recording import Accumulation, Node, Recording, Step, Sweep
from tests.samples import F, array, weighted_sum

G = F(1)
COMING, COMPUTED, UNREACHED, FORWARD, BACKWARD, DONE = NodeState


@pytest.fixture
def track():
    """x, x*x, w, x*x*w and their sum y; the steps are at y, x*x*w, x*x and x. Forward 1..5, backward 6..9."""
    return Track(weighted_sum(), 0)


# ---- by hand ----------------------------------------------------------------------------------------------------


def test_track_is_as_long_as_its_nodes_and_steps(track):
    assert (track.turn, track.length) == (5, 9)
    assert [track.node_at(position) for position in range(-1, 11)] == [None, None, 0, 1, 2, 3, 4, 4, 3, 1, 0, None]
    assert [track.step_at(p).node for p in range(6, 10)] == [4, 3, 1, 0]
    assert track.step_at(5) is track.step_at(10) is None


def test_nodes_are_computed_in_order_and_done_in_reverse(track):
    w = UNREACHED  # the constant: this pass never comes to it

    states = [track.node_states(position).tolist() for position in range(10)]

    assert states == [
        [COMING, COMING, COMING, COMING, COMING],
        [FORWARD, COMING, COMING, COMING, COMING],
        [COMPUTED, FORWARD, COMING, COMING, COMING],
        [COMPUTED, COMPUTED, FORWARD, COMING, COMING],
        [COMPUTED, COMPUTED, COMPUTED, FORWARD, COMING],
        [COMPUTED, COMPUTED, COMPUTED, COMPUTED, FORWARD],
        [COMPUTED, COMPUTED, w, COMPUTED, BACKWARD],
        [COMPUTED, COMPUTED, w, BACKWARD, DONE],
        [COMPUTED, BACKWARD, w, DONE, DONE],
        [BACKWARD, DONE, w, DONE, DONE],
    ]


def test_edges_carry_values_forward_and_gradients_back(track):
    no, value, now, back, in_, gone, none = EdgeState

    states = [track.edge_states(position).tolist() for position in range(10)]

    assert track.edges == ((1, 0), (1, 1), (3, 0), (3, 1), (4, 0))
    assert states == [
        [no, no, no, no, no],
        [no, no, no, no, no],
        [now, now, no, no, no],
        [value, value, no, no, no],
        [value, value, now, now, no],
        [value, value, value, value, now],
        [value, value, value, value, back],
        [value, value, back, none, in_],
        [back, back, in_, none, gone],
        [in_, in_, gone, none, gone],
    ]


def test_both_edges_of_a_square_join_the_same_two_nodes(track):
    assert track.edge_sources.tolist() == [0, 0, 1, 2, 3]
    assert track.edge_consumers.tolist() == [1, 1, 3, 3, 4]
    assert track.edge_carries.tolist() == [True, True, True, False, True]


# ---- kinds of sweeps --------------------------------------------------------------------------------------------


def two_sweeps() -> Recording:
    """a = x * x, backward; then b = x + x, backward."""
    nodes = (
        Node(0, "leaf", name="x", requires_grad=True),
        Node(1, "mul", (0, 0), requires_grad=True),
        Node(2, "add", (0, 0), requires_grad=True),
    )
    first = Sweep((1,), (G,), (Step(1, G, (F(3), F(3))), Step(0, F(6))), (Accumulation(0, None, F(6)),))
    second = Sweep((2,), (G,), (Step(2, G, (G, G)), Step(0, F(2))), (Accumulation(0, F(6), F(8)),))
    return Recording(nodes, (F(3), F(9), F(6)), (first, second))


def test_each_sweep_shows_its_own_part_of_the_graph():
    first, second = (Track(two_sweeps(), sweep) for sweep in (0, 1))

    assert (first.forward, second.forward) == ((0, 1), (0, 2))
    assert [first.node_at(p) for p in range(1, 5)] == [0, 1, 1, 0]
    assert [second.node_at(p) for p in range(1, 5)] == [0, 2, 2, 0]
    assert second.edges == ((2, 0), (2, 1))
    assert second.edge_states(4).tolist() == [EdgeState.ARRIVED] * 2


def test_track_without_a_sweep_has_no_way_back():
    recording = two_sweeps()
    track = Track(Recording(recording.nodes, recording.values))

    assert track.call is None
    assert track.steps == ()
    assert track.turn == track.length == 3
    assert not track.edge_carries.any()
    assert track.node_states(3).tolist() == [COMPUTED, COMPUTED, FORWARD]


def test_pass_that_accumulates_nothing_has_the_same_states():
    recording = weighted_sum()
    call = recording.sweeps[0]
    asked = Sweep(call.outputs, call.seeds, call.steps)  # as torch.autograd.grad leaves it
    track, backward = Track(Recording(recording.nodes, recording.values, (asked,)), 0), Track(recording, 0)

    for position in range(track.length + 1):
        assert track.node_states(position).tolist() == backward.node_states(position).tolist()
        assert track.edge_states(position).tolist() == backward.edge_states(position).tolist()


def test_node_off_the_path_to_the_loss_is_unreached_only_once_the_pass_runs():
    nodes = (
        Node(0, "leaf", name="x", requires_grad=True),
        Node(1, "exp", (0,), requires_grad=True),  # nothing uses it
        Node(2, "mul", (0, 0), requires_grad=True),
    )
    sweep = Sweep((2,), (G,), (Step(2, G, (F(3), F(3))), Step(0, F(6))))
    track = Track(Recording(nodes, (F(3), F(20), F(9)), (sweep,)), 0)

    assert track.forward == (0, 1, 2)
    assert track.backward_ranks.tolist() == [5, NEVER, 4]
    assert track.node_states(3)[1] == COMPUTED
    assert [track.node_states(position)[1] for position in (4, 5)] == [UNREACHED, UNREACHED]
    assert track.edge_states(5).tolist() == [EdgeState.COMPUTED, EdgeState.ARRIVED, EdgeState.ARRIVED]


def test_leaf_that_is_the_output_takes_one_step_each_way():
    nodes = (Node(0, "leaf", name="x", requires_grad=True),)
    track = Track(Recording(nodes, (G,), (Sweep((0,), (G,), (Step(0, G),), (Accumulation(0, None, G),)),)), 0)

    assert track.length == 2
    assert [track.node_states(position).tolist() for position in range(3)] == [[COMING], [FORWARD], [BACKWARD]]
    assert [len(track.edge_states(position)) for position in range(3)] == [0, 0, 0]


def test_empty_recording_is_a_track_of_length_zero():
    track = Track(Recording())

    assert track.length == 0
    assert len(track.node_states(0)) == len(track.edge_states(0)) == 0


# ---- the same position is the same state --------------------------------------------------------------------------


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    """A random graph, and a sweep that reaches some of it; a gradient may be None anywhere."""
    nodes = [Node(0, "leaf", name="x0", shape=(2,), requires_grad=True)]
    for i in range(1, draw(st.integers(1, 24))):
        inputs = tuple(draw(st.lists(st.integers(0, i - 1), max_size=3)))
        nodes.append(Node(i, "op" if inputs else "leaf", inputs, shape=(2,), requires_grad=True))
    reached, steps = {len(nodes) - 1}, []
    for node in reversed(nodes):
        if node.id in reached:
            flows = [draw(st.booleans()) for _ in node.inputs]
            reached.update(source for source, flow in zip(node.inputs, flows, strict=True) if flow)
            steps.append(Step(node.id, array(1, 1), tuple(array(1, 1) if flow else None for flow in flows)))
    sweep = Sweep((len(nodes) - 1,), (array(1, 1),), tuple(steps))
    return Recording(tuple(nodes), (array(1, 1),) * len(nodes), (sweep,))


@given(recordings())
def test_every_position_has_exactly_one_node_of_its_own(recording):
    track = Track(recording, 0)

    for position in range(1, track.length + 1):
        now = np.flatnonzero(np.isin(track.node_states(position), (FORWARD, BACKWARD)))
        assert [track.forward[index] for index in now] == [track.node_at(position)]


def test_states_may_be_written_to(track):
    track.node_states(7)[:] = DONE
    track.edge_states(7)[:] = EdgeState.NONE

    fresh = Track(weighted_sum(), 0)
    assert track.node_states(7).tolist() == fresh.node_states(7).tolist()
    assert track.edge_states(8).tolist() == fresh.edge_states(8).tolist()
