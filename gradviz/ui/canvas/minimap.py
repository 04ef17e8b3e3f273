"""The map in the corner: the whole graph small, and which part of it is in sight."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.ui.canvas import looks
from gradviz.ui.canvas.ink.marks import Mark, soft_shadow
from gradviz.ui.canvas.ink.painter import Sprite, draw_rects
from gradviz.ui.canvas.overlay import EDGE_GAP
from gradviz.ui.canvas.plane.view import Point, Rect, View, fitted
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import color

WIDTH, HEIGHT, _PAD = 168.0, 112.0, 8.0


class Minimap:
    """Shows where the view is; drawn once per scene and palette, then copied."""

    WIDTH = WIDTH

    def __init__(self, scene: Scene, palette: Palette) -> None:
        self._scene, self._palette = scene, palette
        self._map = fitted(scene.around, (_PAD, _PAD, WIDTH - _PAD, HEIGHT - _PAD), largest=1.0, smallest=0.0)
        self._sprite: tuple[float, Sprite] | None = None

    @staticmethod
    def is_needed(scene: Scene, view: View, frame: Rect) -> bool:
        """Whether a part of the graph is out of sight."""
        left, top, right, bottom = view.rect_to_screen(scene.around)
        return left < frame[0] - 1 or top < frame[1] - 1 or right > frame[2] + 1 or bottom > frame[3] + 1

    @staticmethod
    def has_room(frame: Rect) -> bool:
        """Whether the map leaves most of the canvas free."""
        return frame[2] - frame[0] >= 2.5 * WIDTH and frame[3] - frame[1] >= 2.5 * HEIGHT

    @staticmethod
    def place(frame: Rect) -> QRectF:
        """Where the map is in the screen rectangle `frame`."""
        return QRectF(frame[2] - EDGE_GAP - WIDTH, frame[3] - EDGE_GAP - HEIGHT, WIDTH, HEIGHT)

    def scene_point(self, frame: Rect, point: Point) -> Point:
        """The scene point that a screen point on the map stands for."""
        place = self.place(frame)
        return self._map.to_scene((point[0] - place.left(), point[1] - place.top()))

    def marks(self, view: View, frame: Rect, current: int | None, accent: str) -> list[Mark]:
        """The map, the current node on it, and the part that is in sight."""
        place = self.place(frame)

        def paint(painter: QPainter) -> None:
            self._whole(painter.device().devicePixelRatioF()).draw(painter, place.left(), place.top())
            painter.save()
            painter.setClipRect(place.adjusted(1, 1, -1, -1), Qt.ClipOperation.IntersectClip)
            painter.translate(place.topLeft())
            self._paint_sight(painter, view.rect_to_scene(frame))
            painter.restore()

        whole = Mark(place.adjusted(-4, -4, 4, 6), paint)
        return [whole] if current is None else [whole, self._current(place, current, accent)]

    def _whole(self, ratio: float) -> Sprite:
        if self._sprite is None or self._sprite[0] != ratio:
            self._sprite = (ratio, Sprite(WIDTH, HEIGHT, self._paint_whole, margin=6.0, ratio=ratio))
        return self._sprite[1]

    def _paint_sight(self, painter: QPainter, sight: Rect) -> None:
        left, top, right, bottom = self._map.rect_to_screen(sight)
        painter.setPen(QPen(QColor(self._palette.forward), 1.4))
        painter.setBrush(color(self._palette.forward, 0.08))
        painter.drawRoundedRect(QRectF(QPointF(left, top), QPointF(right, bottom)), 3, 3)

    def _current(self, place: QRectF, index: int, accent: str) -> Mark:
        """The current node on the map."""
        x, y = self._map.to_screen((self._scene.layout.centres[index][0], self._scene.layout.centres[index][1]))
        middle = place.topLeft() + QPointF(x, y)

        def paint(painter: QPainter) -> None:
            painter.setPen(QPen(QColor(self._palette.card), 1.2))
            painter.setBrush(QColor(accent))
            painter.drawEllipse(middle, 4.0, 4.0)

        return Mark(QRectF(middle.x() - 6, middle.y() - 6, 12, 12), paint)

    def _paint_whole(self, painter: QPainter) -> None:
        soft_shadow(painter, QRectF(0, 0, WIDTH, HEIGHT), 8.0)
        painter.setPen(QPen(QColor(self._palette.hairline), 1.0))
        painter.setBrush(QColor(self._palette.card))
        painter.drawRoundedRect(QRectF(0.5, 0.5, WIDTH - 1, HEIGHT - 1), 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(looks.quiet(self._palette, self._palette.faint, self._palette.card, 0.55)))
        boxes = self._map.boxes_to_screen(self._scene.boxes)
        boxes[:, 2] = boxes[:, 2].clip(min=boxes[:, 0] + 1.0)
        boxes[:, 3] = boxes[:, 3].clip(min=boxes[:, 1] + 1.0)
        draw_rects(painter, boxes)
