"""What the labels of a step say, and that they find room."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF

from gradviz.layout.graph import request_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.plan import Request
from gradviz.playback.track import Track
from gradviz.recording import Node, Recording, Step, Sweep
from gradviz.ui.canvas.boxes.sprites import outline, outline_around
from gradviz.ui.canvas.edges.edges import EdgePainter
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.overlay import hover_mark, hover_rows
from gradviz.ui.canvas.plane.place import overlap
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.measure import LINE_3, box_sizes
from gradviz.ui.canvas.scene.moment import Moment, Stage, frame_of
from gradviz.ui.canvas.scene.scene import SPACED, Scene
from gradviz.ui.canvas.step.labels import MOST, Tone, label_marks, labels_at
from gradviz.ui.canvas.step.room import _along, _crossed, _in_turn, _longest_stretch
from gradviz.ui.canvas.step.tokens import token_marks
from gradviz.ui.look.palette import LIGHT
from tests.recorded import run
from tests.samples import F, weighted_sum
from tests.ui.canvas.grids import grid, placed

SIGHT = (-500.0, -500.0, 3000.0, 3000.0)
NOTHING = np.zeros((0, 4))


@pytest.fixture
def scene(qapp):
    track = Track(weighted_sum(), 0)
    return Scene(track, placed(track, 2))


def said(scene, position, stage=Stage.REST):
    return [(label.text, label.tone) for label in labels_at(scene, Moment(position, stage))]


def test_labels_say_what_goes_out_what_comes_in_and_where_nothing_flows(scene):
    assert said(scene, 7) == [
        ("goes out [3, 5]", Tone.OUT),
        ("none", Tone.NONE),
        ("comes in [1, 1]", Tone.IN),
    ]


def test_of_a_wide_fan_only_the_texts_are_written_that_may_be_shown(monkeypatch, qapp):
    recording = run(
        "import torch\nw = torch.tensor(2.0, requires_grad=True)\nsum(w * i for i in range(90)).backward()\n"
    )
    track = Track(recording.recording, 0)
    written = []
    write = Track.edge_text
    monkeypatch.setattr(Track, "edge_text", lambda *of: written.append(of[1]) or write(*of))

    assert len(labels_at(Scene(track, placed(track, 9)), Moment(track.length))) == MOST
    assert len(set(written)) == MOST


def test_first_step_says_its_seed(scene):
    assert ("seed 1", Tone.IN) in said(scene, 6)


def test_every_use_of_a_node_brings_its_own_term(scene):
    assert said(scene, 9) == [("comes in [-3, 10]", Tone.IN)] * 2


def test_nothing_is_said_to_go_out_before_it_has_gone(scene):
    assert said(scene, 7, Stage.TRAVELLING) == [("comes in [1, 1]", Tone.IN)]
    assert said(scene, 3) == []


@pytest.mark.parametrize("position", range(6, 10))
def test_labels_cover_neither_a_box_nor_each_other(scene, position):
    rows = scene.layout
    scene = Scene(scene.track, lay_out_layers(Request(rows.nodes, rows.sizes, rows.edges)))
    marks = label_marks(scene, Moment(position), View(), SIGHT, LIGHT, scene.boxes)
    # A mark's rectangle includes its shadow.
    rects = np.array([[m.rect.left() + 4, m.rect.top() + 4, m.rect.right() - 4, m.rect.bottom() - 6] for m in marks])

    assert overlap(rects, scene.boxes).max() == 0.0
    assert np.count_nonzero(overlap(rects, rects)) == len(rects)


def crowd(count: int) -> Track:
    """A node that takes and sends `count` gradients, side by side."""
    leaves = [Node(i, "leaf", name=f"x{i}", requires_grad=True) for i in range(count)]
    middle = Node(count, "stack", tuple(range(count)), requires_grad=True)
    uses = [Node(count + 1 + i, "exp", (count,), requires_grad=True) for i in range(count)]
    last = Node(2 * count + 1, "cat", tuple(node.id for node in uses), requires_grad=True)
    nodes = (*leaves, middle, *uses, last)
    ones = (F(1),) * count
    steps = [Step(last.id, F(1), ones), *(Step(node.id, F(1), (F(1),)) for node in reversed(uses))]
    steps += [Step(middle.id, F(count), ones), *(Step(node.id, F(1)) for node in leaves)]
    return Track(Recording(nodes, (F(1),) * len(nodes), (Sweep((last.id,), (F(1),), tuple(steps)),)), 0)


@pytest.mark.parametrize("count", [1, 3, 7])
@pytest.mark.parametrize("zoom", [0.3, 0.7, 1.2])
def test_labels_in_a_crowd_cover_neither_a_box_nor_each_other(qapp, count, zoom):
    track = crowd(count)
    scene = Scene(track, lay_out_layers(request_of(track, box_sizes(track), "down")))
    view = View(zoom)
    boxes = view.boxes_to_screen(scene.boxes)
    shown = 0
    for position in range(track.turn + 1, track.length + 1):
        marks = label_marks(scene, Moment(position), view, SIGHT, LIGHT, boxes)
        rects = np.array(
            [[m.rect.left() + 4, m.rect.top() + 4, m.rect.right() - 4, m.rect.bottom() - 6] for m in marks]
        )
        shown += len(marks)
        if len(marks):
            assert overlap(rects, boxes).max() == 0.0
            assert np.count_nonzero(overlap(rects, rects)) == len(rects)
    assert shown >= 2 * count or zoom == 0.3  # so small that some find no room


def test_label_is_brief_only_where_the_whole_one_would_cover_a_line(qapp):
    line = np.column_stack([np.full(SPACED, 200.0), np.linspace(100.0, 200.0, SPACED)])
    walls = line + np.array([[[-60.0, 0.0]], [[60.0, 0.0]]])
    widths = np.array([[160.0, 60.0]])

    def chosen(strokes):
        spots = _along(line[None], widths, 22.0)
        crossed = _crossed(spots, line[None], strokes)
        return _in_turn(spots, 60.0 * crossed, crossed)[0]

    assert chosen(walls.reshape(-1, 2)).is_brief
    assert not chosen(np.zeros((0, 2))).is_brief


def test_label_of_an_edge_out_of_sight_is_not_drawn(scene):
    marks = label_marks(scene, Moment(7), View(), (9000.0, 9000.0, 9100.0, 9100.0), LIGHT, scene.boxes)

    assert marks == []


def test_label_of_a_long_edge_stands_where_the_edge_is_in_sight():
    line, frame = np.array([[0.0, 0.0], [0.0, 9000.0], [400.0, 9000.0]]), (-50.0, 5000.0, 50.0, 6000.0)

    stretch = _longest_stretch(line, frame)

    assert stretch is not None
    assert stretch.shape == (SPACED, 2)
    assert 5000.0 <= stretch[0, 1] < 5020.0
    assert 5980.0 < stretch[-1, 1] <= 6000.0
    assert _longest_stretch(line, (100.0, 0.0, 200.0, 100.0)) is None


@pytest.mark.parametrize("side", range(4))
def test_labels_at_the_rim_are_those_found_by_looking_at_every_edge(scene, monkeypatch, side):
    left, top, right, bottom = scene.around
    drawn = [[], []]
    for looks_at_all in (0, 1):
        if looks_at_all:
            monkeypatch.setattr("gradviz.ui.canvas.step.room._come_near", lambda *_: True)
        for inwards in range(-160, 400, 4):
            x, y = ((left - 600 + inwards, top), (right - inwards, top), (left, top - 400 + inwards),
                    (left, bottom - inwards))[side]  # fmt: skip
            sight = (x, y, x + 600.0, y + 400.0)
            drawn[looks_at_all].append([m.rect for m in label_marks(scene, Moment(7), View(), sight, LIGHT, NOTHING)])

    assert drawn[0] == drawn[1]
    assert any(drawn[0])
    assert not all(drawn[0])


def test_tokens_ride_along_every_edge_of_the_step(scene):
    edges = EdgePainter(scene)

    forward = token_marks(scene, Moment(4, Stage.TRAVELLING, 0.5), View(), LIGHT, edges)
    backward = token_marks(scene, Moment(7, Stage.TRAVELLING, 0.5), View(), LIGHT, edges)

    assert len(forward) == 4  # a trail and a token for each of two values
    assert len(backward) == 2  # the constant takes no gradient
    assert token_marks(scene, Moment(7), View(), LIGHT, edges) == []


def sums(scene, track, position, progress):
    """The places and the texts of the tokens of an arrival."""
    written = []
    stand_in = lambda text, rect, *_, **__: written.append((text, rect)) or Mark(rect, lambda painter: None)  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gradviz.ui.canvas.step.tokens.pill", stand_in)
        token_marks(scene, Moment(position, Stage.ARRIVING, progress), View(), LIGHT, EdgePainter(scene))
    return written


def test_terms_come_in_one_by_one_and_their_sum_grows(qapp, scene):
    track = scene.track
    texts = [[text for text, _ in sums(scene, track, 9, progress)] for progress in (0.0, 0.5, 0.8)]

    assert track.node_at(9) == 0
    assert texts == [
        ["[-3, 10]", "[-3, 10]"],
        ["[-3, 10]", "Σ [-3, 10]"],
        ["Σ [-6, 20]"],
    ]


def test_first_term_moves_while_the_second_waits(qapp, scene):
    start, later = (sums(scene, scene.track, 9, progress) for progress in (0.0, 0.2))

    assert later[0][1].y() != start[0][1].y()
    assert later[1][1].y() == start[1][1].y()


def test_sum_drops_into_the_grad_of_a_leaf(qapp, scene):
    heights = [sums(scene, scene.track, 9, progress)[0][1].center().y() for progress in (0.8, 0.9, 1.0)]
    box = scene.boxes[0]

    assert heights[0] == pytest.approx(box[3])
    assert heights[0] > heights[1] > heights[2] == pytest.approx(box[1] + LINE_3)


def test_card_says_value_and_gradient_once_they_are_known(scene):
    def texts(position):
        face = int(frame_of(scene, position, Stage.REST).faces[3])
        return [row.text for row in hover_rows(scene, 3, face, LIGHT)]

    assert texts(0) == ["x·x·w", "mul  ·  (2,) float32  ·  line 6"]
    assert texts(7)[2:] == ["[3, 20]", "∂L/∂(x·x·w) [1, 1]", "norm 1.414"]


def test_card_says_that_a_node_is_not_reached(qapp):
    recording = weighted_sum()
    nodes = list(recording.nodes)
    nodes[2] = nodes[2]._replace(op="leaf", requires_grad=True)
    track = Track(type(recording)(tuple(nodes), recording.values, recording.sweeps), 0)
    scene = Scene(track, placed(track, 2))

    rows = hover_rows(scene, 2, int(frame_of(scene, 7, Stage.REST).faces[2]), LIGHT)

    assert rows[-1].text == "gradient: not reached by this backward"


def test_card_stays_in_sight(qapp):
    track, layout = grid(9, 3)
    scene = Scene(track, layout)
    frame = (0.0, 0.0, 400.0, 300.0)

    for index in range(9):
        rect = hover_mark(scene, index, 7, View(), frame, LIGHT).rect
        assert rect.left() >= 0
        assert rect.top() >= 0
        assert rect.right() <= 400
        assert rect.bottom() <= 300


@pytest.mark.parametrize(
    "frame", [(0.0, -100.0, 320.0, 500.0), (-300.0, -20.0, 250.0, 500.0), (-50.0, -300.0, 250.0, 120.0)]
)
def test_card_covers_nothing_of_its_box_where_there_is_room_around_it(scene, frame):
    box = scene.boxes[0]

    card = hover_mark(scene, 0, 7, View(), frame, LIGHT).rect.adjusted(4, 4, -4, -6)

    assert not card.intersects(QRectF(box[0], box[1], box[2] - box[0], box[3] - box[1]))


def test_a_ring_runs_along_the_form_of_its_box(qapp):
    rect = QRectF(0, 0, 150, 60)

    for kind, corner in ((Kind.LEAF, 26.0), (Kind.OP, 10.0), (Kind.NUMBER, 30.0)):
        for scale in (0.5, 1.0, 2.0):
            on_screen = QRectF(0, 0, 150 * scale, 60 * scale)
            around = outline_around(kind, on_screen, scale, 4.0)
            # Where the corner is cut on the diagonal, the distance of two such arcs is the gap.
            cut = (1 - 2**-0.5) * corner * scale - 4.0 * 2**-0.5
            assert not around.contains(QPointF(cut - 0.5, cut - 0.5))
            assert around.contains(QPointF(cut + 0.5, cut + 0.5))
        assert outline(kind, rect).boundingRect() == rect


def test_a_matrix_without_room_on_its_edge_is_told_by_shape_and_norm(qapp):
    text = (
        "import torch\nx = torch.tensor([[1.0, 2.0], [3.0, 4.5]], requires_grad=True)\n"
        "y = (x * 1.2345).tanh() * x\ny.sum().backward()\n"
    )
    track = Track(run(text).recording, 0)
    scene = Scene(track, placed(track, 2))
    position = next(p for p in range(track.turn + 1, track.length) if track.node_at(p) == track.recording.nodes[-2].id)

    texts = [label.text for label in labels_at(scene, Moment(position))]

    assert any(text.startswith("goes out 2×2 norm ") for text in texts)
    assert not any("[[" in text and "…" in text for text in texts)
