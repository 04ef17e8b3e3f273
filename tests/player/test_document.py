"""A recording as the data of a page: pictures, times, what is said, and the limits of a page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradviz.errors import GradvizError
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import Folding
from gradviz.playback.groups.stretches import all_groups_of
from gradviz.playback.sentence import sentence
from gradviz.playback.step_table import heading
from gradviz.playback.track import NEVER, NodeState, Track
from gradviz.playback.words import short_value
from gradviz.player import document
from gradviz.player.boxes import box_sizes, text_width
from gradviz.player.document import Start, document_of
from gradviz.recording import Problem, Recording, Thinned
from gradviz.ui.canvas.scene.cards import cards
from tests.recorded import run
from tests.samples import array, random_graph, weighted_sum


def of(recording: Recording, **start: Any) -> dict[str, Any]:
    return document_of(recording, cards, Start(**start))


def only_sweep(recording: Recording) -> dict[str, Any]:
    (found,) = of(recording)["sweeps"]
    return found


def calls(count: int) -> Recording:
    """The same backward call, made so many times."""
    recording = weighted_sum()
    return replace(recording, sweeps=recording.sweeps * count)


def test_sentences_are_those_of_the_window_at_every_position() -> None:
    track = Track(weighted_sum(), 0)
    sweep = only_sweep(weighted_sum())

    assert sweep["views"][0]["said"] == [list(sentence(track, position)) for position in range(track.length + 1)]
    assert sweep["heading"] == heading(track)
    assert sweep["title"] == "backward 1 · line 7 · y = 23"
    assert sweep["names"] == ["x", "x·x", "w", "x·x·w", "y", "y", "x·x·w", "x·x", "x.grad"]


def test_boxes_have_the_texts_of_the_canvas_and_the_times_of_the_track() -> None:
    track = Track(weighted_sum(), 0)
    boxes = only_sweep(weighted_sum())["views"][0]["boxes"]

    assert [box["name"] for box in boxes] == [card.name for card in cards(track)]
    assert [box["times"][0] for box in boxes] == track.forward_ranks.tolist()
    assert [box["times"][1] or NEVER for box in boxes] == track.backward_ranks.tolist()
    gradients = [f"{card.prefix} {card.gradient}" if card.gradient else "" for card in cards(track)]
    assert [box["gradient"] for box in boxes] == gradients
    assert gradients[1].startswith("∂L/∂(x·x) [3")


def test_edges_say_what_goes_back_along_them_and_when() -> None:
    edges = only_sweep(weighted_sum())["views"][0]["edges"]

    ends = [(source, consumer, begun, sent, text) for source, consumer, begun, sent, _, _, text in edges]
    assert ends[0] == (0, 1, 2, 8, short_value(array(-3, 10)))
    assert ends[3] == (2, 3, 4, 7, "")
    assert [edge[4] for edge in edges] == [1, 1, 1, 0, 1]


@pytest.mark.parametrize("seed", range(4))
def test_states_that_the_page_works_out_are_those_of_the_track(seed: int) -> None:
    recording = random_graph(30, seed)
    track = Track(recording, 0)
    view = only_sweep(recording)["views"][0]

    for position in range(track.length + 1):
        current = view["at"][position - 1] if position else -1
        states = track.node_states(position).tolist()
        assert (NodeState.FORWARD_NOW in states or NodeState.BACKWARD_NOW in states) == (current >= 0)
        for index, (box, state) in enumerate(zip(view["boxes"], states, strict=True)):
            made, reached, _ = box["times"]
            if position <= track.turn:
                found = NodeState.FORWARD_NOW if index == current else NodeState(int(made <= position))
            else:
                done = NodeState.DONE if 0 < reached <= position else NodeState.COMPUTED
                found = NodeState.BACKWARD_NOW if index == current else done if reached else NodeState.UNREACHED
            assert found == state


def test_calls_of_the_same_form_share_one_layout() -> None:
    made = of(calls(5))

    assert len(made["plans"]) == 1
    assert [sweep["views"][0]["plan"] for sweep in made["sweeps"]] == [0] * 5


def test_places_are_whole_numbers_and_boxes_do_not_overlap() -> None:
    plan = of(random_graph(40, 1))["plans"][0]
    boxes = np.array(plan["boxes"], dtype=float)
    low, high = boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2

    assert all(isinstance(side, int) for box in plan["boxes"] for side in box)
    for one in range(len(boxes)):
        for other in range(one):
            assert (high[one] <= low[other] + 1).any() or (high[other] <= low[one] + 1).any()


def test_page_opens_where_backward_begins_or_at_the_step_asked_for() -> None:
    assert of(weighted_sum())["start"] == [0, 5]
    assert of(weighted_sum(), step=2)["start"] == [0, 7]
    assert of(calls(3))["start"] == [2, 5]
    assert of(calls(3), sweep=1, step=4)["start"] == [1, 9]
    with pytest.raises(GradvizError, match="there is no step 5: this backward call has 4 steps"):
        of(weighted_sum(), step=5)


def test_recording_without_a_backward_pass_plays_its_forward_pass() -> None:
    sweep = only_sweep(replace(weighted_sum(), sweeps=()))

    assert sweep["turn"] == sweep["length"] == 5
    assert sweep["title"] == "No backward pass"


def test_recording_without_a_graph_is_refused_in_a_sentence() -> None:
    with pytest.raises(GradvizError, match="there is no graph to draw"):
        of(Recording())


def test_graph_beyond_the_limit_is_refused_with_what_to_do(monkeypatch) -> None:
    monkeypatch.setattr(document, "MOST_NODES", 20)

    with pytest.raises(GradvizError, match="a page holds up to 20 nodes, and this graph has 21"):
        of(random_graph(21))


def test_of_a_long_run_some_calls_are_kept_among_them_the_one_asked_for(monkeypatch) -> None:
    monkeypatch.setattr(document, "MOST_PAGES", 20)

    made = of(calls(30), sweep=7)

    titles = [sweep["title"].split(" · ")[0] for sweep in made["sweeps"]]
    assert titles[0] == "backward 1"
    assert titles[-1] == "backward 30"
    assert titles[made["start"][0]] == "backward 8"
    assert len(titles) <= 6
    assert made["notes"] == [f"This page holds {len(titles)} of 30 backward calls."]


def test_what_was_thinned_already_is_said() -> None:
    made = of(replace(weighted_sum(), thinned=Thinned(900, 9)))

    assert made["notes"] == ["Kept 1 of 900 backward calls: the first, the last and those of every 9th."] or (
        "900 backward calls" in made["notes"][0]
    )


def test_error_that_ended_the_run_is_said_with_its_line() -> None:
    made = of(replace(weighted_sum(), problem=Problem("RuntimeError: no", "Do this.", line=3)))

    assert made["problem"] == "Line 3: RuntimeError: no. Do this."


MODEL = """
import torch, torch.nn as nn
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))
net = nn.Sequential(*[Block() for _ in range(12)])
loss = net(torch.ones(2, 4)).sum()
loss.backward()
"""


def test_model_opens_folded_as_in_the_window_and_can_be_unfolded() -> None:
    recording = run(MODEL).recording
    folded, whole = only_sweep(recording)["views"]

    assert len(folded["boxes"]) < len(whole["boxes"]) == len(recording.picture(0))
    groups = [box for box in folded["boxes"] if box["node"] < 0]
    assert groups
    assert all(box["group"]["outputs"] for box in groups)
    assert folded["stops"][0] == 0
    assert folded["stops"][-1] == len(folded["at"])
    assert whole["stops"] == []


def test_each_group_can_be_folded_alone_and_is_then_the_box_of_the_window() -> None:
    recording = run(MODEL).recording
    sweep, track = only_sweep(recording), Track(recording, 0)
    groups = all_groups_of(track)
    whole = sweep["views"][-1]

    assert sweep["homes"] == groups.home.tolist()
    assert whole["groups"] == [-1] * len(whole["boxes"])
    assert [groups.groups[number].title for number in whole["framed"]] == [
        title.partition(" · ")[0] for title in whole["frames"]
    ]
    for number, (group, fold) in enumerate(zip(groups.groups, sweep["folds"], strict=True)):
        board = FoldedTrack.of(track, groups, Folding(frozenset({group.key})))
        box = board.index_of[board.box_of_group(number)]
        card = cards(board)[box]
        assert fold["parent"] == group.parent
        assert (fold["box"]["name"], fold["box"]["value"]) == (card.name, card.value)
        assert fold["box"]["gradient"] == (f"{card.prefix} {card.gradient}" if card.gradient else "")
        assert fold["box"]["times"][0] == board.forward_ranks[box]


def test_a_picture_without_groups_has_none_to_fold() -> None:
    sweep = only_sweep(weighted_sum())

    assert (sweep["homes"], sweep["folds"]) == ([], [])


def test_boxes_have_room_for_their_texts() -> None:
    texts = cards(Track(weighted_sum(), 0))

    for card, (width, _) in zip(texts, box_sizes(texts).tolist(), strict=True):
        assert width >= 56 + text_width(card.value, 13, mono=True) + 10
        assert width >= 56 + text_width(card.name, 14) + 10


def test_wide_letters_are_wide_and_combining_marks_are_not() -> None:
    assert text_width("重", 10) > text_width("w", 10) > text_width("i", 10) > text_width("\u0301", 10) == 0
