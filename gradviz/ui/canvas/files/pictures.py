"""The whole graph at a position as a PNG, SVG or PDF file, drawn by the painter of the screen.

Needs a QGuiApplication, of any platform; "offscreen" will do.
"""

from __future__ import annotations

import math
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QColor, QImage, QPageSize, QPainter, QPdfWriter

from gradviz import __version__
from gradviz.formats.safe_write import put
from gradviz.layout.plan import Layout
from gradviz.playback.track import Track
from gradviz.ui.canvas.files.svgtext import finished
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.ink.painter import painter_on
from gradviz.ui.canvas.overlay import LEGEND_HEIGHT, legend_mark, legend_width
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Frame, Moment, Stage, frame_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette

MARGIN = 28.0
"""Around the graph, in scene units."""

LONGEST_SIDE, MOST_PIXELS = 16_000, 60_000_000
"""The limits of a PNG, in device pixels; a larger picture is scaled down. Many programs open no larger ones."""

POINT = 0.75
"""Points of a page to a scene unit, as a screen of 96 pixels to an inch has it."""

LONGEST_PAGE = 14_400
"""The limit of a PDF, in points; a larger picture is scaled down. Many programs open no larger ones."""

_FINE = 1200
"""Dots to an inch of a page: Qt rounds places to them, and the widths of texts."""


def save_png(
    track: Track,
    layout: Layout,
    position: int,
    file: Path,
    *,
    theme_palette: Palette,
    scale: float = 2.0,
    legend: bool = True,
) -> None:
    """Write the graph at a position as a PNG.

    Args:
        scale: pixels per scene unit; less where the file would be larger than `LONGEST_SIDE` or `MOST_PIXELS`.
        legend: whether the legend stands below the graph.

    Raises:
        FormatError: the file cannot be written.
    """
    picture = _Picture(track, layout, position, theme_palette, legend=legend, vector=False)
    width, height = picture.size
    scale = min(scale, LONGEST_SIDE / max(width, height), math.sqrt(MOST_PIXELS / (width * height)))
    image = QImage(_pixels(width, height, scale), QImage.Format.Format_RGB32)
    while image.isNull():  # not enough memory
        scale /= 2
        image = QImage(_pixels(width, height, scale), QImage.Format.Format_RGB32)
    # Below 1 the boxes are drawn with less detail, as on the screen; above it, with more pixels.
    zoom, ratio = min(scale, 1.0), max(scale, 1.0)
    image.setDevicePixelRatio(ratio)
    with painter_on(image) as painter:
        picture.paint(painter, zoom, ratio)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    put(file, bytes(buffer.data().data()))


def save_svg(
    track: Track,
    layout: Layout,
    position: int,
    file: Path,
    *,
    theme_palette: Palette,
    legend: bool = True,
) -> None:
    """Write the graph at a position as an SVG with real text, which can be searched and edited.

    Raises:
        FormatError: the file cannot be written.
    """
    from PySide6.QtSvg import QSvgGenerator

    picture = _Picture(track, layout, position, theme_palette, legend=legend, vector=True)
    width, height = picture.size
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(QSize(math.ceil(width), math.ceil(height)))
    generator.setViewBox(QRectF(0, 0, math.ceil(width), math.ceil(height)))
    generator.setTitle("Computational graph")
    generator.setDescription(f"{len(track.forward)} nodes at position {position} of {track.length}")
    with painter_on(generator) as painter:
        picture.paint(painter, 1.0, 1.0)
    put(file, finished(bytes(buffer.data().data()).decode()).encode())


def save_pdf(
    track: Track,
    layout: Layout,
    position: int,
    file: Path,
    *,
    theme_palette: Palette,
    legend: bool = True,
) -> None:
    """Write the graph at a position as a PDF of one page, as large as the picture, with its fonts in it.

    Raises:
        FormatError: the file cannot be written.
    """
    picture = _Picture(track, layout, position, theme_palette, legend=legend, vector=True)
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
        painter.scale(_FINE / 72, _FINE / 72)
        painter.fillRect(0, 0, width, height, QColor(theme_palette.canvas))  # a page is whole points, a picture is not
        painter.scale(scale, scale)
        picture.paint(painter, 1.0, 1.0)
    put(file, bytes(buffer.data().data()))


SAVERS = {".png": save_png, ".svg": save_svg, ".pdf": save_pdf}
"""By the suffix of the file."""


class _Picture:
    """The graph at a position, cropped to what is drawn.

    Attributes:
        size: width and height in scene units.
    """

    def __init__(
        self, track: Track, layout: Layout, position: int, palette: Palette, *, legend: bool, vector: bool
    ) -> None:
        self._scene = Scene(track, layout)
        self._palette, self._legend, self._vector = palette, legend, vector
        self._has_groups = self._scene.folded is not None and self._scene.folded.has_folded
        self._moment = Moment(min(max(position, 0), track.length))
        self._frame: Frame = frame_of(self._scene, self._moment.position, Stage.REST)
        self._painting = Painting(self._scene, palette, vector=vector, for_file=True)
        self._crop = self._cropped()
        self.size = (self._crop[2] - self._crop[0], self._crop[3] - self._crop[1])

    def _marks(self, view: View) -> list[Mark]:
        left, top, right, bottom = view.rect_to_screen(self._scene.around)
        sight = (left - 400.0, top - 60.0, right + 400.0, bottom + 60.0)
        return self._painting.marks(view, self._moment, self._frame, sight)

    def _cropped(self) -> Rect:
        left, top, right, bottom = (float(side) for side in self._scene.around)
        for mark in self._marks(View()):
            left, top = min(left, mark.rect.left()), min(top, mark.rect.top())
            right, bottom = max(right, mark.rect.right()), max(bottom, mark.rect.bottom())
        if self._legend:
            right = max(right, left + legend_width(groups=self._has_groups))
            bottom += MARGIN + LEGEND_HEIGHT
        return left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN

    def paint(self, painter: QPainter, zoom: float, ratio: float) -> None:
        """Draw everything; `zoom` in screen pixels per scene unit, `ratio` in device pixels per screen pixel."""
        view = View(zoom, -self._crop[0] * zoom, -self._crop[1] * zoom).snapped(ratio)
        width, height = (math.ceil(side * zoom) for side in self.size)
        self._painting.paint(painter, view, self._frame, (0.0, 0.0, float(width), float(height)), ratio)
        for mark in self._marks(view):
            mark.paint(painter)
        if self._legend:
            painter.scale(zoom, zoom)
            bottom = self.size[1] - MARGIN
            legend_mark(MARGIN, bottom, self._palette, groups=self._has_groups, vector=self._vector).paint(painter)


def _pixels(width: float, height: float, scale: float) -> QSize:
    return QSize(max(1, math.ceil(width * scale)), max(1, math.ceil(height * scale)))
