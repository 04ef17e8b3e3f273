"""What a step asks, which answers are right, and what is said of the others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.playback.prediction import Question, hint, judge, questions
from gradviz.playback.track import Track
from tests.recorded import run
from tests.samples import random_graph, weighted_sum

HEAD = "import torch\n"
CHAIN = HEAD + "x = torch.tensor(3.0, requires_grad=True)\ny = 2 * x\nz = y**2\nz.backward()\n"
TWICE = HEAD + "x = torch.tensor(2.0, requires_grad=True)\nfor _ in range(2):\n    (x**3).backward()\n"
MATMUL = (
    HEAD + "X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\nW = torch.ones(2, 2, requires_grad=True)\n"
    "(X @ W).backward(torch.tensor([[1.0, 0.0], [5.0, 2.0]]))\n"
)
PRODUCT = (
    HEAD + "a = torch.tensor([2.0, 3.0], requires_grad=True)\nb = torch.tensor([5.0, 7.0], requires_grad=True)\n"
    "y = a * b\ny.backward(torch.tensor([10.0, 100.0]))\n"
)


def track_of(text: str, call: int = 0) -> Track:
    return Track(run(text).recording, call)


def asked(track: Track, words: str) -> Question:
    (found,) = [question for question in questions(track) if words in question.words]
    return found


def said(track: Track, question: Question, answer: object) -> str:
    return judge(track, question, np.array(answer, float)).words


def test_every_gradient_that_goes_out_is_asked_for_in_the_order_of_the_steps():
    track = Track(weighted_sum(), 0)

    found = questions(track)

    assert [(q.position - track.turn, q.words) for q in found] == [
        (1, "1 comes in at y. What goes out to x·x·w?"),
        (2, "[1, 1] comes in at x·x·w. What goes out to x·x?"),
        (3, "[3, 5] comes in at x·x. What goes out to x, along each of its 2 edges?"),
        (4, "[-3, 10] and [-3, 10] come in at x. x.grad was None. What is it now?"),
    ]
    assert [q.gradient.tolist() for q in found] == [[1, 1], [3, 5], [-3, 10], [-6, 20]]


def test_a_lesson_may_ask_about_some_boxes_alone():
    assert [q.words[:12] for q in questions(Track(weighted_sum(), 0), ("x·x",))] == ["[3, 5] comes"]


def test_what_nobody_would_type_is_not_asked_for():
    track = track_of(HEAD + "x = torch.ones(13, requires_grad=True)\ny = (x * 2).sum()\ny.backward()\n")

    assert questions(track) == ()


def test_a_grad_that_was_there_before_is_asked_for():
    question = questions(track_of(TWICE, 1))[-1]

    assert question.words == "12 comes in at x. x.grad was 12. What is it now?"
    assert question.gradient == 24


@pytest.mark.parametrize(
    ("text", "call", "words", "answer", "expected"),
    [
        (CHAIN, 0, "to y?", 12, "Right: 12."),
        (CHAIN, 0, "to y?", 12.1, "Right: 12."),
        (CHAIN, 0, "to y?", -12, "The sign is the wrong way round."),
        (CHAIN, 0, "to y?", 1, "That is what comes in at z; multiply it by the derivative of z."),
        (CHAIN, 0, "to y?", 36, "That is the value of z, not a gradient."),
        (CHAIN, 0, "to y?", 6, "That is the value of y, not a gradient."),
        (CHAIN, 0, "to x?", 2, "That is the derivative of y alone; multiply it by what comes in."),
        (CHAIN, 0, "to x?", 48, "The number is 2 times too large."),
        (CHAIN, 0, "to x?", 8, "The number is 3 times too small."),
        (CHAIN, 0, "to x?", 17, "Not yet."),
        (CHAIN, 0, "to x?", [24, 24],
         "A gradient has the shape of its tensor: x has one number, and the answer has 2."),
        (TWICE, 1, "now?", 12, "That is what comes in now; it is added to what x.grad was."),
        (PRODUCT, 0, "to a?", [50, 700], "Right: [50, 700]."),
        (PRODUCT, 0, "to a?", [20, 300], "That is what goes out to b; asked is a."),
        (PRODUCT, 0, "to a?", [5, 7], "That is the derivative of y alone; multiply it by what comes in."),
        (PRODUCT, 0, "to a?", [50, 7], "1 of 2 numbers is right; look again at [1]."),
        (PRODUCT, 0, "to a?", [1, 2, 3],
         "A gradient has the shape of its tensor: a has 2 numbers, and the answer has 3."),
        (MATMUL, 0, "to W?", [[16, 6], [22, 8]], "Right: [[16, 6], [22, 8]]."),
        (MATMUL, 0, "to W?", [16, 6, 22, 8], "Right: [[16, 6], [22, 8]]."),
        (MATMUL, 0, "to W?", [[16, 22], [6, 8]], "The numbers are right, but transposed."),
        (MATMUL, 0, "to W?", [16, 6],
         "A gradient has the shape of its tensor: W has 4 numbers, of shape 2×2, and the answer has 2."),
    ],
)  # fmt: skip
def test_an_answer_is_checked_and_a_wrong_one_is_helped(text, call, words, answer, expected):
    track = track_of(text, call)
    question = asked(track, words)

    verdict = judge(track, question, np.array(answer, float))

    assert verdict.words == expected
    assert verdict.is_right == expected.startswith("Right")


@pytest.mark.parametrize(
    ("truth", "answer", "is_right"),
    [
        ([0.3932], [0.39], True),
        ([0.3932], [0.3894], True),  # a hundredth off
        ([0.3932], [0.3890], False),
        ([0.3932], [0.3970], True),
        ([0.3932], [0.3975], False),
        ([-200.0], [-202.0], True),
        ([-200.0], [-202.1], False),
        ([0.0], [0.0], True),
        ([0.0], [1e-9], False),  # alone, nothing says what is next to nothing
        ([1000.0, 0.0], [1000.0, 2.0], True),  # two thousandths of the largest
        ([1000.0, 0.0], [1000.0, 2.1], False),
        ([1000.0, 50.0], [1000.0, 51.9], True),
        ([1000.0, 50.0], [1000.0, 52.1], False),
        ([np.inf, 1.0], [np.inf, 1.009], True),  # an infinity is no measure for the others
        ([np.inf, 1.0], [np.inf, 1.02], False),
        ([np.nan, 1.0], [np.nan, 1.0], True),
        ([np.nan, 1.0], [0.0, 1.0], False),
    ],
)
def test_an_answer_may_be_off_by_a_hundredth_and_by_what_is_nothing_beside_the_largest(truth, answer, is_right):
    track = track_of(PRODUCT)
    question = asked(track, "to a?")._replace(gradient=np.array(truth))

    assert judge(track, question, np.array(answer)).is_right is is_right


@pytest.mark.parametrize(
    ("factor", "words"),
    [(2.03, "2 times too large"), (2.1, None), (1000, "1000 times too large"), (1001, None), (-2, None), (1.5, None)],
)
def test_a_factor_is_named_where_it_is_a_whole_number_by_the_same_measure(factor, words):
    track = track_of(CHAIN)
    question = asked(track, "to x?")

    verdict = judge(track, question, np.asarray(question.gradient, float) * factor)

    assert not verdict.is_right
    assert (words in verdict.words) if words else ("times" not in verdict.words)


def test_one_of_several_terms_is_not_the_sum():
    track = Track(weighted_sum(), 0)

    assert said(track, questions(track)[-1], [-3, 10]) == "That is one of the 2 terms; all of them are added up."


def test_nan_and_infinity_are_answers():
    track = track_of(
        HEAD + "x = torch.tensor([0.0, 1.0], requires_grad=True)\ny = torch.sqrt(x)\ny.backward(torch.ones(2))\n"
    )
    (question,) = questions(track)

    assert judge(track, question, np.array([np.inf, 0.5])).is_right
    assert not judge(track, question, np.array([-np.inf, 0.5])).is_right
    assert not judge(track, question, np.array([1e9, 0.5])).is_right


def test_the_hint_is_the_rule_without_its_numbers():
    track = track_of(CHAIN)

    assert hint(track, asked(track, "to x?")) == "The rule: ∂L/∂x = ∂L/∂y · 2"
    assert "12" not in hint(track, asked(track, "to y?"))


@given(st.integers(0, 10_000))
def test_of_any_graph_the_gradient_itself_is_right_and_its_negative_is_not(seed):
    track = Track(random_graph(25, seed), 0)
    for question in questions(track):
        truth = np.asarray(question.gradient, float)
        assert judge(track, question, truth).is_right
        assert judge(track, question, truth.ravel()).is_right
        if np.isfinite(truth).all() and np.abs(truth).max() > 0:
            assert not judge(track, question, -truth).is_right
            assert not judge(track, question, truth + np.abs(truth).max()).is_right


def test_of_a_long_call_a_part_is_looked_through_at_a_time():
    track = Track(random_graph(6_000, 1), 0)

    first = questions(track)
    then = questions(track, after=first[-1].position)

    assert 200 <= len(first) < 210
    assert then[0].position > first[-1].position
    assert questions(track, after=track.length) == ()
