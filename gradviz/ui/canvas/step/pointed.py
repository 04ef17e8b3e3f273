"""What part of the graph a number belongs to: the edge it goes or came along, and the box there.

It is one that is pointed at in the inspector, or one that is asked for.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from gradviz.playback.flow import Way
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.edges.edges import trace
from gradviz.ui.canvas.ink.marks import Ink, Mark, pill, pill_size, qt_rect
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.rings import paint_ring
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import color

POINTED = "pointed"
UNKNOWN = "?"
"""Stands where the gradient that is asked for will be."""
_WIDE = 11.0
"""Screen pixels of the glow along an edge: wider than the edge, so that both are seen."""


def pointed_marks(scene: Scene, way: Way, view: View, sight: Rect, palette: Palette) -> list[Mark]:
    """A glow along edges and a ring around boxes; a folded group stands for what is in it."""
    index_of = scene.track.index_of
    boxes = sorted({index_of[node] for node in way.nodes if node in index_of})
    edges = [edge for consumer, slot in way.edges for edge in _edges(scene, consumer, slot)]
    if not boxes and not edges:
        return []

    def paint(painter: QPainter) -> None:
        ink = color(palette.backward, 0.75 if palette.is_strong else 0.32)
        trace(painter, scene, view, edges, QPen(ink, _WIDE, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        for index in boxes:
            paint_ring(painter, scene.boxes[index], view, palette.backward, kind=Kind(scene.kinds[index]), gap=3.0)

    return [Mark(qt_rect(sight), paint, POINTED)]


def asked_marks(scene: Scene, way: Way, view: View, sight: Rect, palette: Palette) -> list[Mark]:
    """The same with a question mark on each edge; at the side of the box where it is no edge that is asked about."""
    marks = pointed_marks(scene, way, view, sight, palette)
    if not marks or detail_of(view.scale) is Detail.FAR:
        return marks
    edges = [edge for consumer, slot in way.edges for edge in _edges(scene, consumer, slot)]
    if edges:
        ways = scene.spaced(edges)
        places = [view.to_screen((x, y)) for x, y in ways[:, ways.shape[1] // 2].tolist()]
    else:
        boxes = [scene.boxes[scene.track.index_of[node]] for node in way.nodes if node in scene.track.index_of]
        places = [view.to_screen((box[2], (box[1] + box[3]) / 2)) for box in boxes]
    width, height = pill_size(UNKNOWN, 1.0)
    ink = Ink(palette.backward, palette.on_accent)
    return [
        *marks,
        *(pill(UNKNOWN, QRectF(x - width / 2, y - height / 2, width, height), ink, 1.0) for x, y in places),
    ]


def _edges(scene: Scene, consumer: int, slot: int) -> list[int]:
    """The edges as they are drawn that stand for one input."""
    index, folded = scene.track.index_of.get(consumer), scene.folded
    into = [] if index is None else list(scene.edges_into(index))
    if folded is None:
        return [edge for edge in into if scene.track.edges[edge] == (consumer, slot)]
    return [
        edge
        for edge in into
        if any(folded.base.edges[real] == (consumer, slot) for real in folded.real_edges(edge).tolist())
    ]
