"""Draws the edges that are in sight: straight lines far away, polylines nearer, full curves with arrowheads."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.bulk import bars_path, draw_lines, line_path, outline_path, runs, segments_path
from gradviz.ui.canvas.geometry import Measured, Segments, arrow_ribbon, arrowhead, dashes, length, part, ribbon
from gradviz.ui.canvas.moment import Codes, Strand
from gradviz.ui.canvas.on_screen import OnScreen
from gradviz.ui.canvas.scene import SPACED, Scene
from gradviz.ui.canvas.sprites import MARGIN, Art, Draw
from gradviz.ui.canvas.view import View
from gradviz.ui.palette import Palette

ARROW = 10.0
TIP_GAP = 3.0
"""Between the tip of an arrow and the box, in scene units."""

_CURVE_SCALE, _SMALL_CURVE_SCALE, _LINE_SCALE = 0.3, 0.1, 0.09
_BODY_SCALE, _QUIET_BODY_SCALE = 0.6, 0.8
"""From here on an edge is filled: cheaper than a stroke, except for one of a single pixel."""

_SMALL = 400
"""Up to so many edges, all are drawn as curves even in a small picture."""

_MOST_COPIED = 60_000
"""Device pixels; a larger edge is mostly empty space, and faster drawn than copied."""

_LIMIT = 4000
_QUIET_WIDTH, _FORWARD_WIDTH = 1.3, 2.4
_BACKWARD_STRANDS = (Strand.CARRIED, Strand.BACKWARD)


class Shape(NamedTuple):
    """One edge in scene units, ready to draw.

    Attributes:
        line: its middle line, whole or in dashes.
        body: its outline with the arrowhead.
        arrow: the outline of its arrowhead.
    """

    line: QPainterPath
    body: QPainterPath
    arrow: QPainterPath


class EdgePainter:
    """Draws the edges of one scene; keeps the shapes it has made."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._shapes: dict[tuple[int, int], Shape] = {}
        self._far: tuple[Segments, OnScreen] | None = None

    def paint(self, painter: QPainter, view: View, strands: Codes, which: Ints, art: Art) -> None:
        """Draw the edges `which` (indices), quiet ones first."""
        if not len(which):
            return
        order = np.argsort(strands[which], kind="stable")
        which = which[order]
        kinds, starts = runs(strands[which])
        if not (art.vector or self._is_near(view)):
            self._paint_far(painter, view, kinds, starts, which, art.palette)
            return
        for strand, (first, last) in zip(kinds, pairwise(starts), strict=True):
            self._paint_near(painter, view, Strand(strand), which[first:last], art)

    def is_the_same_at_the_rim(self, view: View) -> bool:
        """Whether edges are drawn as areas: where the rim of the picture cuts thin lines, Qt draws them otherwise."""
        return not self._scene.curves or (self._is_near(view) and view.scale >= _QUIET_BODY_SCALE)

    def _is_near(self, view: View) -> bool:
        # By scale and size of the whole graph alone: a part drawn again must look as it did before.
        small = len(self._scene.curves) <= _SMALL
        return view.scale >= (_SMALL_CURVE_SCALE if small else _CURVE_SCALE)

    def _segments(self, view: View) -> Segments:
        return self._scene.coarse if view.scale >= _LINE_SCALE else self._scene.rough

    def cover(self, view: View, which: Ints) -> Floats:
        """Small rectangles that together cover some edges as they are drawn; scene units, shape (r, 4)."""
        boxes = self._scene.edge_boxes[which]
        is_long = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1) * view.scale**2 > _LARGE
        return np.concatenate([boxes[~is_long], self._cover(view, which[is_long])])

    def _cover(self, view: View, which: Ints) -> Floats:
        if not len(which):
            return np.zeros((0, 4))
        if self._is_near(view):
            return _pieces(np.stack([self._scene.spaced(edge) for edge in which.tolist()]))
        lines = self._segments(view).of(which)
        if np.abs(lines[:, 2:] - lines[:, :2]).max() * view.scale > _LONG:
            lines = _halved(lines)
        return np.hstack([np.minimum(lines[:, :2], lines[:, 2:]), np.maximum(lines[:, :2], lines[:, 2:])])

    def _paint_far(
        self, painter: QPainter, view: View, kinds: list[int], starts: list[int], which: Ints, palette: Palette
    ) -> None:
        """Draw edges sorted by strand as segments; those of strand `kinds[i]` begin at `starts[i]`."""
        segments = self._segments(view)
        if self._far is None or self._far[0] is not segments:
            self._far = (segments, OnScreen(segments.lines))
        lines = self._far[1].of(view, segments.rows(which))
        cuts = np.concatenate([[0], np.cumsum(segments.counts[which])])[starts].tolist()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, view.scale >= _LINE_SCALE)
        for kind, (first, last) in zip(kinds, pairwise(cuts), strict=True):
            painter.setPen(_far_pen(palette, Strand(kind)))
            draw_lines(painter, lines[first:last])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _paint_near(self, painter: QPainter, view: View, strand: Strand, which: Ints, art: Art) -> None:
        """Draw edges of one strand; small quiet ones that were drawn before are copied."""
        if strand >= Strand.FORWARD or art.vector or not _is_wide(view, strand):
            self._paint_curves(painter, view, strand, which, art.palette)
            return
        # A copy is exact where an edge is a single area.
        boxes = self._scene.edge_boxes[which]
        sizes = boxes[:, 2:] - boxes[:, :2]
        is_small = (sizes + 2 * MARGIN).prod(axis=1) * (view.scale * art.ratio) ** 2 <= _MOST_COPIED
        rows = zip(which.tolist(), is_small.tolist(), sizes.tolist(), art.corners(view, boxes).tolist(), strict=True)
        drawn: list[int] = []
        for edge, small, size, (x, y) in rows:
            if not (small and art.is_worth_a_copy(("edge", edge, strand))):
                drawn.append(edge)
                continue
            self._paint_run(painter, view, strand, drawn, art)
            art.copy(painter, ("edge", edge, strand), size, x, y, self._first_drawing(edge, strand, art))
        self._paint_run(painter, view, strand, drawn, art)

    def _paint_run(self, painter: QPainter, view: View, strand: Strand, drawn: list[int], art: Art) -> None:
        """Draw the edges that wait, before the next one is copied over them."""
        if drawn:
            self._paint_curves(painter, view, strand, np.array(drawn), art.palette)
            drawn.clear()

    def _first_drawing(self, edge: int, strand: Strand, art: Art) -> Draw:
        def draw(painter: QPainter, x: float, y: float) -> None:
            view = art.view_at(self._scene.edge_boxes[edge], x, y)
            self._paint_curves(painter, view, strand, np.array([edge]), art.palette)

        return draw

    def _paint_curves(self, painter: QPainter, view: View, strand: Strand, which: Ints, palette: Palette) -> None:
        ink = QColor(looks.strand_color(palette, strand))
        shapes = [self._shape(edge, strand) for edge in which.tolist()]
        wide = _is_wide(view, strand)
        painter.save()
        painter.translate(view.x, view.y)
        painter.scale(view.scale, view.scale)
        painter.setPen(QPen(ink, _line_width(view.scale, strand)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for shape in () if wide else shapes:
            painter.drawPath(shape.line)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        for shape in shapes:
            painter.drawPath(shape.body if wide else shape.arrow)
        painter.restore()

    def _shape(self, edge: int, strand: Strand) -> Shape:
        form = Strand.BACKWARD if strand in _BACKWARD_STRANDS else strand
        key = (edge, max(form, Strand.NONE))
        made = self._shapes.get(key)
        if made is None:
            if len(self._shapes) >= _LIMIT:
                self._shapes.clear()
            made = self._shapes[key] = self._made(edge, strand)
        return made

    def _made(self, edge: int, strand: Strand) -> Shape:
        line = self._scene.line(edge)
        if strand in _BACKWARD_STRANDS:
            return _with_body(line[::-1], float(self._scene.edge_widths[edge]))
        if strand is Strand.FORWARD:
            return _with_body(line, _FORWARD_WIDTH)
        whole, arrow = _tipped(line, ARROW - 1.0)
        if self._scene.is_dashed[edge]:
            pieces, tip = dashes(whole), outline_path(arrow)
            return Shape(segments_path(pieces), bars_path(pieces, _QUIET_WIDTH, tip), tip)
        return _solid(whole, _QUIET_WIDTH, arrow)

    def trail(self, edge: int, fraction: float, *, backward: bool) -> QPainterPath:
        """The body of an edge up to a fraction of its length, from the end where the token set out."""
        line = self._scene.line(edge)
        width = float(self._scene.edge_widths[edge]) if backward else _FORWARD_WIDTH
        line = line[::-1] if backward else line
        return outline_path(ribbon(part(line, 0.0, max(fraction, 0.01) * length(line)), width))

    def trace_roughly(self, painter: QPainter, view: View, which: Ints, ink: QColor) -> None:
        """Draw many edges again as segments one pixel wide, in one call."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(ink, 1.0))
        draw_lines(painter, view.boxes_to_screen(self._segments(view).of(which)))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def trace(self, painter: QPainter, view: View, which: list[int], ink: QColor) -> None:
        """Draw some edges again as thin lines of one colour."""
        painter.setPen(QPen(ink, 2.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for edge in which:
            painter.drawPath(line_path(view.boxes_to_screen(self._scene.line(edge))))


@lru_cache(maxsize=64)
def _far_pen(palette: Palette, strand: Strand) -> QPen:
    return QPen(QColor(looks.strand_color(palette, strand)), 2.0 if strand >= Strand.FORWARD else 1.0)


def _is_wide(view: View, strand: Strand) -> bool:
    """Whether edges are drawn as areas with their arrowheads."""
    return view.scale >= (_BODY_SCALE if strand >= Strand.CARRIED else _QUIET_BODY_SCALE)


def _line_width(scale: float, strand: Strand) -> float:
    """The width of a middle line in scene units: never under a pixel, and more where something happens."""
    if strand >= Strand.FORWARD:
        return max(1.8 / scale, _FORWARD_WIDTH)
    return 1.0 / scale if scale < 0.8 else _QUIET_WIDTH


_LARGE = 12_000.0
"""Screen pixels; the rectangle around a larger edge is mostly empty, and covered in pieces."""

_LONG = 80.0
"""A segment of more screen pixels is covered in halves."""

_PIECES = np.arange(0, SPACED - 1, 15)[:, None] + np.arange(16)
"""Which points of a line each rectangle of its cover goes around."""


def _pieces(lines: Floats) -> Floats:
    """Rectangles around a quarter of each line; lines of shape (m, SPACED, 2)."""
    quarters = lines[:, _PIECES]
    return np.concatenate([quarters.min(axis=2), quarters.max(axis=2)], axis=2).reshape(-1, 4)


def _halved(lines: Floats) -> Floats:
    """Each segment as two: the rectangles around them cover less than the one around the whole."""
    middles = (lines[:, :2] + lines[:, 2:]) / 2
    return np.concatenate([np.hstack([lines[:, :2], middles]), np.hstack([middles, lines[:, 2:]])])


def _tipped(line: Floats, size: float) -> tuple[Floats, Floats]:
    """A line shortened to the base of its arrowhead, and the arrowhead."""
    measured = Measured(line)
    end = max(measured.length - TIP_GAP, 0.0)
    size = min(size, max(end, 1.0) * 0.8)
    # The body ends inside the arrowhead, so that no gap can open between them.
    return measured.until(end - size * 0.7), arrowhead(measured.at(end), measured.at(end - size), size)


def _with_body(line: Floats, width: float) -> Shape:
    whole, arrow = _tipped(line, ARROW + width)
    return _solid(whole, width, arrow)


def _solid(whole: Floats, width: float, arrow: Floats) -> Shape:
    return Shape(line_path(whole), outline_path(arrow_ribbon(whole, width, arrow)), outline_path(arrow))
