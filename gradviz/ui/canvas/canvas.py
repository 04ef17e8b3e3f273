"""The canvas: shows a track at a position, and tells what was clicked or pointed at.

The picture is a function of (track, layout, position, phase, selection, theme) and of the view alone. A step
draws again only what it changes; labels, tokens and the card lie over the kept picture.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QRegion, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from gradviz.layout.plan import Ints, Layout
from gradviz.playback.track import Track
from gradviz.ui.canvas.bulk import painter_on
from gradviz.ui.canvas.described import described
from gradviz.ui.canvas.grouping import Grouping
from gradviz.ui.canvas.kept import KeptPicture
from gradviz.ui.canvas.lights import Lights
from gradviz.ui.canvas.marks import Mark
from gradviz.ui.canvas.minimap import Minimap
from gradviz.ui.canvas.moment import Film, Frame, Moment, moment_of
from gradviz.ui.canvas.motion import Motion
from gradviz.ui.canvas.overlay import EDGE_GAP, hover_mark, legend_mark, stale_marks
from gradviz.ui.canvas.painting import Moving, Painting
from gradviz.ui.canvas.regions import changed, pieces, sides
from gradviz.ui.canvas.rings import ring_mark
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.canvas.spotlight import Spotlight
from gradviz.ui.canvas.view import Point, Rect
from gradviz.ui.palette import Palette
from gradviz.ui.theme import Theme, load_fonts

_CARD_DELAY_MS = 220
_REST_MS = 150
"""So long after the last move the picture is drawn exactly."""


class Canvas(Grouping):
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
        super().__init__(parent)
        load_fonts()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(160, 120)
        self.setAccessibleName("Computational graph")
        self._theme = theme
        self._phase = 1.0
        self._selected: int | None = None
        self._hovered: int | None = None
        self._has_card = False
        self._is_stale = False
        self._lights = Lights()
        self._marks: list[Mark] = []
        self._film: Film
        self._lit: tuple[Frame, Frame] | None = None
        self._legend: tuple[tuple[int, Palette, bool], Mark] | None = None
        self._needs_all = True
        self._card_timer = QTimer(self)
        self._card_timer.setSingleShot(True)
        self._card_timer.setInterval(_CARD_DELAY_MS)
        self._card_timer.timeout.connect(self._show_card)
        self._rest_timer = QTimer(self)
        self._rest_timer.setSingleShot(True)
        self._rest_timer.setInterval(_REST_MS)
        self._rest_timer.timeout.connect(self._come_to_rest)
        theme.changed.connect(self._dress)

    # ---- what is shown ----------------------------------------------------------------------------------------

    def show_track(self, track: Track, layout: Layout, was: Ints | None = None) -> bool:
        """Show a track. Where it is the picture before, changed or folded in another way, it glides.

        Args:
            was: index in the picture before of each box, or less than 0; None where it is another picture.

        Returns:
            Whether all was fitted, since there was nothing to keep in place.
        """
        old, view = self._scene, self._view
        self._scene = Scene(track, layout)
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
        self._position, self._phase = position, phase
        if moved:
            self._describe()
            if self._is_fitted and self._hides_a_part():
                self.fit()
            node = self._scene.track.node_at(position) if follows else None
            if node is not None:
                self.reveal(node)
        self._refresh()

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
        self._lit = None
        self._refresh()

    def set_stale(self, is_stale: bool) -> None:
        """Grey the picture: it is of the last run that worked."""
        if is_stale != self._is_stale:
            self._is_stale = is_stale
            self.update()

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

    # ---- drawing ------------------------------------------------------------------------------------------------

    def _dress(self) -> None:
        """Take the scene and the palette anew."""
        if self._scene is not None:
            self._painting = Painting(self._scene, self._theme.palette, gauges=self._lights.gauges)
            self._kept = KeptPicture(self._painting)
            self._minimap = Minimap(self._scene, self._theme.palette)
            self._lights.take(self._scene)
            self._film, self._lit = Film(self._scene), None
        self._redraw()

    def _redraw(self) -> None:
        self._needs_all = True
        self.update()

    def _moment(self) -> Moment:
        assert self._scene is not None
        return moment_of(self._scene, self._position, self._phase)

    def _frame(self, moment: Moment) -> Frame:
        """The frame of a moment with what is not lit pale; the same one through a whole stage of the animation."""
        frame = self._film.frame(moment.position, moment.stage)
        if self._lit is None or self._lit[0] is not frame:
            self._lit = (frame, self._lights.frame(frame))
        return self._lit[1]

    def _refresh(self) -> None:
        """Bring the kept picture and the marks up to date, and repaint what has changed."""
        if self._needs_all or self._scene is None or self._motion is not None or not self.isVisible():
            self._redraw()
            return
        frame = self._frame(self._moment())
        if self._kept.needs_all(self._view, frame, self.size(), self.devicePixelRatioF()):
            self._redraw()
        else:
            self.update(self._bring_up_to_date())

    def _bring_up_to_date(self) -> QRegion:
        moment = self._moment()
        frame = self._frame(moment)
        region = self._kept.show(self._view, frame, self.size(), self.devicePixelRatioF())
        if not self._kept.is_exact:
            self._rest_timer.start()
        old, self._marks = self._marks, self._made_marks(moment, frame)
        for rect in changed(old, self._marks):
            region += rect.toAlignedRect()
        return region

    def _come_to_rest(self) -> None:
        """Draw anew what was only moved."""
        if self._scene is not None and not self._kept.is_exact:
            self._kept.forget()
            self._redraw()

    @property
    def is_at_rest(self) -> bool:
        """Whether the picture is drawn exactly, and will not be again by itself."""
        return not self._rest_timer.isActive()

    def _made_marks(self, moment: Moment, frame: Frame) -> list[Mark]:
        assert self._scene is not None
        sight = self._sight()
        marks = self._lights.rings(self._painting, self._view, sight) + self._rings()
        marks += self._lights.dots(self._painting, self._view, sight)
        marks += self._painting.marks(self._view, moment, frame, sight, self._taken())
        marks += self._map(frame)
        if self._has_card and self._hovered is not None:
            index = self._scene.track.index_of[self._hovered]
            face = int(frame.faces[index])
            marks.append(hover_mark(self._scene, index, face, self._view, sight, self._theme.palette))
        return marks

    def _taken(self) -> list[Rect]:
        """What labels keep clear of besides the boxes: the legend and the map."""
        legend = [mark.rect for mark in self._fixtures()]
        places = [*legend, Minimap.place(self._sight())] if self._has_map() else legend
        return [sides(rect) for rect in places]

    def _map(self, frame: Frame) -> list[Mark]:
        """The map in the corner, where a part of the picture is out of sight."""
        assert self._scene is not None
        if not self._has_map():
            return []
        palette = self._theme.palette
        accent = palette.forward if self._position <= self._scene.track.turn else palette.backward
        return self._minimap.marks(self._view, self._sight(), frame.current, accent)

    def _rings(self) -> list[Mark]:
        assert self._scene is not None
        palette, index_of = self._theme.palette, self._scene.track.index_of
        pairs = ((self._hovered, palette.dim), (self._selected, palette.forward))
        painting = self._painting
        rings = [ring_mark(painting, index_of[node], self._view, ink) for node, ink in pairs if node is not None]
        return rings + self._group_rings(palette.forward)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self) as painter:
            self._paint(painter, event)

    def _paint(self, painter: QPainter, event: QPaintEvent) -> None:
        if self._scene is None:
            painter.fillRect(self.rect(), QColor(self._theme.palette.canvas))
            return
        if self._motion is not None:
            self._paint_motion(painter, self._motion)
            return
        if self._needs_all:
            self._needs_all = False
            self._bring_up_to_date()
        ratio = self.devicePixelRatioF()
        for rect in pieces(event.region()):
            area = QRectF(rect)
            source = QRectF(area.left() * ratio, area.top() * ratio, area.width() * ratio, area.height() * ratio)
            painter.drawPixmap(area, self._kept.image, source)
        for mark in (*self._fixtures(), *self._marks, *self._veil()):
            if event.region().intersects(mark.rect.toAlignedRect()):
                mark.paint(painter)

    def _paint_motion(self, painter: QPainter, motion: Motion) -> None:
        """A moment of the glide to another picture: all of it is drawn, without the marks of the step."""
        scene, view = motion.at(self._share, self._view)
        painting = Painting(scene, self._theme.palette, gauges=self._lights.gauges)
        art = motion.art(self._theme.palette, view.scale, self.devicePixelRatioF())
        coming = motion.coming(self._share)
        frame = self._frame(self._moment())
        moving = Moving(art, self._painting.edges, motion.drifts(self._share, view))
        painting.paint_moving(painter, view, frame, self._sight(), coming, moving)
        for mark in self._map(frame):
            mark.paint(painter)
        for mark in self._fixtures():
            mark.paint(painter)

    def _fixtures(self) -> list[Mark]:
        scene = self._scene
        has_groups = scene is not None and scene.folded is not None and scene.folded.has_folded
        key = (self.height(), self._theme.palette, has_groups)
        if self._legend is None or self._legend[0] != key:
            mark = legend_mark(EDGE_GAP, self.height() - EDGE_GAP, self._theme.palette, groups=has_groups)
            self._legend = (key, mark)
        # In a narrow window the map needs the room, and a legend cut off says little.
        taken = Minimap.WIDTH + EDGE_GAP if scene is not None and self._has_map() else 0.0
        fits = self._legend[1].rect.right() + taken + EDGE_GAP <= self.width()
        return [self._legend[1]] if fits else []

    def _veil(self) -> list[Mark]:
        return stale_marks(self._sight(), self._theme.palette) if self._is_stale else []

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_fitted:
            self.fit()
        else:
            old = event.oldSize()
            moved = self._view.moved((self.width() - old.width()) / 2, (self.height() - old.height()) / 2)
            self._view = moved.snapped(self.devicePixelRatioF())
        self._redraw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._redraw()

    # ---- in words -------------------------------------------------------------------------------------------------

    def _describe(self) -> None:
        """Say what is shown to those who do not see it."""
        if self._scene is None:
            self.setAccessibleDescription("No graph.")
            return
        self.setAccessibleDescription(described(self._scene, self._position, self._selected, self._group))
