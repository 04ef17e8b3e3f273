"""Pictures of arrays: a value is blue and a gradient orange, in both themes, and a chip says which."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from gradviz.ui.array_plot import Range, _zoomed, round_numbers
from gradviz.ui.heatmap import HeatMap, scale_colours
from gradviz.ui.palette import DARK, LIGHT
from gradviz.ui.theme import Theme

BOTH_SIGNS = np.where(np.arange(40) % 2, 1.0, -1.0)
WAVE = np.sin(np.linspace(0, 20, 3000))
MATRIX = np.arange(81.0).reshape(9, 9)

each_theme = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda palette: palette.name)
each_role = pytest.mark.parametrize(
    ("role", "other", "word"), [("forward", "backward", "value"), ("backward", "forward", "gradient")]
)


@pytest.fixture
def theme() -> Theme:
    return Theme("light")


def picture_of(qtbot, theme: Theme, values: np.ndarray, role: str) -> HeatMap:
    picture = HeatMap(theme, role)
    qtbot.addWidget(picture)
    picture.resize(300, 260)
    picture.show_array(values)
    picture.show()
    return picture


def colours(picture: HeatMap) -> set[str]:
    """All colours of the plot itself, without the chip."""
    image = picture.plot.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def named(text: str) -> str:
    return QColor(text).name()


@each_theme
@each_role
@pytest.mark.parametrize("values", [BOTH_SIGNS, WAVE], ids=["bars", "line"])
def test_bars_and_lines_have_the_colour_of_their_pass_whatever_the_sign(
    qtbot, theme, values, role, other, word, palette
):
    theme.choose(palette.name)
    picture = picture_of(qtbot, theme, values, role)

    found = colours(picture)

    assert named(getattr(palette, role)) in found
    assert named(getattr(palette, other)) not in found
    low, _, high = scale_colours(palette)
    assert not {named(low), named(high)} & found


def test_bars_of_what_is_neither_have_the_colours_of_their_signs(qtbot, theme):
    found = colours(picture_of(qtbot, theme, BOTH_SIGNS, ""))

    low, _, high = scale_colours(LIGHT)
    assert {named(low), named(high)} <= found


@each_role
def test_chip_says_what_is_drawn_in_the_colours_of_its_pass(qtbot, theme, role, other, word):
    picture = picture_of(qtbot, theme, MATRIX, role)
    assert picture.chip.text() == word
    assert picture.chip.isVisible()
    assert getattr(LIGHT, role) in picture.chip.styleSheet()

    theme.choose("dark")

    assert getattr(DARK, role) in picture.chip.styleSheet()
    assert word in picture.accessibleName()


def test_what_is_neither_has_no_chip(qtbot, theme):
    assert not picture_of(qtbot, theme, MATRIX, "").chip.isVisible()


@each_role
def test_heat_map_keeps_the_signed_scale_in_both_roles(qtbot, theme, role, other, word):
    picture = picture_of(qtbot, theme, MATRIX - 40, role)

    low, _, high = scale_colours(LIGHT)
    assert {named(low), named(high)} <= colours(picture)


def test_double_click_shows_all_again_after_moving_and_zooming(qtbot, theme):
    picture = picture_of(qtbot, theme, MATRIX, "")
    plot = picture.plot
    whole = plot.range

    plot._look(Range(2.0, 4.0, 3.0, 5.0))
    assert plot.range == Range(2.0, 4.0, 3.0, 5.0)
    QTest.mouseDClick(plot, Qt.MouseButton.LeftButton)

    assert plot.range == whole == Range(-0.5, 8.5, -0.5, 8.5)


def test_picture_cannot_be_moved_out_of_sight_nor_shown_smaller_than_it_is(qtbot, theme):
    picture = picture_of(qtbot, theme, BOTH_SIGNS, "")
    plot = picture.plot
    whole = plot.range

    plot._look(Range(100.0, 110.0, 9.0, 8.0))
    assert plot.range.right == pytest.approx(whole.right)
    assert plot.range.right - plot.range.left == pytest.approx(10.0)
    assert plot.range.top == pytest.approx(whole.top)
    plot._look(Range(-1e6, 1e6, 1e6, -1e6))

    assert plot.range == whole


def test_point_under_the_pointer_stays_there_while_zooming(qtbot, theme):
    picture = picture_of(qtbot, theme, MATRIX, "")
    plot = picture.plot
    x, y = plot._under(QPointF(120.0, 60.0))

    plot._look(_zoomed(plot.range, (x, y), 0.5, is_level=False))

    assert plot._under(QPointF(120.0, 60.0)) == pytest.approx((x, y))


@pytest.mark.parametrize(
    ("low", "high", "most", "numbers"),
    [
        (0.0, 1.0, 5, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-2.1, 2.2, 5, [-2.0, -1.0, 0.0, 1.0, 2.0]),
        (-3e-5, 2e-5, 3, [-2e-5, 0.0, 2e-5]),
        (1.0, 1.0, 5, []),
        (0.0, float("inf"), 5, []),
    ],
)
def test_numbers_at_an_axis_are_round(low, high, most, numbers):
    assert round_numbers(low, high, most) == pytest.approx(numbers)
