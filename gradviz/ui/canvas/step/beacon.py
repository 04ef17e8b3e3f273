"""Shows the current node where the picture is too small for its box to do so."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.boxes.compact import gauge_room, texts_of
from gradviz.ui.canvas.ink.marks import Ink, Mark, halo, pill, pill_size
from gradviz.ui.canvas.plane.place import best_spot, rects
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.moment import Frame, Mood, mood_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

_LEAST = 22.0
_GAP = 10.0


def beacon_marks(
    scene: Scene, frame: Frame, view: View, sight: Rect, palette: Palette, blocked: Floats
) -> tuple[list[Mark], Floats]:
    """A ring around the current node, its name and its number beside it.

    Args:
        sight: what can be seen, in screen pixels.
        blocked: rectangles that the name keeps clear of, in screen pixels; shape (k, 4).

    Returns:
        The marks, and the rectangle of the name as a row to keep clear of; shape (0 or 1, 4).
    """
    if frame.current is None or _says_all(scene, frame, view):
        return [], np.zeros((0, 4))
    face = int(frame.faces[frame.current])
    accent = palette.backward if mood_of(face) is Mood.BACKWARD else palette.forward
    ring = _ring(scene, frame.current, view)
    text = _text(scene, frame.current, face)
    width, height = pill_size(text, 1.0)
    spot = best_spot(_around(ring, width, height), blocked, np.zeros((0, 2)), sight)
    marks = [halo(ring, accent)] if detail_of(view.scale) is Detail.FAR else []
    if spot is None:
        return marks, np.zeros((0, 4))
    place = QRectF(spot[0], spot[1], width, height)
    return [*marks, pill(text, place, Ink(palette.card, accent, accent), 1.0)], spot[None]


def _says_all(scene: Scene, frame: Frame, view: View) -> bool:
    """Whether the box of the current node shows its number itself."""
    detail, index = detail_of(view.scale), frame.current
    if index is None or detail is not Detail.NUMBERS:
        return detail is Detail.FULL
    card, (width, height) = scene.cards[index], (scene.layout.sizes[index] * view.scale).tolist()
    if card.kind in (Kind.GROUP, Kind.NUMBER):
        return False
    size = (width - gauge_room(view.scale), height)
    return texts_of(card, int(frame.faces[index]), size).is_whole


def _ring(scene: Scene, index: int, view: View) -> QRectF:
    left, top, right, bottom = scene.box_in(view, index)
    across, high = max(right - left + 8, _LEAST), max(bottom - top + 8, _LEAST)
    return QRectF((left + right - across) / 2, (top + bottom - high) / 2, across, high)


def _text(scene: Scene, index: int, face: int) -> str:
    card = scene.cards[index]
    if mood_of(face) is Mood.BACKWARD:
        return f"{card.name}  {card.prefix} {card.gradient}" if face & 1 else card.name
    return f"{card.name}  {card.value}" if face & 2 else card.name


def _around(ring: QRectF, width: float, height: float) -> Floats:
    middle = ring.center()
    beside, above = middle.y() - height / 2, ring.top() - _GAP - height
    left, right, over = ring.left() - _GAP - width, ring.right() + _GAP, middle.x() - width / 2
    below = ring.bottom() + _GAP
    corners = [(right, beside), (left, beside), (right, above), (right, below), (left, above), (left, below),
               (over, above), (over, below)]  # fmt: skip
    return rects(np.array(corners), width, height)
