"""The whole graph at one position, or at several, as PNG, SVG or PDF, drawn by the painter of the screen.

Needs a QGuiApplication, of any platform; "offscreen" will do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QColor, QImage, QPageSize, QPainter, QPdfWriter

from gradviz import __version__
from gradviz.errors import GradvizError
from gradviz.export.work import Work
from gradviz.layout.plan import Layout
from gradviz.playback.difference import Difference
from gradviz.playback.track import Track
from gradviz.ui.canvas.files.band import LEAST_WIDTH, Band, band_of
from gradviz.ui.canvas.files.svgtext import finished
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.ink.painter import painter_on, scaled_to
from gradviz.ui.canvas.overlay import LEGEND_HEIGHT, legend_mark, legend_width
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Frame, Moment, Stage, frame_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.changes import ChangeMarks
from gradviz.ui.canvas.step.spotlight import is_of
from gradviz.ui.look.palette import Palette

MARGIN = 28.0
"""Around the graph, in scene units."""

LONGEST_SIDE, MOST_PIXELS = 16_000, 60_000_000
"""The limits of a PNG, in device pixels; a larger picture is scaled down. Many programs open no larger ones."""

POINT = 0.75
"""Points of a page to a scene unit, as a screen of 96 pixels to an inch has it."""

LONGEST_PAGE = 14_400
"""The limit of a PDF, in points; a larger picture is scaled down. Many programs open no larger ones."""

MOST_PAGES = 1_000

_BEGUN, _PAINTED = 0.05, 0.5
"""Shares of the work on a picture that are done when its size is known, and when it is painted."""
_LOOK_S = 0.004
"""How long the thread that paints waits for another one at a time."""

_LEGIBLE = 0.5
"""Size of the legend from which it can be read: its letters are 6 pixels high then."""

_FINE = 1200
"""Dots to an inch of a page: Qt rounds places to them, and the widths of texts."""


class GraphPicture:
    """The graph, cropped to what is drawn at any of some positions.

    Attributes:
        scene: what is drawn.
        painting: draws it.
        palette: its colours.
        notes: sentences that stand above the graph.
        band: these in lines.
        has_legend: whether the legend stands below the graph.
        has_groups: whether the legend has the sign of a folded group.

    Args:
        positions: of the track, clamped to it; at least one.
        scene: of the track and the layout, where it is made already.
        legend: whether the legend stands below the graph.
        gauges: whether boxes have gauges of their gradients.
        vector: for a file that keeps lines and texts.
        difference: what is marked as other than in what it is compared with, or None.
        notes: sentences that stand above the graph.
    """

    def __init__(
        self,
        track: Track,
        layout: Layout,
        positions: Sequence[int],
        palette: Palette,
        *,
        scene: Scene | None = None,
        legend: bool = True,
        gauges: bool = True,
        vector: bool = False,
        difference: Difference | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.scene = scene or Scene(track, layout)
        self.palette, self.has_legend, self._vector = palette, legend, vector
        self.has_groups = self.scene.folded is not None and self.scene.folded.has_folded
        self.painting = Painting(self.scene, palette, vector=vector, for_file=True, gauges=gauges)
        is_marked = difference is not None and is_of(difference, self.scene)
        self._changes = (
            None if difference is None or not is_marked else ChangeMarks(self.scene, difference, vector=vector)
        )
        self.notes, self.band = tuple(notes), Band(())
        self._taken: Rect = self.scene.around
        self._crop = self._with_room()
        for position in positions:
            self.take_in(self.moment(position))

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in scene units."""
        return self._crop[2] - self._crop[0], self._crop[3] - self._crop[1]

    def take_in(self, moment: Moment) -> None:
        """Be large enough for what stands beside the graph at a moment."""
        left, top, right, bottom = (float(side) for side in self._taken)
        for mark in self.marks(View(), moment, frame_of(self.scene, moment.position, moment.stage)):
            left, top = min(left, mark.rect.left()), min(top, mark.rect.top())
            right, bottom = max(right, mark.rect.right()), max(bottom, mark.rect.bottom())
        self._taken = left, top, right, bottom
        self._crop = self._with_room()

    def moment(self, position: int) -> Moment:
        """A position at rest."""
        return Moment(min(max(position, 0), self.scene.track.length))

    def view(self, zoom: float, ratio: float) -> View:
        """Where the graph is in a picture of `zoom` pixels per scene unit, `ratio` device pixels each."""
        return View(zoom, -self._crop[0] * zoom, -self._crop[1] * zoom).snapped(ratio)

    def paint(self, painter: QPainter, position: int, zoom: float = 1.0, ratio: float = 1.0) -> None:
        """Draw everything at a position; `zoom` in pixels per scene unit, `ratio` in device pixels per pixel."""
        moment, view = self.moment(position), self.view(zoom, ratio)
        frame = frame_of(self.scene, moment.position, Stage.REST)
        width, height = (math.ceil(side * zoom) for side in self.size)
        self.painting.paint(painter, view, frame, (0.0, 0.0, float(width), float(height)), ratio)
        # Labels shrink less than the graph: in a small picture they have places inside of it.
        within = None if zoom >= 1.0 else (0.0, 0.0, float(width), float(height))
        for mark in self.marks(view, moment, frame, within):
            mark.paint(painter)
        self.paint_legend(painter, zoom * (self.size[1] - MARGIN), zoom)
        self.paint_band(painter, width + 2.0 / ratio, zoom)  # to the rim of the image, which is whole pixels

    def paint_legend(self, painter: QPainter, bottom: float, size: float) -> None:
        """Draw the legend, where there is one that can be read, down to some pixels; at `size` 1 as large as usual."""
        if self.has_legend and size >= _LEGIBLE:
            groups, vector = self.has_groups, self._vector
            with scaled_to(painter, MARGIN * size, bottom, size):
                legend_mark(0.0, 0.0, self.palette, groups=groups, vector=vector).paint(painter)

    def paint_band(self, painter: QPainter, width: float, size: float) -> None:
        """Draw the notes at the top, so many pixels wide; at `size` 1 as large as usual."""
        with scaled_to(painter, 0.0, 0.0, size):
            self.band.paint(painter, self.palette, width / size, vector=self._vector)

    def marks(self, view: View, moment: Moment, frame: Frame, sight: Rect | None = None) -> list[Mark]:
        """What moves: tokens, labels, the mark of the current node; what stands beside the graph; and what differs.

        Args:
            sight: the part of the picture that is seen; None for all of it.
        """
        around = view.rect_to_screen(self.scene.around)
        if sight is None:
            sight = (around[0] - 400.0, around[1] - 60.0, around[2] + 400.0, around[3] + 60.0)
        if self._changes is None:
            return self.painting.marks(view, moment, frame, sight)
        changes = self._changes.marks(frame, view, sight, self.palette, self.painting.edges)
        taken = [(rect.left(), rect.top(), rect.right(), rect.bottom()) for rect in (mark.rect for mark in changes[1:])]
        # The first mark is that of all rings, which are where the boxes are.
        place = QRectF(around[0], around[1], around[2] - around[0], around[3] - around[1])
        rings = [Mark(place, mark.paint) for mark in changes[:1]]
        return rings + self.painting.marks(view, moment, frame, sight, taken) + changes[1:]

    def _with_room(self) -> Rect:
        left, top, right, bottom = (float(side) for side in self._taken)
        if self.has_legend:
            wider = max(0.0, legend_width(groups=self.has_groups) - (right - left))
            left, right = left - wider / 2, right + wider / 2
            bottom += MARGIN + LEGEND_HEIGHT
        if self.notes:
            wider = max(0.0, LEAST_WIDTH - (right - left) - 2 * MARGIN)
            left, right = left - wider / 2, right + wider / 2
            self.band = band_of(self.notes, right - left + 2 * MARGIN)
            top -= self.band.height
        return left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN


