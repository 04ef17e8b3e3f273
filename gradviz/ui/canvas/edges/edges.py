"""Draws the edges that are in sight: straight lines far away, polylines nearer, full curves with arrowheads."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gradviz.layout.plan import Ints
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes.sprites import MARGIN, Art, Draw
from gradviz.ui.canvas.edges.shapes import ARROW, FORWARD_WIDTH, QUIET_WIDTH, Shapes, window_around
from gradviz.ui.canvas.edges.trunks import Trunks
from gradviz.ui.canvas.ink.bulk import clipped, draw_lines, line_path, runs
from gradviz.ui.canvas.ink.memory import plain_picture
from gradviz.ui.canvas.ink.on_screen import OnScreen
from gradviz.ui.canvas.plane.geometry import DASH, GAP, Segments, stretches
from gradviz.ui.canvas.plane.reach import Flags
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.edge_pieces import Pieces
from gradviz.ui.canvas.scene.moment import Codes, Strand
from gradviz.ui.canvas.scene.scene import WIDEST, Scene
from gradviz.ui.look.palette import Palette

_CURVE_SCALE, _SMALL_CURVE_SCALE, _LINE_SCALE = 0.3, 0.1, 0.09
_BODY_SCALE, _QUIET_BODY_SCALE = 0.6, 0.8
"""From here on an edge is filled: cheaper than a stroke, except for one of a single pixel."""

_CLEAR_SCALE, _LEAST_SHARE = 0.7, 0.25
"""From this scale on edges that run side by side are seen one by one; far below they keep so much of their ink."""

_SMALL = 400
"""Up to so many edges, all are drawn as curves even in a small picture."""

_MOST_COPIED = 60_000
"""Device pixels; a larger edge is mostly empty space, and faster drawn than copied."""

_UNCUT = 64
"""Device pixels. An area that reaches further beyond a picture Qt cuts at the rim, and draws a shade otherwise there.
"""
_WIDEST = WIDEST + ARROW
"""Scene units that an edge with its arrowhead is wide at the most."""


class Ink(NamedTuple):
    """What edges are drawn in: their strand, and its colour, which is paler for long edges seen from far away."""

    strand: Strand
    color: str


class EdgePainter:
    """Draws the edges of one scene; keeps the shapes it has made."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._shapes = Shapes(scene)
        self._trunks = Trunks(scene)
        self._far: tuple[Segments, OnScreen] | None = None

    def paint(self, painter: QPainter, view: View, strands: Codes, which: Ints, art: Art) -> None:
        """Draw the edges `which` (indices), quiet ones first."""
        if not len(which):
            return
        share = 1.0 if art.vector else _share_of_long(view.scale)
        # Of one strand the long edges lie below the others.
        codes = strands.take(which) * np.uint8(2)
        codes += self._scene.is_short.take(which) if share < 1.0 else np.uint8(1)
        is_far = not (art.vector or self._is_near(view))
        if is_far:
            left = self._trace_thin(painter, view, codes, art.palette, share)
            which, codes = which[left], codes[left]
        order = np.argsort(codes, kind="stable")
        which = which[order]
        kinds, starts = runs(codes[order])
        inks = [_ink_of(art.palette, kind, share) for kind in kinds]
        if is_far:
            self._paint_far(painter, view, inks, starts, which)
            return
        for ink, (first, last) in zip(inks, pairwise(starts), strict=True):
            self._paint_near(painter, view, ink, which[first:last], art)

    def is_the_same_when_moved(self, before: View, view: View, sight: Rect, ratio: float) -> bool:
        """Whether what was drawn in the view before is, moved, what would be drawn in this one.

        Edges are then areas that Qt cuts nowhere, as the rim of the picture cuts thin lines otherwise, and long ones
        are of the same stretches: Qt may draw those of others a shade otherwise.

        Args:
            sight: the whole picture, in screen pixels.
            ratio: device pixels per screen pixel.
        """
        if not self._scene.curves:
            return True
        if not (self._is_near(view) and view.scale >= _QUIET_BODY_SCALE):
            return False
        if self._scene.is_long.any() and _window(before, sight) != _window(view, sight):
            return False
        return all(self._is_uncut(one, self._in(one, sight), sight, ratio).all() for one in (before, view))

    def _in(self, view: View, sight: Rect) -> Ints:
        """The edges in sight."""
        return self.pieces(view).near(np.array([view.rect_to_scene(sight)]), _WIDEST)[1]

    def _is_uncut(self, view: View, which: Ints, sight: Rect, ratio: float) -> Flags:
        """Which edges reach so little beyond the picture that Qt does not cut them at its rim."""
        left, top, right, bottom = view.boxes_to_screen(self._scene.edge_boxes[which]).T
        beyond = _UNCUT / ratio - _WIDEST * view.scale
        is_across = (left >= sight[0] - beyond) & (right <= sight[2] + beyond)
        is_uncut: Flags = is_across & (top >= sight[1] - beyond) & (bottom <= sight[3] + beyond)
        return is_uncut

    def _is_near(self, view: View) -> bool:
        # By scale and size of the whole graph alone: a part drawn again must look as it did before.
        small = len(self._scene.curves) <= _SMALL
        return view.scale >= (_SMALL_CURVE_SCALE if small else _CURVE_SCALE)

    def _segments(self, view: View) -> Segments:
        return self._scene.coarse if view.scale >= _LINE_SCALE else self._scene.rough

    def pieces(self, view: View) -> Pieces:
        """Where edges are, as they are drawn in a view."""
        if self._is_near(view):
            return self._scene.dense_pieces
        return self._scene.coarse_pieces if view.scale >= _LINE_SCALE else self._scene.rough_pieces

    def _placed(self, view: View) -> tuple[Segments, OnScreen]:
        """The segments that edges are drawn as in a view, and these on the screen."""
        segments = self._segments(view)
        if self._far is None or self._far[0] is not segments:
            self._far = (segments, OnScreen(segments.lines))
        return self._far

    def _trace_thin(self, painter: QPainter, view: View, codes: Codes, palette: Palette, share: float) -> Ints | slice:
        """Draw the thin ones of all edges at once, where that can be done; which edges are left to draw."""
        picture = plain_picture(painter)
        if picture is None or view.scale >= _LINE_SCALE or len(codes) < len(self._scene.curves):
            return slice(None)
        segments, placed = self._placed(view)
        traces = (
            placed.traces(view, picture, self._scene.boxes_on_pixels) if picture.devicePixelRatio() == 1.0 else None
        )
        if traces is None:
            return slice(None)
        traces.fill(picture, segments.spread(codes), _thin_inks(palette, share))
        return np.flatnonzero(codes >= 2 * Strand.FORWARD)

    def _paint_far(self, painter: QPainter, view: View, inks: list[Ink], starts: list[int], which: Ints) -> None:
        """Draw edges sorted by ink as segments; those in `inks[i]` begin at `starts[i]`."""
        segments, placed = self._placed(view)
        lines, cuts = placed.of(view, segments.rows(which)), segments.cuts(which, starts)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, view.scale >= _LINE_SCALE)
        with clipped(painter):
            for ink, (first, last) in zip(inks, pairwise(cuts), strict=True):
                painter.setPen(QPen(QColor(ink.color), 1.0 if ink.strand < Strand.FORWARD else 2.0))
                draw_lines(painter, lines[first:last])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _paint_near(self, painter: QPainter, view: View, ink: Ink, which: Ints, art: Art) -> None:
        """Draw edges of one ink; small quiet ones that were drawn before are copied."""
        strand = ink.strand
        if art.vector:
            self._paint_ruled(painter, view, ink, which)
            return
        window = _window_of(painter, view)
        which = self._trunks.apart(which, window)
        if strand >= Strand.FORWARD or not _is_wide(view, strand):
            self._paint_curves(painter, view, ink, which, window)
            return
        # A copy is exact where an edge is a single area, of which nothing is cut off.
        boxes = self._scene.edge_boxes[which]
        sizes = boxes[:, 2:] - boxes[:, :2]
        is_small = (sizes + 2 * MARGIN).prod(axis=1) * (view.scale * art.ratio) ** 2 <= _MOST_COPIED
        is_small &= self._is_uncut(view, which, _sight_of(painter), art.ratio)
        rows = zip(which.tolist(), is_small.tolist(), sizes.tolist(), art.corners(view, boxes).tolist(), strict=True)
        drawn: list[int] = []
        for edge, small, size, (x, y) in rows:
            if not (small and art.is_worth_a_copy(("edge", edge, strand))):
                drawn.append(edge)
                continue
            self._paint_run(painter, view, ink, drawn, window)
            art.copy(painter, ("edge", edge, strand), size, x, y, self._first_drawing(edge, ink, art))
        self._paint_run(painter, view, ink, drawn, window)

    def _paint_run(self, painter: QPainter, view: View, ink: Ink, drawn: list[int], window: Rect | None) -> None:
        """Draw the edges that wait, before the next one is copied over them."""
        if drawn:
            self._paint_curves(painter, view, ink, np.array(drawn), window)
            drawn.clear()

    def _first_drawing(self, edge: int, ink: Ink, art: Art) -> Draw:
        def draw(painter: QPainter, x: float, y: float) -> None:
            view = art.view_at(self._scene.edge_boxes[edge], x, y)
            self._paint_curves(painter, view, ink, np.array([edge]), None)

        return draw

    def _paint_curves(self, painter: QPainter, view: View, ink: Ink, which: Ints, window: Rect | None) -> None:
        strand, color = ink.strand, QColor(ink.color)
        shapes = [self._shapes.of(edge, strand, window) for edge in which.tolist()]
        wide = _is_wide(view, strand)
        pen = QPen(color, _line_width(view.scale, strand))
        lines = [] if wide else [(shape.line, pen) for shape in shapes]
        _paint_paths(painter, view, lines, [shape.body if wide else shape.arrow for shape in shapes], color)

    def _paint_ruled(self, painter: QPainter, view: View, ink: Ink, which: Ints) -> None:
        """Draw edges of one ink into a file: as outlines and dashes of many points they made most of it."""
        shapes = [self._shapes.ruled(edge, ink.strand) for edge in which.tolist()]
        color = QColor(ink.color)
        lines = [(shape.curve, _rule(color, shape.width, shape.is_dashed)) for shape in shapes]
        _paint_paths(painter, view, lines, [shape.arrow for shape in shapes], color)

    def trail(self, edge: int, fraction: float, view: View, sight: Rect | None, *, backward: bool) -> QPainterPath:
        """The body of an edge up to a fraction of its length, from the end where the token set out.

        Args:
            sight: the part of the screen that can be seen; None for all.
        """
        return self._shapes.trail(edge, fraction, _window(view, sight), backward=backward)

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
        window = _window_of(painter, view)
        for edge in which:
            line = self._scene.line(edge)
            painter.drawPath(line_path(*(view.boxes_to_screen(line[run]) for run in stretches(line, window))))


