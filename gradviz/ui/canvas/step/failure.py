"""The mark on the node at which a run ended in an error, and on others where something went wrong."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.ui.canvas.boxes.sprites import outline_around
from gradviz.ui.canvas.ink.marks import Ink, Mark, pill, pill_size, qt_rect
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

FAILED = "error here"
_GAP = 2.0
_INSET = 10.0


def failed_box(scene: Scene) -> int | None:
    """Index of the node at which the call of a scene, or its run, ended in an error; or None."""
    failed = scene.track.failed
    return None if failed is None else scene.track.index_of.get(failed)


def failure_marks(scene: Scene, view: View, sight: Rect, palette: Palette, *, vector: bool = False) -> list[Mark]:
    """A frame in the colour of errors around the node, and a tab that says so; none where it is out of sight."""
    index = failed_box(scene)
    return [] if index is None else tagged_box(scene, index, FAILED, view, sight, palette, vector=vector)


def tagged_box(
    scene: Scene, index: int, text: str, view: View, sight: Rect, palette: Palette, *, vector: bool = False
) -> list[Mark]:
    """A frame in the colour of errors around a box, and a tab with a few words; none where it is out of sight."""
    left, top, right, bottom = rect = scene.box_in(view, index)
    if right < sight[0] or left > sight[2] or bottom < sight[1] or top > sight[3]:
        return []
    box, kind = qt_rect(rect), Kind(scene.kinds[index])

    def paint(painter: QPainter) -> None:
        painter.setPen(QPen(QColor(palette.error), 2.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(outline_around(kind, box, view.scale, _GAP))

    size = min(max(view.scale, 0.8), 1.0)
    width, height = pill_size(text, size)
    x = min(max(right - width - _INSET * view.scale, sight[0]), sight[2] - width)
    tab = QRectF(x, max(top - height * 0.7, sight[1]), width, height)
    ink = Ink(palette.error, palette.on_accent)
    return [Mark(box.adjusted(-4, -4, 4, 4), paint), pill(text, tab, ink, size, vector=vector)]