def possible_scale(size: tuple[float, float], scale: float) -> float:
    """The scale of a PNG that is asked for, or less where the file would be larger than the limits.

    Args:
        size: width and height in scene units.
        scale: pixels per scene unit.
    """
    width, height = size
    return min(scale, LONGEST_SIDE / max(width, height), math.sqrt(MOST_PIXELS / (width * height)))


def image_of(picture: GraphPicture, position: int, scale: float, *, detail: float | None = None) -> QImage:
    """The picture at a position as an image.

    Args:
        scale: pixels per scene unit, if there is memory for it.
        detail: the scale at which boxes have as much detail, 0..1; None for that of the image.
    """
    width, height = picture.size
    image = QImage(_pixels(width, height, scale), QImage.Format.Format_RGB32)
    while image.isNull():  # not enough memory
        scale /= 2
        image = QImage(_pixels(width, height, scale), QImage.Format.Format_RGB32)
    # Below 1 the boxes are drawn with less detail, as on the screen; above it, with more pixels.
    zoom = min(scale, 1.0) if detail is None else detail
    ratio = scale / zoom
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(picture.palette.canvas))  # what is painted may end a part of a pixel before the rim
    with painter_on(image) as painter:
        picture.paint(painter, position, zoom, ratio)
    return image


def png_of(picture: GraphPicture, position: int, scale: float) -> Work:
    """The picture at a position as a PNG; see `possible_scale`."""
    yield _BEGUN
    image = image_of(picture, position, possible_scale(picture.size, scale))

    def pack() -> bytes:
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")  # type: ignore[call-overload]
        return bytes(buffer.data().data())

    return (yield from _aside(pack))


