"""Which nodes form a group, what is folded at first, and what changes that."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.playback.groups import folding as fold
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import OPEN, Folding
from gradviz.playback.groups.groups import OUTSIDE, Groups, groups_of
from gradviz.playback.groups.opening import crowd_of
from gradviz.playback.groups.report import count_text
from gradviz.playback.track import Track
from gradviz.recording import Recording
from tests.playback.scoped import Line, blocks, grouped, names, recording, track


def members(made: Track, groups: Groups, title: str) -> set[str]:
    (number,) = (n for n, group in enumerate(groups.groups) if group.title == title)
    return {made.recording.nodes[made.forward[index]].name or "" for index in groups.members(number)}


def test_nodes_of_one_scope_form_a_group_inside_that_of_the_outer_scope() -> None:
    made = track(blocks(2))

    groups = groups_of(made)

    assert [(g.title, g.parent) for g in groups.groups] == [("net", OUTSIDE), ("layers.0", 0), ("layers.1", 0)]
    assert members(made, groups, "layers.1") == {"w1", "a1", "y1"}
    assert members(made, groups, "net") == {"w0", "a0", "y0", "w1", "a1", "y1"}


def test_a_recording_without_scopes_has_no_groups() -> None:
    made = track([("x", "leaf", (), ()), ("y", "mul", ("x", "x"), ())])

    assert groups_of(made).groups == ()


def test_what_a_function_was_given_stays_outside_it() -> None:
    made = track([("x", "leaf", (), ()), ("a", "mul", ("x", "x"), ("f",)), ("b", "mul", ("a", "a"), ("f",)),
                  ("y", "add", ("b", "b"), ())])  # fmt: skip

    assert members(made, groups_of(made), "f") == {"a", "b"}


def test_parameters_made_elsewhere_go_to_where_they_are_used() -> None:
    made = track([("x", "leaf", (), ()), ("w", "leaf", (), ("Net.__init__",)), ("a", "mul", ("x", "w"), ("net",)),
                  ("b", "mul", ("a", "w"), ("net",)), ("y", "add", ("b", "b"), ())])  # fmt: skip

    groups = groups_of(made)

    assert [group.title for group in groups.groups] == ["net"]
    assert members(made, groups, "net") == {"w", "a", "b"}


def test_a_parameter_of_two_rounds_is_outside_both() -> None:
    made = track([("x", "leaf", (), ()), ("w", "leaf", (), ("t = 0",)), ("a", "mul", ("x", "w"), ("t = 0",)),
                  ("b", "add", ("a", "a"), ("t = 0",)), ("c", "mul", ("b", "w"), ("t = 1",)),
                  ("d", "add", ("c", "c"), ("t = 1",)), ("y", "add", ("d", "d"), ())])  # fmt: skip

    groups = groups_of(made)

    assert members(made, groups, "t = 0") == {"a", "b"}
    assert members(made, groups, "t = 1") == {"c", "d"}


def test_a_scope_that_comes_back_is_another_group() -> None:
    made = track([("x", "leaf", (), ()), ("a", "mul", ("x", "x"), ("f",)), ("b", "mul", ("a", "a"), ("f",)),
                  ("c", "add", ("b", "b"), ()), ("d", "mul", ("c", "c"), ("f",)), ("e", "mul", ("d", "d"), ("f",)),
                  ("y", "add", ("e", "e"), ())])  # fmt: skip

    groups = groups_of(made)

    assert [group.title for group in groups.groups] == ["f", "f (2)"]


@pytest.mark.parametrize(("weights", "groups"), [(0, 0), (1, 0), (2, 1)])
def test_one_op_is_a_group_only_with_two_parameters(weights: int, groups: int) -> None:
    lines: list[Line] = [(f"w{i}", "leaf", (), ("f",)) for i in range(2)]
    inputs = [("x", "x"), ("x", "w0"), ("w0", "w1")][weights]
    made = track([("x", "leaf", (), ()), *lines, ("a", "mul", inputs, ("f",)), ("y", "add", ("a", "x"), ())])

    assert len(groups_of(made).groups) == groups


def test_a_frame_around_one_node_or_around_everything_is_left_out() -> None:
    made = track([("x", "leaf", (), ("main",)), ("a", "mul", ("x", "x"), ("main", "f")),
                  ("y", "add", ("a", "a"), ("main",))])  # fmt: skip

    assert groups_of(made).groups == ()


def test_two_scopes_of_the_same_nodes_are_one_group_with_both_names() -> None:
    scope = ("t = 3", "cell")
    made = track([("x", "leaf", (), ()), ("a", "mul", ("x", "x"), scope), ("b", "mul", ("a", "a"), scope),
                  ("y", "add", ("b", "b"), ())])  # fmt: skip

    assert [group.title for group in groups_of(made).groups] == ["t = 3 › cell"]


def test_a_place_in_a_container_says_of_which() -> None:
    scope = ("net", "0")
    made = track([("x", "leaf", (), ()), ("a", "mul", ("x", "x"), scope), ("b", "mul", ("a", "a"), scope),
                  ("c", "mul", ("b", "b"), ("net",)), ("y", "add", ("c", "c"), ())])  # fmt: skip

    assert [group.title for group in groups_of(made).groups] == ["net", "net.0"]


def test_a_module_inside_a_container_goes_by_its_path_from_the_outermost_one() -> None:
    scopes = [("net",)] * 2 + [("net", "1")] * 2 + [("net", "1", "1.bn")] * 2
    lines = [(f"y{n}", "add", (f"y{n - 1}", f"y{n - 1}"), scope) for n, scope in enumerate(scopes, 1)]
    made = track([("y0", "leaf", (), ()), *lines, ("loss", "add", ("y6", "y6"), ())])

    assert [group.title for group in groups_of(made).groups] == ["net", "net.1", "net.1.bn"]


# ---- alike neighbours ----


def with_an_op_of_the_parent(lines: list[Line]) -> list[Line]:
    last = lines[-2][0]
    return [*lines[:-1], ("z", "add", (last, last), ("net",)), ("loss", "mul", ("z", "z"), ())]


def test_a_group_of_alike_groups_and_nothing_else_is_counted() -> None:
    groups = grouped(track(blocks(3)))

    assert [(g.title, g.count, g.is_run) for g in groups.groups[:2]] == [("net", 3, False), ("layers.0", 1, False)]


def test_three_alike_neighbours_are_put_together_and_counted() -> None:
    groups = grouped(track(with_an_op_of_the_parent(blocks(3))))

    assert [(g.title, g.count) for g in groups.groups[1:3]] == [("layers.0 … layers.2", 3), ("layers.0", 1)]
    assert groups.children[1] == (2, 3, 4)
    assert groups.sizes[1] == 9


def test_two_alike_neighbours_are_not_put_together() -> None:
    assert {group.count for group in grouped(track(blocks(2))).groups} == {1}


@pytest.mark.parametrize("changed", ["op", "wiring"])
def test_a_block_of_another_structure_breaks_the_run(changed: str) -> None:
    lines = blocks(4)
    at = next(number for number, line in enumerate(lines) if line[0] == "y1")
    name, op, inputs, scope = lines[at]
    lines[at] = (name, "add", inputs, scope) if changed == "op" else (name, op, ("a1", "a1"), scope)

    assert {group.count for group in grouped(track(lines)).groups} == {1}


def test_an_op_between_alike_groups_keeps_them_apart() -> None:
    lines = blocks(3)
    at = next(number for number, line in enumerate(lines) if line[0] == "w1")
    lines[at:at] = [("z", "add", ("y0", "y0"), ("net",))]

    assert {group.count for group in grouped(track(lines)).groups} == {1}


# ---- folding ----


def test_a_small_picture_opens_unfolded() -> None:
    assert fold.opening(grouped(track(blocks(3)))) == OPEN


def unlike_blocks(count: int) -> list[Line]:
    """Modules of two kinds in turn, `count` of each, so that none is like its neighbour."""
    lines: list[Line] = [("x", "leaf", (), ())]
    for number in range(2 * count):
        scope, before = ("net", f"layers.{number}"), lines[-1][0]
        first = ("add", "mul")[number % 2]
        lines += [(f"a{number}", first, (before, before), scope), (f"b{number}", "add", (f"a{number}", before), scope)]
    return lines


def test_a_large_picture_opens_with_so_many_boxes_that_they_can_be_read() -> None:
    made = track([*unlike_blocks(60), ("loss", "add", ("b119", "b119"), ())])
    groups = grouped(made)

    opened = FoldedTrack.of(made, groups, fold.opening(groups))

    assert len(made.forward) == 242
    assert fold.ENOUGH <= len(opened.forward) <= fold.LARGE


def test_of_many_alike_groups_the_first_and_the_last_are_shown_and_the_rest_as_one_stack() -> None:
    made = track(blocks(100))
    groups = grouped(made)

    opened = FoldedTrack.of(made, groups, fold.opening(groups))

    ends = ["w0", "a0", "y0", "w1", "a1", "y1", "w99", "a99", "y99"]
    assert names(opened) == ["x", *ends, "loss", "layers.2 … layers.98"]
    net, stack = (next(g for g in groups.groups if g.title == title) for title in ("net", "layers.2 … layers.98"))
    assert (net.count, stack.count) == (100, 97)
    assert count_text(stack) == "×97, same structure"


def test_a_stack_opens_into_the_groups_that_it_stands_for() -> None:
    groups = grouped(track(blocks(20)))
    stack = next(number for number, group in enumerate(groups.groups) if group.is_run)

    titles = [groups.groups[number].title for number in groups.children[stack]]

    assert titles == [f"layers.{number}" for number in range(2, 19)]
    assert {groups.groups[number].title for number in groups.children[0]} == {
        "layers.0", "layers.1", "layers.2 … layers.18", "layers.19",
    }  # fmt: skip


def test_of_alike_neighbours_none_is_opened_without_the_others() -> None:
    # All 13 of them would be 156 boxes; the largest few would fit.
    lines: list[Line] = [("x", "leaf", (), ())]
    for number in range(156):
        before = lines[-1][0]
        lines.append((f"a{number}", "add", (before, before), ("net", f"layers.{number // 12}")))
    groups = grouped(track([*lines, ("loss", "add", ("a155", "a155"), ())]))

    assert {("net", f"layers.{number}") for number in range(13)} <= fold.opening(groups).folded


def test_a_large_picture_is_not_opened_into_a_thicket() -> None:
    groups = grouped(track([*unlike_blocks(60), ("loss", "add", ("b119", "b119"), ())]))

    opened = fold.opening(groups, crowd=lambda _: fold.Crowd(edges=fold.MOST_EDGES + 1))

    assert opened == fold.all_folded(groups)


def test_fold_all_leaves_the_outermost_groups_and_opens_level_by_level() -> None:
    made = track(blocks(3))
    groups = grouped(made)

    whole = fold.all_folded(groups)
    first = fold.toggled(whole, groups, 0)

    assert names(FoldedTrack.of(made, groups, whole)) == ["x", "loss", "net"]
    assert names(FoldedTrack.of(made, groups, first)) == ["x", "loss", "layers.0", "layers.1", "layers.2"]


def test_a_group_inside_a_folded_one_keeps_its_own_state() -> None:
    groups = grouped(track(blocks(2)))
    inner = fold.toggled(OPEN, groups, 1)

    assert fold.toggled(fold.toggled(inner, groups, 0), groups, 0) == inner


def test_showing_a_node_opens_what_is_around_it_and_nothing_else() -> None:
    made = track(blocks(3))
    groups = grouped(made)

    shown = fold.showing(fold.all_folded(groups), groups, made.forward.index(5))

    assert names(FoldedTrack.of(made, groups, shown)) == ["x", "w1", "a1", "y1", "loss", "layers.0", "layers.2"]


def test_focus_shows_a_group_and_its_neighbours_only() -> None:
    made = track(blocks(3))
    groups = grouped(made)
    number = next(n for n, group in enumerate(groups.groups) if group.title == "layers.1")
    closed = Folding(frozenset({("net", "layers.2")}))

    focused = FoldedTrack.of(made, groups, fold.focused(closed, groups, number))

    assert names(focused) == ["y0", "w1", "a1", "y1", "layers.2"]
    assert fold.unfocused(focused.folding) == closed


def test_showing_a_node_out_of_focus_ends_the_focus() -> None:
    made = track(blocks(3))
    groups = grouped(made)
    focused = fold.focused(OPEN, groups, groups.number_of["net", "layers.1"])

    assert fold.showing(focused, groups, made.forward.index(5)).focus == focused.focus
    assert fold.showing(focused, groups, 0).focus is None


# ---- any scopes ----

TEXTS = st.sampled_from(["f", "g", "0"])


@st.composite
def scoped(draw: st.DrawFn) -> Recording:
    lines: list[Line] = [("n0", "leaf", (), ())]
    for number in range(1, draw(st.integers(3, 25))):
        inputs = draw(st.lists(st.integers(0, number - 1), min_size=2, max_size=2))
        op = draw(st.sampled_from(["add", "mul", "mul", "leaf"]))
        scope = draw(st.lists(TEXTS, max_size=3))
        lines.append((f"n{number}", op, () if op == "leaf" else [f"n{i}" for i in inputs], scope))
    lines.append(("end", "add", (lines[-1][0], lines[-1][0]), ()))
    return recording(lines)


@given(scoped(), st.data())
def test_folding_any_groups_leaves_a_graph_without_cycles(made: Recording, data: st.DataObject) -> None:
    whole = Track(made, 0)
    groups = grouped(whole)
    keys = data.draw(st.sets(st.sampled_from([g.key for g in groups.groups]))) if groups.groups else set()
    board = FoldedTrack.of(whole, groups, Folding(frozenset(keys)))

    graph = nx.DiGraph(zip(board.edge_sources.tolist(), board.edge_consumers.tolist(), strict=True))

    assert nx.is_directed_acyclic_graph(graph)
    assert sum(len(inside) for inside in board.members) == len(whole.forward)
    assert sorted(i for edge in range(len(board.edges)) for i in board.real_edges(edge).tolist()) == [
        edge
        for edge in range(len(whole.edges))
        if board.box_of[whole.edge_sources[edge]] != board.box_of[whole.edge_consumers[edge]]
    ]


def side_by_side(count: int) -> list[Line]:
    """Rounds of a loop that all read x, of eight ops each, and the tree of their sums; `count` is a power of 2."""
    lines: list[Line] = [("x", "leaf", (), ())]
    for number in range(count):
        for op in range(8):
            before = f"a{number}_{op - 1}" if op else "x"
            lines.append((f"a{number}_{op}", "add", (before, "x"), (f"i = {number}",)))
    pending = [f"a{number}_7" for number in range(count)]
    while len(pending) > 1:
        pending.append(f"s{len(lines)}")
        lines.append((pending[-1], "add", (pending.pop(0), pending.pop(0)), ("sums",)))
    return lines


@pytest.mark.parametrize(("count", "is_open"), [(8, True), (16, False)])
def test_a_large_picture_is_not_opened_wider_than_can_be_read(count: int, is_open: bool) -> None:
    made = track(side_by_side(count))
    groups = grouped(made)

    folding = fold.opening(groups, lambda folding: crowd_of(FoldedTrack.of(made, groups, folding)))

    rounds = next(group.key for group in groups.groups if group.count == count)
    assert (rounds not in folding.folded) is is_open


def test_boxes_one_below_the_other_are_not_abreast() -> None:
    made = track(blocks(12))

    assert crowd_of(FoldedTrack.of(made, grouped(made), OPEN)).abreast == 1
