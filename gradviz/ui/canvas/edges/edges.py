"""Draws the edges that are in sight: as curves with arrowheads, or from far away as straight lines in one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.ink.painter import area_path, curve_path, draw_lines, line_path, rough_edges, scaled_to
from gradviz.ui.canvas.plane.geometry import Curves, Flags, Tips, boxes_around, runs, touching
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Codes, Strand
from gradviz.ui.canvas.scene.scene import WIDEST, Scene
from gradviz.ui.look.palette import Palette

ARROW, _TIP_GAP = 10.0, 3.0
"""How long an arrowhead is, and how far its tip is from the box, in scene units."""

MOST_TRACED = 60
"""Edges that are drawn again along their curves; more than these are straight segments."""

QUIET_WIDTH, FORWARD_WIDTH = 1.3, 2.4
_DASH, _GAP = 5.0, 4.0
"""Of the edges along which no gradient can flow, in scene units."""

_CURVE_SCALE, _SMALL_CURVE_SCALE, _LINE_SCALE = 0.3, 0.1, 0.09
_BODY_SCALE, _QUIET_BODY_SCALE = 0.6, 0.8
"""From here on edges are as wide as they are in the scene; below, about a pixel."""

_CLEAR_SCALE, _LEAST_SHARE = 0.7, 0.25
"""From this scale on edges that run side by side are seen one by one; far below they keep so much of their ink."""

_SMALL = 400
"""Up to so many edges, all are drawn as curves even at a small scale."""

_REACH = WIDEST + ARROW
"""Scene units that an edge with its arrowhead may reach beyond its curve."""


def edge_reach(scale: float) -> float:
    """As `_REACH`, with what a line of a pixel or two and its smooth edges add at a small scale."""
    return _REACH + 2.0 / scale


class Ink(NamedTuple):
    """What edges are drawn in: their strand, and its colour, which is paler for long edges seen from far away."""

    strand: Strand
    color: str


class Shape(NamedTuple):
    """One edge in scene units: its curve up to its arrowhead, and the outline of that."""

    line: QPainterPath
    arrow: QPainterPath


class Stretch(NamedTuple):
    """A part of a long edge: its points, and how far along its edge it begins; scene units."""

    points: Floats
    start: float


class Shapes:
    """The edges of a scene that go one way, each with an arrowhead at its end.

    Attributes:
        widths: of each edge, in scene units; shape (m,).

    Args:
        is_backward: whether they go to their sources.
    """

    def __init__(self, scene: Scene, widths: Floats, arrows: Floats, *, is_backward: bool) -> None:
        self.widths = widths
        self._scene, self._arrows, self._is_backward = scene, arrows, is_backward
        self._made: dict[int, Shape] = {}
        self._near: tuple[Rect, Ints] | None = None

    def of(self, edge: int) -> Shape:
        """The shape of an edge."""
        if edge not in self._made:
            self._made[edge] = Shape(curve_path(self._curve(edge)), area_path(self._tips.arrows[edge].tolist()))
        return self._made[edge]

    def stretches(self, which: Ints, area: Rect) -> dict[bytes, tuple[int, Stretch]]:
        """The stretches of some long edges in an area; of those that lie over one another the widest edge's."""
        boxes, owners, ways = self._long
        if self._near is None or self._near[0] != area:
            self._near = (area, touching(boxes, area, _REACH))
        is_asked = np.zeros(len(self.widths), dtype=np.bool_)
        is_asked[which] = True
        near = self._near[1][is_asked[owners[self._near[1]]]]
        cuts = np.flatnonzero((np.diff(near) != 1) | (np.diff(owners[near]) != 0)) + 1
        found = {}
        for rows in sorted(np.split(near, cuts) if len(near) else [], key=lambda rows: self.widths[owners[rows[0]]]):
            points = np.vstack([self._lines[rows, :2], self._lines[rows[-1:], 2:]])
            clipped = _clipped(points, area)
            start = float(ways[rows[0]] + np.abs(clipped[0] - points[0]).sum())
            found[clipped.tobytes()] = (int(owners[rows[0]]), Stretch(clipped, start))
        return found

    def ending_in(self, area: Rect, which: Ints) -> Ints:
        """Those of some edges whose arrowheads can be seen in an area."""
        tips = self._tips.arrows[which, 0]
        is_in = (tips >= np.array(area[:2]) - _REACH) & (tips <= np.array(area[2:]) + _REACH)
        found: Ints = which[is_in.all(axis=1)]
        return found

    @cached_property
    def _tips(self) -> Tips:
        points, starts = self._scene.curves.points, self._scene.curves.starts
        rows = starts[:-1, None] + np.arange(4)[::-1] if self._is_backward else starts[1:, None] + np.arange(-4, 0)
        return Tips(points[rows], self._arrows, _TIP_GAP)

    def _curve(self, edge: int) -> Floats:
        curve = self._scene.curve(edge)
        return np.vstack([(curve[::-1] if self._is_backward else curve)[:-4], self._tips.ends[edge]])

    @cached_property
    def _lines(self) -> Floats:
        return self._segments[0]

    @cached_property
    def _segments(self) -> tuple[Floats, Ints]:
        """All long edges as segments, shape (s, 4), and the edge of each."""
        long = np.flatnonzero(self._scene.is_long)
        lines, owners = Curves([self._curve(edge) for edge in long.tolist()]).fine_segments()
        return lines, long[owners]

    @cached_property
    def _long(self) -> tuple[Floats, Ints, Floats]:
        """Around each segment of a long edge a rectangle, the edge, and how far along it the segment begins."""
        lines, owners = self._segments
        lengths = np.hypot(*(lines[:, 2:] - lines[:, :2]).T)
        befores = np.cumsum(lengths) - lengths
        return boxes_around(lines), owners, befores - befores[np.searchsorted(owners, owners)]


