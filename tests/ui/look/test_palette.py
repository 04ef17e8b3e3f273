"""Text keeps WCAG AA on every surface it is used on, and AAA in the themes of high contrast."""

from __future__ import annotations

import dataclasses
import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QCheckBox, QFileDialog, QSlider, QToolButton, QWidget

from gradviz.ui.canvas.looks import (
    box_border,
    box_fill,
    dot_color,
    frame_border,
    kind_color,
    kind_tint,
    mix,
    strand_color,
)
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.moment import Mood, Strand
from gradviz.ui.look.palette import BLACK, DARK, LIGHT, WHITE
from gradviz.ui.look.sheet import style_sheet
from gradviz.ui.look.theme import PALETTES, system_palette

AA, AAA, BORDER = 4.5, 7.0, 3.0
ALL = [LIGHT, DARK, WHITE, BLACK]
STRONG = [WHITE, BLACK]
SURFACES = ("window", "panel", "canvas", "card")
ON_ALL = (
    "text",
    "dim",
    "forward",
    "backward",
    "leaf",
    "constant",
    "keyword",
    "number",
    "string",
    "comment",
    "error",
    "changed",
)
ON_TINTS = [("forward", "forward_tint"), ("backward", "backward_tint"), ("leaf", "leaf_tint"),
            ("constant", "constant_tint"), ("error", "error_tint"), ("text", "forward_tint"),
            ("text", "backward_tint"), ("on_accent", "forward"), ("on_accent", "backward"),
            ("on_accent", "leaf"), ("changed", "changed_tint"), ("text", "changed_tint")]  # fmt: skip
PAIRS = [(text, surface) for text in ON_ALL for surface in SURFACES] + ON_TINTS


class Hints:
    """What Qt says of the system."""

    def __init__(self, is_dark: bool, is_strong: bool) -> None:
        self._scheme = Qt.ColorScheme.Dark if is_dark else Qt.ColorScheme.Light
        self._is_strong = is_strong
        self.accessibility = lambda: self

    def colorScheme(self):
        return self._scheme

    def contrastPreference(self):
        preferences = Qt.ContrastPreference
        return preferences.HighContrast if self._is_strong else preferences.NoPreference


def luminance(value: str) -> float:
    channels = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)


@pytest.mark.parametrize("palette", ALL, ids=lambda p: p.name)
@pytest.mark.parametrize(("text", "surface"), PAIRS, ids=lambda value: value)
def test_text_keeps_its_contrast(palette, text, surface):
    least = AAA if palette.is_strong else AA

    assert contrast(getattr(palette, text), getattr(palette, surface)) >= least


@pytest.mark.parametrize("palette", STRONG, ids=lambda p: p.name)
@pytest.mark.parametrize("surface", SURFACES)
def test_high_contrast_shows_borders_and_what_is_off(palette, surface):
    ground = getattr(palette, surface)

    assert contrast(palette.hairline, ground) >= BORDER
    assert contrast(palette.faint, ground) >= AAA


@pytest.mark.parametrize("palette", STRONG, ids=lambda p: p.name)
def test_high_contrast_shows_a_slider_and_its_way(qtbot, palette):
    window = QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet(f"{style_sheet(palette)} QWidget {{ background: {palette.card}; }}")
    slider = QSlider(Qt.Orientation.Horizontal, window)
    slider.resize(200, 24)

    image = window.grab().toImage()

    inks = [[image.pixelColor(x, y).name() for y in range(24)] for x in (6, 150)]
    handle, groove = (max(contrast(ink, palette.card) for ink in column) for column in inks)
    assert handle >= AAA
    assert groove >= BORDER


@pytest.mark.parametrize("palette", STRONG, ids=lambda p: p.name)
def test_high_contrast_shows_every_line_of_the_graph(palette):
    lines = [strand_color(palette, strand) for strand in Strand] + [frame_border(palette)]
    boxes = [box_border(palette, kind, mood) for kind in Kind for mood in Mood]
    dots = [dot_color(palette, kind, mood, has) for kind in Kind for mood in Mood for has in (False, True)]

    assert min(contrast(ink, palette.canvas) for ink in lines + boxes + dots) >= BORDER


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("is_strong", [False, True])
def test_system_chooses_ground_and_contrast(is_dark, is_strong):
    palette = system_palette(Hints(is_dark, is_strong))

    assert (palette.is_dark, palette.is_strong) == (is_dark, is_strong)


def test_system_without_word_on_contrast_gets_the_plain_palettes():
    hints = Hints(True, True)
    hints.accessibility = None

    assert system_palette(hints) is DARK
    assert PALETTES["dark"] is DARK


@pytest.mark.parametrize("palette", ALL, ids=lambda p: p.name)
@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name)
def test_sign_in_a_tile_can_be_read(palette, kind):
    least = AAA if palette.is_strong else AA

    assert contrast(kind_color(palette, kind), kind_tint(palette, kind)) >= least
    assert contrast(palette.dim, mix(kind_tint(palette, kind), palette.canvas, 0.45)) >= least


@pytest.mark.parametrize("palette", ALL, ids=lambda p: p.name)
def test_pale_box_can_be_read(palette):
    assert contrast(palette.dim, box_fill(palette, Mood.PALE)) >= AA


@pytest.mark.parametrize("palette", ALL, ids=lambda p: p.name)
def test_every_role_is_a_colour(palette):
    values = [getattr(palette, field.name) for field in dataclasses.fields(palette) if field.type == "str"][1:]

    assert all(re.fullmatch("#[0-9A-F]{6}", value) for value in values)


@pytest.mark.parametrize("palette", ALL, ids=lambda palette: palette.name)
def test_ways_through_folders_are_seen_in_the_dialog_for_files(qtbot, palette):
    window = QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet(style_sheet(palette))
    dialog = QFileDialog(window)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)

    for name in ("backButton", "forwardButton", "toParentButton"):
        image = dialog.findChild(QToolButton, name).icon().pixmap(16).toImage()
        inks = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
        assert contrast(max(inks, key=QColor.alpha).name(), palette.window) >= BORDER


@pytest.mark.parametrize("palette", ALL, ids=lambda palette: palette.name)
def test_a_checked_box_has_a_tick_that_is_seen_on_its_colour(qtbot, palette):
    window = QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet(style_sheet(palette))
    box = QCheckBox(window)
    box.resize(20, 20)
    box.setChecked(True)

    image = box.grab().toImage()

    inks = [image.pixelColor(x, y).name() for x in range(3, 13) for y in range(5, 15)]
    assert palette.forward.lower() in inks
    assert max(contrast(ink, palette.forward) for ink in inks) >= BORDER
