"""The signed scale is even to the eye, in both directions, in every theme, and for people who see fewer colours."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.ui.inspector.heatmap import coloured
from gradviz.ui.look.oklab import blend, lab, lab_of
from gradviz.ui.look.palette import BLACK, DARK, LIGHT, WHITE
from gradviz.ui.look.scales import LEVELS, level_colours, scale_colours, signed

each_palette = pytest.mark.parametrize("palette", [LIGHT, DARK, WHITE, BLACK], ids=lambda p: p.name)
SHARES = np.linspace(-1, 1, 33)

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
PROTAN = np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]])
DEUTAN = np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]])


def seen(colours: np.ndarray, sight: np.ndarray) -> np.ndarray:
    """OKLab of RGBA colours as somebody with a missing kind of cones sees them."""
    encoded = colours[:, :3] / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    dimmed = np.clip(linear @ sight.T, 0, 1)
    return lab(np.where(dimmed <= 0.0031308, 12.92 * dimmed, 1.055 * dimmed ** (1 / 2.4) - 0.055))


def test_lab_of_white_black_and_red_is_what_oklab_says():
    assert lab_of("#FFFFFF") == pytest.approx([1, 0, 0], abs=1e-3)
    assert lab_of("#000000") == pytest.approx([0, 0, 0], abs=1e-3)
    assert lab_of("#FF0000") == pytest.approx([0.628, 0.225, 0.126], abs=1e-3)
    assert blend("#12AB34", "#FEDCBA", np.array([0.0, 1.0]))[:, :3].tolist() == [[18, 171, 52], [254, 220, 186]]


@each_palette
def test_steps_of_the_scale_look_equal_and_both_ends_equally_far(palette):
    places = lab(signed(palette, SHARES)[:, :3] / 255)

    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    ends = np.linalg.norm(places[[0, -1]] - places[16], axis=1)

    assert steps.max() <= 1.3 * steps.min()
    assert ends[0] == pytest.approx(ends[1], rel=0.08)


@each_palette
@pytest.mark.parametrize("sight", [PROTAN, DEUTAN], ids=["protan", "deutan"])
def test_sign_is_seen_without_red_or_green(palette, sight):
    places = seen(signed(palette, SHARES), sight)
    lightness = places[:, 0]

    for share in (4, 8, 16):
        assert np.linalg.norm(places[16 - share] - places[16 + share]) >= 0.01 * share
    for half in (lightness[16::-1], lightness[16:]):
        assert len(set(np.sign(np.diff(half)))) == 1  # the larger, the further from the ground


@each_palette
def test_heat_map_and_graph_have_one_scale(palette):
    image = coloured(np.array([[-1.0, 0.0, 1.0]]), 1.0, palette)[0]

    low, zero, high = (blend(text, text, np.zeros(1))[0].tolist() for text in scale_colours(palette))

    assert image.tolist() == [low, zero, high]
    assert level_colours(palette, True)[-1].upper() == scale_colours(palette)[0]
    assert level_colours(palette, False)[-1].upper() == scale_colours(palette)[2]
    assert len(level_colours(palette, True)) == LEVELS