class EdgePainter:
    """Draws the edges of one scene; keeps the shapes it has made.

    Args:
        vector: for a file that keeps curves, which shows all of them as they are.
    """

    def __init__(self, scene: Scene, *, vector: bool = False) -> None:
        self._scene, self._vector = scene, vector

    def paint(
        self, painter: QPainter, view: View, strands: Codes, area: Rect, palette: Palette, among: Flags | None = None
    ) -> None:
        """Draw the edges that touch a rectangle of the scene, quiet ones first; of some alone where `among` is."""
        which = touching(self._scene.edge_boxes, area, _REACH)
        which = which if among is None else which[among[which]]
        if not len(which):
            return
        share = 1.0 if self._vector else share_of_long(view.scale)
        # Of one strand the long edges lie below the others.
        codes = strands * np.uint8(2) + (~self._scene.is_long if share < 1.0 else np.uint8(1))
        if not self._is_near(view):
            self._paint_far(painter, view, codes, which, palette, share)
            return
        which = which[np.argsort(codes[which], kind="stable")]
        with scaled_to(painter, view.x, view.y, view.scale):
            for code, rows in runs(codes[which]):
                self._paint_near(painter, view, _ink_of(palette, code, share), which[rows], area)

    def _is_near(self, view: View) -> bool:
        is_small = len(self._scene.edge_boxes) <= _SMALL
        return self._vector or view.scale >= (_SMALL_CURVE_SCALE if is_small else _CURVE_SCALE)

    def _paint_far(
        self, painter: QPainter, view: View, codes: Codes, which: Ints, palette: Palette, share: float
    ) -> None:
        """Draw edges as segments."""
        lines, owners = self._far_lines(view, which)
        codes = codes[owners]
        order = np.argsort(codes, kind="stable")
        screen = view.boxes_to_screen(lines[order])

        def draw() -> None:
            for code, rows in runs(codes[order]):
                ink = _ink_of(palette, code, share)
                painter.setPen(QPen(QColor(ink.color), 1.0 if ink.strand < Strand.FORWARD else 2.0))
                draw_lines(painter, screen[rows])

        if view.scale >= _LINE_SCALE:
            draw()
        else:
            with rough_edges(painter):
                draw()

    def _far_lines(self, view: View, which: Ints) -> tuple[Floats, Ints]:
        """Some edges as segments, and the edge of each."""
        lines, owners = self._scene.coarse if view.scale >= _LINE_SCALE else self._scene.rough
        if len(which) == len(self._scene.edge_boxes):
            return lines, owners
        is_asked = np.zeros(len(self._scene.edge_boxes), dtype=np.bool_)
        is_asked[which] = True
        rows = is_asked[owners]
        return lines[rows], owners[rows]

    def _paint_near(self, painter: QPainter, view: View, ink: Ink, which: Ints, area: Rect) -> None:
        """Draw edges of one ink as curves, then their arrowheads; the painter is in scene units."""
        shapes = self._shapes(ink.strand)
        color = QColor(ink.color)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        is_long = self._scene.is_long[which] & (not self._vector)
        lines = [(edge, shapes.of(edge).line, 0.0) for edge in which[~is_long].tolist()]
        if is_long.any():
            found = shapes.stretches(which[is_long], area).values()
            lines += [(edge, line_path(points), start) for edge, (points, start) in found]
        last: tuple[float, bool, float] | None = None
        for edge, line, start in lines:
            width = self._pen_width(ink.strand, view.scale, float(shapes.widths[edge]))
            is_dashed = ink.strand in _AT_REST and bool(self._scene.is_dashed[edge])
            if last != (width, is_dashed, start):
                last = (width, is_dashed, start)
                pen = QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin)
                if is_dashed:
                    pen.setDashPattern([_DASH / width, _GAP / width])
                    pen.setDashOffset(start / width)
                painter.setPen(pen)
            painter.drawPath(line)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for edge in shapes.ending_in(area, which).tolist():
            painter.drawPath(shapes.of(edge).arrow)

    def _shapes(self, strand: Strand) -> Shapes:
        if strand in _AT_REST:
            return self._quiet
        return self._forward if strand is Strand.FORWARD else self._backward

    @cached_property
    def _quiet(self) -> Shapes:
        return self._alike(QUIET_WIDTH, ARROW - 1.0)

    @cached_property
    def _forward(self) -> Shapes:
        return self._alike(FORWARD_WIDTH, ARROW + FORWARD_WIDTH)

    @cached_property
    def _backward(self) -> Shapes:
        widths = self._scene.edge_widths
        return Shapes(self._scene, widths, ARROW + widths, is_backward=True)

    def _alike(self, width: float, arrow: float) -> Shapes:
        count = len(self._scene.edge_boxes)
        return Shapes(self._scene, np.full(count, width), np.full(count, arrow), is_backward=False)

    def _pen_width(self, strand: Strand, scale: float, width: float) -> float:
        """In scene units: never under a pixel, and more where something happens."""
        if self._vector or scale >= (_BODY_SCALE if strand >= Strand.CARRIED else _QUIET_BODY_SCALE):
            return width
        return max(1.8 / scale, FORWARD_WIDTH) if strand >= Strand.FORWARD else 1.0 / scale

    def trail(self, edge: int, *, backward: bool) -> tuple[Floats, float]:
        """The middle line of an edge from the end where its token sets out, and its width; scene units."""
        line = self._scene.line(edge)
        return (line[::-1], float(self._scene.edge_widths[edge])) if backward else (line, FORWARD_WIDTH)

    def trace(self, painter: QPainter, view: View, which: Ints, pen: QPen) -> None:
        """Draw edges again; many are segments one pixel wide, drawn in one call."""
        if len(which) <= MOST_TRACED:
            trace(painter, self._scene, view, which.tolist(), pen)
            return
        painter.setPen(QPen(pen.color(), 1.0))
        with rough_edges(painter):
            draw_lines(painter, view.boxes_to_screen(self._far_lines(view, which)[0]))