def _paint_paths(
    painter: QPainter, view: View, lines: list[tuple[QPainterPath, QPen]], areas: list[QPainterPath], color: QColor
) -> None:
    """Draw lines with their pens, and areas in a colour; scene units."""
    painter.save()
    painter.translate(view.x, view.y)
    painter.scale(view.scale, view.scale)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line, pen in lines:
        painter.setPen(pen)
        painter.drawPath(line)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    for area in areas:
        painter.drawPath(area)
    painter.restore()


def _rule(color: QColor, width: float, is_dashed: bool) -> QPen:
    pen = QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin)
    if is_dashed:
        pen.setDashPattern([DASH / width, GAP / width])
    return pen


def _share_of_long(scale: float) -> float:
    """How much of their ink long edges keep: they run side by side, and the less room is between them the less."""
    return min(1.0, max(_LEAST_SHARE, scale / _CLEAR_SCALE))


def _ink_of(palette: Palette, code: int, share: float) -> Ink:
    """The ink of a code: twice a strand, and one more for edges that are not long."""
    return _ink(palette, Strand(code // 2), 1.0 if code % 2 else share)


@lru_cache(maxsize=256)
def _thin_inks(palette: Palette, share: float) -> tuple[QColor, ...]:
    """The colours of the codes of thin edges."""
    return tuple(QColor(_ink_of(palette, code, share).color) for code in range(2 * Strand.FORWARD))


@lru_cache(maxsize=256)
def _ink(palette: Palette, strand: Strand, share: float) -> Ink:
    color = looks.strand_color(palette, strand)
    is_quiet = share < 1.0 and strand < Strand.FORWARD
    return Ink(strand, looks.quiet(palette, color, palette.canvas, share) if is_quiet else color)


def _is_wide(view: View, strand: Strand) -> bool:
    """Whether edges are drawn as areas with their arrowheads."""
    return view.scale >= (_BODY_SCALE if strand >= Strand.CARRIED else _QUIET_BODY_SCALE)


def _line_width(scale: float, strand: Strand) -> float:
    """The width of a middle line in scene units: never under a pixel, and more where something happens."""
    if strand >= Strand.FORWARD:
        return max(1.8 / scale, FORWARD_WIDTH)
    return 1.0 / scale if scale < 0.8 else QUIET_WIDTH


def _window(view: View, sight: Rect | None) -> Rect | None:
    return None if sight is None else window_around(view.rect_to_scene(sight), view.scale)


def _window_of(painter: QPainter, view: View) -> Rect | None:
    """What of the scene is on the device that a painter draws on."""
    return _window(view, _sight_of(painter))


def _sight_of(painter: QPainter) -> Rect:
    """The device that a painter draws on, in screen pixels."""
    whole = painter.window()
    return whole.left(), whole.top(), whole.right() + 1.0, whole.bottom() + 1.0
