"""The picture itself: ground, edges, boxes, and the marks of the step. One painter for screen and files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.boxes.boxes import Detail, box_reach, detail_of, paint_boxes
from gradviz.ui.canvas.boxes.counts import Counts
from gradviz.ui.canvas.boxes.frames import Frames
from gradviz.ui.canvas.boxes.sprites import Art
from gradviz.ui.canvas.edges.edges import EdgePainter
from gradviz.ui.canvas.ink.bulk import on_device, painter_on
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.ink.memory import plain_picture, repeat
from gradviz.ui.canvas.plane.regions import device_rect
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Frame, Moment
from gradviz.ui.canvas.scene.scene import WIDEST, Flags, Scene
from gradviz.ui.canvas.step.beacon import beacon_marks
from gradviz.ui.canvas.step.group_marks import progress_marks
from gradviz.ui.canvas.step.labels import label_marks
from gradviz.ui.canvas.step.tokens import token_marks
from gradviz.ui.look.palette import Palette

_ARROW_REACH = 8.0
_MOST_STILL = 4
"""Moments whose labels keep their places: the present one and those beside it."""
_SOFT = 3.0
"""Screen pixels: soft edges, whole device pixels, and lines that are a pixel wide however small the scale."""


class Coming(NamedTuple):
    """What is new in a picture that glides.

    Attributes:
        boxes, edges: which are; shapes (n,) and (m,).
        share: how far they have come in, 0..1.
    """

    boxes: Flags
    edges: Flags
    share: float


class Drift(NamedTuple):
    """Edges that keep their shape in a glide.

    Attributes:
        edges: which; shape (m,).
        view: in which they are drawn as they will be at its end.
    """

    edges: Flags
    view: View


class Moving(NamedTuple):
    """What stays the same through a glide, so that it need not be drawn anew for every moment.

    Attributes:
        art: draws boxes, and edges that keep their shape.
        edges: draws those as they will be at the end.
        drifts: which these are, and where.
    """

    art: Art
    edges: EdgePainter
    drifts: Sequence[Drift]


class Painting:
    """Draws one scene with one palette; keeps what can be used again at the next position.

    Attributes:
        edges: draws the edges.
        frames: draws the frames of open groups.
        counts: draws how many uses an edge stands for.
        art: draws the surfaces of boxes at the present scale.

    Args:
        for_file: without what only a window needs: the dots of the ground, the marks that fold and unfold.
    """

    def __init__(
        self, scene: Scene, palette: Palette, *, vector: bool = False, for_file: bool = False, gauges: bool = True
    ) -> None:
        self.scene = scene
        self.palette = palette
        self._vector = vector
        self._gauges = gauges
        self._for_file = for_file
        self.edges = EdgePainter(scene)
        self.counts = Counts(scene)
        self.frames = Frames(scene.folded, scene.layout.frames, scene.boxes_near, folds=not for_file)
        self._ground: tuple[float, float, Dots] | None = None
        self.art = self._art(1.0, 1.0)
        self._still: dict[tuple[object, ...], list[Mark]] = {}

    def _art(self, scale: float, ratio: float) -> Art:
        return Art(self.palette, scale, ratio, vector=self._vector, gauges=self._gauges, folds=not self._for_file)

    def paint(self, painter: QPainter, view: View, frame: Frame, rects: Sequence[Rect], ratio: float = 1.0) -> None:
        """Draw the part of the picture inside some screen rectangles; the painter is clipped to them.

        Args:
            ratio: device pixels per screen pixel.
        """
        if (self.art.scale, self.art.ratio) != (view.scale, ratio):
            self.art = self._art(view.scale, ratio)
        self._paint_ground(painter, view, rects, ratio)
        areas = np.array([view.rect_to_scene(rect) for rect in rects])
        self.frames.paint(painter, view, areas, self.art)
        boxes, edges = self._near(view, areas)
        self.edges.paint(painter, view, frame.strands, edges, self.art)
        self.counts.paint(painter, view, areas, self.art)
        self.frames.paint_titles(painter, view, areas, self.art)
        paint_boxes(painter, self.scene, view, frame.faces, boxes, self.art)

    def _near(self, view: View, areas: Floats) -> tuple[Ints, Ints]:
        """The boxes and the edges that are drawn in some areas of the scene; where all of it is seen, all."""
        left, top, right, bottom = self.scene.around
        if len(areas) == 1 and (areas[0, :2] <= (left, top)).all() and (areas[0, 2:] >= (right, bottom)).all():
            return self._every
        return self.edges.pieces(view).near(areas, self.reach(view))

    @cached_property
    def _every(self) -> tuple[Ints, Ints]:
        """All boxes and all edges."""
        return np.arange(len(self.scene.boxes)), np.arange(len(self.scene.curves))

    def reach(self, view: View) -> float:
        """How far boxes and edges may be drawn beyond their places, in scene units."""
        boxes = box_reach(self.scene, view, gauges=self._gauges)
        return max(boxes, WIDEST + _ARROW_REACH) + _SOFT / view.scale

    def paint_moving(
        self, painter: QPainter, view: View, frame: Frame, sight: Rect, coming: Coming, moving: Moving
    ) -> None:
        """Draw a moment of a glide."""
        art = moving.art
        self.art = self._art(view.scale, art.ratio)
        self._paint_ground(painter, view, [sight], art.ratio)
        area = np.array([view.rect_to_scene(sight)])
        self.frames.paint(painter, view, area, self.art)
        boxes, edges = self.scene.whole.near(area, self.reach(view))
        for is_new, opacity in ((True, coming.share), (False, 1.0)):
            painter.setOpacity(opacity)
            some = edges[coming.edges[edges] == is_new]
            for drift in moving.drifts:
                moving.edges.paint(painter, drift.view, frame.strands, some[drift.edges[some]], art)
                some = some[~drift.edges[some]]
            self.edges.paint(painter, view, frame.strands, some, self.art)
        self.counts.paint(painter, view, area, self.art)
        self.frames.paint_titles(painter, view, area, self.art)
        for is_new, opacity in ((True, coming.share), (False, 1.0)):
            painter.setOpacity(opacity)
            paint_boxes(painter, self.scene, view, frame.faces, boxes[coming.boxes[boxes] == is_new], art)

    def marks(self, view: View, moment: Moment, frame: Frame, sight: Rect, taken: Sequence[Rect] = ()) -> list[Mark]:
        """What lies over the picture at a moment: tokens, labels, the mark of the current node.

        Args:
            sight: the part of the screen that can be seen.
            taken: screen rectangles that labels keep clear of, besides boxes, the titles of frames and counts.
        """
        marks = token_marks(self.scene, moment, view, self.palette, self.edges, sight, vector=self._vector)
        key = (moment.position, moment.stage, view, sight, tuple(taken))
        still = self._still.pop(key, None)
        if still is None:
            still = self._still_marks(view, moment, frame, sight, taken)
        self._still[key] = still
        if len(self._still) > _MOST_STILL:
            self._still.pop(next(iter(self._still)))
        return marks + still + progress_marks(self.scene, moment, frame, view, sight, self.palette)

    def _still_marks(self, view: View, moment: Moment, frame: Frame, sight: Rect, taken: Sequence[Rect]) -> list[Mark]:
        """The marks that stay where they are through a stage of the animation."""
        others = np.array(taken, dtype=np.float64).reshape(-1, 4)
        others = np.concatenate([others, self.frames.title_places(view, sight), self.counts.places_in(view, sight)])
        marks: list[Mark] = []
        if detail_of(view.scale) is Detail.FAR and not self._vector:
            return beacon_marks(self.scene, frame, view, sight, self.palette, others)[0]
        near = self.scene.boxes_near.touching(np.array([view.rect_to_scene(sight)]))
        blocked = np.concatenate([view.boxes_to_screen(self.scene.boxes[near]), others])
        if not self._vector:
            beacon, named = beacon_marks(self.scene, frame, view, sight, self.palette, blocked)
            marks += beacon
            blocked = np.concatenate([blocked, named])
        return marks + label_marks(self.scene, moment, view, sight, self.palette, blocked, vector=self._vector)

    def _paint_ground(self, painter: QPainter, view: View, rects: Sequence[Rect], ratio: float) -> None:
        origin = QPoint(round(view.x * ratio), round(view.y * ratio))
        picture = None if self._for_file else plain_picture(painter)
        if picture is not None:
            repeat(picture, self._dots(view.scale, ratio).cell, origin.x(), origin.y())
            return
        for left, top, right, bottom in rects:
            area = device_rect(QRectF(left, top, right - left, bottom - top).toAlignedRect(), ratio)
            with on_device(painter, ratio):
                if not self._for_file:
                    painter.drawTiledPixmap(area, self._dots(view.scale, ratio).tile, area.topLeft() - origin)
                else:
                    painter.fillRect(area, QColor(self.palette.canvas))

    def _dots(self, scale: float, ratio: float) -> Dots:
        """The dot grid; its dots keep a distance of about 24 pixels at any zoom."""
        if self._ground is None or self._ground[:2] != (scale, ratio):
            step = 24.0 * scale
            while step < 17.0:
                step *= 2.0
            while step > 40.0:
                step /= 2.0
            self._ground = (scale, ratio, _dots(round(step * ratio), ratio, self.palette))
        return self._ground[2]


_CELLS = 8
"""Dots in a row of the tile: one of a single dot takes three times as long to lay."""


class Dots(NamedTuple):
    """The dots of the ground: one of them, and a tile of many."""

    cell: QImage
    tile: QPixmap


def _dots(side: int, ratio: float, palette: Palette) -> Dots:
    cell = QImage(side, side, QImage.Format.Format_RGB32)
    cell.fill(QColor(palette.canvas))
    with painter_on(cell) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.grid))
        painter.drawEllipse(QPointF(side / 2, side / 2), 1.1 * ratio, 1.1 * ratio)
    tile = QImage(side * _CELLS, side * _CELLS, cell.format())
    repeat(tile, cell, 0, 0)
    return Dots(cell, QPixmap.fromImage(tile))
