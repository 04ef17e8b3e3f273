"""Where the graph is on the screen: which view fits it, and how far it moves to bring something in sight."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QWidget

from gradviz.recording import Framing
from gradviz.ui.canvas.ink.marks import qt_rect
from gradviz.ui.canvas.minimap import Minimap
from gradviz.ui.canvas.overlay import DOCK_HEIGHT, EDGE_GAP, LEGEND_HEIGHT, legend_width, tall_legend_size
from gradviz.ui.canvas.plane.geometry import touching
from gradviz.ui.canvas.plane.view import LARGEST, SMALLEST, Point, Rect, View, around, fitted, fitted_around
from gradviz.ui.canvas.scene.scene import Scene

_MARGIN, _SMALL_MARGIN = 32.0, 14.0
"""Around a graph that is seen as a whole, in screen pixels; the small one where it alone is shown, without a legend."""

_AROUND = 0.25
"""A node that was out of sight comes so far into it, as a share of the canvas: what is around it is seen as well."""

_LEGEND_SHARE = 0.4
"""Of the height of a canvas that a legend takes at most: in a lower one it would hide the graph."""

_LEAST_DOCKED = 300
"""Height of a canvas in pixels from which the legend has room below the graph."""

_MANY = 400
"""Boxes of a graph that is too large to leave a corner free."""

MIDDLE = 0.5
"""So far comes the node of a step, as lines do in an editor: then the graph stays for the more steps."""


class Camera:
    """A view on a scene, and the room it has.

    Attributes:
        scene: what is looked at, or None.
        view: where that is on the screen.
        is_fitted: whether all of it is shown, and is to be when the room changes.
        stays_readable: whether "all" of a very long graph is the part of it that can be read; False once somebody has
            asked for all of it.
        covered: how many screen pixels of the upper rim something else lies over.
        has_legend: whether the legend has a place on the canvas.

    Args:
        canvas: the widget on which the scene is shown.
    """

    def __init__(self, canvas: QWidget) -> None:
        self._canvas = canvas
        self.scene: Scene | None = None
        self.view = View()
        self.is_fitted = self.stays_readable = True
        self.covered = 0
        self.has_legend = True
        self._legend: tuple[tuple[int, int, int, int], bool] | None = None
        self._docked: tuple[tuple[int, View, tuple[int, int]], bool] | None = None

    @property
    def sight(self) -> Rect:
        """The part of the canvas on which the graph is drawn, in screen pixels: all of it but a docked legend."""
        left, top, right, bottom = self._whole
        return left, top, right, bottom - (DOCK_HEIGHT if self.has_docked_legend else 0.0)

    @property
    def _whole(self) -> Rect:
        return 0.0, 0.0, float(self._canvas.width()), float(self._canvas.height())

    @property
    def has_room_for_legend(self) -> bool:
        """Whether the canvas is to have a legend, and is not too low for one."""
        return self.has_legend and _LEGEND_SHARE * self._canvas.height() >= LEGEND_HEIGHT

    @property
    def has_docked_legend(self) -> bool:
        """Whether the legend stands below the graph: of one that is not wholly in sight it would lie over boxes."""
        scene, size = self.scene, (self._canvas.width(), self._canvas.height())
        if scene is None or not self.has_legend or size[1] < _LEAST_DOCKED:
            return False
        key = (id(scene), self.view, size)
        if self._docked is None or self._docked[0] != key:  # it is asked a dozen times for one image
            has_room = size[0] >= legend_width(groups=self.has_groups) + 2 * EDGE_GAP
            self._docked = (key, has_room and Minimap.is_needed(scene, self.view, self._whole))
        return self._docked[1]

    @property
    def free_space(self) -> Rect:
        """The part of the canvas that nothing lies over now."""
        left, top, right, bottom = self._fitting_space
        return left, top, right, min(bottom, max(self.sight[3] - 12.0, top + 9.0))

    @property
    def _fitting_space(self) -> Rect:
        """The part of the canvas that nothing lies over while all of the graph is seen."""
        return self._space(0.0 if not self.has_room_for_legend or self.has_tall_legend else LEGEND_HEIGHT)

    @property
    def _low_space(self) -> Rect:
        """The part of the canvas that nothing lies over while a part of the graph is seen."""
        return self._space(LEGEND_HEIGHT if self.has_room_for_legend else 0.0)

    def _space(self, legend: float) -> Rect:
        """The part of the canvas that fits a graph above a legend of a height."""
        bottom = self._canvas.height() - (EDGE_GAP + legend + 12.0 if self.has_legend else _SMALL_MARGIN)
        margin = _MARGIN if self.has_legend else _SMALL_MARGIN
        top = self.covered + margin - (8.0 if self.has_legend else 0.0)
        return margin, top, max(self._canvas.width() - margin, margin + 1.0), max(bottom, top + 9.0)

    @property
    def has_groups(self) -> bool:
        """Whether the legend has the sign of a folded group."""
        folded = None if self.scene is None else self.scene.folded
        return folded is not None and folded.has_folded

    @property
    def has_tall_legend(self) -> bool:
        """Whether the legend stands upright in its corner, since a narrow graph then has all of the height.

        That is so while all of the graph is seen.
        """
        scene = self.scene
        if scene is None or len(scene.boxes) > _MANY:
            return False
        key = (id(scene), self._canvas.width(), self._canvas.height(), self.covered)
        if self._legend is None or self._legend[0] != key:
            self._legend = (key, self._has_room_beside(scene))
        return self._legend[1]

    def _has_room_beside(self, scene: Scene) -> bool:
        """Whether the whole graph would be larger, and would not reach under an upright legend."""
        view, low = fitted(scene.around, self._space(0.0)), fitted(scene.around, self._space(LEGEND_HEIGHT))
        width, height = tall_legend_size(groups=self.has_groups)
        if height > _LEGEND_SHARE * self._canvas.height():
            return False
        bottom = self._canvas.height() - EDGE_GAP
        corner = view.rect_to_scene((0.0, bottom - height, EDGE_GAP + width + EDGE_GAP, bottom + EDGE_GAP))
        is_free = not len(touching(scene.boxes, corner)) and not len(touching(scene.coarse_boxes, corner))
        return is_free and view.scale > low.scale

    @property
    def hides_a_part(self) -> bool:
        """Whether a part of the graph is out of sight."""
        return self.scene is not None and Minimap.is_needed(self.scene, self.view, self.sight)

    @property
    def has_map(self) -> bool:
        """Whether the map in the corner is needed, and leaves most of the canvas free."""
        return self.hides_a_part and Minimap.has_room(self.sight)

    def whole(self, position: int) -> View:
        """The view that shows the whole graph, or what can be read of it around a position where it stays readable."""
        scene = self.scene
        if scene is None:
            return self.view
        if not self.stays_readable:
            return fitted(scene.around, self._fitting_space)
        return fitted_around(scene.around, scene.body, self._fitting_space, self._middle_of(position))

    def reading(self, position: int, scale: float) -> View:
        """The view that shows the current node of a position and what is around it at a scale."""
        scene = self.scene
        return self.view if scene is None else around(
            scene.around, self._low_space, self._middle_of(position), scale
        )  # fmt: skip

    def _middle_of(self, position: int) -> Point:
        """The middle of the current node of a position; of the first one where there is none."""
        scene = self.scene
        if scene is None or not scene.track.forward:
            return 0.0, 0.0
        node = scene.track.node_at(position)
        x, y = scene.layout.centres[0 if node is None else scene.track.index_of.get(node, 0)].tolist()
        return x, y

    def box_of(self, node: int | None) -> Rect | None:
        """The box that a node of the track is in; None for no node."""
        index = None if self.scene is None or node is None else self.scene.track.index_of.get(node)
        if index is None or self.scene is None:
            return None
        left, top, right, bottom = self.scene.boxes[index].tolist()
        return left, top, right, bottom

    def revealing(self, node: int, share: float = _AROUND, view: View | None = None) -> View:
        """A view (default: the present one), moved so that a node is in sight with what is around it."""
        view, box = view or self.view, self.box_of(node)
        if box is None or self.scene is None:
            return view
        space, bounds = self.free_space, self.scene.around
        found = view.revealing(box, space, share, bounds)
        if self._covers(found, box):  # the map; above it there is room
            found = view.revealing(box, (*space[:3], Minimap.place(self.sight).top() - EDGE_GAP), share)
        return found

    def following(self, position: int, *, follows: bool) -> View:
        """The view after a step to a position: a graph of which a part is in sight stays until its node is not.

        Args:
            follows: whether a graph that is not fitted moves too.
        """
        scene, is_strip = self.scene, self.is_fitted and self.hides_a_part
        if scene is None or not scene.track.forward or not (is_strip or follows):
            return self.view
        node = scene.track.node_at(position)
        node = scene.track.forward[0] if node is None else node
        view = self.revealing(node, MIDDLE)
        return self.revealing(node, MIDDLE, self.whole(position)) if is_strip and view != self.view else view

    def _covers(self, view: View, box: Rect) -> bool:
        """Whether the map would lie over a scene rectangle."""
        if self.scene is None or not Minimap.has_room(self.sight):
            return False
        is_shown = Minimap.is_needed(self.scene, view, self.sight)
        return is_shown and Minimap.place(self.sight).intersects(qt_rect(view.rect_to_screen(box)))

    @property
    def framing(self) -> Framing | None:
        """What is in the middle of the canvas, and how large; None where there is no graph."""
        scene = self.scene
        if scene is None or not len(scene.boxes):
            return None
        x, y = self.view.to_scene((self._canvas.width() / 2, self._canvas.height() / 2))
        away = scene.layout.centres - (x, y)
        box = int((away * away).sum(axis=1).argmin())
        node = scene.track.forward[box]
        if scene.folded is not None and scene.folded.group_of(node) is not None:
            node = scene.folded.base.forward[scene.folded.members[box][0]]
        return Framing(self.view.scale, node, float(-away[box, 0]), float(-away[box, 1]))

    def framed(self, framing: Framing) -> View | None:
        """The view of a framing; None where its node is not in the graph."""
        box = self.box_of(framing.node)
        if box is None or self.scene is None:
            return None
        scale = min(max(framing.scale, SMALLEST), LARGEST)
        left, top, right, bottom = self.scene.around
        x = min(max((box[0] + box[2]) / 2 + framing.x, left), right)
        y = min(max((box[1] + box[3]) / 2 + framing.y, top), bottom)
        return View(scale, self._canvas.width() / 2 - x * scale, self._canvas.height() / 2 - y * scale)

    def on(self, nodes: Iterable[int]) -> View | None:
        """The view that shows some nodes as large as they can be read well; None where none is in the graph."""
        boxes = [box for node in nodes if (box := self.box_of(node)) is not None]
        if not boxes:
            return None
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return fitted((min(lefts), min(tops), max(rights), max(bottoms)), self._low_space)
