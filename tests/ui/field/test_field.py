"""The arrow field: what is drawn of it, in which colours, and what its window says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QImage, QTransform
from PySide6.QtWidgets import QFileDialog

from gradviz.errors import FormatError
from gradviz.playback.field import Field, Grid
from gradviz.ui.field import colours
from gradviz.ui.field.arrows import mapped, shapes
from gradviz.ui.field.plot import FieldPlot, rows
from gradviz.ui.field.surface import ARROWS_ACROSS, arrows, level_lines, levels, resampled
from gradviz.ui.field.window import ArrowField
from gradviz.ui.field.words import NEEDED
from gradviz.ui.look.palette import DARK, LIGHT

both = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda palette: palette.name)


def plane(count: int = 9, size: float = 1.0) -> Field:
    """z = (2x - y) / 10 on a mesh from -4 to 4, with its slope."""
    axis = np.linspace(-4, 4, count)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    u, v = np.full_like(x, 0.2 * size), np.full_like(x, -0.1 * size)
    return Field(("X", "Y"), "Z", x, y, u, v, surface=(2 * x - y) / 10, is_mesh=True)


def scattered() -> Field:
    points = np.random.default_rng(0).normal(size=(4, 30))
    return Field(("a", "b"), "h", *points, surface=points[0])


@pytest.fixture
def window(qtbot, theme) -> ArrowField:
    made = ArrowField(theme)
    qtbot.addWidget(made)
    made.show()
    return made


# ---- what is drawn ----


def test_longest_arrow_is_one_cell_long_and_the_others_are_in_proportion():
    field = plane()
    u = field.u.copy()
    u[0, 0] = 0.8
    drawn = arrows(replace(field, u=u, v=np.zeros_like(u)))

    lengths = np.hypot(*(drawn.tips - drawn.tails).T)

    assert drawn.cell == (1.0, 1.0)
    assert lengths.max() == pytest.approx(1.0)
    assert lengths.min() == pytest.approx(0.25)
    assert drawn.longest == pytest.approx(0.8)


def test_longest_arrow_stays_in_its_cell_where_the_axes_have_other_units():
    field = plane()
    drawn = arrows(replace(field, x=field.x * 100, u=np.zeros_like(field.u), v=np.ones_like(field.v)))

    assert drawn.cell == (100.0, 1.0)
    assert np.hypot(*(drawn.tips - drawn.tails).T).max() == pytest.approx(1.0)


def test_arrow_points_where_its_gradient_does():
    drawn = arrows(plane())

    directions = (drawn.tips - drawn.tails) / np.hypot(*(drawn.tips - drawn.tails).T)[:, None]

    assert np.allclose(directions, np.array([2, -1]) / np.sqrt(5))


def test_dense_mesh_has_arrows_at_every_so_many_points():
    drawn = arrows(plane(100))

    assert drawn.stride == 4
    assert len(drawn.index) == 25 * 25
    assert 100 / drawn.stride <= ARROWS_ACROSS


def test_gradient_of_zero_has_no_length_and_one_that_is_not_finite_no_arrow():
    field = plane()
    u = np.zeros_like(field.u)
    u[3, 3] = np.nan

    drawn = arrows(replace(field, u=u, v=np.zeros_like(u)))

    assert len(drawn.index) == 80
    assert np.array_equal(drawn.tails, drawn.tips)


def test_surface_between_its_points_goes_through_them():
    xs, ys = np.array([0.0, 1.0, 4.0]), np.array([0.0, 2.0])
    heights = np.array([[0.0, 5.0, 1.0], [2.0, -3.0, 7.0]])

    fine = resampled(Grid(xs, ys, heights), heights, 41)

    assert fine.shape == (41, 41)
    assert np.allclose(fine[[0, -1]][:, [0, 10, 40]], heights)


def test_plane_stays_a_plane_between_its_points():
    grid = plane(5).grid
    assert grid is not None
    assert grid.heights is not None

    fine = resampled(grid, grid.heights, 50)

    x, y = np.meshgrid(np.linspace(-4, 4, 50), np.linspace(-4, 4, 50))
    assert np.allclose(fine, (2 * x - y) / 10)


def test_level_line_is_where_the_surface_has_that_height():
    grid = plane().grid
    assert grid is not None
    assert grid.heights is not None

    places = level_lines(grid, grid.heights, 0.5)

    assert len(places) > 20
    assert np.allclose((2 * places[:, 0] - places[:, 1]) / 10, 0.5)


def test_hole_in_a_surface_has_no_level_line():
    grid = plane().grid
    assert grid is not None

    assert level_lines(grid, np.full((9, 9), np.nan), 0.5).shape == (0, 2)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0.02, 0.98, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        (-1.0, 1.0, [-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75]),
        (3.0, 3.0, []),
        (0.0, float("inf"), []),
    ],
)
def test_levels_are_round_numbers_inside_the_range(low, high, found):
    assert levels(low, high) == found


def test_arrow_keeps_its_head_at_every_zoom():
    tails, tips = np.zeros((2, 2)), np.array([[1.0, 0.0], [3.0, 0.0]])
    outlines, _, _ = shapes(*(mapped(QTransform.fromScale(100, -100), ends) for ends in (tails, tips)))

    assert outlines[0].boundingRect().height() == pytest.approx(outlines[1].boundingRect().height())
    assert [round(outline.boundingRect().width()) for outline in outlines] == [100, 300]


def test_point_of_the_least_gradients_is_a_dot_alone():
    outlines, dots, small = shapes(np.zeros((1, 2)), np.full((1, 2), 0.5))

    assert (len(outlines), len(dots), len(small)) == (0, 1, 0)


def luminance(rgb: np.ndarray) -> np.ndarray:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


# ---- colours ----


@both
def test_arrows_stand_out_from_every_colour_of_the_surface(palette):
    ink = luminance(np.array([int(palette.backward[i : i + 2], 16) for i in (1, 3, 5)]) / 255)
    ground = luminance(colours.table(palette)[:, :3] / 255)

    contrast = (np.maximum(ground, ink) + 0.05) / (np.minimum(ground, ink) + 0.05)

    assert contrast.min() >= 3.0


@both
def test_equal_steps_of_height_are_equal_steps_of_lightness(palette):
    tints = colours.table(palette)[::51, :3] / 255

    steps = np.diff(116 * np.cbrt(luminance(tints)) - 16)  # L* of CIE

    assert (steps > 0).all() or (steps < 0).all()
    assert np.abs(steps).max() < 1.15 * np.abs(steps).min()


def test_height_that_is_not_finite_is_left_open():
    image = colours.coloured(np.array([0.0, np.nan, 1.0]), 0.0, 1.0, LIGHT)

    assert image[:, 3].tolist() == [255, 0, 255]
    assert image[0].tolist() == colours.table(LIGHT)[0].tolist()
    assert image[2].tolist() == colours.table(LIGHT)[-1].tolist()


# ---- the plot ----


def test_pointer_finds_the_nearest_point_and_nothing_far_away(qtbot, theme):
    plot = FieldPlot(theme)
    qtbot.addWidget(plot)
    plot.show_field(plane())
    assert plot.arrows is not None

    place = plot.arrow_at(1.2, -2.1)

    assert place is not None
    assert plot.arrows.tails[place].tolist() == [1.0, -2.0]
    assert plot.arrow_at(7.0, 0.0) is None
    assert plot.arrow_at(float("nan"), 0.0) is None


def test_pointing_at_a_point_shows_its_numbers_and_leaving_hides_them(qtbot, theme):
    plot = FieldPlot(theme)
    qtbot.addWidget(plot)
    plot.resize(500, 400)
    plot.show_field(plane())
    plot.show()
    place = (
        plot.view.getPlotItem().getViewBox().mapViewToScene(plot.view.getPlotItem().getViewBox().viewRect().center())
    )

    with qtbot.waitSignal(plot.pointed) as seen:
        plot._move(place)

    assert seen.args == [40]
    assert plot.note.isVisible()
    assert all(text in plot.note.text() for text in ("∂Z/∂X", "0.2", "−0.1"))
    with qtbot.waitSignal(plot.pointed) as left:
        plot._point(None)
    assert left.args == [-1]
    assert not plot.note.isVisible()


def test_numbers_of_a_point_are_named():
    assert rows(plane(), 80) == (
        ("leaf", "X", "4"),
        ("leaf", "Y", "4"),
        ("forward", "Z", "0.4"),
        ("backward", "∂Z/∂X", "0.2"),
        ("backward", "∂Z/∂Y", "-0.1"),
        ("backward", "length", "0.2236"),
    )


def test_whole_field_is_seen_and_zoom_stays_when_the_theme_changes(qtbot, theme):
    plot = FieldPlot(theme)
    qtbot.addWidget(plot)
    plot.resize(500, 400)
    plot.show_field(plane())
    plot.show()
    box = plot.view.getPlotItem().getViewBox()
    seen = box.viewRect()
    assert seen.left() < -4
    assert seen.right() > 4.8
    box.setRange(xRange=(0, 1), yRange=(0, 1))
    zoomed = box.viewRect()

    theme.choose("dark")

    assert box.viewRect() == zoomed


def test_drawing_again_leaves_nothing_of_the_field_before(qtbot, theme):
    plot = FieldPlot(theme)
    qtbot.addWidget(plot)
    plot.show_field(plane())
    before = len(plot.view.getPlotItem().getViewBox().childGroup.childItems())

    plot.show_field(plane())

    assert len(plot.view.getPlotItem().getViewBox().childGroup.childItems()) == before


@pytest.mark.parametrize(
    "field",
    [
        scattered(),
        replace(plane(), surface=None),
        replace(plane(), u=np.full((9, 9), np.nan)),
        replace(plane(), surface=np.full((9, 9), np.inf)),
        replace(plane(), surface=np.ones((9, 9))),
        plane(2),
        plane(60),
        replace(plane(), y=plane().y * 1e6),
        Field(("a", "b"), "h", np.array([0.0, 1.0]), np.array([2.0, 3.0]), np.zeros(2), np.zeros(2)),
    ],
    ids=["scattered", "no surface", "nan", "infinite", "flat", "least", "dense", "long", "two points"],
)
def test_any_field_can_be_drawn(qtbot, theme, field):
    plot = FieldPlot(theme)
    qtbot.addWidget(plot)
    plot.resize(420, 360)
    plot.show()

    plot.show_field(field)

    assert not plot.grab().isNull()
    assert plot.bar.isVisibleTo(plot) == (field.surface is not None)


# ---- the window ----


def test_window_says_what_it_shows(window):
    window.show_fields([plane()])

    assert window.title.text() == "∂Z/∂X, ∂Z/∂Y"
    assert "the direction in which Z grows fastest" in window.meaning.text()
    assert "0.2236" in window.key.text()
    assert "81 points" in window.key.text()
    assert "every" not in window.key.text()
    assert not window.choice.isVisible()


def test_window_without_a_field_says_what_is_needed(window):
    window.show_fields([plane()])
    window.show_fields([])

    assert window.empty.isVisible()
    assert window.empty.text() == NEEDED
    assert not window.picture.isVisible()
    assert not window.save_button.isEnabled()


def test_one_of_several_fields_is_chosen_and_stays_chosen(window):
    window.show_fields([plane(), scattered()])
    assert window.choice.isVisible()

    window.choice.setCurrentIndex(1)
    assert window.title.text() == "∂h/∂a, ∂h/∂b"
    window.show_fields([plane(), scattered()])

    assert window.title.text() == "∂h/∂a, ∂h/∂b"


def test_thinned_arrows_are_said_to_be_thinned(window):
    window.show_fields([plane(100)])

    assert "every 4th of 10000 points" in window.key.text()


def test_saved_picture_is_twice_as_dense_as_the_screen(window, tmp_path, monkeypatch):
    window.show_fields([plane()])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_: (str(tmp_path / "arrows"), "")))

    window.save_button.click()

    image = QImage(str(tmp_path / "arrows.png"))
    assert image.size() == window.picture.size() * 2
    seen = {image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}
    assert LIGHT.backward.lower() in seen


def test_picture_that_cannot_be_written_is_refused_in_the_window(window, tmp_path, monkeypatch):
    window.show_fields([plane()])
    nowhere = tmp_path / "missing" / "arrows.png"
    with pytest.raises(FormatError, match=r"arrows\.png cannot be written"):
        window.save_png(nowhere)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_: (str(nowhere), "")))

    window.save_button.click()

    assert "cannot be written" in window.failure.text()
