"""The ring around the selected node and the one under the pointer, with their edges drawn stronger."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.boxes.sprites import outline_around
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.looks import strand_color
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.moment import Codes, Strand
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import color

RING = "ring"
_MOST_TRACED = 60


def ring_mark(painting: Painting, index: int, view: View, ink: str, strands: Codes) -> Mark:
    """A ring around the node of an index, and its edges drawn stronger: those that have a colour, in their own.

    Args:
        strands: of every edge its `Strand` at the moment.
    """
    scene, palette = painting.scene, painting.palette
    edges = [*scene.edges_into(index), *scene.edges_out_of(index)][:_MOST_TRACED]
    strand_of = dict(zip(edges, map(Strand, strands[edges].tolist()), strict=True))
    ordered = sorted(edges, key=strand_of.__getitem__)
    ways = [(strand, list(which)) for strand, which in groupby(ordered, key=strand_of.__getitem__)]

    def paint(painter: QPainter) -> None:
        for strand, which in ways:
            painting.edges.trace(painter, view, which, _stronger(palette, strand, ink))
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


def paint_ring(painter: QPainter, box: Floats, view: View, ink: str, *, kind: Kind = Kind.OP, gap: float = 4.0) -> None:
    """A thin ring around a box of a kind, or around a frame: it is selected, or the pointer is over it."""
    left, top, right, bottom = view.rect_to_screen((box[0], box[1], box[2], box[3]))
    painter.setPen(QPen(QColor(ink), 1.6))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(outline_around(kind, QRectF(QPointF(left, top), QPointF(right, bottom)), view.scale, gap))
