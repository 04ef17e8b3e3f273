"""The kept picture: an image of the last frame, of which only what has changed is drawn again."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QImage, QRegion

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.bulk import painter_on
from gradviz.ui.canvas.moment import Frame
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.scene import WIDEST
from gradviz.ui.canvas.sprites import MARGIN
from gradviz.ui.canvas.view import Rect, View

_MOST_RECTS = 48
"""With more changed rectangles than this, drawing everything is as fast."""

_GRID = 4
"""Rectangles are widened to multiples of this: whole device pixels at 125, 150 and 175 percent too."""

_FAR_AWAY = 1e7
_EDGE_REACH = WIDEST + 12.0


class KeptPicture:
    """Draws frames of one painting into an image.

    Attributes:
        image: the last frame; its device pixel ratio is set.
    """

    def __init__(self, painting: Painting) -> None:
        self._painting = painting
        self.image = QImage()
        self._view: View | None = None
        self._frame: Frame | None = None

    def forget(self) -> None:
        """Draw everything at the next `show`."""
        self._frame = None

    def show(self, view: View, frame: Frame, size: QSize, ratio: float) -> QRegion:
        """Bring the image up to date; the region that has changed, in screen pixels."""
        whole = QRect(0, 0, size.width(), size.height())
        old = self._frame
        fits = self.image.size() == size * ratio and self.image.devicePixelRatio() == ratio
        changed = None if old is None or view != self._view or not fits else self._changes(view, old, frame, whole)
        if not fits:
            self.image = QImage(size * ratio, QImage.Format.Format_RGB32)
            self.image.setDevicePixelRatio(ratio)
        rects = [whole] if changed is None else changed
        self._view, self._frame = view, frame
        if rects:
            self._draw(view, frame, rects, ratio)
        return _region(rects)

    def _draw(self, view: View, frame: Frame, rects: list[QRect], ratio: float) -> None:
        areas: list[Rect] = [(r.left(), r.top(), r.left() + r.width(), r.top() + r.height()) for r in rects]
        with painter_on(self.image) as painter:
            painter.setClipRegion(_region(rects))
            self._painting.paint(painter, view, frame, areas, ratio)

    def _changes(self, view: View, old: Frame, new: Frame, whole: QRect) -> list[QRect] | None:
        """The rectangles in which two frames differ; None where they are too many."""
        nodes = np.flatnonzero(old.faces != new.faces)
        edges = np.flatnonzero(old.strands != new.strands)
        if len(nodes) + len(edges) > _MOST_RECTS:
            return None
        sides = view.boxes_to_screen(self._areas(view, nodes, edges)).clip(-_FAR_AWAY, _FAR_AWAY)
        sides[:, :2] = np.floor(sides[:, :2] / _GRID) * _GRID
        sides[:, 2:] = np.ceil(sides[:, 2:] / _GRID) * _GRID
        sides = sides.clip(0, (whole.width(), whole.height(), whole.width(), whole.height()))
        seen = sides[(sides[:, 2] > sides[:, 0]) & (sides[:, 3] > sides[:, 1])].astype(np.int64)
        if len(seen) > _MOST_RECTS * 2:
            return None
        return [QRect(left, top, right - left, bottom - top) for left, top, right, bottom in seen.tolist()]

    def _areas(self, view: View, nodes: Ints, edges: Ints) -> Floats:
        # On the screen a line is at least a pixel wide, however small the scale.
        reach = np.array([-1.0, -1.0, 1.0, 1.0])
        boxes = self._painting.scene.boxes[nodes] + reach * (MARGIN + 3.0 / view.scale)
        lines = self._painting.edges.cover(view, edges) + reach * (_EDGE_REACH + 3.0 / view.scale)
        return np.concatenate([boxes, lines])


def _region(rects: list[QRect]) -> QRegion:
    region = QRegion()
    for rect in rects:
        region += rect
    return region
