"""The canvas: shows a track at a position, and tells what was clicked or pointed at.

What is drawn is a function of (track, layout, position, phase, selection, theme) and of the view alone. What is in
sight is drawn into one image, which is kept until the view or the position changes; labels, tokens, rings and the
card lie over it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QElapsedTimer, QPoint, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from gradviz.layout.plan import Ints, Layout
from gradviz.playback.difference import Difference
from gradviz.playback.flow import Way
from gradviz.playback.health.births import Birth
from gradviz.playback.track import Track
from gradviz.recording import Framing
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.described import described
from gradviz.ui.canvas.gestures import Gestures
from gradviz.ui.canvas.glide import Glide, can_glide, is_refolded, is_turned, same_boxes, settled
from gradviz.ui.canvas.ink.marks import PILL, Mark, qt_rect, sides_of
from gradviz.ui.canvas.ink.painter import Sprite, align, painter_on
from gradviz.ui.canvas.minimap import Minimap
from gradviz.ui.canvas.overlay import (
    EDGE_GAP,
    docked_legend_mark,
    hover_mark,
    legend_mark,
    stale_marks,
    tall_legend_mark,
)
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.view import LEGIBLE, Point, Rect, View, fitted, holds
from gradviz.ui.canvas.scene.measure import FOLD_MARK, GROUP_PAD
from gradviz.ui.canvas.scene.moment import Frame, Moment, Stage, frame_of, moment_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.checks import Verdict
from gradviz.ui.canvas.step.pointed import asked_marks, pointed_marks
from gradviz.ui.canvas.step.rings import RING, paint_ring, ring_mark
from gradviz.ui.canvas.step.spotlight import Lights, Spotlight, is_of
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import Theme, load_fonts

_CARD_DELAY_MS = 220
_GLIDE_MS = 16
_MUCH_LARGER = 1.1
"""How much larger a graph could be shown before one that was fitted is fitted again."""
_FULL_NUMBERS = 0.5
"""Screen pixels per scene unit down to which a graph that was fitted is fitted again when a group opens in it.

