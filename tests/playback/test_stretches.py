"""Too much side by side is cut into stretches of the evaluation order, which say what they go from and to."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.playback.groups import folding as fold
from gradviz.playback.groups.alike import with_alike
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import Folding
from gradviz.playback.groups.groups import OUTSIDE, Groups, groups_of
from gradviz.playback.groups.opening import crowd_of
from gradviz.playback.groups.stretches import MOST_BESIDE, MOST_STRETCHES, with_stretches
from gradviz.playback.track import Track
from tests.playback.scoped import Line, blocks, names, track


def stretched(made: Track) -> Groups:
    return with_stretches(with_alike(groups_of(made), made), made)


def chain(count: int, scope: str = "", back: int = 7) -> list[Line]:
    """`count` sums, each of the one before and one `back` before that; where named, each in a round of its own."""
    lines: list[Line] = [("x", "leaf", (), ())]
    for number in range(count):
        earlier = lines[max(0, len(lines) - back)][0]
        around = (f"{scope} = {number}",) if scope else ()
        lines.append((f"a{number}", "add", (lines[-1][0], earlier), around))
    return lines


def opened(made: Track) -> FoldedTrack:
    groups = stretched(made)
    return FoldedTrack.of(made, groups, fold.opening(groups, lambda f: crowd_of(FoldedTrack.of(made, groups, f))))


def test_what_can_stand_side_by_side_is_not_cut() -> None:
    made = track(chain(MOST_BESIDE - 1))

    assert stretched(made).groups == ()


@pytest.mark.parametrize("count", [200, 1_000, 8_000])
def test_a_script_without_groups_opens_with_so_many_boxes_that_they_can_be_seen(count: int) -> None:
    board = opened(track(chain(count)))

    assert 12 <= len(board.forward) <= fold.SMALL
    assert len(board.edges) <= fold.MOST_EDGES


def test_no_stretch_has_more_side_by_side_than_can_be_read() -> None:
    groups = stretched(track(chain(8_000)))

    beside = np.bincount([group.parent + 1 for group in groups.groups])
    own = np.bincount(groups.home + 1, minlength=len(beside))
    assert beside[0] <= MOST_STRETCHES
    assert (own + np.pad(beside, (0, len(own) - len(beside)))).max() <= MOST_BESIDE


def test_a_stretch_of_just_as_many_as_can_stand_side_by_side_is_not_cut_again() -> None:
    groups = stretched(track(chain(MOST_BESIDE * MOST_STRETCHES))).groups

    assert [group.parent for group in groups] == [OUTSIDE] * MOST_STRETCHES


def test_stretches_are_named_by_the_rounds_from_which_they_go_to_which() -> None:
    titles = [group.title for group in stretched(track(chain(400, "k"))).groups]

    assert titles[0] == "k = 0 … k = 19"
    assert titles[-1] == "k = 380 … k = 399"


def test_where_there_are_no_rounds_they_are_named_by_their_lines() -> None:
    titles = [group.title for group in stretched(track(chain(400))).groups]

    # x is made in line 1.
    assert titles[0] == "lines 2–21"


def test_ops_of_one_line_are_named_by_their_number() -> None:
    made = track(chain(400))
    nodes = tuple(node._replace(line=3) for node in made.recording.nodes)
    groups = stretched(Track(type(made.recording)(nodes, made.recording.values, made.recording.sweeps), 0))

    assert groups.groups[0].title == "ops 1–20"


def test_a_leaf_goes_into_the_stretch_that_alone_uses_it() -> None:
    lines = chain(400)
    lines.insert(50, ("w", "leaf", (), ()))
    lines[60] = (lines[60][0], "mul", (lines[60][2][0], "w"), ())
    made = track(lines)
    groups = stretched(made)

    home = dict(zip(names(made), groups.home.tolist(), strict=True))

    assert home["w"] == home[lines[60][0]] != OUTSIDE
    assert home["x"] == home["a0"]


def test_a_long_stack_of_alike_groups_is_cut_as_well() -> None:
    groups = stretched(track(blocks(400)))
    stack = next(number for number, group in enumerate(groups.groups) if group.is_run)

    parts = [groups.groups[number].title for number in groups.children[stack]]

    assert len(parts) <= MOST_STRETCHES
    assert parts[0].startswith("layers.2 … ")
    assert parts[-1].endswith(" … layers.398")


@settings(max_examples=20)
@given(st.integers(160, 500), st.integers(2, 120), st.data())
def test_folding_any_stretches_leaves_a_graph_without_cycles_and_loses_no_node(count, back, data) -> None:
    made = track(chain(count, back=back))
    groups = stretched(made)
    keys = [group.key for group in groups.groups]

    some = data.draw(st.sets(st.sampled_from(keys)))
    board = FoldedTrack.of(made, groups, Folding(frozenset(some)))

    assert len(set(keys)) == len(keys)
    assert all(group.parent < number for number, group in enumerate(groups.groups))
    assert sorted(index for members in board.members for index in members.tolist()) == list(range(len(made.forward)))
    graph = nx.DiGraph(zip(board.edge_sources.tolist(), board.edge_consumers.tolist(), strict=True))
    assert nx.is_directed_acyclic_graph(graph)
