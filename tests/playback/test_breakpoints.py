"""Breakpoints: where they stop, what they are called, how they follow an edit; the player stops at them exactly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.errors import ConditionError
from gradviz.playback.conditions.breakpoints import Breakpoint, Stops, moved_with_text, on_line, on_node, read, toggled
from gradviz.playback.conditions.condition import parse
from gradviz.playback.conditions.fitting import Fitting
from gradviz.playback.player import Player
from gradviz.playback.track import Track
from gradviz.recording import Node, Recording
from tests.samples import random_graph, weighted_sum


@pytest.fixture
def track() -> Track:
    return Track(weighted_sum(), 0)


def texts(breakpoints: tuple[Breakpoint, ...]) -> list[str]:
    return [one.text for one in breakpoints]


# ---- what they are called ----


def test_a_breakpoint_is_written_as_its_condition() -> None:
    assert read(" grad>1e3 ") == Breakpoint("norm > 1e3", True)
    assert on_line(7).line == read(":7").line == 7
    assert read("line = 7 and op = mul").line is None
    with pytest.raises(ConditionError):
        read("norm >")


@pytest.mark.parametrize("node", range(5))
def test_the_breakpoint_of_a_node_names_it_alone_and_not_by_number(track: Track, node: int) -> None:
    text = on_node(track, node).text

    assert Fitting(track, parse(text)).nodes == {node}
    assert "node =" not in text


def test_nodes_that_differ_in_nothing_are_told_apart_by_their_order() -> None:
    nodes = (Node(0, "leaf", name="h", line=1), *(Node(i, "tanh", (i - 1,), name="h", line=3) for i in (1, 2, 3)))
    track = Track(Recording(nodes, (None,) * 4))

    assert on_node(track, 2).text == "name = h and op = tanh and time = 2"
    assert Fitting(track, on_node(track, 2).condition).nodes == {2}


def test_setting_a_breakpoint_again_takes_it_away() -> None:
    one, other = Breakpoint("nan"), Breakpoint("line = 7", is_on=False)

    assert toggled((one,), on_line(7)) == (one, on_line(7))
    assert toggled((one, other), on_line(7)) == (one,)


# ---- they follow the text ----


@pytest.mark.parametrize(
    ("new", "lines"),
    [
        ("a\nb\nc\nd", [2, 4]),
        ("new\na\nb\nc\nd", [3, 5]),
        ("a\nb\nnew\nnew\nc\nd", [2, 6]),
        ("a\nB2\nc\nd", [2, 4]),
        ("b\nc\nd", [1, 3]),
        ("a\nc\nd", [3]),
        ("a\nd", [2]),
        ("", []),
    ],
)  # fmt: skip
def test_breakpoints_on_lines_move_with_the_text(new: str, lines: list[int]) -> None:
    moved = moved_with_text((on_line(2), on_line(4)), "a\nb\nc\nd", new)

    assert [one.line for one in moved] == lines


def test_an_edit_moves_lines_inside_conditions_and_leaves_the_rest() -> None:
    known = (Breakpoint("op = mul and line = 2", False), Breakpoint("nan"))

    assert moved_with_text(known, "a\nb", "new\na\nb") == (
        Breakpoint("op = mul and line = 3", False),
        Breakpoint("nan"),
    )


# ---- where they stop ----


def test_stops_are_found_forward_and_backward_and_say_why(track: Track) -> None:
    stops = Stops(track, (Breakpoint("norm > 5"), on_line(4), Breakpoint("nan"), Breakpoint("op = sum", False)))

    assert stops.all.tolist() == [3, 8, 9]
    assert stops.first(3, track.length) == 8
    assert stops.first(8, 8) is None
    assert stops.last(0, 8) == 3
    assert stops.last(0, 3) is None
    assert stops.why(8) == "norm of what comes in = 5.831 > 5 at node x·x (mul), line 6"
    assert stops.why(7) == ""


def test_no_breakpoint_is_no_stop(track: Track) -> None:
    assert Stops(track, ()).first(0, track.length) is None
    assert Stops(track, ()).all.tolist() == []


def test_first_and_last_look_as_far_as_they_must() -> None:
    track = Track(random_graph(1500), 0)
    stops = Stops(track, (on_line(1400),))
    ahead, back = (p for p in range(1, track.length + 1) if track.node_at(p) == 1399)

    assert stops.all.tolist() == [ahead, back]
    assert (stops.first(0, track.length), stops.first(ahead, track.length)) == (ahead, back)
    assert (stops.last(0, track.length), stops.last(0, back)) == (back, ahead)


# ---- the player ----


def playing(track: Track, text: str, position: int = 0) -> Player:
    player = Player()
    player.load(track.length, position)
    player.find_stop = Stops(track, (read(text),)).first
    player.toggle()
    return player


@pytest.mark.parametrize("steps", [1, 2, 3, 7, 100, 5000])
def test_playing_stops_at_the_step_however_fast_it_is(steps: int) -> None:
    track = Track(random_graph(1500), 0)
    player = playing(track, "line = 700 and backward")
    (wanted,) = Stops(track, (read("line = 700 and backward"),)).all.tolist()

    while player.is_playing:
        player.tick(steps)

    assert (player.position, player.is_halted) == (wanted, True)


def test_playing_goes_on_from_a_breakpoint_to_the_next_and_to_the_end(track: Track) -> None:
    player = playing(track, "op = mul and backward")
    seen = []
    for _ in range(3):
        while player.is_playing:
            player.tick(100)
        seen.append((player.position, player.is_halted))
        player.toggle()

    assert seen == [(7, True), (8, True), (9, False)]


def test_a_stop_at_the_last_step_counts_before_the_loop_starts_again(track: Track) -> None:
    player = playing(track, "name = x and backward", 5)
    player.loop = True
    player.tick(100)

    assert (player.position, player.is_halted, player.is_playing) == (9, True, False)


def test_a_move_by_hand_passes_breakpoints_and_is_no_halt(track: Track) -> None:
    player = playing(track, "op = mul")
    player.tick(100)
    assert player.is_halted

    player.step(1)
    assert not player.is_halted
    player.last()
    assert (player.position, player.is_halted) == (track.length, False)


def test_halting_where_we_stand_is_told() -> None:
    told = []
    player = Player(lambda: told.append(1))
    player.load(5, 3)
    player.halt(3)
    player.halt(3)

    assert len(told) == 2


def test_breakpoints_hold_in_the_next_run_by_what_they_name(track: Track) -> None:
    known = on_node(track, 4)
    recording = weighted_sum()
    shifted = tuple(replace_node(node, node.id + 1) if node.id else node for node in (*recording.nodes,))
    nodes = (shifted[0], Node(1, "neg", (0,), shape=(2,), requires_grad=True, line=5), *shifted[1:])
    again = Track(replace(recording, nodes=nodes, values=(None,) * 6, sweeps=()))

    assert Fitting(again, known.condition).nodes == {5}


def replace_node(node: Node, number: int) -> Node:
    return node._replace(id=number, inputs=tuple(source + 1 if source else 0 for source in node.inputs))
