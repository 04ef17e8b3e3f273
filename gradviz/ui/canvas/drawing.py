"""The picture on the widget: a step draws again only what it changes; labels, tokens and the card lie over it.

What a step will change is drawn before it is asked for, while nothing else is to be done.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QRegion, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.ahead import Ahead, Shown, Step
from gradviz.ui.canvas.described import described
from gradviz.ui.canvas.grouping import Grouping
from gradviz.ui.canvas.ink.bulk import align, on_device, painter_on
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.kept import Change, KeptPicture, paste
from gradviz.ui.canvas.minimap import Minimap
from gradviz.ui.canvas.motion import Motion
from gradviz.ui.canvas.overlay import EDGE_GAP, hover_mark, legend_mark, stale_marks
from gradviz.ui.canvas.painting import Moving, Painting
from gradviz.ui.canvas.plane.regions import changed, device_rect, pieces, region_of, sides
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Film, Frame, Moment, Stage, moment_of
from gradviz.ui.canvas.step.lights import Lights
from gradviz.ui.canvas.step.rings import ring_mark
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import Theme, load_fonts

_REST_MS = 150
"""So long after the last move the picture is drawn exactly; and so long after the last change the steps from here."""

_MOST_FRAMES = 6
"""Of the present position and of those beside it."""


class Drawing(Grouping):
    """A widget that draws its scene at a position. What can be asked of it is written in the subclass.

    Attributes:
        after: where so many steps lead from a position; they may pass over some. It may be beyond the track.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        load_fonts()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._theme = theme
        self._phase = 1.0
        self.after: Callable[[int, int], int] = operator.add
        self._way = 1
        self._follows = False
        self._selected: int | None = None
        self._hovered: int | None = None
        self._has_card = False
        self._is_stale = False
        self._lights = Lights()
        self._marks: list[Mark] = []
        self._film: Film
        self._frames: dict[tuple[int, Stage], Frame] = {}
        self._kept: KeptPicture
        self._page: KeptPicture
        self._ahead = Ahead()
        self._laid: Change | None = None
        self._legend: tuple[tuple[int, Palette, bool], Mark] | None = None
        self._needs_all = True
        self._rest_timer = QTimer(self)
        self._rest_timer.setSingleShot(True)
        self._rest_timer.setInterval(_REST_MS)
        self._rest_timer.timeout.connect(self._come_to_rest)
        self._ahead_timer = QTimer(self)
        self._ahead_timer.setSingleShot(True)
        self._ahead_timer.timeout.connect(self._look_ahead)
        theme.changed.connect(self._dress)

    # ---- drawing ------------------------------------------------------------------------------------------------

    def _dress(self) -> None:
        """Take the scene and the palette anew."""
        if self._scene is not None:
            self._painting = Painting(self._scene, self._theme.palette, gauges=self._lights.gauges)
            self._kept, self._page = KeptPicture(self._painting), KeptPicture(self._painting)
            self._minimap = Minimap(self._scene, self._theme.palette)
            self._lights.take(self._scene)
            self._film = Film(self._scene)
            self._frames.clear()
        self._redraw()

    def _redraw(self) -> None:
        self._needs_all = True
        self._ahead.drop()
        self._laid = None
        self._ahead_timer.stop()  # what moves on and on is not to be drawn ahead as well
        self.update()

    def _moment(self) -> Moment:
        assert self._scene is not None
        return moment_of(self._scene, self._position, self._phase)

    def _frame(self, moment: Moment) -> Frame:
        """The frame of a moment with what is not lit pale; the same one through a whole stage of the animation."""
        key = (moment.position, moment.stage)
        frame = self._frames.pop(key, None) or self._lights.frame(self._film.frame(*key))
        self._frames[key] = frame
        if len(self._frames) > _MOST_FRAMES:
            self._frames.pop(next(iter(self._frames)))
        return frame

    def _refresh(self) -> None:
        self._ahead.drop()
        self._show_moment()

    def _show_moment(self) -> None:
        """Bring the kept picture and the marks up to date, and repaint what has changed."""
        self._laid = None
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
        self._ahead.keep_from(frame)
        old, self._marks = self._marks, self._made_marks(moment, frame)
        return region + region_of(changed(old, self._marks))

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
        marks = self._lights.rings(self._painting, self._view, sight) + self._rings(frame)
        marks += self._lights.dots(self._painting, self._view, sight)
        marks += self._painting.marks(self._view, moment, frame, sight, self._taken())
        marks += self._map(moment.position, frame) + self._fixtures()
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

    def _map(self, position: int, frame: Frame) -> list[Mark]:
        """The map in the corner, where a part of the picture is out of sight."""
        assert self._scene is not None
        if not self._has_map():
            return []
        palette = self._theme.palette
        accent = palette.forward if position <= self._scene.track.turn else palette.backward
        return self._minimap.marks(self._view, self._sight(), frame.current, accent)

    def _rings(self, frame: Frame) -> list[Mark]:
        assert self._scene is not None
        palette, index_of = self._theme.palette, self._scene.track.index_of
        pairs = ((self._hovered, palette.dim), (self._selected, palette.forward))
        rings = [
            ring_mark(self._painting, index_of[node], self._view, ink, frame.strands)
            for node, ink in pairs
            if node is not None
        ]
        return rings + self._group_rings(palette.forward, frame.strands)

    def _paint(self, painter: QPainter, event: QPaintEvent) -> None:
        if self._scene is None:
            painter.fillRect(self.rect(), QColor(self._theme.palette.canvas))
            return
        if self._motion is not None:
            self._paint_motion(painter, self._motion)
            return
        if self._needs_all:
            self._needs_all = False
            if self._page.is_in(self._view, self.size(), self.devicePixelRatioF()):
                self._kept, self._page = self._page, self._kept
            self._bring_up_to_date()
        region, ratio = event.region(), self.devicePixelRatioF()
        if self._laid is not None and region.subtracted(self._laid.region).isEmpty():
            paste(painter, self._laid.after.seen, ratio)
            return
        image = self._kept.image
        with on_device(painter, ratio):
            for rect in pieces(region):
                area = device_rect(rect, ratio)
                painter.drawImage(area, image, area)
        self._paint_over(painter, region, self._marks)
        if not self._ahead_timer.isActive():
            self._ahead_timer.start(_REST_MS)

    def _paint_over(self, painter: QPainter, region: QRegion, marks: list[Mark]) -> None:
        """Draw what lies over a region of the picture."""
        for mark in (*marks, *self._veil()):
            if region.intersects(mark.rect.toAlignedRect()):
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
        for mark in self._map(self._position, frame):
            mark.paint(painter)
        for mark in self._fixtures():
            mark.paint(painter)

    def _fixtures(self) -> list[Mark]:
        """The legend, over all that moves with the graph."""
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

    # ---- the steps from here ------------------------------------------------------------------------------------

    def _take_step(self, position: int) -> bool:
        """Go to a position at rest in the same view, where that step has been drawn; else nothing happens."""
        step = self._ahead.to(position)
        if step is None or not self._may_look_ahead():
            return False
        change = step.change
        if not self._kept.is_of(change.before.frame, self.devicePixelRatioF()):
            return False
        self._kept.take(change.after)
        region = change.region
        if self._marks is step.start.marks:
            self._laid = change
        else:  # on the way to a position other marks are over it than when the step was drawn
            self._laid = None
            region = region + region_of(changed(self._marks, step.end.marks))
        self._position, self._phase, self._marks = position, 1.0, step.end.marks
        self._ahead.take(step)
        self.setAccessibleDescription(step.end.words)
        self.update(region)
        return True

    def _expected(self) -> list[int]:
        """Where a step may go from here, the likeliest first."""
        assert self._scene is not None
        if self._phase < 1.0:
            return [self._position]
        beside = [self.after(self._position, by) for by in (self._way, -self._way)]
        return [
            position for position in beside if 0 <= position <= self._scene.track.length and position != self._position
        ]

    def _look_ahead(self) -> None:
        """Draw a step from here; one at a time, so that input need not wait for more."""
        if not self._may_look_ahead():
            return
        if not self._kept.is_exact:
            self._kept.forget()
            self.update(self._bring_up_to_date())
            self._ahead_timer.start(0)
            return
        missing = self._ahead.missing(self._expected())
        if missing:
            self._ahead.add(missing[0], self._drawn_step(missing[0]))
        if len(missing) > 1:
            self._ahead_timer.start(_REST_MS)

    def _may_look_ahead(self) -> bool:
        """Whether the picture stands still and shows what it should, so that a step changes only parts of it."""
        return self._scene is not None and self._motion is None and not self._needs_all and self.isVisible()

    def _drawn_step(self, position: int) -> Step | None:
        """A step in this view; where it moves the picture, the page it turns to is drawn instead."""
        moment = Moment(position)
        frame = self._frame(moment)
        view = self._view_at(position, follows=self._follows)
        if view != self._view:
            if (position - self._position) * self._way > 0:
                self._draw_page(view, moment, frame)
            return None
        start = Shown(self._position, self._marks, self._words(self._position))
        end = Shown(position, self._made_marks(moment, frame), self._words(position))
        over = partial(self._paint_over, marks=start.marks), partial(self._paint_over, marks=end.marks)
        change = self._kept.change_to(frame, changed(start.marks, end.marks), over)
        return None if change is None else Step(start, end, change)

    def _draw_page(self, view: View, moment: Moment, frame: Frame) -> None:
        """Draw all of a frame in another view, and find places for its labels."""
        self._page.forget()
        self._page.show(view, frame, self.size(), self.devicePixelRatioF())
        here, self._view = self._view, view
        try:
            self._made_marks(moment, frame)
        finally:
            self._view = here

    # ---- in words -------------------------------------------------------------------------------------------------

    def _describe(self) -> None:
        self.setAccessibleDescription(self._words(self._position))

    def _words(self, position: int) -> str:
        """What is shown at a position, for those who do not see it."""
        if self._scene is None:
            return "No graph."
        return described(self._scene, position, self._selected, self._group)

    # ---- Qt ---------------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self) as painter:
            align(painter)
            self._paint(painter, event)

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
