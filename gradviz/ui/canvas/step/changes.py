"""The marks of what differs from the run, or from what is compared with: a ring, and what it was before."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.playback.difference import Difference, Pair, pair_text
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.boxes.sprites import outline_around
from gradviz.ui.canvas.edges.edges import EdgePainter
from gradviz.ui.canvas.ink.marks import Ink, Mark, pill, pill_size
from gradviz.ui.canvas.ink.painter import curve_path, draw_rects, rough_edges, scaled_to
from gradviz.ui.canvas.plane.geometry import Flags, touching
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.moment import Frame, Strand
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

_GAP = 1.5
_MOST_ROUND = 150
_MOST_NAMED = 60
"""Boxes in sight that say what they were; of more only the rings are drawn."""
_MOST_TRACED = 60
_CHARACTERS = 20
_ROOMY = 46.0
"""Height on the screen of a box that has room for a tab with numbers."""
_GONE = (Strand.CARRIED, Strand.BACKWARD)
"""A gradient went along such an edge."""


class ChangeMarks:
    """What differs, on one scene. At a position only what is shown there is marked."""

    def __init__(self, scene: Scene, difference: Difference) -> None:
        self._scene, self._difference = scene, difference
        track = scene.track
        self._values, self._gradients = (
            self._boxes(difference.values),
            self._boxes({**difference.gradients, **difference.grads}),
        )
        self._edges: Flags = np.zeros(len(track.edges), dtype=np.bool_)
        for at, edge in enumerate(track.edges):
            real = [edge] if scene.folded is None else self._real(at)
            self._edges[at] = any(each in difference.edges for each in real)

    def _boxes(self, nodes: Iterable[int]) -> Flags:
        """A folded group is marked where anything in it differs."""
        track = self._scene.track
        flags: Flags = np.zeros(len(track.forward), dtype=np.bool_)
        flags[[track.index_of[node] for node in nodes if node in track.index_of]] = True
        return flags

    def _real(self, at: int) -> list[tuple[int, int]]:
        folded = self._scene.folded
        assert folded is not None
        return [folded.base.edges[real] for real in folded.real_edges(at).tolist()]

    def marks(self, frame: Frame, view: View, sight: Rect, palette: Palette, edges: EdgePainter) -> list[Mark]:
        """Rings, traced edges, and beside a few boxes what they were."""
        scene, area = self._scene, view.rect_to_scene(sight)
        has_value, has_gradient = (frame.faces & 2) > 0, (frame.faces & 1) > 0
        shown = (self._values & has_value) | (self._gradients & has_gradient)
        near = touching(scene.boxes, area, 8.0 / view.scale)
        near = near[shown[near]]
        ways = touching(scene.edge_boxes, area)
        ways = ways[self._edges[ways] & np.isin(frame.strands[ways], _GONE)]
        if not len(near) and not len(ways):
            return []
        boxes, kinds = view.boxes_to_screen(scene.boxes[near]), scene.kinds[near]

        def paint(painter: QPainter) -> None:
            ink = QColor(palette.changed)
            if len(ways) > _MOST_TRACED:
                edges.trace_roughly(painter, view, ways, ink)
            else:
                _trace(painter, scene, view, ways.tolist(), ink)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if len(boxes) > _MOST_ROUND:
                painter.setPen(QPen(ink, 1.0))
                with rough_edges(painter):
                    draw_rects(painter, boxes)
                return
            painter.setPen(QPen(ink, 1.8, Qt.PenStyle.DashLine))
            for kind, (left, top, right, bottom) in zip(kinds.tolist(), boxes.tolist(), strict=True):
                rect = QRectF(left, top, right - left, bottom - top)
                painter.drawPath(outline_around(Kind(kind), rect, view.scale, _GAP))

        whole = QRectF(sight[0], sight[1], sight[2] - sight[0], sight[3] - sight[1])
        marks = [Mark(whole, paint)]
        if len(near) <= _MOST_NAMED and detail_of(view.scale) >= Detail.NUMBERS:
            ink = Ink(palette.changed_tint, palette.changed, palette.changed)
            for index, box in zip(near.tolist(), boxes.tolist(), strict=True):
                has_room = box[3] - box[1] >= _ROOMY  # on a lower box a tab with numbers would cover its name
                words = self._words(index, bool(has_gradient[index])) if has_room else "Δ"
                marks.append(_tab(words, box, ink, view, sight))
        return marks

    def _words(self, index: int, has_gradient: bool) -> str:
        """What a box was: its gradient where that is shown and differs, else its value."""
        track, difference = self._scene.track, self._difference
        node = track.forward[index]
        folded = self._scene.folded
        if folded is not None and folded.group_of(node) is not None:
            return "Δ"
        pair: Pair | None = None
        if has_gradient and self._gradients[index]:
            pair = difference.grads.get(node) or difference.gradients.get(node)
        pair = pair or difference.values.get(node)
        return "Δ" if pair is None else f"Δ {pair_text(pair, _CHARACTERS)}"


def _trace(painter: QPainter, scene: Scene, view: View, ways: list[int], ink: QColor) -> None:
    """Dashes on edges, between which their own colour and width are seen."""
    with scaled_to(painter, view.x, view.y, view.scale):
        painter.setPen(QPen(ink, 2.0 / view.scale, Qt.PenStyle.DashLine, Qt.PenCapStyle.FlatCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for edge in ways:
            painter.drawPath(curve_path(scene.curve(edge)))


def _tab(words: str, box: list[float], ink: Ink, view: View, sight: Rect) -> Mark:
    """A tab on the upper right corner of a box."""
    size = min(max(view.scale, 0.62), 0.9)
    width, height = pill_size(words, size)
    if words == "Δ":
        width = height
    left = min(max(box[2] - width, sight[0]), sight[2] - width)
    return pill(words, QRectF(left, max(box[1] - height * 0.72, sight[1]), width, height), ink, size)
