"""Where the picture is on the widget: zoom, move, fit, reveal, and the map in the corner."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF, Signal
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.gestures import Gestures
from gradviz.ui.canvas.minimap import Minimap
from gradviz.ui.canvas.overlay import EDGE_GAP, LEGEND_HEIGHT
from gradviz.ui.canvas.plane.view import Point, Rect, View, around, fitted, fitted_around
from gradviz.ui.canvas.scene.scene import Scene

_MARGIN = 32.0

_AROUND = 0.25
"""A node that was out of sight comes so far into it, as a share of the picture: what is around it is seen as well."""

_MIDDLE = 0.5
"""So far comes the node of a step, as lines do in an editor: then the picture stays for the more steps."""


class Looking(Gestures):
    """A widget that looks at a scene. What it draws is written in the subclass.

    Signals:
        view_changed: the picture was moved or zoomed.
    """

    view_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._minimap: Minimap
        self._view = View()
        self._is_fitted = True
        self._covered = 0
        self._position = 0

    def _redraw(self) -> None:
        """Draw everything anew."""
        raise NotImplementedError

    @property
    def view(self) -> View:
        """Where the scene is on the screen."""
        return self._view

    def fit(self) -> None:
        """Show the whole graph; of a very long one as much around the current node as can be read."""
        self._is_fitted = True
        if self._scene is not None:
            self._set_view(self.whole_view())

    def whole_view(self, position: int | None = None) -> View:
        """The view that shows the whole graph, or what can be read of it around a position (default: this one)."""
        assert self._scene is not None
        here = self._place_of(self._position if position is None else position)
        return fitted_around(self._scene.around, self._scene.body, self._free_space(), here)

    def keep_clear(self, covered: int) -> None:
        """Show the graph below something that lies over the upper rim, so many screen pixels high."""
        if covered != self._covered:
            self._covered = covered
            if self._is_fitted:
                self.fit()

    def read(self, scale: float) -> None:
        """Show the current node and what is around it at a scale."""
        if self._scene is not None:
            self._look(around(self._scene.around, self._free_space(), self._place_of(self._position), scale))
            node = self._scene.track.node_at(self._position)
            if node is not None:
                self.reveal(node)

    def _place_of(self, position: int) -> Point:
        """The middle of the current node of a position; of the first one where there is none."""
        assert self._scene is not None
        track = self._scene.track
        if not len(track.forward):
            return 0.0, 0.0
        node = track.node_at(position)
        x, y = self._scene.layout.centres[0 if node is None else track.index_of.get(node, 0)].tolist()
        return x, y

    def zoom_by(self, factor: float, about: Point | None = None) -> None:
        """Zoom; the scene point under the screen point `about` (default: the middle) stays there."""
        self._is_fitted = False
        self._set_view(self._view.zoomed(factor, about or (self.width() / 2, self.height() / 2)))

    def move_by(self, dx: float, dy: float) -> None:
        """Move the picture by screen pixels."""
        self._is_fitted = False
        self._set_view(self._view.moved(dx, dy))

    def reveal(self, node: int) -> None:
        """Move the picture so that a node is in sight with what is around it; one that is in sight moves nothing."""
        if self._scene is None or node not in self._scene.track.index_of:
            return
        self._look(self._revealing(node, self._view))

    def _revealing(self, node: int, old: View, around: float = _AROUND) -> View:
        """A view, moved so that a node of the track is in sight with what is around it."""
        assert self._scene is not None
        left, top, right, bottom = self._scene.boxes[self._scene.track.index_of[node]].tolist()
        box, space = (left, top, right, bottom), self._free_space()
        view = old.revealing(box, space, around, self._scene.around)
        if self._covers(view, box):  # the map; above it there is room
            view = old.revealing(box, (*space[:3], Minimap.place(self._sight()).top() - EDGE_GAP), around)
        return view

    def _view_at(self, position: int, *, follows: bool) -> View:
        """The view after a step to a position: a picture of which a part is in sight stays until its node is not.

        Args:
            follows: whether a picture that is not fitted moves too.
        """
        assert self._scene is not None
        track, is_strip = self._scene.track, self._is_fitted and self._hides_a_part()
        node = track.node_at(position)
        if node is None and len(track.forward):
            node = track.forward[0]
        if node is None or node not in track.index_of or not (is_strip or follows):
            return self._view
        view = self._revealing(node, self._view, _MIDDLE)
        if is_strip and view != self._view:
            view = self._revealing(node, self.whole_view(position), _MIDDLE)
        return view.snapped(self.devicePixelRatioF())

    def _covers(self, view: View, box: Rect) -> bool:
        """Whether the map would lie over a scene rectangle."""
        if self._scene is None or not Minimap.has_room(self._sight()):
            return False
        left, top, right, bottom = view.rect_to_screen(box)
        seen = QRectF(left, top, right - left, bottom - top)
        is_shown = Minimap.is_needed(self._scene, view, self._sight())
        return is_shown and Minimap.place(self._sight()).intersects(seen)

    def zoom_to(self, nodes: Iterable[int]) -> None:
        """Show some nodes as large as they can be read well."""
        index_of = {} if self._scene is None else self._scene.track.index_of
        rows = [index_of[node] for node in nodes if node in index_of]
        if self._scene is not None and rows:
            boxes = self._scene.boxes[rows]
            left, top = boxes[:, :2].min(axis=0).tolist()
            right, bottom = boxes[:, 2:].max(axis=0).tolist()
            self._is_fitted = False
            self._set_view(fitted((left, top, right, bottom), self._free_space()))

    def _look(self, view: View) -> None:
        """Take a view that is not that of the whole."""
        if view != self._view:
            self._is_fitted = False
            self._set_view(view)

    def _set_view(self, view: View) -> None:
        view = view.snapped(self.devicePixelRatioF())
        if view != self._view:
            self._view = view
            self._redraw()
            self.view_changed.emit()

    def _hides_a_part(self) -> bool:
        assert self._scene is not None
        return Minimap.is_needed(self._scene, self._view, self._sight())

    def _has_map(self) -> bool:
        return self._hides_a_part() and Minimap.has_room(self._sight())

    def _sight(self) -> Rect:
        return (0.0, 0.0, float(self.width()), float(self.height()))

    def _free_space(self) -> Rect:
        """The part of the widget that nothing lies over."""
        bottom = self.height() - EDGE_GAP - LEGEND_HEIGHT - 12.0
        top = self._covered + _MARGIN - 8.0
        return (_MARGIN, top, max(self.width() - _MARGIN, _MARGIN + 1.0), max(bottom, top + 9.0))

    def is_on_map(self, point: Point) -> bool:
        if self._scene is None or not self._has_map():
            return False
        return Minimap.place(self._sight()).contains(*point)

    def go_on_map(self, point: Point) -> None:
        x, y = self._minimap.scene_point(self._sight(), point)
        here = self._view.to_screen((x, y))
        self.move_by(self.width() / 2 - here[0], self.height() / 2 - here[1])
