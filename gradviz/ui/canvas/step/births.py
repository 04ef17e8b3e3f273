"""The marks on the nodes at which a NaN or an infinity was born, from the position on at which it was."""

from __future__ import annotations

from gradviz.playback.groups.bundles import HIDDEN
from gradviz.trace.births import NAN
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.failure import failed_box, tagged_box
from gradviz.ui.look.palette import Palette

MOST = 12
"""Boxes that are marked: the first."""
BORN = "{} born here"


def birth_marks(
    scene: Scene, position: int, view: View, sight: Rect, palette: Palette, *, vector: bool = False
) -> list[Mark]:
    """A frame and a tab on each box in which one has been born; on a box that has both, NaN is what is said."""
    marks: list[Mark] = []
    for index, kind in born_in(scene, position).items():
        word = kind if kind == NAN else "inf"
        marks += tagged_box(scene, index, BORN.format(word), view, sight, palette, vector=vector)
    return marks


def born_in(scene: Scene, position: int) -> dict[int, str]:
    """By index of a box the kind that was born in it by a position; not of the box at which the run ended."""
    found: dict[int, str] = {}
    for birth in scene.births:
        if birth.position > position:
            break
        if birth.before is not None:
            continue  # written between two calls: born in neither of them
        index = scene.track.index_of.get(birth.node)
        if scene.folded is not None:
            index = int(scene.folded.box_of[scene.folded.base.index_of[birth.node]])
        if index is None or index in (HIDDEN, failed_box(scene)):
            continue
        if index in found or len(found) < MOST:
            found[index] = NAN if NAN in (birth.kind, found.get(index)) else birth.kind
    return found
