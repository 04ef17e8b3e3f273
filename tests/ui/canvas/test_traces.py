"""Thin lines that are set in memory: the same pixels as those of Qt."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.ink.bulk import clipped, draw_lines, painter_on
from gradviz.ui.canvas.ink.memory import Blocks
from gradviz.ui.canvas.ink.on_screen import OnPixels, OnScreen
from gradviz.ui.canvas.ink.traces import Traces
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.look.theme import Theme
from tests.ui.canvas.canvases import picture, shown
from tests.ui.canvas.grids import grid

WIDTH, HEIGHT = 130, 70
INKS = tuple(QColor(name) for name in ("#CC2244", "#22CC44", "#000000"))


def blank() -> QImage:
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    return image


def drawn(image: QImage, lines: np.ndarray, ink: QColor = INKS[0]) -> QImage:
    """The lines by Qt, as the edges of a large graph are."""
    with painter_on(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        with clipped(painter):
            painter.setPen(QPen(ink, 1.0))
            draw_lines(painter, lines)
    return image


def assert_traced(lines: np.ndarray, codes: np.ndarray) -> None:
    """Lines of some codes, the higher ones over the others, are as Qt draws them one code after the other."""
    image, expected = blank(), blank()
    traces = Traces(lines, image.size())
    assert traces.is_whole
    traces.fill(image, codes, INKS)
    for code, ink in enumerate(INKS):
        drawn(expected, lines[codes == code], ink)
    assert image == expected


@given(st.integers(0, 2**32 - 1), st.sampled_from([2.0, 5.0, 16.0, 200.0]), st.sampled_from([None, 1, 2, 64]))
def test_traces_are_the_pixels_that_qt_draws(seed, reach, parts) -> None:
    rng = np.random.default_rng(seed)
    starts = rng.uniform(3, (WIDTH - 3, HEIGHT - 3), (60, 2))
    ends = (starts + rng.uniform(-reach, reach, (60, 2))).clip(3, (WIDTH - 3, HEIGHT - 3))
    lines = np.hstack([starts, ends])
    lines = lines if parts is None else np.round(lines * parts) / parts
    lines = lines[np.abs(lines[:, 2:] - lines[:, :2]).max(axis=1) > 1.0]

    assert_traced(lines, rng.integers(0, 4, len(lines)).astype(np.uint8))


@pytest.mark.parametrize("count", [7, 8, 9, 10, 40])
def test_of_many_lines_into_one_pixel_the_highest_is_seen(qapp, count) -> None:
    ends = np.column_stack([np.linspace(10, 110, count), np.full(count, 50.0)])
    lines = np.hstack([ends, np.full((count, 2), 20.0)])

    assert_traced(lines, (np.arange(count) * 7 % 4).astype(np.uint8))


@pytest.mark.parametrize("line", [[0, 20, 3, 22], [9, 9, 9, 9], [20, 20, 20, HEIGHT], [-9, 20, -5, 20]])
def test_lines_that_qt_draws_in_a_way_of_their_own_leave_all_to_it(qapp, line) -> None:
    lines = np.array([[20, 20, 21, 23], [60, 40, 45, 42]], dtype=float)

    assert Traces(lines, blank().size()).is_whole
    assert not Traces(np.vstack([lines, line]), blank().size()).is_whole


def test_pixels_that_are_drawn_over_are_left_out(qapp) -> None:
    lines = np.array([[20, 20, 40, 30], [30, 10, 30, 60]], dtype=float)
    covered = np.zeros((HEIGHT, WIDTH), dtype=np.bool_)
    covered[22:40, 25:35] = True
    image, expected = blank(), drawn(drawn(blank(), lines[:1], INKS[0]), lines[1:], INKS[1])

    Traces(lines, image.size(), covered.reshape(-1)).fill(image, np.array([0, 1], dtype=np.uint8), INKS)

    pixels, whole = (np.frombuffer(some.bits(), dtype=np.uint32).reshape(HEIGHT, -1) for some in (image, expected))
    assert (pixels[covered] == 0xFFFFFFFF).all()
    assert (pixels[~covered] == whole[~covered]).all()
    assert (whole[covered] != 0xFFFFFFFF).any()

    everywhere = np.ones(WIDTH * HEIGHT, dtype=np.bool_)
    Traces(lines, image.size(), everywhere).fill(image, np.array([1, 1], dtype=np.uint8), INKS)
    assert (pixels[~covered] == whole[~covered]).all()


def test_traces_are_made_when_a_view_is_seen_again_and_of_its_own_lines(qapp) -> None:
    lines = np.array([[20.0, 20.0, 23.0, 26.0]])
    placed, which, over = OnScreen(lines), np.arange(1), OnPixels(np.zeros((0, 4)))
    for view in (View(1.0, 0.0, 0.0), View(1.0, 30.0, 10.0)):
        assert placed.traces(view, blank(), over) is None
        screen, image = placed.of(view, which), blank()
        traces = placed.traces(view, blank(), over)

        assert traces is not None
        assert placed.traces(view, blank(), over) is traces
        traces.fill(image, np.zeros(1, dtype=np.uint8), INKS)
        assert image == drawn(blank(), screen)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_picture_drawn_again_is_the_same(qtbot, monkeypatch, ratio, name) -> None:
    filled = []
    for kind in (Traces, Blocks):
        monkeypatch.setattr(kind, "fill", lambda *args, kind=kind, fill=kind.fill: filled.append(kind) or fill(*args))
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _self: ratio)
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
    assert filled == ([Traces, Blocks] if ratio == 1.0 else [Blocks]) * 2
