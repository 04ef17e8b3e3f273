"""Texts of the picture: the same at the same place and size, whatever was drawn before."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gradviz.ui.canvas.ink.text import LARGE, Pen, Role, font

pytestmark = pytest.mark.usefixtures("qapp")
TEXT = "1.24e-07"


def drawn(scale: float, role: Role = Role.VALUE) -> Any:
    """The pixels of a text in black on white, begun at a place that is no whole pixel."""
    image = QImage(900, 240, QImage.Format.Format_RGB32)
    image.fill("white")
    image.setDevicePixelRatio(2)
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.translate(10.15, 60.35)
    painter.scale(scale / 2, scale / 2)
    Pen(painter).write(0.0, 0.0, TEXT, role, "black")
    painter.end()
    return np.frombuffer(image.constBits(), np.uint8).reshape(240, 900, 4)[:, :, 0].copy()


def bounds(pixels: Any) -> Any:
    down, across = np.nonzero(pixels < 128)
    return np.array([across.min(), across.max(), down.min(), down.max()])


def test_a_text_does_not_depend_on_the_sizes_drawn_before() -> None:
    sizes = (1.0, 5.5, 8.0, 0.3, 3.7)
    first = {size: drawn(size) for size in sizes}
    for before, size in product(sizes, sizes):
        drawn(before)
        assert (drawn(size) == first[size]).all(), (before, size)


def test_a_text_does_not_move_where_it_becomes_large() -> None:
    limit = LARGE / font(Role.VALUE).pixelSize()
    assert np.abs(bounds(drawn(limit * 0.999)) - bounds(drawn(limit * 1.001))).max() <= 1
