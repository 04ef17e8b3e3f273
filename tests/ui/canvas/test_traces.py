"""Thin lines that are set in memory: the same pixels as those of Qt."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.ink.bulk import clipped, draw_lines, painter_on
from gradviz.ui.canvas.ink.on_screen import OnScreen
from gradviz.ui.canvas.ink.traces import Traces
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.look.theme import Theme
from tests.ui.canvas.canvases import picture, shown
from tests.ui.canvas.grids import grid

WIDTH, HEIGHT = 130, 70
INK = QColor("#CC2244")


def blank() -> QImage:
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    return image


def drawn(image: QImage, lines: np.ndarray) -> QImage:
    """The lines by Qt, as the edges of a large graph are."""
    with painter_on(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        with clipped(painter):
            painter.setPen(QPen(INK, 1.0))
            draw_lines(painter, lines)
    return image


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 5.0, 16.0, 40.0]), st.sampled_from([None, 1, 2, 64]))
def test_traces_are_the_pixels_that_qt_draws(seed, reach, parts) -> None:
    rng = np.random.default_rng(seed)
    starts = rng.uniform(-5, (WIDTH + 5, HEIGHT + 5), (60, 2))
    lines = np.hstack([starts, starts + rng.uniform(-reach, reach, (60, 2))])
    lines = lines if parts is None else np.round(lines * parts) / parts
    which = rng.permutation(60)[:40]
    image = blank()

    is_left = Traces(lines, image.size()).fill(image, which, INK)

    assert drawn(image, lines[which[is_left]]) == drawn(blank(), lines[which])


def test_short_lines_inside_are_all_traced_and_others_left(qapp) -> None:
    lines = np.array([[20, 20, 21, 23], [60, 40, 45, 42], [20, 20, 20, 60], [0, 20, 3, 22], [9, 9, 9, 9]], dtype=float)
    image = blank()

    is_left = Traces(lines, image.size()).fill(image, np.arange(5), INK)

    assert is_left.tolist() == [False, False, True, True, True]
    assert image == drawn(blank(), lines[:2])


def test_traces_are_made_when_a_view_is_seen_again_and_of_its_own_lines(qapp) -> None:
    lines, size = np.array([[20.0, 20.0, 23.0, 26.0]]), blank().size()
    placed, which = OnScreen(lines), np.arange(1)
    for view in (View(1.0, 0.0, 0.0), View(1.0, 30.0, 10.0)):
        assert placed.traces(view, size) is None
        screen, image = placed.of(view, which), blank()
        traces = placed.traces(view, size)

        assert traces is not None
        assert placed.traces(view, size) is traces
        traces.fill(image, which, INK)
        assert image == drawn(blank(), screen)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_picture_drawn_again_is_the_same(qtbot, monkeypatch, ratio, name) -> None:
    fill, filled = Traces.fill, []
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _self: ratio)
    monkeypatch.setattr(Traces, "fill", lambda *args: filled.append(1) or fill(*args))
    track, layout = grid(2_000)
    canvas = shown(qtbot, Theme(name), track, layout, size=(500, 400))
    canvas.show_position(track.turn + 1_000)
    canvas.zoom_by(1.1)
    first = picture(canvas)
    filled.clear()

    for _ in range(2):
        canvas._kept.forget()
        canvas._redraw()

        assert picture(canvas) == first
    assert bool(filled) == (ratio == 1.0)
