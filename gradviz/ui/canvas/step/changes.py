"""The marks of what differs from the run, or from what is compared with: a ring, and what it was before."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.playback.difference import Difference, Pair, pair_text
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.edges.edges import EdgePainter
from gradviz.ui.canvas.ink.marks import Ink, Mark, pill, pill_size, qt_rect
from gradviz.ui.canvas.plane.geometry import Flags
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Frame, Strand
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.rings import in_sight, paint_rings
from gradviz.ui.look.palette import Palette

_GAP = 1.5
_MOST_NAMED = 60
"""Boxes in sight that say what they were; of more only the rings are drawn."""
_CHARACTERS = 20
_ROOMY = 46.0
"""Height on the screen of a box that has room for a tab with numbers."""
_GONE = (Strand.CARRIED, Strand.BACKWARD)
"""A gradient went along such an edge."""


class ChangeMarks:
    """What differs, on one scene. At a position only what is shown there is marked.

    Args:
        vector: for a file that keeps texts.
    """

    def __init__(self, scene: Scene, difference: Difference, *, vector: bool = False) -> None:
        self._scene, self._difference, self._vector = scene, difference, vector
        track = scene.track
        self._values = scene.marked(difference.values)
        self._gradients = scene.marked({**difference.gradients, **difference.grads})
        self._edges: Flags = np.zeros(len(track.edges), dtype=np.bool_)
        for at, edge in enumerate(track.edges):
            real = [edge] if scene.folded is None else self._real(at)
            self._edges[at] = any(each in difference.edges for each in real)

    def _real(self, at: int) -> list[tuple[int, int]]:
        folded = self._scene.folded
        assert folded is not None
        return [folded.base.edges[real] for real in folded.real_edges(at).tolist()]

    def marks(self, frame: Frame, view: View, sight: Rect, palette: Palette, edges: EdgePainter) -> list[Mark]:
        """Rings, traced edges, and beside a few boxes what they were."""
        scene = self._scene
        has_value, has_gradient = (frame.faces & 2) > 0, (frame.faces & 1) > 0
        shown = (self._values & has_value) | (self._gradients & has_gradient)
        near, ways = in_sight(scene, view, sight, shown, self._edges & np.isin(frame.strands, _GONE))
        if not len(near) and not len(ways):
            return []
        boxes, kinds = view.boxes_to_screen(scene.boxes[near]), scene.kinds[near]

        def paint(painter: QPainter) -> None:
            ink = QColor(palette.changed)  # in dashes, between which the colour and the width of an edge are seen
            edges.trace(painter, view, ways, QPen(ink, 2.0, Qt.PenStyle.DashLine, Qt.PenCapStyle.FlatCap))
            paint_rings(painter, boxes, kinds, view.scale, QPen(ink, 1.8, Qt.PenStyle.DashLine), _GAP)

        marks = [Mark(qt_rect(sight), paint)]
        if len(near) <= _MOST_NAMED and detail_of(view.scale) >= Detail.NUMBERS:
            ink = Ink(palette.changed_tint, palette.changed, palette.changed)
            for index, box in zip(near.tolist(), boxes.tolist(), strict=True):
                has_room = box[3] - box[1] >= _ROOMY  # on a lower box a tab with numbers would cover its name
                words = self._words(index, bool(has_gradient[index])) if has_room else "Δ"
                marks.append(_tab(words, box, ink, view, sight, vector=self._vector))
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


def _tab(words: str, box: list[float], ink: Ink, view: View, sight: Rect, *, vector: bool) -> Mark:
    """A tab on the upper right corner of a box."""
    size = min(max(view.scale, 0.62), 0.9)
    width, height = pill_size(words, size)
    if words == "Δ":
        width = height
    left = min(max(box[2] - width, sight[0]), sight[2] - width)
    place = QRectF(left, max(box[1] - height * 0.72, sight[1]), width, height)
    return pill(words, place, ink, size, vector=vector)
