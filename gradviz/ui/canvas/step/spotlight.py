"""What is lit while the rest is pale: the nodes that a search found, or those on the way to the output.

Paling is a change of codes, so that the picture is drawn in bulk as ever; what is lit gets one mark for all its rings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.boxes.sprites import outline_around
from gradviz.ui.canvas.edges.edges import EdgePainter
from gradviz.ui.canvas.ink.bulk import draw_rects
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.moment import Frame, Strand
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

_GAP = 3.0
_MOST_ROUND = 150
"""Rings with round corners; more than these are rectangles of a pixel, drawn in one call."""
_MOST_RINGED = 1200
"""With more than these in sight the pale rest tells what is lit; rings would be a net over the picture."""
_MOST_TRACED = 60
_SHOWN = 3
"""The part of a face that says whether value and gradient are shown; without the rest the box is pale."""

Flags = np.ndarray[Any, np.dtype[np.bool_]]


class Spotlight(NamedTuple):
    """What is lit.

    Attributes:
        nodes: ids of the nodes.
        with_edges: whether the edges among them are lit too; without it, all edges are pale.
    """

    nodes: frozenset[int]
    with_edges: bool = False


class Lit:
    """A spotlight on one scene."""

    def __init__(self, scene: Scene, spotlight: Spotlight) -> None:
        self._scene, self.spotlight = scene, spotlight
        track = scene.track
        # A folded group is lit where anything in it is.
        self.nodes: Flags = np.zeros(len(track.forward), dtype=np.bool_)
        self.nodes[[track.index_of[node] for node in spotlight.nodes if node in track.index_of]] = True
        self.edges: Flags = np.zeros(len(track.edges), dtype=np.bool_)
        if spotlight.with_edges and len(track.edges):
            self.edges = self.nodes[track.edge_sources] & self.nodes[track.edge_consumers]
        self._marks: tuple[tuple[object, ...], list[Mark]] | None = None

    def frame(self, frame: Frame) -> Frame:
        """A frame with all that is not lit pale; the current node stays as it is."""
        keep = self.nodes.copy()
        if frame.current is not None:
            keep[frame.current] = True
        faces = np.where(keep, frame.faces, frame.faces & _SHOWN).astype(np.uint8)
        strands = np.where(self.edges, frame.strands, np.uint8(Strand.PALE)).astype(np.uint8)
        return Frame(faces, strands, frame.current)

    def marks(self, view: View, sight: Rect, palette: Palette, edges: EdgePainter) -> list[Mark]:
        """One mark with the rings of all that is lit and in sight, and its edges."""
        key = (view, sight, palette.name)
        if self._marks is None or self._marks[0] != key:
            self._marks = (key, self._made(view, sight, palette, edges))
        return self._marks[1]

    def _made(self, view: View, sight: Rect, palette: Palette, edges: EdgePainter) -> list[Mark]:
        scene, area = self._scene, np.array([view.rect_to_scene(sight)])
        near = scene.boxes_near.touching(area, 8.0 / view.scale)
        near = near[self.nodes[near]]
        ways: Ints = np.zeros(0, dtype=np.int64)
        if self.edges.any():
            ways = scene.edges_near.touching(area)
            ways = ways[self.edges[ways]]
        if not len(near) and not len(ways):
            return []
        boxes, kinds = view.boxes_to_screen(scene.boxes[near]), scene.kinds[near]

        def paint(painter: QPainter) -> None:
            ink = QColor(palette.forward)  # opaque: a veil of blue over orange would be neither
            if len(ways) > _MOST_TRACED:
                edges.trace_roughly(painter, view, ways, ink)
            else:
                edges.trace(painter, view, ways.tolist(), ink)
            paint_rings(painter, boxes, kinds, palette, view.scale)

        rect = QRectF(sight[0], sight[1], sight[2] - sight[0], sight[3] - sight[1])
        return [Mark(rect, paint, ("lit", id(self), view, palette.name))]


def paint_rings(painter: QPainter, boxes: Floats, kinds: Ints, palette: Palette, scale: float) -> None:
    """Rings around boxes (left, top, right, bottom) on the screen, shape (n, 4), of these kinds, shape (n,)."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if len(boxes) > _MOST_RINGED:
        return
    if len(boxes) > _MOST_ROUND:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(QColor(palette.forward), 1.0))
        draw_rects(painter, boxes + np.array([-1.0, -1.0, 1.0, 1.0]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return
    painter.setPen(QPen(QColor(palette.forward), 2.0))
    for kind, (left, top, right, bottom) in zip(kinds.tolist(), boxes.tolist(), strict=True):
        rect = QRectF(left, top, right - left, bottom - top)
        painter.drawPath(outline_around(Kind(kind), rect, scale, _GAP))
