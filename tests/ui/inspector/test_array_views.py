"""Arrays beside the graph: small ones as cells, large ones as pictures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.ui.inspector.array_view import ArrayView
from gradviz.ui.inspector.cells import Cells, fits_in_cells, fitted
from gradviz.ui.inspector.chart import _indices
from gradviz.ui.inspector.heatmap import HeatMap, SliceChoice, coloured, scale_colours, shades
from gradviz.ui.look.palette import DARK, LIGHT
from tests.samples import array
from tests.ui.inspector.inspectors import numbers, seen

F = np.float32

# ---- cells ----


@pytest.mark.parametrize(
    ("shape", "small"),
    [((), True), ((12,), True), ((13,), False), ((6, 6), True), ((7, 1), False), ((0,), False), ((2, 2, 2), False)],
)
def test_small_arrays_are_cells(shape, small):
    assert fits_in_cells(shape) is small


@pytest.mark.parametrize("width", [200, 240, 400])
def test_a_row_of_numbers_always_fits(theme, width):
    matrix = np.random.default_rng(0).normal(size=(6, 6)) * 1e-3

    fit = fitted(matrix, width)

    assert fit.columns == 6
    assert 6 * (fit.width + 4) - 4 <= width
    assert fit.column.exponent == -3


def test_vector_wraps_and_is_copied_by_selection(qtbot, theme):
    cells = Cells(theme, "forward")
    qtbot.addWidget(cells)
    cells.resize(110, 200)
    cells.show_array(array(1.5, 2, 3, 4))

    assert fitted(cells._array, 110).columns == 2
    assert cells.heightForWidth(110) == 2 * 24 + 4
    assert cells.selected_text() == "1.5\t2.0\n3.0\t4.0"

    qtbot.mousePress(cells, Qt.MouseButton.LeftButton, pos=QPoint(5, 40))
    qtbot.mouseMove(cells, QPoint(90, 40))
    qtbot.keyClick(cells, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert QApplication.clipboard().text() == "3.0\t4.0"


def test_cells_are_read_out(qtbot, theme):
    cells = Cells(theme, "backward")
    qtbot.addWidget(cells)

    cells.show_array(array(-6, 20))

    assert cells.accessibleDescription() == "[-6, 20]"


def test_not_a_number_looks_different_from_a_number(qtbot, theme):
    view = ArrayView(theme, "forward", "value")
    qtbot.addWidget(view)
    view.resize(200, 80)

    view.show_array(array(1, np.nan))

    assert "1 NaN" in seen(view)
    image = view.cells.grab().toImage()
    found = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert any(
        name.startswith(("#b3", "#b4", "#b5")) for name in found
    )  # the red of LIGHT.error, as the font blends it


# ---- pictures ----


def test_large_array_is_a_picture_and_a_small_one_afterwards_is_not(qtbot, theme):
    view = ArrayView(theme, "forward", "value")
    qtbot.addWidget(view)

    view.show_array(np.ones((81, 1), F))
    picture = view.findChild(HeatMap)
    assert picture is not None
    assert picture.isVisibleTo(view)
    assert not view.cells.isVisibleTo(view)
    view.show_array(array(1, 2))

    assert not picture.isVisibleTo(view)
    assert view.cells.isVisibleTo(view)


def test_slice_of_more_than_two_axes_is_chosen(qtbot, theme):
    view = ArrayView(theme, "forward", "value")
    qtbot.addWidget(view)
    view.show_array(np.arange(12).reshape(3, 2, 2))
    choice = view.findChild(SliceChoice)

    choice.choose(0, 2)

    assert choice.index() == (2,)
    assert numbers(view) == [["8", "9", "10", "11"]]


def test_array_without_elements_says_so(qtbot, theme):
    view = ArrayView(theme, "forward", "value")
    qtbot.addWidget(view)

    view.show_array(np.zeros((0, 3), F))

    assert "0×3 float32: no elements" in seen(view)


def test_scale_is_symmetric_and_marks_what_is_not_finite():
    image = coloured(np.array([[-2.0, 0.0, 2.0, np.nan, np.inf, 1e-9]]), 2.0, LIGHT)[0]

    def rgb(text: str) -> list[int]:
        return [int(text[i : i + 2], 16) for i in (1, 3, 5)]

    assert image.shape == (6, 4)
    assert image[0, :3].tolist() == rgb(scale_colours(LIGHT)[0])
    assert image[1, :3].tolist() == image[5, :3].tolist() == rgb(scale_colours(LIGHT)[1])
    assert image[2, :3].tolist() == rgb(scale_colours(LIGHT)[2])
    assert image[3, :3].tolist() == image[4, :3].tolist() == rgb(LIGHT.error)
    assert shades(DARK).shape == (256, 4)


def test_pointer_reads_the_element_under_it(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.show_array(np.arange(80.0).reshape(1, 8, 10))

    assert picture.value_at(3.2, 6.9) == "[0, 7, 3]  73"
    assert picture.value_at(-0.4, 0.4) == "[0, 0, 0]  0"
    assert picture.value_at(9.6, 0.0) == ""
    assert picture.value_at(float("nan"), 0.0) == ""


def test_pointer_reads_bars_of_a_column(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.show_array(np.arange(81.0).reshape(81, 1))

    assert picture.value_at(80.3, 5.0) == "[80, 0]  80"


def test_what_is_pointed_at_is_written_below(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.show_array(np.ones((8, 8)))

    picture.pointed.emit("[3, 0]  0.5")
    assert picture.readout.text() == "[3, 0]  0.5"
    picture.pointed.emit("")

    assert picture.readout.text() == "point to read a value"


@pytest.mark.parametrize("width", [178, 246, 308])
@pytest.mark.parametrize("pointed", ["", "[1023, 1023]  -1.23457e-05"])
def test_what_is_written_below_has_room_at_any_width_of_the_inspector(qtbot, theme, width, pointed):
    picture = HeatMap(theme, "backward")
    qtbot.addWidget(picture)
    picture.show_array(np.ones((8, 8)))
    picture.resize(width, picture.sizeHint().height())
    picture.show()

    picture.pointed.emit(pointed)

    words = picture.readout
    qtbot.waitUntil(lambda: words.width() >= words.fontMetrics().horizontalAdvance(words.text()))
    assert not words.geometry().intersects(picture.chip.geometry())
    assert words.geometry().bottom() < picture.height()


def test_picture_of_three_axes_is_refused(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)

    with pytest.raises(ValueError, match="two axes, not 3"):
        picture.show_array(np.zeros((2, 3, 4)))


@pytest.mark.parametrize(
    "values",
    [
        np.full((9, 9), np.nan),
        np.zeros((20, 30)),
        np.array([[np.inf, -np.inf] * 5] * 9),
        np.arange(50) * 1j,
        np.arange(30) % 2 == 0,
        np.random.default_rng(0).normal(size=30_000),
        np.full(40, np.nan),
        np.array([1e300, -1e300] * 20),
        np.ones((3000, 8)),
    ],
    ids=["all nan", "zeros", "infinite", "complex", "bool", "line", "nan vector", "huge", "strided"],
)
def test_any_array_can_be_drawn(qtbot, theme, values):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.resize(240, 260)
    picture.show()

    picture.show_array(values)

    assert not picture.grab().isNull()


def test_wheel_over_a_picture_is_left_to_the_panel_and_zooms_with_control(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.resize(240, 260)
    picture.show_array(np.random.default_rng(0).normal(size=(20, 30)))
    picture.show()
    chart = picture._view

    def turn(modifiers: Qt.KeyboardModifier) -> None:
        middle = QPointF(chart.rect().center())
        event = QWheelEvent(
            middle,
            QPointF(chart.mapToGlobal(middle.toPoint())),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(chart, event)

    whole, under = chart.seen, chart.to_place(QPointF(chart.rect().center()))
    turn(Qt.KeyboardModifier.NoModifier)
    assert chart.seen == whole
    turn(Qt.KeyboardModifier.ControlModifier)

    assert chart.seen.right - chart.seen.left < whole.right - whole.left
    assert chart.seen.bottom - chart.seen.top < whole.bottom - whole.top
    assert chart.to_place(QPointF(chart.rect().center())).toTuple() == pytest.approx(under.toTuple())


def test_what_is_seen_of_a_picture_is_moved_by_dragging_and_never_leaves_it(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.resize(240, 260)
    picture.show_array(np.random.default_rng(0).normal(size=(20, 30)))
    picture.show()
    chart, picked = picture._view, []
    whole = chart.seen
    chart.zoom_by(0.5, QPointF(10.0, 10.0))
    before, middle = chart.seen, chart.rect().center()
    picture.picked.connect(picked.append)

    QTest.mousePress(chart, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(chart, middle - QPoint(20, 10))
    moved = chart.seen
    QTest.mouseMove(chart, middle - QPoint(2000, -2000))
    QTest.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=middle)

    assert moved.left > before.left
    assert moved.top > before.top
    assert (chart.seen.right, chart.seen.top) == (whole.right, whole.top)
    assert not picked
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=middle)
    place = chart.to_place(QPointF(middle))
    assert picked == [(math.floor(place.y() + 0.5), math.floor(place.x() + 0.5))]
    QTest.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=middle)
    assert chart.seen == whole


@pytest.mark.parametrize(
    ("size", "seen"), [(1, [0]), (10, range(10)), (11, range(0, 11, 5)), (1000, range(0, 1000, 200))]
)
def test_axes_have_the_indices_of_a_few_and_round_ones_of_many(size, seen):
    assert _indices(-0.5, size + 3.5, size, 20) == [(float(index), str(index)) for index in seen]
