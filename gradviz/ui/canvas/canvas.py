"""The canvas: shows a track at a position, and tells what was clicked or pointed at.

The picture is a function of (track, layout, position, phase, selection, theme) and of the view alone. A step
draws again only what it changes; labels, tokens and the card lie over the kept picture.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gradviz.layout.plan import Ints, Layout
from gradviz.playback.track import Track
from gradviz.ui.canvas.drawing import Drawing
from gradviz.ui.canvas.plane.view import Point
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.spotlight import Spotlight
from gradviz.ui.look.theme import Theme

_CARD_DELAY_MS = 220


class Canvas(Drawing):
    """Draws the graph.

    Signals:
        node_clicked: a node was clicked. Payload: its id.
        background_clicked: a click that hit no node.
        node_hovered: the pointer is over another box. Payload: the id of its node or folded group, or None.
    """

    node_clicked = Signal(int)
    background_clicked = Signal()
    node_hovered = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setMinimumSize(160, 120)
        self.setAccessibleName("Computational graph")
        self._card_timer = QTimer(self)
        self._card_timer.setSingleShot(True)
        self._card_timer.setInterval(_CARD_DELAY_MS)
        self._card_timer.timeout.connect(self._show_card)

    # ---- what is shown ----------------------------------------------------------------------------------------

    def show_track(self, track: Track, layout: Layout, was: Ints | None = None, scene: Scene | None = None) -> bool:
        """Show a track. Where it is the picture before, changed or folded in another way, it glides.

        Args:
            was: index in the picture before of each box, or less than 0; None where it is another picture.
            scene: of this track and layout, where it is made already.

        Returns:
            Whether all was fitted, since there was nothing to keep in place.
        """
        old, view = self._scene, self._view
        self._scene = scene or Scene(track, layout)
        self._end_motion()
        self._hovered, self._has_card = None, False
        if self._selected not in track.index_of:
            self._selected = None
        self._position, self._phase = min(self._position, track.length), 1.0
        self._dress()
        is_kept = old is not None and self._kept_in_place(old, was, view)
        if not is_kept:
            self.fit()
        self._describe()
        return not is_kept

    def clear(self) -> None:
        """Show nothing."""
        self._scene = None
        self._hovered = self._selected = self._group = None
        self._end_motion()
        self._position = 0
        self._redraw()
        self._describe()

    def show_position(self, position: int, phase: float = 1.0, *, follows: bool = False) -> None:
        """Show a position of the track.

        Args:
            position: steps done, 0..length of the track; clamped.
            phase: how far the animation on the way to it is; 1 is at rest.
            follows: whether its node is brought in sight.
        """
        if self._scene is None:
            return
        position = min(max(position, 0), self._scene.track.length)
        moved = position != self._position
        if not moved and phase == self._phase:
            return
        view, beside = self._view, [self.after(self._position, by) for by in (1, -1)]
        if moved:
            self._way, self._follows = (1 if position > self._position else -1), follows
            view = self._view_at(position, follows=follows)
        if phase < 1.0 or view != self._view or not self._take_step(position):
            self._position, self._phase = position, phase
            if moved:
                self._describe()
                self._set_view(view)
            self._show_moment()
        if moved and position in beside:
            self._ahead_timer.start(0)

    def select(self, node: int | None) -> None:
        """Ring a node of the track; None for no node."""
        if self._scene is None or node not in self._scene.track.index_of:
            node = None
        if node != self._selected:
            self._selected = node
            self._refresh()
            self._describe()

    def light(self, spotlight: Spotlight | None) -> None:
        """Light some nodes and leave the rest pale; None lights all."""
        if spotlight != self._lights.spotlight:
            self._lights.spotlight = spotlight
            self._take_lights()

    @property
    def lit_nodes(self) -> frozenset[int]:
        """Ids of the nodes that are lit while the rest is pale; none where all is lit."""
        return frozenset() if self._lights.spotlight is None else self._lights.spotlight.nodes

    def show_stops(self, on: frozenset[int], off: frozenset[int]) -> None:
        """Mark the nodes at which playing stops, and those whose breakpoint is off."""
        if (on, off) != self._lights.stops:
            self._lights.stops = (on, off)
            self._take_lights()

    def show_gauges(self, is_on: bool) -> None:
        """Say in each box how large its gradient is, or not."""
        self._lights.gauges = is_on
        self._dress()

    def _take_lights(self) -> None:
        self._lights.take(self._scene)
        self._frames.clear()
        self._refresh()

    def set_stale(self, is_stale: bool) -> None:
        """Grey the picture: it is of the last run that worked."""
        if is_stale != self._is_stale:
            self._is_stale = is_stale
            self._redraw()

    # ---- input --------------------------------------------------------------------------------------------------

    def clicked_at(self, point: Point) -> None:
        node, group = self.node_at(point), self.group_at(point)
        if group is not None:
            self._click_group(point, group)
        elif node is not None:
            self.node_clicked.emit(node)
        else:
            self.background_clicked.emit()

    def pressed_for_menu(self, point: Point) -> None:
        group = self.group_at(point)
        if group is None:
            self.clicked_at(point)
        else:
            self.group_clicked.emit(group)

    def pointed_at(self, point: Point | None) -> None:
        node = None if point is None or self.is_on_map(point) else self.box_at(point)
        if node == self._hovered:
            return
        self._hovered, self._has_card = node, False
        if node is None:
            self._card_timer.stop()
            self.unsetCursor()
        else:
            self._card_timer.start()
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._refresh()
        self.node_hovered.emit(node)

    def _show_card(self) -> None:
        self._has_card = self._hovered is not None
        self._refresh()
