"""Plumbing in the box of what it hands on, and layers of PyTorch as one box each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import OPEN, Folding, all_folded
from gradviz.playback.groups.groups import groups_of
from gradviz.playback.groups.opening import first_folding
from gradviz.playback.groups.plumbing import WHOLE, carriers_of, has_plumbing
from gradviz.playback.groups.sentence import folded_sentence
from gradviz.playback.groups.stretches import all_groups_of
from gradviz.playback.track import NEVER, Track
from gradviz.player.document import document_of
from gradviz.recording import Accumulation, Broken, Engine, Node, Origin, Problem, Recording, Step, Sweep
from gradviz.ui.canvas.scene.cards import cards
from tests.samples import random_graph

F = np.float32
ENGINE = Engine("PyTorch", "2.13.0")
HIDDEN = Folding(has_plumbing=False)


def linear() -> Recording:
    """x through a Linear "net.fc" and a relu, as PyTorch has it: weight, t, bias, addmm; then an unnamed view."""
    fc, net = Origin(module="net.fc"), Origin(module="net")
    scope = ("net", "fc")
    nodes = (
        Node(0, "constant", shape=(1, 2), name="x"),
        Node(1, "leaf", shape=(1, 2), name="net.fc.weight", requires_grad=True, scope=scope, origin=fc),
        Node(2, "t", (1,), shape=(2, 1), requires_grad=True, scope=scope, origin=fc),
        Node(3, "leaf", shape=(1,), name="net.fc.bias", requires_grad=True, scope=scope, origin=fc),
        Node(4, "addmm", (3, 0, 2), shape=(1, 1), requires_grad=True, scope=scope, origin=fc),
        Node(5, "view", (4,), {"size": [1]}, shape=(1,), requires_grad=True, scope=("net",), origin=net),
        Node(6, "relu", (5,), shape=(1,), requires_grad=True, scope=("net",), origin=net),
        Node(7, "sum", (6,), name="loss", requires_grad=True),
    )
    one = np.ones((1, 1), F)
    values = tuple(np.full(node.shape, 2, F) for node in nodes)
    steps = (
        Step(7, F(1), (np.ones(1, F),)),
        Step(6, np.ones(1, F), (np.ones(1, F),)),
        Step(5, np.ones(1, F), (one,)),
        Step(4, one, (np.ones(1, F), None, np.ones((2, 1), F))),
        Step(3, np.ones(1, F), ()),
        Step(2, np.ones((2, 1), F), (np.ones((1, 2), F),)),
        Step(1, np.ones((1, 2), F), ()),
    )
    kept = (Accumulation(3, None, np.ones(1, F)), Accumulation(1, None, np.ones((1, 2), F)))
    return Recording(nodes, values, (Sweep((7,), (F(1),), steps, kept),), engine=ENGINE)


def board_of(recording: Recording, folding: Folding = HIDDEN) -> FoldedTrack:
    track = Track(recording, 0)
    return FoldedTrack.of(track, all_groups_of(track), folding)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[None]]:
    """A picture of a few nodes counts as a large one meanwhile."""

    @contextmanager
    def counted() -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr("gradviz.playback.groups.plumbing.SMALL", 3)
            yield

    return counted


def with_node(recording: Recording, node: int, **changes: Any) -> Recording:
    nodes = list(recording.nodes)
    nodes[node] = nodes[node]._replace(**changes)
    return replace(recording, nodes=tuple(nodes))


# ---- what has no box ----


def test_plumbing_is_in_the_box_of_what_it_hands_on() -> None:
    board = board_of(linear())

    assert board.forward == (0, 1, 3, 4, 6, 7)
    assert board.edges == ((4, 0), (4, 1), (4, 2), (6, 0), (7, 0))
    assert [board.forward[source] for source in board.edge_sources] == [3, 0, 1, 4, 6]
    assert board.index_of[2] == board.index_of[1]
    assert board.edge_gradient(2) is not None
    assert np.shape(board.edge_gradient(2)) == (2, 1)  # what addmm sends to the transposed weight


@pytest.mark.parametrize(
    "changed",
    [
        lambda r: with_node(r, 5, name="h"),
        lambda r: with_node(r, 5, inputs=(4, 4)),
        lambda r: with_node(r, 5, op="relu"),
        lambda r: replace(r, problem=Problem("failed", node=5)),
        lambda r: replace(r, sweeps=(replace(r.sweeps[0], error=Broken("failed", 5)),)),
        lambda r: replace(r, sweeps=(replace(r.sweeps[0], hooked=frozenset({5})),)),
        lambda r: replace(r, sweeps=(replace(r.sweeps[0], outputs=(5,), seeds=(np.ones(1, F),)),)),
    ],
    ids=["named", "of two inputs", "another op", "problem", "failed pass", "hook", "output"],
)
def test_what_tells_something_has_a_box_of_its_own(changed: Any) -> None:
    carriers = carriers_of(Track(changed(linear()), 0))

    assert carriers[2] == 1
    assert carriers[5] == WHOLE


def test_what_nothing_uses_has_a_box_of_its_own() -> None:
    recording = linear()
    cut = replace(recording, nodes=recording.nodes[:6], values=recording.values[:6], sweeps=())

    assert carriers_of(Track(cut, None)).tolist() == [WHOLE, WHOLE, 1, WHOLE, WHOLE, WHOLE]


@pytest.mark.parametrize("engine", [ENGINE, None])
def test_in_a_large_picture_it_is_hidden_at_first_and_in_a_small_one_shown_whoever_ran_it(engine, large) -> None:
    recording = replace(linear(), engine=engine)
    with large():
        assert 2 not in board_of(recording, OPEN).forward
        assert 2 in board_of(recording, Folding(has_plumbing=True)).forward
    assert 2 in board_of(recording, OPEN).forward
    assert has_plumbing(Track(linear(), 0))
    assert not has_plumbing(Track(random_graph(5), 0))


def test_a_chain_is_where_it_begins_and_in_a_folded_group_where_that_is() -> None:
    recording = with_node(linear(), 6, op="unsqueeze")
    board = board_of(recording)
    folded = board_of(recording, replace(HIDDEN, folded=frozenset({("net", "fc")})))

    assert board.index_of[5] == board.index_of[6] == board.index_of[4]
    assert folded.group_of(folded.forward[folded.index_of[6]]) is not None
    assert [len(members) for members in folded.members] == [1, 1, 4]


# ---- time ----


def test_steps_go_past_it() -> None:
    board = board_of(linear())

    assert board.stops == (0, 1, 2, 4, 5, 7, 8, 9, 10, 12, 13, 15)


def test_what_comes_in_by_way_of_it_is_not_known_before() -> None:
    board = board_of(linear())

    assert board.received[board.index_of[4]] == 8 + 3
    assert board.received[board.index_of[1]] == 8 + 6


@given(st.integers(0, 10_000), st.integers(8, 40), st.data())
@settings(max_examples=60)
def test_at_every_stop_boxes_and_edges_are_as_in_the_whole_picture(seed: int, count: int, data: st.DataObject) -> None:
    whole = random_graph(count, seed)
    nodes = [node._replace(op="view") if node.op == "tanh" else node for node in whole.nodes]
    blocks = data.draw(st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=count, max_size=count))
    scoped = [node._replace(scope=(block,) if block else ()) for node, block in zip(nodes, blocks, strict=True)]
    track = Track(replace(whole, nodes=tuple(scoped)), 0)
    groups = groups_of(track)
    keys = [group.key for group in groups.groups]
    folded = data.draw(st.sets(st.sampled_from(keys))) if keys else set()
    board = FoldedTrack.of(track, groups, Folding(frozenset(folded), has_plumbing=False))
    plain = FoldedTrack.of(track, groups, Folding(frozenset(folded)))

    assert set(board.forward) <= set(plain.forward)
    assert not any(
        track.recording.nodes[n].op == "view"
        for n in board.forward
        if n < count and carriers_of(track)[track.index_of[n]] != WHOLE
    )
    assert (board.edge_sources != board.edge_consumers).all()
    order = [int(members[0]) for members in board.members]
    if not folded:
        assert all(order[s] < order[c] for s, c in zip(board.edge_sources, board.edge_consumers, strict=True))
    assert set(board.stops) <= set(plain.stops) | {0, board.turn, board.length}
    pairs = [(index, plain.index_of[box]) for index, box in enumerate(board.forward)]
    for position in board.stops:
        states, others = board.node_states(position), plain.node_states(position)
        ran = board.node_at(position)
        if ran is not None and not board.is_handed_on[track.index_of[ran]]:
            assert [states[index] for index, _ in pairs] == [others[other] for _, other in pairs]
    reached = [board.backward_ranks[index] != NEVER for index, _ in pairs]
    assert reached == [plain.backward_ranks[other] != NEVER for _, other in pairs]


# ---- layers ----


def test_a_layer_of_a_large_picture_opens_as_one_box_that_has_its_parameters(large) -> None:
    track = Track(linear(), 0)
    groups = all_groups_of(track)
    with large():
        first = first_folding(track, groups)
    board = FoldedTrack.of(track, groups, replace(first, has_plumbing=False))

    (card,) = [card for card in cards(board) if card.name == "fc"]
    assert card.word == "addmm · weight, bias"
    assert len(board.forward) == 4
    (number,) = [group.key for group in groups.groups if group.title == "fc"]
    report = board.reports.at(13, groups.number_of[number])
    assert [(leaf.label, leaf.note) for leaf in report.leaves] == [("weight", "comes at step 7"), ("bias", "")]
    assert report.leaves[1].gradient is not None
    assert folded_sentence(board, board.length)[0] == (
        "fc has run backward: it took in [[1]], which gave weight and bias gradients."
    )


@pytest.mark.parametrize("engine", [ENGINE, None])
def test_a_small_picture_opens_unfolded_whoever_ran_it(engine) -> None:
    track = Track(replace(linear(), engine=engine), 0)

    assert first_folding(track, all_groups_of(track)) == OPEN


def test_a_layer_stays_folded_where_a_large_picture_is_opened() -> None:
    one = linear()
    nodes, values = list(one.nodes[:1]), list(one.values[:1])
    before = 0
    for layer in range(80):
        at, origin, scope = len(nodes), Origin(module=f"net.{layer}"), ("net", f"{layer}")
        nodes += [
            Node(at, "leaf", shape=(1, 1), name=f"net.{layer}.weight", requires_grad=True, scope=scope, origin=origin),
            Node(at + 1, "t", (at,), shape=(1, 1), requires_grad=True, scope=scope, origin=origin),
            Node(at + 2, "mm", (before, at + 1), shape=(1, 1), requires_grad=True, scope=scope, origin=origin),
        ]
        values += [np.ones((1, 1), F)] * 3
        before = at + 2
    track = Track(Recording(tuple(nodes), tuple(values), (), engine=ENGINE), None)
    groups = all_groups_of(track)

    folding = first_folding(track, groups)

    layers = {group.key for group in groups.groups if group.key[-1].isdigit()}
    assert len(layers) == 80
    assert layers <= folding.folded < all_folded(groups).folded | {("none",)}


def test_a_page_hides_it_too_until_it_is_unfolded(large) -> None:
    with large():
        data = document_of(linear(), cards)

    assert [[box["name"] for box in view["boxes"]] for view in data["sweeps"][0]["views"]] == [
        ["x", "relu", "loss", "fc"],
        ["x", "net.fc.weight", "net.fc.weight.T", "net.fc.bias", "addmm", "view", "relu", "loss"],
    ]
    folded = data["sweeps"][0]["views"][0]["boxes"][3]["group"]
    assert [row[0] for row in folded["inputs"]] == ["x", "weight.grad", "bias.grad"]


@pytest.mark.parametrize(("engine_origin", "titles"), [(True, ["net", "fc"]), (False, ["net"])])
def test_a_weight_and_its_op_are_a_layer_of_pytorch(engine_origin: bool, titles: list[str]) -> None:
    recording = with_node(with_node(linear(), 3, scope=("net",)), 4, inputs=(3, 0, 1))
    nodes = [node if engine_origin else node._replace(origin=None) for node in recording.nodes]
    nodes[2] = Node(2, "constant", shape=(2, 1))

    groups = groups_of(Track(replace(recording, nodes=tuple(nodes), sweeps=()), None))

    assert [group.title for group in groups.groups] == titles


def test_a_group_of_nothing_else_has_no_frame() -> None:
    recording = with_node(with_node(linear(), 5, scope=("net", "flat")), 6, op="view", scope=("net", "flat"))

    board = board_of(recording)

    assert [board.groups.groups[number].title for number in board.frames] == ["net", "fc"]
    assert "flat" in {group.title for group in board.groups.groups}
