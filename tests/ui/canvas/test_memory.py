"""Rectangles that are filled without a painter: the same pixels as with one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap

from gradviz.ui.canvas.ink.bulk import fill_runs, painter_on
from gradviz.ui.canvas.ink.memory import Blocks, fill_memory, repeat, scroll
from gradviz.ui.canvas.ink.on_screen import OnPixels
from gradviz.ui.canvas.plane.view import View

WIDTH, HEIGHT = 90, 60
INKS = [QColor("#CC2244"), QColor("#2244CC"), QColor("#22CC44")]


def image(ratio: float = 1.0) -> QImage:
    blank = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    blank.fill(0xFFFFFFFF)
    blank.setDevicePixelRatio(ratio)
    return blank


def placed(corners: list[tuple[int, int]], sizes: list[tuple[int, int]]) -> np.ndarray:
    """Rectangles of whole pixels, those of one size in a row."""
    rows = [(x, y, x + across - 1, y + down - 1) for across, down in sizes for x, y in corners]
    return np.array(rows, dtype=np.int32)


def drawn(rows: np.ndarray, starts: list[int], ratio: float = 1.0) -> QImage:
    """The same by a painter, rectangle by rectangle."""
    whole = image()
    with painter_on(whole) as painter:
        for ink, first, last in zip(INKS, starts, starts[1:], strict=False):
            for left, top, right, bottom in rows[first:last].tolist():
                painter.fillRect(QRect(left, top, right - left + 1, bottom - top + 1), ink)
    whole.setDevicePixelRatio(ratio)
    return whole


CORNERS = st.lists(st.tuples(st.integers(0, WIDTH - 9), st.integers(0, HEIGHT - 9)), min_size=24, max_size=60)
SIZES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=3, unique=True)


@given(CORNERS, SIZES, st.data(), st.sampled_from([1.0, 1.25, 2.0]))
def test_filled_in_memory_is_what_a_painter_draws(corners, sizes, data, ratio) -> None:
    rows = placed(corners, sizes)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), min_size=2, max_size=2)))
    filled = image(ratio)
    with painter_on(filled) as painter:
        assert fill_memory(painter, rows, [0, *cuts, len(rows)], INKS)

    assert filled == drawn(rows, [0, *cuts, len(rows)], ratio)


def clipped(painter: QPainter) -> None:
    painter.setClipRect(QRect(0, 0, 40, 30))


@pytest.mark.parametrize("prepare", [clipped, lambda p: p.translate(3, 3), lambda p: p.setOpacity(0.5)])
def test_a_painter_that_cuts_moves_or_fades_draws_itself(qapp, prepare) -> None:
    rows = placed([(3 * k, k) for k in range(25)], [(5, 4)])
    with painter_on(image()) as painter:
        prepare(painter)

        assert not fill_memory(painter, rows, [0, 25], INKS[:1])


@pytest.mark.parametrize("corner", [(-1, 5), (5, -1), (WIDTH - 4, 5), (5, HEIGHT - 3)])
def test_rectangles_over_the_rim_are_cut_off_there(qapp, corner) -> None:
    rows = placed([corner, *((3 * k, k) for k in range(45))], [(5, 4)])
    filled = image()
    with painter_on(filled) as painter:
        fill_runs(painter, rows, [0, 20, 46], INKS[:2])

    assert filled == drawn(rows, [0, 20, 46])


def apart(sizes: list[tuple[int, int]]) -> np.ndarray:
    """Rectangles of whole pixels with a pixel between them, 24 of each size."""
    rows = [placed([(4 + 10 * k, 4 + 8 * (2 * n + line)) for k in range(8)], [size]) for n, size in enumerate(sizes)
            for line in (0, 1, 2)]  # fmt: skip
    return np.vstack(rows)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_blocks_are_filled_each_in_its_colour_and_some_of_them_larger(qapp, ratio) -> None:
    rows, filled, expected = apart([(7, 3)]), image(ratio), image()
    blocks = Blocks(rows, QSize(WIDTH, HEIGHT), 2)
    inks = [INKS[k % 3] for k in range(len(rows))]
    some = np.array([0, 3, 4, 17, 23])

    assert blocks.is_whole
    blocks.fill(filled, np.array([ink.rgb() for ink in inks], dtype=np.uint32))
    for growth in (2, 1, -1, -2):
        blocks.fill_some(filled, some, growth, INKS[growth])

    with painter_on(expected) as painter:
        for (left, top, right, bottom), ink in zip(rows.tolist(), inks, strict=True):
            painter.fillRect(QRect(QPoint(left, top), QPoint(right, bottom)), ink)
        for growth in (2, 1, -1):
            for left, top, right, bottom in rows[some].tolist():
                place = QRect(QPoint(left - growth, top - growth), QPoint(right + growth, bottom + growth))
                painter.fillRect(place, INKS[growth])
    expected.setDevicePixelRatio(ratio)
    assert filled == expected


def test_blocks_over_one_another_near_the_rim_or_of_many_sizes_are_not_filled_together(qapp) -> None:
    rows, size = apart([(7, 3)]), QSize(WIDTH, HEIGHT)
    wider, moved = rows.copy(), rows + np.array([-3, 0, -3, 0], dtype=np.int32)
    wider[:, 2] += 4

    assert not Blocks(wider, size, 0).is_whole
    assert Blocks(moved, size, 1).is_whole
    assert not Blocks(moved, size, 2).is_whole
    assert not Blocks(np.vstack([rows, [[4, 50, 5, 50]]]).astype(np.int32), size, 0).is_whole


@pytest.mark.parametrize("corner", [(0, 0), (5, 3), (-40, 100)])
def test_a_tile_is_repeated_as_a_painter_does(qapp, corner) -> None:
    tile, repeated, expected = image().copy(0, 0, 12, 7), image(), image()
    for k in range(12):
        tile.setPixelColor(k, k % 7, INKS[k % 3])

    repeat(repeated, tile, *corner)

    with painter_on(expected) as painter:
        painter.drawTiledPixmap(expected.rect(), QPixmap.fromImage(tile), -QPoint(*corner))
    assert repeated == expected


@pytest.mark.parametrize("by", [(0, 0), (7, 0), (-7, 0), (0, 5), (3, -5), (-3, 5)])
def test_scrolled_picture_has_moved_wherever_it_still_is_in_sight(qapp, by) -> None:
    rows, whole = placed([(3 * k, 2 * k) for k in range(25)], [(5, 4)]), QRect(0, 0, WIDTH, HEIGHT)
    before = drawn(rows, [0, 25])
    moved = before.copy()

    scroll(moved, *by)

    seen = whole & whole.translated(*by)
    assert moved.copy(seen) == before.copy(seen.translated(-by[0], -by[1]))


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1.25, 2.0]))
def test_boxes_on_pixels_are_the_same_whatever_is_asked(seed, ratio) -> None:
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-50, 50, (80, 2))
    boxes, view = np.hstack([corners, corners + rng.uniform(0, 9, (80, 2))]), View(0.3, 1.5, 2.5)
    which, rows = OnPixels(boxes).of(view, ratio, np.arange(80))
    part = np.sort(rng.choice(80, int(rng.integers(1, 80)), replace=False))
    asked = OnPixels(boxes)

    some, placed_some = asked.of(view, ratio, part)
    _ = asked.of(view, ratio, np.arange(80))
    others, placed_others = asked.of(view, ratio, part)

    assert sorted(some.tolist()) == sorted(others.tolist()) == part.tolist()
    of = dict(zip(which.tolist(), rows.tolist(), strict=True))
    assert placed_some.tolist() == [of[index] for index in some.tolist()]
    assert placed_others.tolist() == [of[index] for index in others.tolist()]
    assert (rows[:, 2:] >= rows[:, :2]).all()
