"""Folded and open groups on the canvas: what was clicked, which one is ringed, and the glide to another folding."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QElapsedTimer, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget

from gradviz.layout.plan import Ints
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.looking import Looking
from gradviz.ui.canvas.motion import DURATION_MS, Motion, can_move, is_refolded, is_turned, same_boxes, settled
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.view import LEGIBLE, Point, Rect, View, fitted
from gradviz.ui.canvas.scene.measure import FOLD_MARK, GROUP_PAD
from gradviz.ui.canvas.scene.moment import Codes
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.rings import paint_ring, ring_mark

_FRAME_MS = 16
_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_MUCH_LARGER = 1.1
"""How much larger a picture could be shown before one that was fitted is fitted again."""


class Grouping(Looking):
    """A widget that looks at a scene with groups.

    Attributes:
        reduced_motion: whether another folding is shown at once.

    Signals:
        group_clicked: payload: the number of the group.
        fold_requested: its mark was clicked, or it was clicked twice. Payload: the number of the group.
        entered: the key Enter was pressed.
    """

    group_clicked = Signal(int)
    fold_requested = Signal(int)
    entered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reduced_motion = False
        self._painting: Painting
        self._group: int | None = None
        self._anchor: int | None = None
        self._wants_whole = False
        self._has_just_folded = False
        self._motion: Motion | None = None
        self._share = 1.0
        self._elapsed = QElapsedTimer()
        self._motion_timer = QTimer(self)
        self._motion_timer.setInterval(_FRAME_MS)
        self._motion_timer.timeout.connect(self._glide)

    def _refresh(self) -> None:
        """Bring what is shown up to date."""
        raise NotImplementedError

    def _describe(self) -> None:
        """Say what is shown in words."""
        raise NotImplementedError

    # ---- what is asked ----

    def select_group(self, number: int | None) -> None:
        """Ring a group, folded or open; None for none."""
        if number != self._group:
            self._group = number
            self._refresh()
            self._describe()

    def expect(self, number: int | None, *, whole: bool = False) -> None:
        """What the next picture is about.

        Args:
            number: the group that it folds or opens, which stays where it is.
            whole: show all of it, where it can be read then.
        """
        self._anchor, self._wants_whole = number, whole

    def reveal_group(self, number: int) -> None:
        """Move the picture just so far that a group, folded or open, is in sight."""
        sides = self._sides_of(number)
        if sides is not None:
            self._look(self._view.revealing(sides, self._free_space()))

    def _sides_of(self, number: int) -> tuple[float, float, float, float] | None:
        scene = self._scene
        if scene is None or scene.folded is None:
            return None
        index = scene.track.index_of.get(scene.folded.box_of_group(number))
        if index is None:
            return self._painting.frames.place(number)
        left, top, right, bottom = scene.boxes[index].tolist()
        return left, top, right, bottom

    # ---- what was hit ----

    def box_at(self, point: Point) -> int | None:
        """Id of the node or folded group under a screen point, or None."""
        if self._scene is None:
            return None
        slack = max(0.0, 4.0 / self._view.scale - 20.0)  # a box of a few pixels can be hit too
        index = self._scene.node_at_point(self._view.to_scene(point), slack)
        return None if index is None else self._scene.track.forward[index]

    def node_at(self, point: Point) -> int | None:
        """Id of the node under a screen point, or None; a folded group is no node."""
        box = self.box_at(point)
        return None if box is None or self._group_of(box) is not None else box

    def group_at(self, point: Point) -> int | None:
        """The folded group under a screen point, or the open one whose title is there, or None."""
        box = self.box_at(point)
        if box is not None:
            return self._group_of(box)
        return (
            None
            if self._scene is None
            else self._painting.frames.title_at(self._view.to_scene(point), self._view.scale)
        )

    def _group_of(self, box: int) -> int | None:
        track = None if self._scene is None else self._scene.folded
        return None if track is None else track.group_of(box)

    def _is_on_mark(self, point: Point, number: int) -> bool:
        """Whether a screen point is on the + or − of a group."""
        scene = self._scene
        assert scene is not None
        assert scene.folded is not None
        x, y = self._view.to_scene(point)
        index = scene.track.index_of.get(scene.folded.box_of_group(number))
        if index is None:
            return self._painting.frames.is_on_mark((x, y), number, self._view.scale)
        _, top, right, _ = scene.boxes[index].tolist()
        side = FOLD_MARK + 2 * GROUP_PAD
        return bool(x >= right - side and y <= top + side)

    def _click_group(self, point: Point, number: int) -> None:
        self._has_just_folded = self._is_on_mark(point, number)
        if self._has_just_folded:
            self.fold_requested.emit(number)
        else:
            self.group_clicked.emit(number)

    def double_clicked_at(self, point: Point) -> None:
        number = self.group_at(point)
        if self._has_just_folded:
            self._has_just_folded = False  # the first click of the two has folded it
        elif number is not None:
            self.fold_requested.emit(number)
        elif self.box_at(point) is None:
            self.fit()

    # ---- from one folding to another ----

    def _kept_in_place(self, old: Scene, was: Ints | None, view: View) -> bool:
        """Whether a picture goes on from the one before; then it glides."""
        scene = self._scene
        assert scene is not None
        if is_refolded(old, scene):
            was = same_boxes(old, scene)
            self._settle(old, was, view)
        elif was is not None or is_turned(old, scene):
            was = same_boxes(old, scene) if was is None else was
            self._settle_changed(old, was, view)
        else:
            return bool(np.array_equal(old.layout.nodes, scene.layout.nodes))
        if scene.layout is not old.layout and not self.reduced_motion and self.isVisible() and can_move(old, scene):
            self._motion = Motion(old, scene, was, view)
            self._share = 0.0
            self._elapsed.start()
            self._motion_timer.start()
        return True

    def _settle(self, old: Scene, was: Ints, view: View) -> None:
        """Find the view on a picture of the same track, folded in another way."""
        assert self._scene is not None
        if (self._is_fitted or self._wants_whole) and self.whole_view().scale >= LEGIBLE:
            self.fit()
        else:
            self._is_fitted = False
            key = None if self._anchor is None or old.folded is None else old.folded.groups.groups[self._anchor].key
            self._set_view(settled(old, self._scene, was, view, key))
            if self._anchor is not None:
                self.reveal_group(self._anchor)
        self._anchor, self._wants_whole = None, False

    def _settle_changed(self, old: Scene, was: Ints, view: View) -> None:
        """Find the view on the picture of a changed script: what did not change stays where it is on the screen."""
        assert self._scene is not None
        still = settled(old, self._scene, was, view)
        holds = _holds(self._free_space(), still.rect_to_screen(self._scene.around))
        is_small = fitted(self._scene.around, self._free_space()).scale > _MUCH_LARGER * still.scale
        if self._is_fitted and (is_small or not holds):
            self.fit()
        else:
            self._set_view(still)

    def _glide(self) -> None:
        self.advance_motion(float(self._elapsed.restart()))

    def advance_motion(self, elapsed_ms: float) -> None:
        """Let so much time pass for the glide."""
        self._share += elapsed_ms / DURATION_MS
        if self._share >= 1.0:
            self._end_motion()
        self._redraw()

    def _end_motion(self) -> None:
        self._motion = None
        self._motion_timer.stop()

    # ---- Qt ----

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() & _HELD:
            self.entered.emit()
        else:
            super().keyPressEvent(event)

    # ---- marks ----

    def _group_rings(self, ink: str, strands: Codes) -> list[Mark]:
        """The ring around the selected group: around its box, or its frame."""
        scene, number = self._scene, self._group
        if number is None or scene is None or scene.folded is None:
            return []
        index = scene.track.index_of.get(scene.folded.box_of_group(number))
        if index is not None:
            return [ring_mark(self._painting, index, self._view, ink, strands)]
        sides = self._painting.frames.place(number)
        return [] if sides is None else [_frame_ring(sides, self._view, ink)]


def _holds(outer: Rect, inner: Rect) -> bool:
    within = outer[0] <= inner[0] and outer[1] <= inner[1]
    return within and inner[2] <= outer[2] and inner[3] <= outer[3]


def _frame_ring(sides: tuple[float, float, float, float], view: View, ink: str) -> Mark:
    box = np.array(sides)
    left, top, right, bottom = view.rect_to_screen(sides)

    def paint(painter: QPainter) -> None:
        paint_ring(painter, box, view, ink, gap=1.0)

    return Mark(QRectF(left - 4, top - 4, right - left + 8, bottom - top + 8), paint)
