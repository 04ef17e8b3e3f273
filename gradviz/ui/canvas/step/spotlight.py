"""What is lit while the rest is pale: the nodes that a search found, or those on a path; and the dots of breakpoints.

Paling is a change of codes, so that all is drawn in bulk as ever; what is lit gets one mark for all its rings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats, Ints
from gradviz.playback.difference import Difference
from gradviz.ui.canvas.edges.edges import EdgePainter
from gradviz.ui.canvas.ink.marks import Mark, qt_rect
from gradviz.ui.canvas.ink.painter import draw_rects
from gradviz.ui.canvas.plane.geometry import Flags
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Frame, Strand
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.changes import ChangeMarks
from gradviz.ui.canvas.step.checks import CheckMarks, Verdict
from gradviz.ui.canvas.step.factors import factor_marks
from gradviz.ui.canvas.step.rings import in_sight, paint_rings
from gradviz.ui.look.palette import Palette

_GAP = 3.0
_MOST_RINGED = 1200
"""With more than these in sight the pale rest tells what is lit; rings would be a net over the picture."""
_SHOWN = 3
"""The part of a face that says whether value and gradient are shown; without the rest the box is pale."""

_RADIUS = 6.0
_FAR = 0.24
"""Below this scale a dot is a small square without a rim."""


class Spotlight(NamedTuple):
    """What is lit.

    Attributes:
        nodes: ids of the nodes.
        with_edges: whether the edges among them are lit too; without it, all edges are pale.
        factors: id of a node, and what goes out of it over what comes in: of a path, from the output on.
    """

    nodes: frozenset[int]
    with_edges: bool = False
    factors: tuple[tuple[int, float], ...] = ()


class Lit:
    """A spotlight on one scene."""

    def __init__(self, scene: Scene, spotlight: Spotlight) -> None:
        self.scene, self.spotlight = scene, spotlight
        track = scene.track
        self.nodes = scene.marked(spotlight.nodes)
        self.edges: Flags = np.zeros(len(track.edges), dtype=np.bool_)
        if spotlight.with_edges and len(track.edges):
            self.edges = self.nodes[track.edge_sources] & self.nodes[track.edge_consumers]

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
        scene = self.scene
        near, ways = in_sight(scene, view, sight, self.nodes, self.edges)
        if not len(near) and not len(ways):
            return []
        boxes, kinds = view.boxes_to_screen(scene.boxes[near]), scene.kinds[near]

        def paint(painter: QPainter) -> None:
            ink = QColor(palette.forward)  # opaque: a veil of blue over orange would be neither
            edges.trace(painter, view, ways, QPen(ink, 2.4))
            if len(boxes) <= _MOST_RINGED:
                paint_rings(painter, boxes, kinds, view.scale, QPen(ink, 2.0), _GAP)

        return [Mark(qt_rect(sight), paint)]


class StopDots:
    """The dots on one scene.

    Args:
        on, off: ids of the nodes; one that is in both counts as on.
    """

    def __init__(self, scene: Scene, on: frozenset[int], off: frozenset[int]) -> None:
        self._scene = scene
        index_of = scene.track.index_of
        self._on = _indices([index_of[node] for node in on if node in index_of])
        self._off = _indices([index_of[node] for node in off - on if node in index_of])

    def marks(self, view: View, sight: Rect, palette: Palette) -> list[Mark]:
        """One mark with all the dots in sight, or none."""
        on, off = (self._in_sight(which, view, sight) for which in (self._on, self._off))
        if not len(on) and not len(off):
            return []
        return [Mark(qt_rect(sight), lambda painter: _paint_dots(painter, on, off, palette, view.scale))]

    def _in_sight(self, which: Ints, view: View, sight: Rect) -> Floats:
        """The top left corners on the screen of those that can be seen; shape (n, 2)."""
        corners = view.boxes_to_screen(self._scene.boxes[which])[:, :2]
        seen = (corners >= np.array(sight[:2]) - 9).all(axis=1) & (corners <= np.array(sight[2:]) + 9).all(axis=1)
        return corners[seen]


def _indices(found: list[int]) -> Ints:
    return np.array(sorted(found), dtype=np.int64)


def _paint_dots(painter: QPainter, on: Floats, off: Floats, palette: Palette, scale: float) -> None:
    painter.setBrush(QColor(palette.error))
    if scale < _FAR:
        painter.setPen(Qt.PenStyle.NoPen)
        draw_rects(painter, np.hstack([on - 1.5, on + 2.5]))
        return
    # A rim in the colour of the ground keeps the dot apart from the border it sits on.
    painter.setPen(QPen(QColor(palette.canvas), 2.0))
    for x, y in on.tolist():
        painter.drawEllipse(QPointF(x + 3, y + 3), _RADIUS, _RADIUS)
    painter.setBrush(QColor(palette.canvas))
    painter.setPen(QPen(QColor(palette.error), 1.8))
    for x, y in off.tolist():
        painter.drawEllipse(QPointF(x + 3, y + 3), _RADIUS - 1, _RADIUS - 1)


class Lights:
    """What is lit and what is marked: kept by ids of nodes, so that it holds on the next scene.

    Attributes:
        spotlight: what is lit while the rest is pale; None lights all.
        stops: the nodes at which playing stops, and those whose breakpoint is off.
        difference: what differs from what is compared with, or None.
        verdicts: of a gradient check, by node; empty for none.
    """

    def __init__(self) -> None:
        self.spotlight: Spotlight | None = None
        self.stops: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        self._lit: Lit | None = None
        self.difference: Difference | None = None
        self._dots: StopDots | None = None
        self.verdicts: Mapping[int, Verdict] = {}
        self._checks: CheckMarks | None = None
        self._changes: ChangeMarks | None = None

    def take(self, scene: Scene | None) -> None:
        """Find what is lit on a scene."""
        self._lit = Lit(scene, self.spotlight) if scene is not None and self.spotlight is not None else None
        self._dots = StopDots(scene, *self.stops) if scene is not None and any(self.stops) else None
        self._checks = CheckMarks(scene, self.verdicts) if scene is not None and self.verdicts else None
        is_of_scene = scene is not None and self.difference is not None and is_of(self.difference, scene)
        self._changes = ChangeMarks(scene, self.difference) if is_of_scene and scene and self.difference else None

    def frame(self, frame: Frame) -> Frame:
        """A frame with what is not lit pale."""
        return frame if self._lit is None else self._lit.frame(frame)

    def rings(self, view: View, sight: Rect, palette: Palette, edges: EdgePainter) -> list[Mark]:
        """Around what is lit."""
        return [] if self._lit is None else self._lit.marks(view, sight, palette, edges)

    def factors(self, frame: Frame, view: View, sight: Rect, palette: Palette) -> list[Mark]:
        """At the nodes of a path that is lit."""
        if self._lit is None or not self._lit.spotlight.factors:
            return []
        return factor_marks(self._lit.scene, self._lit.spotlight.factors, frame, view, sight, palette)

    def dots(self, view: View, sight: Rect, palette: Palette) -> list[Mark]:
        """Of the breakpoints."""
        return [] if self._dots is None else self._dots.marks(view, sight, palette)

    def checks(self, view: View, sight: Rect, palette: Palette) -> list[Mark]:
        """What a gradient check has found."""
        return [] if self._checks is None else self._checks.marks(view, sight, palette)

    def changes(self, frame: Frame, view: View, sight: Rect, palette: Palette, edges: EdgePainter) -> list[Mark]:
        """Of what differs from what is compared with."""
        return [] if self._changes is None else self._changes.marks(frame, view, sight, palette, edges)


def is_of(difference: Difference, scene: Scene) -> bool:
    """Whether a difference is of the track that a scene draws."""
    track = scene.track if scene.folded is None else scene.folded.base
    return track is difference.new