def svg_of(picture: GraphPicture, position: int) -> Work:
    """The picture at a position as an SVG that needs no font, with text that can be searched."""
    yield _BEGUN
    from PySide6.QtSvg import QSvgGenerator

    width, height = picture.size
    track = picture.scene.track
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(QSize(math.ceil(width), math.ceil(height)))
    generator.setViewBox(QRectF(0, 0, math.ceil(width), math.ceil(height)))
    generator.setTitle("Computational graph")
    said = (f"{len(track.forward)} nodes at position {position} of {track.length}", *picture.notes)
    generator.setDescription("\n".join(said))
    with painter_on(generator) as painter:
        picture.paint(painter, position)
    written = bytes(buffer.data().data())
    return (yield from _aside(lambda: finished(written.decode()).encode()))


def pdf_of(picture: GraphPicture, positions: Sequence[int], *, began: float = 0.0) -> Work:
    """A PDF with a page for every position, each as large as the picture, with its fonts in it.

    Args:
        began: the share of the work that is done before it.
    """
    scale = min(POINT, LONGEST_PAGE / max(picture.size))
    width, height = (math.ceil(side * scale) for side in picture.size)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle("Computational graph")
    writer.setCreator(f"gradviz {__version__}")
    writer.setResolution(_FINE)
    points, exactly = QPageSize.Unit.Point, QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(QSizeF(width, height), points, "", exactly))
    writer.setPageMargins(QMarginsF())
    with painter_on(writer) as painter:
        for number, position in enumerate(positions):
            if number:
                writer.newPage()
            painter.save()
            painter.scale(_FINE / 72, _FINE / 72)
            # a page is whole points, a picture is not
            painter.fillRect(0, 0, width, height, QColor(picture.palette.canvas))
            painter.scale(scale, scale)
            picture.paint(painter, position)
            painter.restore()
            yield began + (1.0 - began) * (number + 1) / len(positions)
    return bytes(buffer.data().data())


def page_positions(track: Track, stops: Sequence[int] = ()) -> list[int]:
    """The positions that a page for every step shows: where backward begins, and after each of its steps.

    Args:
        stops: where steps lead to, ascending, where they are not single ones.

    Raises:
        GradvizError: there are too many.
    """
    steps = [stop for stop in stops if stop > track.turn] or list(range(track.turn + 1, track.length + 1))
    if len(steps) >= MOST_PAGES:
        raise GradvizError(
            f"a page for each of {len(steps):,} steps is too much: a PDF takes {MOST_PAGES:,} pages",
            hint="Export some steps by --step, or the page that plays (.html).",
        )
    return [track.turn, *steps]


def _aside(make: Callable[[], bytes]) -> Work:
    """Have the file made by another thread."""
    pool = ThreadPoolExecutor(1)
    try:
        made = pool.submit(make)
        yield from waiting_for(made, _PAINTED)
        return made.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # who gives the work up does not wait for it


def waiting_for(work: Future[Any], share: float) -> Generator[float, None, None]:
    """Wait for another thread a moment at a time, while so much is done."""
    while not wait([work], timeout=_LOOK_S).done:
        yield share


def _pixels(width: float, height: float, scale: float) -> QSize:
    return QSize(max(1, math.ceil(width * scale)), max(1, math.ceil(height * scale)))
