"""The ring around the selected node and the one under the pointer, with their edges drawn stronger."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.boxes.sprites import outline_around
from gradviz.ui.canvas.edges.edges import MOST_TRACED, trace
from gradviz.ui.canvas.ink.marks import Mark, qt_rect
from gradviz.ui.canvas.ink.painter import draw_rects, rough_edges
from gradviz.ui.canvas.looks import strand_color
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.geometry import Flags, touching
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.moment import Codes, Strand
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import color

RING = "ring"
_MOST_ROUND = 150
"""Rings with round corners; more than these are rectangles of a pixel, drawn in one call."""


def ring_mark(painting: Painting, index: int, view: View, ink: str, strands: Codes) -> Mark:
    """A ring around the node of an index, and its edges drawn stronger: those that have a colour, in their own.

    Args:
        strands: of every edge its `Strand` at the moment.
    """
    scene, palette = painting.scene, painting.palette
    edges = [*scene.edges_into(index), *scene.edges_out_of(index)][:MOST_TRACED]
    strand_of = dict(zip(edges, map(Strand, strands[edges].tolist()), strict=True))
    ordered = sorted(edges, key=strand_of.__getitem__)
    ways = [(strand, list(which)) for strand, which in groupby(ordered, key=strand_of.__getitem__)]

    def paint(painter: QPainter) -> None:
        for strand, which in ways:
            trace(painter, scene, view, which, QPen(_stronger(palette, strand, ink), 2.4))
        paint_ring(painter, scene.boxes[index], view, ink, kind=Kind(scene.kinds[index]))

    around = np.vstack([scene.boxes[index][None], scene.edge_boxes[edges]])
    left, top = view.to_screen((around[:, 0].min(), around[:, 1].min()))
    right, bottom = view.to_screen((around[:, 2].max(), around[:, 3].max()))
    return Mark(QRectF(left - 8, top - 8, right - left + 16, bottom - top + 16), paint, RING)


def _stronger(palette: Palette, strand: Strand, ink: str) -> QColor:
    # A veil of blue over orange would be neither.
    if strand is Strand.CARRIED:
        return QColor(palette.backward)
    return QColor(strand_color(palette, strand)) if strand > Strand.CARRIED else color(ink, 0.55)


def in_sight(scene: Scene, view: View, sight: Rect, boxes: Flags, edges: Flags) -> tuple[Ints, Ints]:
    """Those of some boxes and edges of which something can be seen."""
    part = view.rect_to_scene(sight)
    near, ways = touching(scene.boxes, part, 8.0 / view.scale), touching(scene.edge_boxes, part)
    return near[boxes[near]], ways[edges[ways]]


def paint_rings(painter: QPainter, boxes: Floats, kinds: Ints, scale: float, pen: QPen, gap: float) -> None:
    """Rings around boxes (left, top, right, bottom) on the screen, shape (n, 4), of these kinds, shape (n,)."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if len(boxes) > _MOST_ROUND:
        painter.setPen(QPen(pen.color(), 1.0))
        with rough_edges(painter):
            draw_rects(painter, boxes + np.array([-1.0, -1.0, 1.0, 1.0]))
        return
    painter.setPen(pen)
    for kind, (left, top, right, bottom) in zip(kinds.tolist(), boxes.tolist(), strict=True):
        painter.drawPath(outline_around(Kind(kind), qt_rect((left, top, right, bottom)), scale, gap))


def paint_ring(painter: QPainter, box: Floats, view: View, ink: str, *, kind: Kind = Kind.OP, gap: float = 4.0) -> None:
    """A thin ring around a box of a kind, or around a frame: it is selected, or the pointer is over it."""
    paint_rings(painter, view.boxes_to_screen(box[None]), np.array([kind]), view.scale, QPen(QColor(ink), 1.6), gap)
