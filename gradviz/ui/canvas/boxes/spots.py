"""Draws boxes too small to read as spots of colour: one call for all of a colour."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
from PySide6.QtGui import QColor, QPainter

from gradviz.layout.plan import Ints
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes.gauge_painting import far_reach, gauge_color, paint_far_gauge
from gradviz.ui.canvas.ink.bulk import fill_runs, runs
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.gauges import NO_GAUGE, Ranks, Size, code_of, size_of
from gradviz.ui.canvas.scene.moment import Codes, Mood
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

_SHOWS_GAUGE = Mood.PLAIN << 2 | 1
"""In the face of a box whose step is done, and which is lit."""

_GAUGES = 256
"""Added to the rank of a gauge, so that it is above any code of a box without one."""


def paint_spots(
    painter: QPainter, scene: Scene, view: View, faces: Codes, which: Ints, palette: Palette, *, gauges: bool
) -> None:
    """Draw the boxes `which` (indices), in the colours of their gradients where `gauges` are shown."""
    which, rows = scene.boxes_on_pixels.of(view, painter.device().devicePixelRatioF(), which)
    codes = _codes(scene, faces.take(which), which, gauges=gauges)
    order = np.argsort(codes, kind="stable")
    rows = rows.take(order, axis=0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    kinds, starts = runs(codes[order])
    inks = [ink for code in kinds if (ink := _color(palette, code)) is not None]
    plain = len(inks)  # the codes of those that have a form besides are the highest
    fill_runs(painter, rows[: starts[plain]], starts[: plain + 1], inks)
    for code, (first, last) in zip(kinds[plain:], pairwise(starts[plain:]), strict=True):
        paint_far_gauge(painter, rows[first:last], code_of(code - _GAUGES), palette)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def reach(scene: Scene, *, gauges: bool) -> float:
    """How far a spot may reach beyond its box, in screen pixels."""
    return 1.0 + (far_reach(scene.gauge_sizes) if gauges else 0.0)


def _codes(scene: Scene, faces: Codes, which: Ints, *, gauges: bool) -> Ranks:
    """What the spots of one colour have in common; those with the colour of their gradient have the highest codes."""
    codes: Ranks = scene.kind_codes.take(which) | faces >> np.uint8(1) & np.uint8(6) | faces & np.uint8(1)
    shows = (faces & 13) == _SHOWS_GAUGE
    if not (gauges and shows.any()):
        return codes
    ranks = scene.gauge_ranks.take(which)
    has = shows & (ranks != NO_GAUGE)
    codes[has] = ranks[has] + _GAUGES
    return codes


@lru_cache(maxsize=1024)
def _color(palette: Palette, code: int) -> QColor | None:
    """The colour of spots of a code; None for those that have a form besides."""
    if code < _GAUGES:
        return QColor(looks.dot_color(palette, Kind(code >> 3), Mood(code >> 1 & 3), bool(code & 1)))
    gauge = code_of(code - _GAUGES)
    return QColor(gauge_color(palette, gauge)) if size_of(gauge) is Size.ORDINARY else None
