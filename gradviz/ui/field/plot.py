"""A field of arrows over its surface. pyqtgraph is imported with the first one, since it takes half a second."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsRectItem, QHBoxLayout, QLabel, QWidget

from gradviz.playback.field import Field, Floats
from gradviz.playback.numbers import rounded
from gradviz.ui.field import colours
from gradviz.ui.field.arrows import ArrowItem
from gradviz.ui.field.bar import HeightBar
from gradviz.ui.field.surface import FINE, Arrows, arrows, level_lines, levels, resampled
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import CAPTION_PX, MONO_FAMILY, UI_FAMILY, Theme, color, mono_font

FLATTEST = 5.0
"""Ratio of the two extents up to which one unit is as long on both axes."""
NEAR = 0.75
"""How near the pointer must be to a point, in the room of one arrow."""
LINE = 0.45
"""How far the colour of a level line is from that of the surface there, on the way to forward blue."""


class FieldPlot(QWidget):
    """The picture of one field. Wheel and drag zoom and move it, a double click shows all again.

    Attributes:
        arrows: what is drawn, or None before the first field.
        bar: the colours of the surface.
        note: what is said of the point under the pointer.

    Signals:
        pointed: index of the point under the pointer (in the field's order), or -1.
    """

    pointed = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        import pyqtgraph as pg

        self._pg, self._theme = pg, theme
        self._field: Field | None = None
        self._arrow_item: ArrowItem | None = None
        self._at: int | None = None
        self.arrows: Arrows | None = None
        self.view = pg.PlotWidget(background=None, enableMenu=False)
        self.view.setMinimumSize(220, 180)
        self.view.hideButtons()
        self.view.viewport().installEventFilter(self)
        self.view.scene().sigMouseMoved.connect(self._move)
        self.bar = HeightBar(theme)
        self.note = QLabel(self.view)
        self.note.setObjectName("note")
        self.note.setTextFormat(Qt.TextFormat.RichText)
        self.note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.note.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(3 * SPACE)
        row.addWidget(self.view, 1)
        row.addWidget(self.bar)
        theme.changed.connect(self.draw)

    def show_field(self, field: Field) -> None:
        """Show another field, all of it."""
        self._field = field
        self.arrows = arrows(field)
        self.draw()
        self.fit()

    def fit(self) -> None:
        """Show every point and every arrow."""
        if self._field is None or self.arrows is None:
            return
        low, high = self._extent()
        wide, tall = high - low
        is_even = 1 / FLATTEST <= wide / tall <= FLATTEST
        self.view.getPlotItem().getViewBox().setAspectLocked(is_even)
        self.view.getPlotItem().setRange(QRectF(QPointF(*low), QPointF(*high)), padding=0.0)

    def _extent(self) -> tuple[Floats, Floats]:
        """The corners of what is drawn, with some room around: a part of an arrow."""
        assert self._field is not None
        assert self.arrows is not None
        room = 0.3 * np.array(self.arrows.cell)
        places = np.concatenate([self.arrows.tails, self.arrows.tips])
        grid = self._field.grid
        if grid is not None:
            places = np.concatenate([places, np.array([(grid.xs[end], grid.ys[end]) for end in (0, -1)])])
        return (places.min(axis=0) - room, places.max(axis=0) + room) if len(places) else (-room, room)

    # ---- drawing ----

    def draw(self) -> None:
        """Draw the field in the palette in force; the zoom stays."""
        if self._field is None or self.arrows is None:
            return
        palette, plot = self._theme.palette, self.view.getPlotItem()
        self._point(None)
        plot.clear()
        self.view.setBackground(color(palette.card))
        self._dress_axes(self._field)
        self._draw_surface(self._field)
        self._arrow_item = ArrowItem(self.arrows, palette)
        plot.addItem(self._arrow_item, ignoreBounds=True)
        self._arrow_item.setZValue(20)

    def _draw_surface(self, field: Field) -> None:
        low, high = _range(field.surface)
        self.bar.setVisible(field.surface is not None)
        if field.surface is None:
            return
        self.bar.show_range(field.output, low, high)
        if field.grid is not None and field.grid.heights is not None:
            self._draw_mesh(field, field.grid.heights, low, high)
        else:
            self._draw_points(field, low, high)

    def _draw_mesh(self, field: Field, heights: Floats, low: float, high: float) -> None:
        grid, plot, palette = field.grid, self.view.getPlotItem(), self._theme.palette
        assert grid is not None
        fine = resampled(grid, heights, FINE)
        picture = colours.coloured(fine, low, high, palette)
        image = self._pg.ImageItem(picture, axisOrder="row-major", levels=(0, 255))
        area = QRectF(QPointF(grid.xs[0], grid.ys[0]), QPointF(grid.xs[-1], grid.ys[-1]))
        image.setRect(area)
        plot.addItem(image, ignoreBounds=True)
        edge = QGraphicsRectItem(area)  # the pale end of the colours is nearly that of the card
        edge.setPen(self._pg.mkPen(color(palette.forward, 0.3), width=1))
        plot.addItem(edge, ignoreBounds=True)
        marks = np.array(levels(low, high))
        tints = colours.coloured(marks, low, high, palette)
        for level, tint in zip(marks, tints, strict=True):
            # Opaque: of a translucent pen, the ends of the pieces would be seen.
            pen = self._pg.mkPen(_between(tint, palette.forward, LINE), width=1)
            lines = level_lines(grid, heights, level)
            curve = self._pg.PlotCurveItem(x=lines[:, 0], y=lines[:, 1], connect="pairs", pen=pen, antialias=True)
            plot.addItem(curve, ignoreBounds=True)

    def _draw_points(self, field: Field, low: float, high: float) -> None:
        assert self.arrows is not None
        assert field.surface is not None
        heights = np.asarray(field.surface, dtype=np.float64).ravel()[self.arrows.index]
        tints = colours.coloured(heights, low, high, self._theme.palette)
        edge = self._pg.mkPen(color(self._theme.palette.forward, 0.6), width=1)
        brushes = [self._pg.mkBrush(*map(int, tint)) for tint in tints]
        x, y = self.arrows.tails.T
        spots = self._pg.ScatterPlotItem(x=x, y=y, size=16, brush=brushes, pen=edge, antialias=True)
        self.view.getPlotItem().addItem(spots, ignoreBounds=True)

    def _dress_axes(self, field: Field) -> None:
        palette = self._theme.palette
        style = {"color": palette.text, "font-size": "13px", "font-weight": "600", "font-family": UI_FAMILY}
        for side, name in zip(("bottom", "left"), field.names, strict=True):
            axis = self.view.getPlotItem().getAxis(side)
            axis.setPen(color(palette.hairline))
            axis.setTextPen(color(palette.dim))
            axis.setTickFont(mono_font(CAPTION_PX))
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=-4, tickTextOffset=6)
            axis.setLabel(name, **style)

    # ---- the pointer ----

    def _move(self, place: QPointF) -> None:
        at = self.view.getPlotItem().getViewBox().mapSceneToView(place)
        self._point(self.arrow_at(at.x(), at.y()))

    def arrow_at(self, x: float, y: float) -> int | None:
        """The place in `arrows` of the arrow that starts nearest to a point of the axes, if it is near."""
        if self.arrows is None or not len(self.arrows.tails) or not (math.isfinite(x) and math.isfinite(y)):
            return None
        away = np.hypot(*((self.arrows.tails - (x, y)) / self.arrows.cell).T)
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= NEAR else None

    def _point(self, place: int | None) -> None:
        if place == self._at:
            return
        self._at = place
        if self._arrow_item is not None:
            self._arrow_item.point_out(place)
        self.note.setVisible(place is not None)
        if place is not None and self.arrows is not None and self._field is not None:
            self.note.setText(described(self._field, int(self.arrows.index[place]), self._theme))
            self._place_note(place)
        self.pointed.emit(-1 if place is None or self.arrows is None else int(self.arrows.index[place]))

    def _place_note(self, place: int) -> None:
        """Beside the point, on the side where there is room, and off the arrow."""
        assert self.arrows is not None
        box = self.view.getPlotItem().getViewBox()
        tail, tip = (box.mapViewToScene(QPointF(*ends[place])) for ends in (self.arrows.tails, self.arrows.tips))
        self.note.adjustSize()
        away = 18
        x = tail.x() - away - self.note.width() if tip.x() > tail.x() else tail.x() + away
        y = tail.y() + away if tip.y() < tail.y() else tail.y() - away - self.note.height()
        right, bottom = self.view.width() - self.note.width() - 4, self.view.height() - self.note.height() - 4
        self.note.move(round(max(4, min(x, right))), round(max(4, min(y, bottom))))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._point(None)
        elif event.type() == QEvent.Type.MouseButtonDblClick:
            self.fit()
            return True
        return super().eventFilter(watched, event)


def rows(field: Field, point: int) -> tuple[tuple[str, str, str], ...]:
    """What is known of a point: role of a colour, name, number."""
    first, second = field.title.split(", ")
    height = () if field.surface is None else (("forward", field.output, _number(field.surface, point)),)
    return (
        ("leaf", field.names[0], _number(field.x, point)),
        ("leaf", field.names[1], _number(field.y, point)),
        *height,
        ("backward", first, _number(field.u, point)),
        ("backward", second, _number(field.v, point)),
        ("backward", "length", rounded(float(field.sizes[point]), 4)),
    )


def described(field: Field, point: int, theme: Theme) -> str:
    """`rows` as a table in the colours of a palette."""
    from html import escape

    lines = "".join(
        f"<tr><td style='color:{theme.palette.dim}'>{escape(name)}&nbsp;&nbsp;&nbsp;</td>"
        f"<td align='right' style='color:{getattr(theme.palette, role)}; font-family:\"{MONO_FAMILY}\"'>"
        f"{escape(number.replace('-', '−'))}</td></tr>"
        for role, name, number in rows(field, point)
    )
    return f"<table cellspacing='0' cellpadding='1'>{lines}</table>"


def _between(tint: Any, ink: str, share: float) -> QColor:
    """A colour that is `share` of the way from an RGBA tint to an ink."""
    target = QColor(ink)
    full = np.array([target.red(), target.green(), target.blue()])
    return QColor(*np.rint(tint[:3] + share * (full - tint[:3])).astype(int).tolist())


def _number(array: Any, point: int) -> str:
    return rounded(float(array.flat[point]), 5)


def _range(surface: Any) -> tuple[float, float]:
    """The lowest and the highest finite number."""
    finite = surface[np.isfinite(surface)] if surface is not None else np.zeros(0)
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