def trace(painter: QPainter, scene: Scene, view: View, which: Sequence[int], pen: QPen) -> None:
    """Draw some edges again along their curves; the width of the pen is in screen pixels."""
    pen = QPen(pen)
    pen.setWidthF(pen.widthF() / view.scale)
    with scaled_to(painter, view.x, view.y, view.scale):
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for edge in which:
            painter.drawPath(curve_path(scene.curve(edge)))


def _clipped(points: Floats, area: Rect) -> Floats:
    """A line that touches an area, cut where it goes straight out of it: then those of one trunk are the same."""
    low, high = np.array(area[:2]) - _REACH, np.array(area[2:]) + _REACH
    clipped = points.copy()
    for end, other in ((0, 1), (-1, -2)):
        if (points[end] == points[other]).any():
            clipped[end] = points[end].clip(low, high)
    return clipped


_AT_REST = (Strand.PALE, Strand.QUIET, Strand.NONE)
"""Nothing goes or went along such an edge."""


def share_of_long(scale: float) -> float:
    """How much of their ink long edges keep: they run side by side, and the less room is between them the less."""
    return min(1.0, max(_LEAST_SHARE, scale / _CLEAR_SCALE))


def _ink_of(palette: Palette, code: int, share: float) -> Ink:
    """The ink of a code: twice a strand, and one more for edges that are not long."""
    return ink_of(palette, Strand(code // 2), 1.0 if code % 2 else share)


@lru_cache(maxsize=256)
def ink_of(palette: Palette, strand: Strand, share: float) -> Ink:
    """What edges of a strand are drawn in, with a share of their colour."""
    color = looks.strand_color(palette, strand)
    is_quiet = share < 1.0 and strand < Strand.FORWARD
    return Ink(strand, looks.quiet(palette, color, palette.canvas, share) if is_quiet else color)
