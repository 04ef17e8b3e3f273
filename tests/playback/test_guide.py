"""The guide of a lesson: sentences tied to steps, a function of the position alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.errors import FormatError
from gradviz.playback.guide import END, Guide, read_guide
from gradviz.playback.track import Track
from tests.recorded import run
from tests.samples import weighted_sum

TEXT = """
group = "Through a graph"
question = "How many?"
predict = ["y"]

[forward]
w = "w is a constant."

[backward]
y = "sum hands on."
"x·x" = ["twice"]
end = "Done."
"""


@pytest.fixture
def track() -> Track:
    return Track(weighted_sum(), 0)


def test_a_guide_is_read_from_its_file(track):
    guide = read_guide(TEXT)

    assert guide.question == "How many?"
    assert guide.predict == ("y",)
    assert guide.labels == ("w", "y", "x·x", "y")


def test_each_step_says_the_latest_sentence_and_the_turn_asks(track):
    guide = read_guide(TEXT)

    said = [guide.sentence(track, position) for position in range(track.length + 1)]

    assert [track.forward[2]] == [node.id for node in track.recording.nodes if node.name == "w"]
    assert said[: track.turn + 1] == [*["How many?"] * 3, *["w is a constant."] * 2, "How many?"]
    assert said[track.turn + 1 :] == ["sum hands on.", "sum hands on.", "twice", "Done."]


def test_sentences_of_one_call_take_the_place_of_those_of_all():
    recording = run(
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\n"
        "y.backward(retain_graph=True)\ny.backward()\n"
    ).recording
    guide = read_guide('[backward]\ny = "one"\nx = "leaf"\n[call.2]\ny = "two"\n')

    assert [guide.sentence(Track(recording, call), 3) for call in (0, 1)] == ["one", "two"]
    assert [guide.sentence(Track(recording, call), 4) for call in (0, 1)] == ["leaf", "leaf"]


def test_boxes_of_one_label_have_their_sentences_in_order():
    recording = run(
        "import torch\nh = x = torch.tensor(0.5, requires_grad=True)\nfor _ in range(3):\n    h = torch.tanh(h)\nh.backward()\n"
    ).recording
    track = Track(recording, 0)
    guide = read_guide('question = "?"\n[backward]\nh = ["first", "second"]\n')

    assert [guide.sentence(track, track.turn + step) for step in (1, 2, 3)] == ["first", "second", "second"]


@given(st.lists(st.integers(0, 9), max_size=12))
def test_the_way_to_a_position_does_not_matter(way):
    track, guide = Track(weighted_sum(), 0), read_guide(TEXT)
    fresh = [read_guide(TEXT).sentence(track, position) for position in range(track.length + 1)]

    assert [guide.sentence(track, position) for position in way] == [fresh[position] for position in way]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("question = ", "is no TOML"),
        ('title = "x"', 'has no "title"'),
        ("question = 3", "one text"),
        ("predict = [1]", "list of labels"),
        ("backward = 3", "stand in tables"),
        ("[backward]\ny = 3", "a list of sentences"),
        ("[call.first]\ny = 'a'", "by their numbers"),
    ],
)
def test_what_is_no_guide_is_refused_in_one_sentence(text, why):
    with pytest.raises(FormatError, match=why) as caught:
        read_guide(text)
    assert "\n" not in caught.value.one_line()


def test_a_guide_may_say_nothing(track):
    assert Guide().sentence(track, 3) == ""
    assert END not in Guide().labels
