"""The texts of the boxes, and how large the boxes are."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.playback.track import Track
from gradviz.recording import Node, Recording, Step, Sweep
from gradviz.ui.canvas.ink.text import Role, text_width
from gradviz.ui.canvas.scene import cards as cards_module
from gradviz.ui.canvas.scene.cards import Kind, cards
from gradviz.ui.canvas.scene.measure import (
    HEIGHT,
    HEIGHT_WITHOUT_ROW,
    NUMBER_HEIGHT,
    PAD,
    TEXT_X,
    badge_width,
    box_sizes,
)
from tests.samples import random_graph, weighted_sum

F = np.float32


@pytest.fixture
def made(qapp):
    return cards(Track(weighted_sum(), 0))


def scaled() -> Track:
    nodes = (
        Node(0, "leaf", name="x", requires_grad=True),
        Node(1, "constant"),
        Node(2, "mul", (1, 0), name="y", requires_grad=True),
        Node(3, "exp", (0,), requires_grad=True),
    )
    sweep = Sweep((2,), (F(1),), (Step(2, F(1), (None, F(3))), Step(0, F(3))))
    return Track(Recording(nodes, (F(2), F(3), F(6), F(7.4)), (sweep,)), 0)


def test_leaf_shows_its_accumulated_gradient(made):
    assert (made[0].prefix, made[0].gradient) == (".grad", "[-6, 20]")


def test_gradient_of_a_named_node_says_what_it_is_of(made):
    assert (made[4].prefix, made[4].gradient) == ("∂L/∂y", "1")


def test_gradient_of_a_long_expression_has_no_name_that_a_script_could_give_to_another(qapp):
    nodes = (
        Node(0, "leaf", name="weight", requires_grad=True),
        Node(1, "constant"),
        Node(2, "mul", (0, 1), requires_grad=True),
    )
    sweep = Sweep((2,), (F(1),), (Step(2, F(1), (F(3), None)), Step(0, F(3))))
    track = Track(Recording(nodes, (F(2), F(3), F(6)), (sweep,)), 0)

    assert cards(track)[2].prefix == "∂L/∂(…)"


@pytest.mark.parametrize(("op", "name"), [("square", "(x²)"), ("exp", "exp(x)"), ("neg", "(−x)")])
def test_gradient_of_a_short_expression_is_written_as_in_the_inspector(qapp, op: str, name: str):
    nodes = (Node(0, "leaf", name="x", requires_grad=True), Node(1, op, (0,), requires_grad=True))
    sweep = Sweep((1,), (F(1),), (Step(1, F(1), (F(3),)), Step(0, F(3))))
    track = Track(Recording(nodes, (F(2), F(3)), (sweep,)), 0)

    assert cards(track)[1].prefix == f"∂L/∂{name}"


def test_an_expression_without_room_is_called_by_its_op(qapp):
    nodes = (Node(0, "leaf", name="w[0]"), Node(1, "mul", (0, 0)), Node(2, "add", (1, 0), name="outs[0]"))

    assert [card.short for card in cards(Track(Recording(nodes, (F(2), F(4), F(6)))))] == ["w[0]", "mul", "outs[0]"]


def test_a_transpose_keeps_the_name_of_what_it_is_of(qapp):
    nodes = (
        Node(0, "leaf", name="net.0.weight", shape=(1, 1)),
        Node(1, "t", (0,), shape=(1, 1)),
        Node(2, "t", (1,), shape=(1, 1)),
        Node(3, "matmul", (2, 2), shape=(1, 1)),
    )
    values = (np.ones((1, 1), dtype=F),) * 4

    shorts = [card.short for card in cards(Track(Recording(nodes, values)))]
    assert shorts == ["weight", "weight.T", "weight.T.T", "matmul"]


def test_output_is_marked(made):
    assert made[4].word == "sum · output"


def test_constant_keeps_no_row_for_a_gradient(made):
    assert (made[2].kind, made[2].has_row, made[2].gradient) == (Kind.CONSTANT, False, "")


def test_unnamed_number_is_a_small_chip(qapp):
    track = scaled()

    assert cards(track)[1].kind is Kind.NUMBER
    assert cards(track)[1].name == "3"
    assert box_sizes(track)[1, 1] == NUMBER_HEIGHT


def test_leaf_without_accumulation_shows_its_incoming_gradient(qapp):
    assert (cards(scaled())[0].prefix, cards(scaled())[0].gradient) == ("∂L/∂x", "3")


def test_node_that_is_not_reached_keeps_its_row(qapp):
    card = cards(Track(scaled().recording, 0))[2]

    assert card.has_row


def test_op_word_is_not_said_twice(qapp):
    names = [(card.name, card.word) for card in cards(Track(random_graph(60), 0))]

    assert all(name != word for name, word in names)


def test_box_holds_its_texts(qapp):
    track = Track(weighted_sum(), 0)

    for card, (width, height) in zip(cards(track), box_sizes(track), strict=True):
        name = text_width(card.name, Role.NAME) + text_width(card.word, Role.WORD) + badge_width(card)
        gradient = text_width(f"{card.prefix} {card.gradient}", Role.VALUE)
        assert width >= TEXT_X + max(name, text_width(card.value, Role.VALUE), gradient) + PAD
        assert height == (HEIGHT if card.has_row else HEIGHT_WITHOUT_ROW)


def test_ten_thousand_boxes_are_measured(qapp):
    track = Track(random_graph(10_000), 0)

    sizes = box_sizes(track)

    assert len(sizes) == len(track.forward) > 9_000


def test_cards_do_not_outlive_their_track(qapp):
    track = Track(weighted_sum(), 0)
    cards(track)
    key = id(track)
    assert key in cards_module._CARDS

    del track

    assert key not in cards_module._CARDS
