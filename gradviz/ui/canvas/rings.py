"""The ring around the selected node and the one under the pointer, with their edges drawn stronger."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gradviz.ui.canvas.boxes import paint_ring
from gradviz.ui.canvas.marks import Mark
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.view import View
from gradviz.ui.theme import color

_MOST_TRACED = 60


def ring_mark(painting: Painting, index: int, view: View, ink: str) -> Mark:
    """A ring around the node of an index, and its edges drawn stronger."""
    scene = painting.scene
    edges = [*scene.edges_into(index), *scene.edges_out_of(index)][:_MOST_TRACED]

    def paint(painter: QPainter) -> None:
        painting.edges.trace(painter, view, edges, color(ink, 0.55))
        paint_ring(painter, scene.boxes[index], view, ink)

    around = np.vstack([scene.boxes[index][None], scene.edge_boxes[edges]])
    left, top = view.to_screen((around[:, 0].min(), around[:, 1].min()))
    right, bottom = view.to_screen((around[:, 2].max(), around[:, 3].max()))
    return Mark(QRectF(left - 8, top - 8, right - left + 16, bottom - top + 16), paint, ("ring", index, ink, view))
