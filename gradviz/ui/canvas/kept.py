"""The kept picture: an image of the last frame, of which only what has changed is drawn again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QImage, QPainter, QRegion

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.ink.bulk import on_device, painter_on
from gradviz.ui.canvas.ink.memory import scroll
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.regions import device_rect, gathered, region_of
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Frame

_MOST_RECTS = 48
"""With more changed rectangles than this, drawing everything is as fast."""

_GRID = 4
"""Rectangles are widened to multiples of this, so that fewer differ."""

_FAR_AWAY = 1e7
_WHOLE = 1e-6
"""Offsets that differ from a whole number by less are whole."""


class Part(NamedTuple):
    """A piece of a picture; `place` in whole device pixels."""

    place: QRect
    image: QImage


class Look(NamedTuple):
    """What a frame looks like in some places.

    Attributes:
        picture: without what lies over it.
        seen: with it, as it is on the screen.
    """

    frame: Frame
    picture: list[Part]
    seen: list[Part]


class Change(NamedTuple):
    """Two frames in all the places where they or what lies over them differ.

    Attributes:
        region: these places, in screen pixels.
    """

    before: Look
    after: Look
    region: QRegion

    def undone(self) -> Change:
        """The way back."""
        return Change(self.after, self.before, self.region)


Over = Callable[[QPainter, QRegion], None]
"""Draws what lies over a region of the picture."""


class KeptPicture:
    """Draws frames of one painting into an image.

    Attributes:
        is_exact: it is what a picture drawn anew would be. Where thin lines were moved to or from the rim, a few of
            their pixels differ by a shade.
    """

    def __init__(self, painting: Painting) -> None:
        self._painting = painting
        self._image = QImage()
        self._due: list[Part] = []
        self.is_exact = True
        self._view: View | None = None
        self._whole = QRect()
        self._frame: Frame | None = None
        self._compared: tuple[Frame, Frame, tuple[Ints, Ints]] | None = None

    def forget(self) -> None:
        """Draw everything at the next `show`."""
        self._frame = None

    def needs_all(self, view: View, frame: Frame, size: QSize, ratio: float) -> bool:
        """Whether `show` would draw everything. Then it can wait for the next paint, and is done once."""
        if self._frame is None or self._shift(view, size, ratio) is None:
            return True
        return sum(map(len, self._differing(self._frame, frame))) > _MOST_RECTS

    def _differing(self, old: Frame, new: Frame) -> tuple[Ints, Ints]:
        """The nodes and the edges that differ in two frames."""
        if self._compared is None or self._compared[0] is not old or self._compared[1] is not new:
            nodes, edges = np.flatnonzero(old.faces != new.faces), np.flatnonzero(old.strands != new.strands)
            self._compared = (old, new, (nodes, edges))
        return self._compared[2]

    def show(self, view: View, frame: Frame, size: QSize, ratio: float) -> QRegion:
        """Bring the image up to date; the region that has changed, in screen pixels."""
        whole = QRect(0, 0, size.width(), size.height())
        device_size = device_rect(whole, ratio).size()
        if self.image.size() != device_size or self.image.devicePixelRatio() != ratio:
            self._image = QImage(device_size, QImage.Format.Format_RGB32)
            self._image.setDevicePixelRatio(ratio)
            self._frame = None
        shift = self._shift(view, size, ratio)
        changed = None if self._frame is None or shift is None else self._changes(view, self._frame, frame, whole)
        if shift is None or changed is None or self._view is None:
            shift, changed, self.is_exact = (0, 0), [whole], True
        elif shift != (0, 0):
            scroll(self.image, *shift)
            changed += _bared(shift, whole, ratio)
            sight = (0.0, 0.0, float(size.width()), float(size.height()))
            self.is_exact &= self._painting.edges.is_the_same_when_moved(self._view, view, sight, ratio)
        self._view, self._frame, self._whole = view, frame, whole
        if changed:
            self._draw(view, frame, changed, whole, ratio)
        return QRegion(whole) if shift != (0, 0) else region_of(changed)

    def is_in(self, view: View, size: QSize, ratio: float) -> bool:
        """Whether the image is exact and in a view: then only what another frame changes is drawn again."""
        is_whole = self._frame is not None and self.is_exact and self._view == view
        return is_whole and self._whole.size() == size and self._image.devicePixelRatio() == ratio

    def is_of(self, frame: Frame, ratio: float) -> bool:
        """Whether the image shows just this frame, on a screen of so many device pixels to a pixel."""
        return self._frame is frame and self._image.devicePixelRatio() == ratio

    def change_to(self, frame: Frame, more: list[QRect], over: tuple[Over, Over]) -> Change | None:
        """Draw what another frame in the same view changes, and leave the image as it is.

        Args:
            more: where what lies over the two pictures differs, in screen pixels.
            over: draws that, now and then.

        Returns:
            None where everything would have to be drawn, or the image cannot be left just as it is.
        """
        if self._frame is None or self._view is None or not self.is_exact:
            return None
        whole = self._whole
        rects = self._changes(self._view, self._frame, frame, whole)
        if rects is None:
            return None
        covered = [[r.left(), r.top(), r.right() + 1, r.bottom() + 1] for r in (*rects, *more)]
        places = _on_grid(np.array(covered, dtype=np.float64).reshape(-1, 4), whole)
        region = region_of(places)
        before, self._frame = self._frame, None  # an error in between would leave half of each frame
        here, corners = self._look(before, places, region, over[0]), self._cut(_corners(whole))
        if rects:
            self._draw(self._view, frame, rects, whole, self.image.devicePixelRatio())
        there = self._look(frame, places, region, over[1])
        self._paste(corners + here.picture)
        self._frame = before
        return Change(here, there, region)

    def _look(self, frame: Frame, places: list[QRect], region: QRegion, over: Over) -> Look:
        """Cut some places out of the image, then again with what lies over them; the image is as before."""
        picture = self._cut(places)
        with painter_on(self.image) as painter:
            self._clip(painter, places)
            over(painter, region)
        seen = self._cut(places)
        self._paste(picture)
        return Look(frame, picture, seen)

    def take(self, look: Look) -> None:
        """Show the frame of a look, which differs from the present one in the places of the look only."""
        self._due += look.picture
        self._frame = look.frame

    @property
    def image(self) -> QImage:
        """The last frame; its device pixel ratio is set."""
        due, self._due = self._due, []
        self._paste(due)
        return self._image

    def _cut(self, places: list[QRect]) -> list[Part]:
        image = self.image
        cut = [device_rect(place, image.devicePixelRatio()) for place in places]
        return [Part(place, image.copy(place)) for place in cut]

    def _paste(self, parts: list[Part]) -> None:
        if parts:
            with painter_on(self._image) as painter:
                paste(painter, parts, self._image.devicePixelRatio())

    def _shift(self, view: View, size: QSize, ratio: float) -> tuple[int, int] | None:
        """By how many device pixels the picture has only been moved; None where most of it must be drawn again."""
        if self._view is None or view.scale != self._view.scale:
            return None
        dx, dy = (view.x - self._view.x) * ratio, (view.y - self._view.y) * ratio
        across, down = round(dx), round(dy)
        if abs(dx - across) > _WHOLE or abs(dy - down) > _WHOLE:
            return None
        is_far = abs(across) * 2 > size.width() * ratio or abs(down) * 2 > size.height() * ratio
        return None if is_far else (across, down)

    def _draw(self, view: View, frame: Frame, rects: list[QRect], whole: QRect, ratio: float) -> None:
        if rects != [whole]:
            rects = [*rects, *_corners(whole)]
        areas: list[Rect] = [(r.left(), r.top(), r.left() + r.width(), r.top() + r.height()) for r in rects]
        with painter_on(self.image) as painter:
            if rects != [whole]:
                self._clip(painter, rects)
            self._painting.paint(painter, view, frame, areas, ratio)

    def _clip(self, painter: QPainter, rects: list[QRect]) -> None:
        ratio = self._image.devicePixelRatio()
        painter.scale(1.0 / ratio, 1.0 / ratio)
        painter.setClipRegion(region_of(device_rect(rect, ratio) for rect in rects))
        painter.resetTransform()

    def _changes(self, view: View, old: Frame, new: Frame, whole: QRect) -> list[QRect] | None:
        """The rectangles in which two frames differ; None where they are too many."""
        nodes, edges = self._differing(old, new)
        if len(nodes) + len(edges) > _MOST_RECTS:
            return None
        sides = view.boxes_to_screen(self._areas(view, nodes, edges)).clip(-_FAR_AWAY, _FAR_AWAY)
        return _on_grid(sides, whole)

    def _areas(self, view: View, nodes: Ints, edges: Ints) -> Floats:
        places = [self._painting.scene.boxes[nodes], self._painting.edges.pieces(view).of(edges)]
        return np.concatenate(places) + np.array([-1.0, -1.0, 1.0, 1.0]) * self._painting.reach(view)


def _on_grid(sides: Floats, whole: QRect) -> list[QRect]:
    """Few rectangles, widened to the grid, that cover what some (left, top, right, bottom) share with the whole."""
    sides[:, :2] = np.floor(sides[:, :2] / _GRID) * _GRID
    sides[:, 2:] = np.ceil(sides[:, 2:] / _GRID) * _GRID
    sides = sides.clip(0, (whole.width(), whole.height(), whole.width(), whole.height()))
    seen = sides[(sides[:, 2] > sides[:, 0]) & (sides[:, 3] > sides[:, 1])].astype(np.int64)
    return [QRect(left, top, right - left, bottom - top) for left, top, right, bottom in gathered(seen.tolist())]


def paste(painter: QPainter, parts: list[Part], ratio: float) -> None:
    """Lay parts where they were cut out; `ratio` device pixels to a pixel of the painter."""
    with on_device(painter, ratio):
        for place, image in parts:
            painter.drawImage(place, image)


def _bared(shift: tuple[int, int], whole: QRect, ratio: float) -> list[QRect]:
    """The strips that a picture moved by `shift` device pixels leaves free, in screen pixels."""
    across, down = (math.ceil(abs(part) / ratio / _GRID) * _GRID for part in shift)
    strips = []
    if across:
        left = 0 if shift[0] > 0 else (whole.width() - across) // _GRID * _GRID
        strips.append(QRect(left, 0, across + _GRID, whole.height()))
    if down:
        top = 0 if shift[1] > 0 else (whole.height() - down) // _GRID * _GRID
        strips.append(QRect(0, top, whole.width(), down + _GRID))
    return [strip & whole for strip in strips]


def _corners(whole: QRect) -> list[QRect]:
    """Two corners of the picture.

    Qt cuts lines to the rectangle around a clip, and draws them a shade otherwise in a clip that is a rectangle. With
    these in the clip, a part is drawn as it is in the whole.
    """
    side = QSize(_GRID, _GRID)
    last = QPoint(*((end - _GRID) // _GRID * _GRID for end in (whole.width(), whole.height())))
    return [QRect(whole.topLeft(), side), QRect(last, whole.bottomRight())]
