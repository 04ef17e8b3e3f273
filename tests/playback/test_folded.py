"""A track with folded groups: its boxes and edges, and what is seen of a group while stepping."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.playback.groups.folded import Progress
from gradviz.playback.groups.report import GroupReports
from gradviz.playback.groups.sentence import folded_sentence
from gradviz.playback.track import NEVER, EdgeState, NodeState, Track
from tests.playback.scoped import Line, blocks, folded, grouped, names, track


def arrows(board: Track) -> list[tuple[str, str]]:
    called = names(board)
    pairs = zip(board.edge_sources.tolist(), board.edge_consumers.tolist(), strict=True)
    return [(called[source], called[consumer]) for source, consumer in pairs]


def test_a_folded_group_is_one_box_and_its_inner_edges_are_gone() -> None:
    board = folded(track(blocks(2)), "layers.0")

    assert names(board) == ["x", "w1", "a1", "y1", "loss", "layers.0"]
    assert arrows(board) == [
        ("layers.0", "a1"), ("w1", "a1"), ("a1", "y1"), ("layers.0", "y1"), ("y1", "loss"), ("y1", "loss"),
        ("x", "layers.0"),
    ]  # fmt: skip


def test_between_two_nodes_every_slot_stays_an_edge() -> None:
    board = folded(track(blocks(1)))

    assert arrows(board)[-2:] == [("y0", "loss"), ("y0", "loss")]
    assert board.edges == board.base.edges


def test_a_tensor_used_twice_in_a_group_goes_there_once_and_its_gradient_is_the_sum() -> None:
    # y0 = (x + w0) * x at x = w0 = 2 is 8; loss = y0², so dL/dy0 = 16, and x gets 16·2 + 16·4.
    board = folded(track(blocks(1)), "net › layers.0")
    edge = arrows(board).index(("x", "net › layers.0"))

    assert board.edge_counts[edge] == 2
    assert [float(g) for g in board.gradients(edge)] == [32.0, 64.0]
    assert board.edge_gradient(edge) == 96.0
    assert board.edge_text(edge, 16) == "96"


def fan(width: int) -> list[Line]:
    """`width` results of one group, all used by another."""
    lines: list[Line] = [("x", "leaf", (), ())]
    lines += [(f"a{i}", "mul", ("x", "x"), ("first",)) for i in range(width)]
    lines += [("s0", "add", ("a0", "a0"), ("second",))]
    lines += [(f"s{i}", "add", (f"s{i - 1}", f"a{i}"), ("second",)) for i in range(1, width)]
    return [*lines, ("loss", "add", (f"s{width - 1}", f"s{width - 1}"), ())]


@pytest.mark.parametrize(("width", "edges"), [(3, 3), (4, 1)])
def test_more_than_three_tensors_between_two_groups_share_an_edge(width: int, edges: int) -> None:
    board = folded(track(fan(width)), "first", "second")
    between = [edge for edge, ends in enumerate(arrows(board)) if ends == ("first", "second")]

    assert len(between) == edges
    assert sum(board.edge_counts[edge] for edge in between) == width + 1
    assert board.edge_text(between[0], 16) == ("4 gradients" if edges == 1 else "4")


def test_positions_are_those_of_the_whole_track() -> None:
    made = track(blocks(2))
    board = folded(made, "layers.0")

    assert (board.turn, board.length) == (made.turn, made.length)
    assert [board.node_at(p) for p in range(made.length + 1)] == [made.node_at(p) for p in range(made.length + 1)]


@pytest.mark.parametrize("is_whole", [True, False])
def test_states_agree_with_the_whole_track_where_nothing_is_folded(is_whole: bool) -> None:
    made = track(blocks(2))
    board = folded(made)
    board.__dict__["is_whole"] = is_whole  # the short way, and the way of any folding

    for position in range(made.length + 1):
        assert np.array_equal(board.node_states(position), made.node_states(position))
        assert np.array_equal(board.edge_states(position), made.edge_states(position))


def test_a_group_is_current_from_its_first_step_to_its_last_and_then_done() -> None:
    # Forward x w0 a0 y0 loss; backward loss y0 a0 w0 x.
    board = folded(track(blocks(1)), "net › layers.0")
    index = names(board).index("net › layers.0")

    states = [NodeState(int(board.node_states(p)[index])) for p in range(11)]

    assert states == [
        NodeState.COMING, NodeState.COMING, *[NodeState.FORWARD_NOW] * 3, NodeState.COMPUTED, NodeState.COMPUTED,
        *[NodeState.BACKWARD_NOW] * 3, NodeState.DONE,
    ]  # fmt: skip


def test_progress_counts_the_steps_of_the_pass_under_way() -> None:
    board = folded(track(blocks(1)), "net › layers.0")
    index = names(board).index("net › layers.0")

    assert board.progress(index, 3) == Progress(2, 3)
    assert board.progress(index, 8) == Progress(2, 3)
    assert [board.under_way(p) for p in (2, 3, 4)] == [[], [index], []]
    assert [board.under_way(p) for p in (7, 8, 9)] == [[index], [index], []]


def test_all_that_comes_into_a_group_is_known_when_the_last_of_its_uses_has_sent() -> None:
    # Forward x h a b c loss; backward loss c b a h x.
    inside: list[Line] = [("h", "mul", ("x", "x"), ("net",)), ("a", "mul", ("h", "x"), ("net",))]
    uses: list[Line] = [("b", "mul", ("a", "a"), ()), ("c", "mul", ("a", "a"), ()), ("loss", "add", ("b", "c"), ())]
    board = folded(track([("x", "leaf", (), ()), *inside, *uses]), "net")

    assert board.received[names(board).index("net")] == 9


def test_sentence_of_a_group_counts_its_steps_and_then_says_what_came_of_them() -> None:
    board = folded(track(blocks(1)), "net › layers.0")

    assert [folded_sentence(board, position)[0] for position in (3, 4, 8, 9)] == [
        "net › layers.0 has done 2 of its 3 forward steps.",
        "net › layers.0 has run forward: y0 = 8.",
        "net › layers.0 has done 2 of its 3 backward steps.",
        "net › layers.0 has run backward: it took in 16 and sent out 96 to x.",
    ]


def test_a_parameter_that_comes_in_early_does_not_begin_its_group() -> None:
    lines = blocks(1)
    lines[:2] = [("w0", "leaf", (), ("net", "layers.0")), ("x", "leaf", (), ())]
    board = folded(track(lines), "net › layers.0")

    assert board.under_way(2) == []


def test_gradients_leave_a_group_when_the_last_term_of_each_has_gone_out() -> None:
    board = folded(track(blocks(1)), "net › layers.0")
    into, out = arrows(board).index(("x", "net › layers.0")), arrows(board).index(("net › layers.0", "loss"))

    assert [int(board.edge_states(p)[out]) for p in (6, 7)] == [EdgeState.BACKWARD_NOW, EdgeState.ARRIVED]
    assert [int(board.edge_states(p)[into]) for p in (7, 8)] == [EdgeState.COMPUTED, EdgeState.BACKWARD_NOW]


def test_stepping_over_stops_once_in_a_row_of_steps_of_a_group() -> None:
    board = folded(track(blocks(1)), "net › layers.0")

    assert board.stops == (0, 1, 4, 5, 6, 9, 10)


def test_without_folded_groups_every_position_is_a_stop() -> None:
    board = folded(track(blocks(2)))

    assert board.stops == tuple(range(board.length + 1))


def test_a_group_that_the_loss_does_not_reach_has_no_rank() -> None:
    lines: list[Line] = [("x", "leaf", (), ()), ("a", "mul", ("x", "x"), ("f",)), ("b", "mul", ("a", "a"), ("f",)),
                         ("loss", "add", ("x", "x"), ())]  # fmt: skip
    board = folded(track(lines), "f")
    index = names(board).index("f")

    assert board.backward_ranks[index] == NEVER
    assert board.node_states(board.length)[index] == NodeState.UNREACHED


def test_open_groups_are_frames_around_their_boxes() -> None:
    board = folded(track(blocks(2)), "layers.0")
    titles = [board.groups.groups[number].title for number in board.frames]

    assert titles == ["net", "layers.1"]
    assert board.frame_parents.tolist() == [-1, 0]
    assert dict(zip(names(board), board.frame_of.tolist(), strict=True)) == {
        "x": -1, "w1": 1, "a1": 1, "y1": 1, "loss": -1, "layers.0": 0,
    }  # fmt: skip


def test_what_comes_into_a_group_is_the_gradient_at_its_output() -> None:
    made = track(blocks(1))
    board = folded(made, "net › layers.0")

    assert board.incoming([names(board).index("net › layers.0")]) == [16.0]
    assert board.incoming([names(board).index("x")]) == [96.0]


def test_what_comes_into_a_group_of_several_outputs_is_all_of_it() -> None:
    board = folded(track(fan(3)), "first")

    [incoming] = board.incoming([names(board).index("first")])

    assert incoming is not None
    assert incoming.tolist() == [4.0, 2.0, 2.0]


# ---- the report ----


def test_a_report_names_what_crosses_the_border_of_a_group() -> None:
    made = track(blocks(1))

    report = GroupReports(made, grouped(made)).at(made.length, 0)

    assert report.ops == (("add", 1), ("mul", 1))
    assert report.parameters == 1
    assert report.lines == (3, 4)
    assert [(flow.label, float(flow.gradient)) for flow in report.inputs if flow.gradient is not None] == [("x", 96.0)]
    assert [(flow.label, float(flow.gradient)) for flow in report.outputs if flow.gradient is not None] == [
        ("y0", 16.0)
    ]


def test_a_report_knows_no_gradient_before_all_of_it_has_come() -> None:
    made = track(blocks(1))

    report = GroupReports(made, grouped(made)).at(8, 0)

    assert (report.stage, report.done, report.total) == ("backward", 2, 3)
    assert [flow.note for flow in report.inputs] == [""]
    assert [flow.note for flow in GroupReports(made, grouped(made)).at(7, 0).inputs] == ["comes at step 3"]


def test_the_seed_comes_in_at_a_group_that_holds_the_output() -> None:
    lines: list[Line] = [("x", "leaf", (), ()), ("a", "mul", ("x", "x"), ("f",)), ("loss", "mul", ("a", "a"), ("f",))]
    made = track(lines)

    report = GroupReports(made, grouped(made)).at(made.length, 0)

    assert [(flow.label, float(flow.gradient)) for flow in report.outputs if flow.gradient is not None] == [
        ("loss", 1.0)
    ]
