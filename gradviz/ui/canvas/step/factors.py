"""The factors by which a gradient shrinks or grows at the nodes of a path, each on its box once its step has run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF

from gradviz.playback.words import number_text
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.ink.marks import Ink, Mark, pill, pill_size, qt_rect
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
    index_of, faces = scene.track.index_of, frame.faces
    found = [(index_of[node], ratio) for node, ratio in factors if node in index_of]
    shown = [(index, f"× {number_text(ratio)}", ratio) for index, ratio in found if faces[index] & 1][:MOST]
    boxes = view.boxes_to_screen(scene.boxes[[index for index, *_ in shown]]).tolist() if shown else []
    sizes = [pill_size(text, _SIZE) for _, text, _ in shown]
    # All on one side: where one that is seen does not fit left of its box, at the right.
    seen = [(box, size) for box, size in zip(boxes, sizes, strict=True) if box[2] > sight[0]]
    is_left = all(box[0] - size[0] - _GAP > sight[0] for box, size in seen)
    marks: list[Mark] = []
    for (_, text, ratio), (left, top, right, bottom), (width, height) in zip(shown, boxes, sizes, strict=True):
        place = QRectF(left - width - _GAP if is_left else right + _GAP, (top + bottom - height) / 2, width, height)
        if not qt_rect(sight).contains(place):
            continue
        quiet = Ink(palette.card, palette.text, palette.backward)
        steep = Ink(palette.backward, palette.on_accent)
        marks.append(pill(text, place, quiet if 1 / STEEP < ratio < STEEP else steep, _SIZE))
    return marks
