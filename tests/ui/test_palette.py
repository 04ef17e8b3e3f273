"""Text keeps WCAG AA on every surface it is used on, in both themes."""

from __future__ import annotations

import dataclasses
import re

import pytest

from gradviz.ui.canvas.cards import Kind
from gradviz.ui.canvas.looks import box_fill, kind_color, kind_tint, mix
from gradviz.ui.canvas.moment import Mood
from gradviz.ui.palette import DARK, LIGHT

AA = 4.5
SURFACES = ("window", "panel", "canvas", "card")
ON_ALL = ("text", "dim", "forward", "backward", "leaf", "constant", "keyword", "number", "string", "comment", "error")
ON_TINTS = [("forward", "forward_tint"), ("backward", "backward_tint"), ("leaf", "leaf_tint"),
            ("constant", "constant_tint"), ("error", "error_tint"), ("text", "forward_tint"),
            ("text", "backward_tint"), ("on_accent", "forward"), ("on_accent", "backward"),
            ("on_accent", "leaf")]  # fmt: skip
PAIRS = [(text, surface) for text in ON_ALL for surface in SURFACES] + ON_TINTS


def luminance(value: str) -> float:
    channels = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
@pytest.mark.parametrize(("text", "surface"), PAIRS, ids=lambda value: value)
def test_text_keeps_aa(palette, text, surface):
    assert contrast(getattr(palette, text), getattr(palette, surface)) >= AA


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name)
def test_sign_in_a_tile_can_be_read(palette, kind):
    assert contrast(kind_color(palette, kind), kind_tint(palette, kind)) >= AA
    assert contrast(palette.dim, mix(kind_tint(palette, kind), palette.canvas, 0.45)) >= AA


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_pale_box_can_be_read(palette):
    assert contrast(palette.dim, box_fill(palette, Mood.PALE)) >= AA


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_every_role_is_a_colour(palette):
    values = [getattr(palette, field.name) for field in dataclasses.fields(palette) if field.name != "name"]

    assert all(re.fullmatch("#[0-9A-F]{6}", value) for value in values)
