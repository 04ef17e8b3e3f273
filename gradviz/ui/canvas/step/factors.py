"""The factors by which a gradient shrinks or grows at the nodes of a path, each on its box once its step has run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF

from gradviz.playback.words import number_text
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.ink.marks import Ink, Mark, pill, pill_size
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Frame
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

MOST = 80
"""Labels that are drawn at a time."""
STEEP = 10.0
"""A factor beyond this, or below one part of it, is filled."""
_SIZE, _GAP = 0.82, 7.0


def factor_marks(
    scene: Scene, factors: Sequence[tuple[int, float]], frame: Frame, view: View, sight: Rect, palette: Palette
) -> list[Mark]:
    """A label beside each box of a path that is in sight and can be read: "× 0.25".

    Args:
        factors: id of a node, and what goes out of it over what comes in.
        frame: of the moment: a box without its gradient has no factor yet.
    """
    if detail_of(view.scale) is Detail.FAR:
        return []
    marks: list[Mark] = []
    for node, ratio in factors:
        index = scene.track.index_of.get(node)
        if index is None or not frame.faces[index] & 1 or len(marks) == MOST:
            continue
        left, top, right, bottom = view.boxes_to_screen(scene.boxes[index][None])[0].tolist()
        text = f"× {number_text(ratio)}"
        width, height = pill_size(text, _SIZE)
        x = left - width - _GAP if left - width - _GAP > sight[0] else right + _GAP
        place = QRectF(x, (top + bottom - height) / 2, width, height)
        if not QRectF(sight[0], sight[1], sight[2] - sight[0], sight[3] - sight[1]).contains(place):
            continue
        is_steep = not 1 / STEEP < ratio < STEEP
        fill = (
            Ink(palette.backward, palette.on_accent) if is_steep else Ink(palette.card, palette.text, palette.backward)
        )
        marks.append(pill(text, place, fill, _SIZE))
    return marks