Where it would become smaller than that, and than it was, the camera stays with the group.
"""


class Sight(NamedTuple):
    """Where the graph was in a canvas of some size.

    Attributes:
        is_fitted: whether all of it was shown, and is to be in any size.
        stays_readable: as in `Camera`.
    """

    view: View
    is_fitted: bool
    stays_readable: bool
    size: QSize


class Canvas(QWidget):
    """Draws the graph.

    Attributes:
        reduced_motion: whether another folding is shown at once.
        card_size: how large the card under the pointer is; 1 as usual.

    Signals:
        node_clicked: a node was clicked. Payload: its id.
        background_clicked: a click that hit no node.
        node_hovered: the pointer is over another box. Payload: the id of its node or folded group, or None.
        group_clicked: payload: the number of the group.
        fold_requested: its mark was clicked, or it was clicked twice. Payload: the number of the group.
        entered: the key Enter was pressed.
        view_changed: the graph was moved or zoomed.
        room_changed: payload: width and height in pixels.
        turned_back, turned_forward: the mouse's buttons for going back and forward.
        menu_requested: by the right button, or a key. Payload: the place on the screen, and whether it was a key.
    """

    node_clicked = Signal(int)
    background_clicked = Signal()
    node_hovered = Signal(object)
    group_clicked = Signal(int)
    fold_requested = Signal(int)
    entered = Signal()
    view_changed = Signal()
    room_changed = Signal(float, float)
    turned_back = Signal()
    turned_forward = Signal()
    menu_requested = Signal(QPoint, bool)

    def __init__(self, theme: Theme, *, legend: bool = True) -> None:
        super().__init__()
        load_fonts()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(160, 120)
        self.setAccessibleName("Computational graph")
        self.reduced_motion = False
        self.card_size = 1.0
        self._theme = theme
        self._camera = Camera(self)
        self._camera.has_legend = legend
        self._lights = Lights()
        self._has_gauges = True
        self._position, self._phase = 0, 1.0
        self._selected: int | None = None
        self._group: int | None = None
        self._hovered: int | None = None
        self._has_card = False
        self._is_stale = False
        self._way: Way | None = None
        self._asked: Way | None = None
        self._painting: Painting
        self._minimap: Minimap
        self._image = QImage()
        self._drawn: tuple[View, int, int, float] | None = None
        self._drawn_frame: Frame | None = None
        self._known_frame: tuple[tuple[int, Stage], Frame] | None = None
        self._legend: tuple[tuple[Palette, bool, float, str, int, int], Mark] | None = None
        self._glide: Glide | None = None
        self._anchor: int | None = None
        self._wants_whole = False
        self._has_just_folded = False
        self._elapsed = QElapsedTimer()
        self._glide_timer = QTimer(self)
        self._glide_timer.setInterval(_GLIDE_MS)
        self._glide_timer.timeout.connect(lambda: self.advance_glide(float(self._elapsed.restart())))
        self._card_timer = QTimer(self)
        self._card_timer.setSingleShot(True)
        self._card_timer.setInterval(_CARD_DELAY_MS)
        self._card_timer.timeout.connect(self._show_card)
        theme.changed.connect(self._dress)
        self._wire_gestures()

    def _wire_gestures(self) -> None:
        gestures = Gestures(self, self.is_on_map)
        gestures.zoomed.connect(self.zoom_by)
        gestures.moved.connect(self.move_by)
        gestures.clicked.connect(self._click)
        gestures.double_clicked.connect(self._click_twice)
        gestures.pointed.connect(self.pointed_at)
        gestures.went_on_map.connect(self._go_on_map)
        gestures.fit_asked.connect(self.fit)
        gestures.entered.connect(self.entered)
        gestures.turned_back.connect(self.turned_back)
        gestures.turned_forward.connect(self.turned_forward)

    # ---- what is shown ----------------------------------------------------------------------------------------

    @property
    def _scene(self) -> Scene | None:
        return self._camera.scene

    def show_track(self, track: Track, layout: Layout, was: Ints | None = None, scene: Scene | None = None) -> bool:
        """Show a track. Where it is the graph before, changed or folded in another way, it glides.

        Args:
            was: index in the graph before of each box, or less than 0; None where it is another graph.
            scene: of this track and layout, where it is made already.

        Returns:
            Whether all was fitted, since there was nothing to keep in place.
        """
        old, view = self._scene, self._camera.view
        self._way = None
        self._camera.scene = scene or Scene(track, layout)
        self._end_glide()
        self._hovered, self._has_card = None, False
        if self._selected not in track.index_of:
            self._selected = None
        self._position, self._phase = min(self._position, track.length), 1.0
        self._dress()
        is_kept = old is not None and self._keep_in_place(old, self._camera.scene, was, view)
        if not is_kept:
            self.show_anew()
        self._describe()
        return not is_kept

    def clear(self) -> None:
        """Show nothing."""
        self._camera.scene = None
        self._hovered = self._selected = self._group = None
        self._end_glide()
        self._position = 0
        self.update()
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
        if position != self._position:
            view = self._camera.following(position, follows=follows)
            self._position = position
            self._describe()
            self._set_view(view)
        elif phase == self._phase:
            return
        self._phase = phase
        self.update()

    def select(self, node: int | None) -> None:
        """Ring a node of the track; None for no node."""
        if self._scene is None or node not in self._scene.track.index_of:
            node = None
        if node != self._selected:
            self._selected = node
            self.update()
            self._describe()

    def select_group(self, number: int | None) -> None:
        """Ring a group, folded or open; None for none."""
        if number != self._group:
            self._group = number
            self.update()
            self._describe()

    def expect(self, number: int | None, *, whole: bool = False) -> None:
        """What the next graph is about.

        Args:
            number: the group that it folds or opens, which stays where it is.
            whole: show all of it, where it can be read then.
        """
        self._anchor, self._wants_whole = number, whole

    def light(self, spotlight: Spotlight | None) -> None:
        """Light some nodes and leave the rest pale; None lights all."""
        if spotlight != self._lights.spotlight:
            self._lights.spotlight = spotlight
            self._take_lights()

    def point(self, way: Way | None) -> None:
        """Make edges and boxes stand out for as long as a number that went along them is pointed at; None ends that."""
        if way != self._way:
            self._way = way
            self.update()

    def ask(self, way: Way | None) -> None:
        """Show along what a gradient goes that is asked for; None where none is."""
        if way != self._asked:
            self._asked = way
            self.update()

    @property
    def lit_nodes(self) -> frozenset[int]:
        """Ids of the nodes that are lit while the rest is pale; none where all is lit."""
        return frozenset() if self._lights.spotlight is None else self._lights.spotlight.nodes

    @property
    def births(self) -> tuple[Birth, ...]:
        """Where a NaN or an infinity is born in what is shown."""
        return () if self._scene is None else self._scene.births

    def show_stops(self, on: frozenset[int], off: frozenset[int]) -> None:
        """Mark the nodes at which playing stops, and those whose breakpoint is off."""
        if (on, off) != self._lights.stops:
            self._lights.stops = (on, off)
            self._take_lights()

    def show_difference(self, difference: Difference | None) -> None:
        """Mark what differs from another track; None marks nothing."""
        if difference is not self._lights.difference:
            self._lights.difference = difference
            self._take_lights()
            self._describe()

    def show_checks(self, verdicts: Mapping[int, Verdict]) -> None:
        """Mark what a gradient check has found at some nodes; none takes the marks away."""
        if verdicts != self._lights.verdicts:
            self._lights.verdicts = verdicts
            self._take_lights()

    def show_gauges(self, is_on: bool) -> None:
        """Say in each box how large its gradient is, or not."""
        self._has_gauges = is_on
        self._dress()

    def set_stale(self, is_stale: bool) -> None:
        """Grey the graph: it is of the last run that worked."""
        if is_stale != self._is_stale:
            self._is_stale = is_stale
            self.update()

    # ---- where it is ------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """Where the scene is on the screen."""
        return self._camera.view

    def sight(self) -> Sight:
        """Where the graph is now."""
        return Sight(self.view, self._camera.is_fitted, self._camera.stays_readable, self.size())

    def take_sight(self, sight: Sight) -> None:
        """Show the graph where it was; in another size now, it will be there when that size comes again."""
        self._camera.stays_readable = sight.stays_readable
        if sight.is_fitted:
            self._fit()
            return
        self._camera.is_fitted = False
        wider, higher = self.width() - sight.size.width(), self.height() - sight.size.height()
        self._set_view(sight.view.moved(wider / 2, higher / 2))

    def fit(self) -> None:
        """Show the whole graph, however small it becomes."""
        self._camera.stays_readable = False
        self._fit()

    def show_anew(self) -> None:
        """Show the whole graph; of a very long one as much around the current node as can be read."""
        self._camera.stays_readable = True
        self._fit()

    def _fit(self) -> None:
        self._camera.is_fitted = True
        if self._scene is not None:
            self._set_view(self._camera.whole(self._position))

    @property
    def framing(self) -> Framing | None:
        """Where the graph is on the screen, to be found again; None where all of it is shown."""
        return None if self._camera.is_fitted else self._camera.framing

    def frame(self, framing: Framing) -> None:
        """Show the graph as it was framed; nothing happens where its node is not in the graph."""
        view = self._camera.framed(framing)
        if view is not None:
            self._camera.is_fitted = False
            self._set_view(view)

    def keep_clear(self, covered: int) -> None:
        """Show the graph below something that lies over the upper rim, so many screen pixels high."""
        if covered != self._camera.covered:
            self._camera.covered = covered
            if self._camera.is_fitted:
                self._fit()

    def read(self, scale: float) -> None:
        """Show the current node and what is around it at a scale."""
        self._look(self._camera.reading(self._position, scale))
        node = None if self._scene is None else self._scene.track.node_at(self._position)
        if node is not None:
            self.reveal(node)

    def zoom_by(self, factor: float, about: Point | None = None) -> None:
        """Zoom; the scene point under the screen point `about` (default: the middle) stays there."""
        self._camera.is_fitted = False
        self._set_view(self.view.zoomed(factor, about or (self.width() / 2, self.height() / 2)))

    def move_by(self, dx: float, dy: float) -> None:
        """Move the graph by screen pixels."""
        self._camera.is_fitted = False
        self._set_view(self.view.moved(dx, dy))

    def reveal(self, node: int) -> None:
        """Move the graph so that a node is in sight with what is around it; one that is in sight moves nothing."""
        self._look(self._camera.revealing(node))

    def reveal_group(self, number: int) -> None:
        """Move the graph just so far that a group, folded or open, is in sight: of one too large its head."""
        scene = self._scene
        if scene is None or scene.folded is None:
            return
        sides = self._camera.box_of(scene.folded.box_of_group(number)) or self._painting.frames.sides_of(number)
        if sides is None:
            return
        space, (left, top, right, bottom) = self._camera.free_space, sides
        half, high = (space[2] - space[0]) / 2 / self.view.scale, (space[3] - space[1]) / self.view.scale
        middle = (left + right) / 2
        head = max(left, middle - half), top, min(right, middle + half), min(bottom, top + high)
        self._look(self.view.revealing(head, space))

    def zoom_to(self, nodes: Iterable[int]) -> None:
        """Show some nodes as large as they can be read well."""
        view = self._camera.on(nodes)
        if view is not None:
            self._camera.is_fitted = False
            self._set_view(view)

    def _look(self, view: View) -> None:
        """Take a view that is not that of the whole."""
        if view.snapped(self.devicePixelRatioF()) != self.view:
            self._camera.is_fitted = False
            self._set_view(view)

    def _set_view(self, view: View) -> None:
        view = view.snapped(self.devicePixelRatioF())
        if view != self.view:
            self._camera.view = view
            self.update()
            self.view_changed.emit()

    def is_on_map(self, point: Point) -> bool:
        """Whether a screen point is on the map in the corner."""
        return self._camera.has_map and Minimap.place(self._camera.sight).contains(*point)

    def _go_on_map(self, point: Point) -> None:
        here = self.view.to_screen(self._minimap.scene_point(self._camera.sight, point))
        self.move_by(self.width() / 2 - here[0], self.height() / 2 - here[1])

    # ---- what was hit -----------------------------------------------------------------------------------------

    def box_at(self, point: Point) -> int | None:
        """Id of the node or folded group under a screen point, or None."""
        if self._scene is None:
            return None
        slack = max(0.0, 4.0 / self.view.scale - 20.0)  # a box of a few pixels can be hit too
        index = self._scene.node_at_point(self.view.to_scene(point), slack)
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
        return None if self._scene is None else self._painting.frames.title_at(
            self.view.to_scene(point), self.view.scale
        )  # fmt: skip

    def _group_of(self, box: int) -> int | None:
        folded = None if self._scene is None else self._scene.folded
        return None if folded is None else folded.group_of(box)

    def _is_on_mark(self, point: Point, number: int) -> bool:
        """Whether a screen point is on the + or − of a group."""
        scene = self._scene
        if scene is None or scene.folded is None:
            return False
        x, y = self.view.to_scene(point)
        box = self._camera.box_of(scene.folded.box_of_group(number))
        if box is None:
            return self._painting.frames.is_on_mark((x, y), number, self.view.scale)
        side = FOLD_MARK + 2 * GROUP_PAD
        return x >= box[2] - side and y <= box[1] + side

    def _click(self, point: Point) -> None:
        node, group = self.node_at(point), self.group_at(point)
        if group is not None:
            self._has_just_folded = self._is_on_mark(point, group)
            (self.fold_requested if self._has_just_folded else self.group_clicked).emit(group)
        elif node is not None:
            self.node_clicked.emit(node)
        else:
            self.background_clicked.emit()

    def _click_twice(self, point: Point) -> None:
        number = self.group_at(point)
        if self._has_just_folded:
            self._has_just_folded = False  # the first click of the two has folded it
        elif number is not None:
            self.fold_requested.emit(number)
        elif self.box_at(point) is None:
            self.fit()

    def pointed_at(self, point: Point | None) -> None:
        """The pointer moved there, or left."""
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
        self.update()
        self.node_hovered.emit(node)

    def _show_card(self) -> None:
        self._has_card = self._hovered is not None
        self.update()

    # ---- from one layout to another -----------------------------------------------------------------------------

    def _keep_in_place(self, old: Scene, scene: Scene, was: Ints | None, view: View) -> bool:
        """Whether a graph goes on from the one before; then it glides."""
        if is_refolded(old, scene):
            was = same_boxes(old, scene)
            self._settle_refolded(old, scene, was, view)
        elif was is not None or is_turned(old, scene):
            was = same_boxes(old, scene) if was is None else was
            self._settle_changed(old, scene, was, view)
        else:
            return bool(np.array_equal(old.layout.nodes, scene.layout.nodes))
        if scene.layout is not old.layout and not self.reduced_motion and self.isVisible() and can_glide(old, scene):
            self._glide = Glide(old, scene, was, view)
            self._elapsed.start()
            self._glide_timer.start()
        return True

    def _settle_refolded(self, old: Scene, scene: Scene, was: Ints, view: View) -> None:
        """Find the view on the same track, folded in another way."""
        camera = self._camera
        least = LEGIBLE if self._anchor is None else min(_FULL_NUMBERS, view.scale)
        if (camera.is_fitted or self._wants_whole) and camera.whole(self._position).scale >= least:
            self._fit()
        else:
            camera.is_fitted = False
            key = None if self._anchor is None or old.folded is None else old.folded.groups.groups[self._anchor].key
            self._set_view(settled(old, scene, was, view, key))
            if self._anchor is not None:
                self.reveal_group(self._anchor)
        self._anchor, self._wants_whole = None, False

    def _settle_changed(self, old: Scene, scene: Scene, was: Ints, view: View) -> None:
        """Find the view on the graph of a changed script: what did not change stays where it is on the screen."""
        still, space = settled(old, scene, was, view), self._camera.free_space
        is_small = fitted(scene.around, space).scale > _MUCH_LARGER * still.scale
        if self._camera.is_fitted and (is_small or not holds(space, still.rect_to_screen(scene.around))):
            self._fit()
        else:
            self._set_view(still)

    def advance_glide(self, elapsed_ms: float) -> None:
        """Let so much time pass for the glide."""
        if self._glide is not None and not self._glide.advance(elapsed_ms):
            self._end_glide()
        self.update()

    def _end_glide(self) -> None:
        self._glide = None
        self._glide_timer.stop()

    # ---- drawing ------------------------------------------------------------------------------------------------

    def _dress(self) -> None:
        """Take the scene and the palette anew."""
        if self._scene is not None:
            self._painting = Painting(self._scene, self._theme.palette, gauges=self._has_gauges)
            self._drawn = None
            self._minimap = Minimap(self._scene, self._theme.palette)
        self._take_lights()

    def _take_lights(self) -> None:
        self._lights.take(self._scene)
        self._known_frame = None
        self.update()

    def _frame(self, moment: Moment) -> Frame:
        """The frame of a moment with what is not lit pale; the same one through a whole stage of the animation."""
        assert self._scene is not None
        key = (moment.position, moment.stage)
        if self._known_frame is None or self._known_frame[0] != key:
            self._known_frame = (key, self._lights.frame(frame_of(self._scene, *key)))
        return self._known_frame[1]

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self) as painter:
            align(painter)
            if self._scene is None:
                painter.fillRect(self.rect(), QColor(self._theme.palette.canvas))
            elif self._glide is not None:
                self._paint_glide(painter, self._glide)
            else:
                self._paint(painter, self._scene)

    def _paint(self, painter: QPainter, scene: Scene) -> None:
        moment = moment_of(scene, self._position, self._phase)
        frame = self._frame(moment)
        self._bring_up_to_date(frame)
        painter.drawImage(QPointF(0.0, 0.0), self._image)
        for mark in self._marks(scene, moment, frame):
            mark.paint(painter)

    def _bring_up_to_date(self, frame: Frame) -> None:
        """Draw what is in sight into the kept image, where that shows something else."""
        ratio, before = self.devicePixelRatioF(), self._drawn_frame
        wanted = (self.view, self.width(), self.height(), ratio)
        changed: Rect | None = (0.0, 0.0, float(self.width()), float(self.height()))
        if self._drawn == wanted and before is not None:
            changed = None if before is frame else self._painting.changed(self.view, before, frame)
        if changed is None:
            return
        size = QSize(math.ceil(self.width() * ratio), math.ceil(self.height() * ratio))
        if self._image.size() != size:
            self._image = QImage(size, QImage.Format.Format_RGB32)
        self._image.setDevicePixelRatio(ratio)
        with painter_on(self._image) as painter:
            self._painting.paint(painter, self.view, frame, self._camera.sight, ratio, part=_on_pixels(changed, ratio))
        self._drawn, self._drawn_frame = wanted, frame

    def _paint_glide(self, painter: QPainter, glide: Glide) -> None:
        """A moment of the glide to another layout: all of it is drawn, without the marks of the step."""
        assert self._scene is not None
        scene, view = glide.now(self.view)
        painting = Painting(scene, self._theme.palette, gauges=self._has_gauges)
        painting.take_sprites(self._painting)
        frame = self._frame(moment_of(self._scene, self._position, self._phase))
        painting.paint(painter, view, frame, self._camera.sight, self.devicePixelRatioF(), glide.coming())
        self._painting.take_sprites(painting)
        for mark in (*self._map_marks(frame), *self._legend_marks()):
            mark.paint(painter)

    # ---- what lies over it ----

    def _marks(self, scene: Scene, moment: Moment, frame: Frame) -> list[Mark]:
        view, sight, palette = self.view, self._camera.sight, self._theme.palette
        legend, minimap = self._legend_marks(), self._map_marks(frame)
        taken = [sides_of(mark.rect) for mark in (*legend, *minimap[:1])]
        marks = self._lights.rings(view, sight, palette, self._painting.edges) + self._rings(scene, frame)
        if self._way is not None:
            marks += pointed_marks(scene, self._way, view, sight, palette)
        asked = [] if self._asked is None else asked_marks(scene, self._asked, view, sight, palette)
        taken += [sides_of(mark.rect) for mark in asked if mark.kind == PILL]
        marks += asked
        marks += self._lights.factors(frame, view, sight, palette)
        marks += self._lights.dots(view, sight, palette)
        marks += self._lights.checks(view, sight, palette)
        changes = self._lights.changes(frame, view, sight, palette, self._painting.edges)
        taken += [sides_of(mark.rect) for mark in changes[1:]]
        marks += changes[:1] + self._painting.marks(view, moment, frame, sight, taken) + changes[1:]
        marks += legend + minimap
        if self._has_card and self._hovered is not None:
            index = scene.track.index_of[self._hovered]
            marks.append(hover_mark(scene, index, int(frame.faces[index]), view, sight, palette, self.card_size))
        return marks + (stale_marks(sight, palette) if self._is_stale else [])

    def _map_marks(self, frame: Frame) -> list[Mark]:
        """The map in the corner, where a part of the graph is out of sight."""
        if self._scene is None or not self._camera.has_map:
            return []
        palette = self._theme.palette
        accent = palette.forward if self._position <= self._scene.track.turn else palette.backward
        return self._minimap.marks(self.view, self._camera.sight, frame.current, accent)

    def _legend_marks(self) -> list[Mark]:
        """The legend, over all that moves with the graph; none in a small window, where graph and map need the room."""
        if not self._camera.has_room_for_legend:
            return []
        camera, ratio = self._camera, self.devicePixelRatioF()
        form = "docked" if camera.has_docked_legend else "tall" if camera.has_tall_legend else "flat"
        key = (self._theme.palette, camera.has_groups, ratio, form, self.width(), self.height())
        if self._legend is None or self._legend[0] != key:
            self._legend = (key, _copied(self._drawn_legend(form), ratio))
        mark = self._legend[1]
        taken = Minimap.WIDTH + EDGE_GAP if form != "docked" and camera.has_map else 0.0
        return [mark] if form == "docked" or mark.rect.right() + taken + EDGE_GAP <= self.width() else []

    def _drawn_legend(self, form: str) -> Mark:
        groups, palette = self._camera.has_groups, self._theme.palette
        if form == "docked":
            return docked_legend_mark(float(self.width()), float(self.height()), palette, groups=groups)
        draw = tall_legend_mark if form == "tall" else legend_mark
        return draw(EDGE_GAP, self.height() - EDGE_GAP, palette, groups=groups)

    def _rings(self, scene: Scene, frame: Frame) -> list[Mark]:
        palette, framed = self._theme.palette, list[Mark]()
        inks: list[tuple[int | None, str]] = [(self._hovered, palette.dim), (self._selected, palette.forward)]
        if self._group is not None and scene.folded is not None:
            sides = self._painting.frames.sides_of(self._group)
            if sides is not None:
                framed.append(_frame_ring(sides, self.view, palette.forward))
            inks.append((scene.folded.box_of_group(self._group), palette.forward))
        index_of, strands = scene.track.index_of, frame.strands
        known = [(index_of[node], ink) for node, ink in inks if node in index_of]
        return [ring_mark(self._painting, index, self.view, ink, strands) for index, ink in known] + framed

    def _describe(self) -> None:
        """Say what is shown in words, for those who do not see it."""
        scene = self._scene
        words = "No graph." if scene is None else described(scene, self._position, self._selected, self._group)
        difference = self._lights.difference
        if scene is not None and difference is not None and is_of(difference, scene) and difference.nodes:
            count = len(difference.nodes)
            words = f"{words} {count:,} node{' differs' if count == 1 else 's differ'}."
        self.setAccessibleDescription(words)

    # ---- Qt ---------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._camera.is_fitted:
            self._fit()
        else:  # the middle stays where it is
            old = event.oldSize()
            moved = self.view.moved((self.width() - old.width()) / 2, (self.height() - old.height()) / 2)
            self._camera.view = moved.snapped(self.devicePixelRatioF())
        self.room_changed.emit(float(self.width()), float(self.height()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        if not by_key:
            point = QPointF(event.pos()).toTuple()
            group = self.group_at(point)
            if group is None:
                self._click(point)
            else:
                self.group_clicked.emit(group)
        self.menu_requested.emit(event.globalPos(), by_key)


def _frame_ring(frame: Rect, view: View, ink: str) -> Mark:
    def paint(painter: QPainter) -> None:
        paint_ring(painter, np.array(frame), view, ink, gap=1.0)

    return Mark(qt_rect(view.rect_to_screen(frame)).adjusted(-4, -4, 4, 4), paint, RING)


def _copied(mark: Mark, ratio: float) -> Mark:
    """A mark that is drawn once and then copied."""

    def paint(painter: QPainter) -> None:
        painter.translate(-mark.rect.topLeft())
        mark.paint(painter)

    sprite = Sprite(mark.rect.width(), mark.rect.height(), paint, ratio=ratio)
    return Mark(mark.rect, lambda painter: sprite.draw(painter, mark.rect.left(), mark.rect.top()), mark.kind)


def _on_pixels(sides: Rect, ratio: float) -> Rect:
    """The rectangle around one that begins and ends on whole device pixels."""
    left, top = (math.floor(side * ratio) / ratio for side in sides[:2])
    right, bottom = (math.ceil(side * ratio) / ratio for side in sides[2:])
    return left, top, right, bottom
