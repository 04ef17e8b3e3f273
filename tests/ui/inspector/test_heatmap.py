"""Pictures of arrays: a value is blue and a gradient orange, in both themes, and a chip says which."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from gradviz.ui.inspector.heatmap import HeatMap, scale_colours
from gradviz.ui.look.palette import DARK, LIGHT
from gradviz.ui.look.theme import Theme

BOTH_SIGNS = np.where(np.arange(40) % 2, 1.0, -1.0)
WAVE = np.sin(np.linspace(0, 20, 3000))
MATRIX = np.arange(81.0).reshape(9, 9)

each_theme = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda palette: palette.name)
each_role = pytest.mark.parametrize(
    ("role", "other", "word"), [("forward", "backward", "value"), ("backward", "forward", "gradient")]
)


def picture_of(qtbot, theme: Theme, values: np.ndarray, role: str) -> HeatMap:
    picture = HeatMap(theme, role)
    qtbot.addWidget(picture)
    picture.resize(300, 260)
    picture.show_array(values)
    picture.show()
    return picture


def colours(picture: HeatMap) -> set[str]:
    """All colours of the plot itself, without the chip."""
    image = picture._view.grab().toImage()
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


def test_next_array_is_drawn_as_a_picture_just_made_draws_it(qtbot):
    theme = Theme("light")
    arrays = [np.array(row) for row in ([1.0, -2.0, 3.0], [np.nan, 1.0, 2.0], [0.5, -0.25], [0.0, 0.0, 0.0])]
    arrays += [np.arange(300.0), np.array([5e-6, -2e5]), np.eye(3), np.array([-3.0, -1.0])]
    kept = picture_of(qtbot, theme, arrays[-1], "backward")

    for array in arrays:
        made = picture_of(qtbot, theme, array, "backward")
        kept.show_array(array)
        QApplication.processEvents()

        assert kept._view.grab().toImage() == made._view.grab().toImage(), array


WITH_NAN = np.where(MATRIX == 40, np.nan, MATRIX)


@pytest.mark.parametrize(
    "before",
    [MATRIX.T, MATRIX - 40, WITH_NAN, MATRIX[:5], WAVE, BOTH_SIGNS],
    ids=["same shape", "other limit", "NaN", "other shape", "line", "bars"],
)
@pytest.mark.parametrize(
    "after", [MATRIX, WITH_NAN, MATRIX[:5], BOTH_SIGNS], ids=["matrix", "NaN", "other shape", "bars"]
)
def test_what_was_shown_before_leaves_no_trace(qtbot, theme, before, after):
    fresh = picture_of(qtbot, theme, after, "forward")
    used = picture_of(qtbot, theme, before, "forward")
    used._view.zoom_by(0.3, QPointF(2.0, 2.0))

    used.show_array(after)
    QApplication.processEvents()

    assert used._view.grab().toImage() == fresh._view.grab().toImage()


def test_a_picture_puts_on_the_colours_of_another_theme(qtbot, theme):
    picture = picture_of(qtbot, theme, MATRIX, "forward")

    theme.choose(DARK.name)
    QApplication.processEvents()

    assert picture._view.grab().toImage() == picture_of(qtbot, theme, MATRIX, "forward")._view.grab().toImage()
