"""Gauges of gradients: the code of each size, and what is drawn of it near and far."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from gradviz.playback.track import Track
from gradviz.recording import Accumulation, Node, Recording, Step, Sweep
from gradviz.ui.canvas.boxes.gauge_painting import gauge_color, paint_gauge
from gradviz.ui.canvas.boxes.spots import paint_far_gauge
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.ink.painter import painter_on
from gradviz.ui.canvas.overlay import hover_rows
from gradviz.ui.canvas.scene.gauges import NEGATIVE, Size, coded, gauge_codes, level_of, size_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import LIGHT
from gradviz.ui.look.scales import LEVELS
from gradviz.ui.look.theme import Theme
from tests.samples import weighted_sum
from tests.ui.canvas.grids import placed

ONE = np.ones(1, dtype=np.int8)


def code(norm: float, sign: int = 1) -> int:
    return int(coded(np.array([norm]), sign * ONE)[0])


def doubling(*gradients: float) -> Track:
    """A chain of nodes, each the one before times 2, with these incoming gradients from the last to the first."""
    count = len(gradients)
    nodes = tuple(
        Node(i, "mul" if i else "leaf", (i - 1,) if i else (), dtype="float32", name=f"x{i}", requires_grad=True)
        for i in range(count)
    )
    sent = [np.array(gradient, dtype=np.float32) for gradient in gradients]
    steps = tuple(
        Step(count - 1 - order, sent[order], (sent[order + 1],) if order + 1 < count else ()) for order in range(count)
    )
    values = (np.array(1.0, dtype=np.float32),) * count
    sweep = Sweep((count - 1,), (sent[0],), steps, (Accumulation(0, None, sent[-1]),))
    return Track(Recording(nodes, values, (sweep,)), 0)


@pytest.mark.parametrize(
    ("norm", "size"),
    [(0.0, Size.ZERO), (9e-7, Size.VANISHING), (1e-6, Size.ORDINARY), (1.0, Size.ORDINARY), (1e3, Size.ORDINARY),
     (1001.0, Size.EXPLODING), (np.inf, Size.ODD), (np.nan, Size.ODD)],
)  # fmt: skip
def test_size_is_told_by_decades(norm, size):
    assert size_of(code(norm)) is size


def test_levels_are_half_decades():
    assert [level_of(code(norm)) for norm in (1e-6, 4e-6, 1.1e-5, 1.0, 999.0)] == [0, 1, 2, 12, LEVELS - 1]


def test_single_number_has_its_sign_and_a_norm_has_none():
    track = doubling(1.0, -2.0, 0.0, -1e-9, np.nan)

    codes, norms = gauge_codes(track)

    assert [size_of(code) for code in codes[::-1].tolist()] == [
        Size.ORDINARY, Size.ORDINARY, Size.ZERO, Size.VANISHING, Size.ODD,
    ]  # fmt: skip
    assert (codes[::-1] & NEGATIVE).tolist() == [0, 1, 0, 1, 0]
    assert norms[::-1][:3].tolist() == [1.0, 2.0, 0.0]


def test_node_without_gradient_has_no_gauge():
    codes, norms = gauge_codes(Track(weighted_sum(), 0))
    track = Track(weighted_sum(), 0)
    reached = track.backward_ranks < 1000

    assert (codes > 0).tolist() == reached.tolist()
    assert np.isfinite(norms).tolist() == reached.tolist()
    assert not reached.all()


def drawn(paint) -> QImage:
    image = QImage(40, 80, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    with painter_on(image) as painter:
        painter.translate(10, 10)
        paint(painter)
    return image


@pytest.mark.parametrize("paint", ["near", "far"])
def test_every_size_and_sign_has_another_picture(qapp, paint):
    codes = [code(0.0), code(1e-9), code(1e9), code(np.nan), code(1e-3), code(10.0), code(10.0, -1)]
    pictures = []
    for one in codes:
        box = np.array([[2.0, 2.0, 12.0, 8.0]])
        pictures.append(drawn(
            (lambda painter, one=one: paint_gauge(painter, one, 58.0, LIGHT)) if paint == "near"
            else (lambda painter, one=one, box=box: paint_far_gauge(painter, box, one, LIGHT))
        ))  # fmt: skip

    same = [(i, j) for i in range(len(pictures)) for j in range(i) if pictures[i] == pictures[j]]

    assert same == ([] if paint == "near" else [(1, 0)])  # from afar, what is gone is gone


def test_fuller_is_larger_and_below_zero_hangs_from_the_top(qapp):
    def filled(one: int) -> list[int]:
        ink = QColor(gauge_color(LIGHT, one))
        image = drawn(lambda p: paint_gauge(p, one, 58.0, LIGHT))
        return [y for y in range(80) if image.pixelColor(12, y) == ink]

    small, large, below = filled(code(1e-4)), filled(code(100.0)), filled(code(1e-4, -1))

    assert len(small) < len(large)
    assert min(small) > 40 > max(below)


def test_gauges_can_be_turned_off(qtbot, qapp):
    track = doubling(1.0, -2.0, 1e9)
    canvas = Canvas(Theme("light"))
    qtbot.addWidget(canvas)
    canvas.resize(500, 500)
    canvas.show_track(track, placed(track, 1))
    canvas.show()
    qtbot.waitExposed(canvas)
    canvas.show_position(track.length)
    ink = QColor(gauge_color(LIGHT, code(2.0, -1)))

    def has_ink() -> bool:
        image = canvas.grab().toImage()
        # Not in the legend, which shows all colours.
        return any(image.pixelColor(x, y) == ink for x in range(500) for y in range(400))

    first = has_ink()
    canvas.show_gauges(False)

    assert (first, has_ink()) == (True, False)


def test_card_says_the_norm_and_what_it_is_off_the_scale(qapp):
    track = doubling(1.0, -2.0, 1e9)
    scene = Scene(track, placed(track, 1))

    words = [[row.text for row in hover_rows(scene, index, 7, LIGHT)] for index in (0, 1)]

    assert "norm of what came in 1e9  ·  exploding" in words[0]  # beside a .grad that may be a sum
    assert "norm 2" in words[1]
