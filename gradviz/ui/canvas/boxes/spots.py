"""Draws boxes too small to read as spots of colour: one call for all of a colour."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import pairwise

import numpy as np
from PySide6.QtGui import QColor, QImage, QPainter

from gradviz.layout.plan import Ints
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes.gauge_painting import far_reach, gauge_color, paint_far_gauge
from gradviz.ui.canvas.ink.bulk import fill_runs, runs
from gradviz.ui.canvas.ink.memory import Blocks, plain_picture
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
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if not _paint_all(painter, scene, view, faces, which, palette, gauges=gauges):
        _paint_some(painter, scene, view, faces, which, palette, gauges=gauges)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _paint_some(
    painter: QPainter, scene: Scene, view: View, faces: Codes, which: Ints, palette: Palette, *, gauges: bool
) -> None:
    """Colour after colour, as they may lie over one another."""
    which, rows = scene.boxes_on_pixels.of(view, painter.device().devicePixelRatioF(), which)
    codes = _codes(scene, faces.take(which), which, gauges=gauges)
    order = np.argsort(codes, kind="stable")
    rows = rows.take(order, axis=0)
    kinds, starts = runs(codes[order])
    inks = [ink for code in kinds if (ink := _color(palette, code)) is not None]
    plain = len(inks)  # the codes of those that have a form besides are the highest
    fill_runs(painter, rows[: starts[plain]], starts[: plain + 1], inks)
    for code, (first, last) in zip(kinds[plain:], pairwise(starts[plain:]), strict=True):
        paint_far_gauge(painter, rows[first:last], code_of(code - _GAUGES), palette)


def _paint_all(
    painter: QPainter, scene: Scene, view: View, faces: Codes, which: Ints, palette: Palette, *, gauges: bool
) -> bool:
    """All spots of a scene at once, in their own colours, if they can be; else False, and nothing is drawn."""
    picture = plain_picture(painter)
    if picture is None or len(which) < len(scene.boxes):
        return False
    known = scene.boxes_on_pixels.blocks(view, picture)
    if known is None:
        return False
    which, blocks = known
    codes = _codes(scene, faces.take(which), which, gauges=gauges)
    kinds: list[int] = np.flatnonzero(np.bincount(codes)).tolist()
    inks = [_color(palette, code) for code in kinds]
    table = np.zeros(kinds[-1] + 1, dtype=np.uint32)
    table[kinds] = [0 if ink is None else ink.rgb() for ink in inks]
    blocks.fill(picture, table.take(codes))
    for code in (code for code, ink in zip(kinds, inks, strict=True) if ink is None):
        some = np.flatnonzero(codes == code)
        fill = partial(_fill_blocks, picture, blocks, some)
        paint_far_gauge(painter, blocks.rows.take(some, axis=0), code_of(code - _GAUGES), palette, fill)
    return True


def _fill_blocks(picture: QImage, blocks: Blocks, all_of: Ints, some: Ints | slice, growth: int, ink: QColor) -> None:
    blocks.fill_some(picture, all_of[some], growth, ink)


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
