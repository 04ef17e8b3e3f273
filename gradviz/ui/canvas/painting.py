"""The graph drawn: ground, frames, edges, boxes, and the marks of the step. One painter for screen and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from gradviz.layout.plan import Ints
from gradviz.ui.canvas.boxes.boxes import Detail, box_reach, detail_of, paint_boxes
from gradviz.ui.canvas.boxes.frames import Frames
from gradviz.ui.canvas.boxes.sprites import Art
from gradviz.ui.canvas.edges.counts import Counts
from gradviz.ui.canvas.edges.edges import EdgePainter, edge_reach
from gradviz.ui.canvas.ink.marks import Mark, qt_rect, sides_of
from gradviz.ui.canvas.ink.painter import painter_on
from gradviz.ui.canvas.plane.geometry import Flags, touching
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Frame, Moment
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.beacon import beacon_marks
from gradviz.ui.canvas.step.births import birth_marks
from gradviz.ui.canvas.step.failure import failure_marks
from gradviz.ui.canvas.step.group_marks import progress_marks
from gradviz.ui.canvas.step.labels import label_marks
from gradviz.ui.canvas.step.tokens import token_marks
from gradviz.ui.look.palette import Palette


class _Labels(NamedTuple):
    """The labels of a moment, which keep their places through a stage of the animation."""

    key: tuple[object, ...]
    marks: list[Mark]


class Coming(NamedTuple):
    """What is new in a graph that glides from one layout to another.

    Attributes:
        boxes, edges: which are new; shapes (n,) and (m,).
        share: how far they have come in, 0..1.
    """

    boxes: Flags
    edges: Flags
    share: float


class Painting:
    """Draws one scene with one palette.

    Attributes:
        edges: draws the edges.
        frames: draws the frames of open groups.
        counts: draws how many uses an edge stands for.

    Args:
        vector: for a file that keeps lines and texts.
        for_file: without what only a window needs: the dots of the ground, the marks that fold and unfold.
        gauges: whether boxes have gauges of their gradients.
    """

    def __init__(
        self, scene: Scene, palette: Palette, *, vector: bool = False, for_file: bool = False, gauges: bool = True
    ) -> None:
        self.scene = scene
        self.palette = palette
        self._vector, self._gauges, self._for_file = vector, gauges, for_file
        self.edges = EdgePainter(scene, vector=vector)
        self.counts = Counts(scene)
        self.frames = Frames(scene, folds=not for_file)
        self._ground: tuple[float, float, QPixmap] | None = None
        self.art = Art(palette, 0.0)
        self._labels = _Labels((), [])

    def paint(
        self,
        painter: QPainter,
        view: View,
        frame: Frame,
        sight: Rect,
        ratio: float = 1.0,
        coming: Coming | None = None,
        part: Rect | None = None,
    ) -> None:
        """Draw what is in sight, without the marks of the step.

        Args:
            sight: the screen rectangle that is drawn.
            ratio: device pixels per screen pixel.
            coming: what fades in.
            part: the screen rectangle, on whole device pixels, outside of which all is drawn already.
        """
        if (self.art.scale, self.art.ratio) != (view.scale, ratio):
            self.art = Art(self.palette, view.scale, ratio, vector=self._vector, gauges=self._gauges,
                           folds=not self._for_file)  # fmt: skip
        area, some_edges, some_boxes = view.rect_to_scene(sight), None, None
        if part is not None:
            painter.setClipRect(qt_rect(part))
            some_edges, some_boxes = self._in_part(view, part)
        self._paint_ground(painter, view, sight, ratio)
        self.frames.paint(painter, view, area, self.art)
        for edges, opacity in _layers(some_edges, None if coming is None else coming.edges, coming):
            painter.setOpacity(opacity)
            self.edges.paint(painter, view, frame.strands, area, self.palette, edges)
        self.counts.paint(painter, view, area, self.art)
        self.frames.paint_titles(painter, view, area, self.art)
        for boxes, opacity in _layers(some_boxes, None if coming is None else coming.boxes, coming):
            painter.setOpacity(opacity)
            paint_boxes(painter, self.scene, view, frame.faces, area, self.art, boxes)

    def changed(self, view: View, before: Frame, after: Frame) -> Rect | None:
        """The screen rectangle outside of which two frames look alike; None where they do everywhere."""
        edges = self.scene.edge_boxes[before.strands != after.strands]
        boxes = self.scene.boxes[before.faces != after.faces]
        if not len(edges) and not len(boxes):
            return None
        outwards = np.array([-1.0, -1.0, 1.0, 1.0])
        sides = np.concatenate([edges + edge_reach(view.scale) * outwards, boxes + box_reach(view.scale) * outwards])
        left, top, right, bottom = np.hstack([sides[:, :2].min(axis=0), sides[:, 2:].max(axis=0)]).tolist()
        return view.rect_to_screen((left, top, right, bottom))

    def _in_part(self, view: View, part: Rect) -> tuple[Flags, Flags]:
        """The edges and the boxes of which something can be seen in a screen rectangle."""
        area = view.rect_to_scene(part)
        return (
            _flags(touching(self.scene.edge_boxes, area, edge_reach(view.scale)), len(self.scene.edge_boxes)),
            _flags(touching(self.scene.boxes, area, box_reach(view.scale)), len(self.scene.boxes)),
        )

    def take_sprites(self, other: Painting) -> None:
        """Copy the surfaces that another painting of the same boxes has drawn."""
        self.art = other.art

    def marks(self, view: View, moment: Moment, frame: Frame, sight: Rect, taken: Sequence[Rect] = ()) -> list[Mark]:
        """What lies over the graph at a moment: tokens, labels, the mark of the current node.

        Args:
            sight: the part of the screen that can be seen.
            taken: screen rectangles that labels keep clear of, besides boxes, the titles of frames and counts.
        """
        marks = token_marks(self.scene, moment, view, self.palette, self.edges, vector=self._vector)
        key = (moment.position, moment.stage, view, sight, tuple(taken))
        if key != self._labels.key:
            self._labels = _Labels(key, self._placed_labels(view, moment, frame, sight, taken))
        return marks + self._labels.marks + progress_marks(self.scene, moment, frame, view, sight, self.palette)

    def _placed_labels(
        self, view: View, moment: Moment, frame: Frame, sight: Rect, taken: Sequence[Rect]
    ) -> list[Mark]:
        others = np.array(taken, dtype=np.float64).reshape(-1, 4)
        others = np.concatenate([others, self.frames.title_boxes(view, sight), self.counts.boxes_in(view, sight)])
        if detail_of(view.scale) is Detail.FAR and not self._vector:
            wrong = failure_marks(self.scene, view, sight, self.palette)
            wrong += birth_marks(self.scene, moment.position, view, sight, self.palette)
            return wrong + beacon_marks(self.scene, frame, view, sight, self.palette, others)[0]
        marks = failure_marks(self.scene, view, sight, self.palette, vector=self._vector)
        marks += birth_marks(self.scene, moment.position, view, sight, self.palette, vector=self._vector)
        others = np.concatenate([others, np.array([sides_of(mark.rect) for mark in marks]).reshape(-1, 4)])
        near = touching(self.scene.boxes, view.rect_to_scene(sight))
        blocked = np.concatenate([view.boxes_to_screen(self.scene.boxes[near]), others])
        if not self._vector:
            beacons, named = beacon_marks(self.scene, frame, view, sight, self.palette, blocked)
            marks += beacons
            blocked = np.concatenate([blocked, named])
        return marks + label_marks(self.scene, moment, view, sight, self.palette, blocked, vector=self._vector)

    def _paint_ground(self, painter: QPainter, view: View, sight: Rect, ratio: float) -> None:
        area = QRectF(QPointF(*sight[:2]), QPointF(*sight[2:])).adjusted(0, 0, 1, 1)  # a half pixel at the rim too
        if self._for_file:
            painter.fillRect(area, QColor(self.palette.canvas))
        else:
            painter.drawTiledPixmap(area, self._dots(view.scale, ratio), area.topLeft() - QPointF(view.x, view.y))

    def _dots(self, scale: float, ratio: float) -> QPixmap:
        """The dot grid; its dots keep a distance of about 24 pixels at any zoom."""
        if self._ground is None or self._ground[:2] != (scale, ratio):
            step = 24.0 * scale
            while step < 17.0:
                step *= 2.0
            while step > 40.0:
                step /= 2.0
            self._ground = (scale, ratio, _dots(round(step * ratio), ratio, self.palette))
        return self._ground[2]


def _flags(which: Ints, count: int) -> Flags:
    flags = np.zeros(count, dtype=np.bool_)
    flags[which] = True
    return flags


def _layers(some: Flags | None, is_new: Flags | None, coming: Coming | None) -> list[tuple[Flags | None, float]]:
    """What is drawn after one another: the new ones, as far as they have come in, then the others."""
    return [(some, 1.0)] if is_new is None or coming is None else [(is_new, coming.share), (~is_new, 1.0)]


_CELLS = 8
"""Dots in a row of the tile: one of a single dot takes three times as long to repeat."""


def _dots(side: int, ratio: float, palette: Palette) -> QPixmap:
    tile = QPixmap(side * _CELLS, side * _CELLS)
    tile.fill(QColor(palette.canvas))
    with painter_on(tile) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.grid))
        for row in range(_CELLS):
            for column in range(_CELLS):
                middle = QPointF((column + 0.5) * side, (row + 0.5) * side)
                painter.drawEllipse(middle, 1.1 * ratio, 1.1 * ratio)
    tile.setDevicePixelRatio(ratio)
    return tile
