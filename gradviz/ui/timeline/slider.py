"""The slider of the two passes: one bar forward, one backward, the nodes' names below them.

Knows numbers of steps and names. A QAbstractSlider, so that keys, wheel and screen readers work as on any slider;
it never moves by itself: it asks, and shows the position it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QToolTip

from gradviz.playback.words import shortened
from gradviz.ui.look.theme import Theme, color, mono_font

MARGIN = 12  # the handle stays inside the widget at both ends
GAP = 10
BAR = 9
BAR_TOP = 12
LABEL_TOP = 32
HEIGHT = 52
REACH = 17
"""How far the handle reaches to both sides, with the glow of the focus."""
LANE_TOP, LANE_BOTTOM = BAR_TOP + BAR + 2, LABEL_TOP - 1
_LEAST_SHARE = 0.25  # of the width for either pass, so that a short one stays usable beside a long one
_LABEL_GAP = 14.0
_MAX_LABEL = 16


@dataclass(frozen=True)
class Scale:
    """Where positions lie, in pixels. Position p is the middle of segment p; position 0 is the left end.

    Attributes:
        turn: number of forward positions.
        length: number of all positions.
        width: of the widget.
    """

    turn: int
    length: int
    width: float

    @cached_property
    def forward(self) -> tuple[float, float]:
        """Left and right end of the forward bar."""
        usable = max(1.0, self.width - 2 * MARGIN)
        if self.turn == self.length:
            return MARGIN, MARGIN + usable
        share = self.turn / max(1, self.length)
        share = min(max(share, _LEAST_SHARE), 1 - _LEAST_SHARE) if self.turn else 0.0
        return MARGIN, MARGIN + (usable - GAP) * share

    @cached_property
    def backward(self) -> tuple[float, float]:
        """Left and right end of the backward bar; empty where there is no backward pass."""
        right = max(self.width - MARGIN, MARGIN + 1.0)
        return (right, right) if self.turn == self.length else (self.forward[1] + GAP, right)

    def x(self, position: int) -> float:
        """The middle of the segment of a position."""
        if position <= 0:
            return self.forward[0]
        if position <= self.turn:
            left, right = self.forward
            return left + (right - left) * (position - 0.5) / self.turn
        left, right = self.backward
        return left + (right - left) * (position - self.turn - 0.5) / (self.length - self.turn)

    def position(self, x: float) -> int:
        """The position nearest to a pixel."""
        (left, right), (left_b, right_b) = self.forward, self.backward
        if self.turn < self.length and x >= (right + left_b) / 2:
            steps = self.length - self.turn
            return self.turn + min(steps, max(1, int((x - left_b) / max(1e-9, right_b - left_b) * steps) + 1))
        if not self.turn or x < left + 0.25 * (right - left) / self.turn:
            return 0
        return min(self.turn, max(1, int((x - left) / max(1e-9, right - left) * self.turn) + 1))


@dataclass(frozen=True)
class Lane:
    """What is drawn below the bars.

    Attributes:
        heights: by position, 0..length; empty for nothing.
        describe: what is said of a position besides, beginning with the sign that parts it from what stands before.
        stop: the position that has a tick, once it is reached; 0 for none.
    """

    heights: Sequence[float] = ()
    describe: Callable[[int], str] = lambda _position: ""
    stop: int = 0


class Label(NamedTuple):
    """A name below the track, of a position, and its box: left, top, width, height."""

    place: int
    text: str
    box: tuple[float, float, float, float]
    is_now: bool = False


class PassSlider(QAbstractSlider):
    """Both passes as one slider.

    Attributes:
        scale: where positions lie now.

    Signals:
        position_requested: by mouse, key or wheel. Payload: 0..length.
    """

    position_requested = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.scale = Scale(0, 0, 1.0)
        self._label: Callable[[int], str] = lambda _position: ""
        self._shown: list[tuple[int, str, QRectF]] = []
        self._seen: list[Label] = []
        self._places: tuple[float, ...] = ()
        self._phase = 1.0
        self._hovered: int | None = None
        self._stops: Sequence[int] = ()
        self._wedges: list[int] = []
        self._lane = Lane()
        self._lane_path = QPainterPath()
        self._lane_drawn: QPixmap | None = None
        self.setAccessibleName("Step")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.actionTriggered.connect(self._ask)
        theme.changed.connect(self._take_theme)
        self._find_places()

    def show_passes(self, turn: int, length: int, label: Callable[[int], str]) -> None:
        """Take a track of `turn` forward positions out of `length`; `label(position)` names one from 1."""
        self.scale = Scale(turn, length, float(self.width()))
        self._label = label
        self.setRange(0, length)
        self.setPageStep(max(1, length // 10))
        self._choose_labels()
        self.setAccessibleDescription(self.describe(self.value()))
        self.update()

    def show_position(self, position: int, phase: float = 1.0) -> None:
        """Show where we are; phase 0..1 is the way there from the position before."""
        if (position, phase) != (self.value(), self._phase):
            places, labels = self._places, self._seen
            self._phase = phase
            self.setValue(position)
            self.setAccessibleDescription(self.describe(position))
            self._find_places()
            self._renew(places, labels)

    def show_stops(self, positions: Sequence[int]) -> None:
        """Mark the positions at which playing stops."""
        self._stops = positions
        self._place_wedges()
        self.update()

    def show_lane(self, lane: Lane) -> None:
        """Draw how much is kept at each position, below the bars."""
        self._lane = lane
        self._place_lane()
        self._find_places()
        self.update()

    def _take_theme(self) -> None:
        self._lane_drawn = None
        self.update()

    def _place_lane(self) -> None:
        """The outline of the lane: a step at each position, the highest of those that share a pixel."""
        self._lane_path, self._lane_drawn = QPainterPath(), None
        heights, scale = self._lane.heights, self.scale
        most = max(heights, default=0.0)
        if not most or len(heights) != scale.length + 1:
            return
        for first, last, (left, right) in (
            (1, scale.turn, scale.forward),
            (scale.turn + 1, scale.length, scale.backward),
        ):
            if last < first or right <= left:
                continue
            count, columns = last - first + 1, max(1, min(last - first + 1, round(right - left)))
            self._lane_path.moveTo(left, LANE_BOTTOM)
            for column in range(columns):
                here = heights[first + count * column // columns : first + max(count * (column + 1) // columns, 1)]
                y = LANE_BOTTOM - (LANE_BOTTOM - LANE_TOP) * max(here, default=0.0) / most
                self._lane_path.lineTo(left + (right - left) * column / columns, y)
                self._lane_path.lineTo(left + (right - left) * (column + 1) / columns, y)
            self._lane_path.lineTo(right, LANE_BOTTOM)
            self._lane_path.closeSubpath()

    def _place_wedges(self) -> None:
        """Those of one pixel are one."""
        self._wedges = sorted({round(self.scale.x(position)) for position in self._stops})

    def describe(self, position: int) -> str:
        """What a position is, in words: "backward step 2 of 4: x·x·w"."""
        scale = self.scale
        if position <= 0:
            return "start: nothing is computed yet"
        if position <= scale.turn:
            return f"forward step {position} of {scale.turn}: {self._label(position)}"
        done, steps = position - scale.turn, scale.length - scale.turn
        return f"backward step {done} of {steps}: {self._label(position)}"

    # ---- labels ----

    def _choose_labels(self) -> None:
        """As many names as fit, evenly thinned in each pass."""
        scale = self.scale
        self._shown = []
        for first, last, (left, right) in (
            (1, scale.turn, scale.forward),
            (scale.turn + 1, scale.length, scale.backward),
        ):
            count = last - first + 1
            if count > 0 and right > left:
                names = self._thinned(first, last, (right - left) / count)
                self._shown += [(place, text, self._label_box(x, text)) for place, x, text in names]
        self._find_places()

    def _thinned(self, first: int, last: int, segment: float) -> list[tuple[int, float, str]]:
        stride = 1 if segment > 8 else max(1, round(60 / max(segment, 1e-6)))
        while True:
            chosen = [
                (p, self.scale.x(p), shortened(self._label(p), _MAX_LABEL)) for p in range(first, last + 1, stride)
            ]
            widest = max(_width(text) for _, _, text in chosen)
            if widest + _LABEL_GAP <= segment * stride or len(chosen) == 1:
                return chosen
            stride = max(stride + 1, int((widest + _LABEL_GAP) / segment) + 1)

    # ---- painting ----

    def _handle_x(self) -> float:
        here = self.scale.x(self.value())
        if self._phase >= 1.0 or self.value() == 0:
            return here
        before = self.scale.x(self.value() - 1)
        eased = 1 - (1 - self._phase) ** 3
        return before + (here - before) * eased

    def _find_places(self) -> None:
        """Where the handle is, and the tick of the lane (0 for none), how far each bar is filled; and what names."""
        handle, scale, stop = self._handle_x(), self.scale, self._lane.stop
        ends = (
            right if self.value() >= last else min(max(handle, left), right)
            for (left, right), last in ((scale.forward, scale.turn), (scale.backward, scale.length))
        )
        self._places = (handle, scale.x(stop) if 0 < stop <= self.value() else 0.0, *ends)
        self._seen = self._labels_seen()

    def _renew(self, places: tuple[float, ...], labels: list[Label]) -> None:
        """Have drawn what is other than it was: from where handle and bars were to where they are, and some names."""
        for number, (before, now) in enumerate(zip(places, self._places, strict=True)):
            if before != now or not number:  # the handle may have another colour
                left, right = min(before, now) - REACH, max(before, now) + REACH
                self.update(QRectF(left, 0.0, right - left, LABEL_TOP + 2).toAlignedRect())
        for label in set(labels).symmetric_difference(self._seen):
            self.update(QRectF(*label.box).toAlignedRect())

    def _paint_bars(self, painter: QPainter) -> None:
        p, scale, (_, _, *ends) = self._theme.palette, self.scale, self._places
        painter.setPen(Qt.PenStyle.NoPen)
        for (left, right), full, tint, end in (
            (scale.forward, p.forward, p.forward_tint, ends[0]),
            (scale.backward, p.backward, p.backward_tint, ends[1]),
        ):
            if right <= left:
                continue
            painter.setBrush(color(tint))
            painter.setPen(QPen(color(full), 1) if p.is_strong else QPen(Qt.PenStyle.NoPen))
            painter.drawRoundedRect(QRectF(left, BAR_TOP, right - left, BAR), BAR / 2, BAR / 2)
            if end > left:
                painter.setBrush(color(full))
                painter.drawRoundedRect(QRectF(left, BAR_TOP, max(end - left, BAR), BAR), BAR / 2, BAR / 2)

    def _paint_stops(self, painter: QPainter) -> None:
        """A small wedge above the bar for each."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(self._theme.palette.error))
        for x in self._wedges:
            painter.drawPolygon([QPointF(x - 4, 1.5), QPointF(x + 4, 1.5), QPointF(x, BAR_TOP - 3)])

    def _paint_lane(self, painter: QPainter) -> None:
        """What is kept, and a tick where a second pass would stop."""
        p = self._theme.palette
        if self._lane_drawn is None or self._lane_drawn.devicePixelRatio() != self.devicePixelRatio():
            self._lane_drawn = self._draw_lane()
        painter.drawPixmap(0, LANE_TOP, self._lane_drawn)
        if x := self._places[1]:
            painter.setPen(QPen(color(p.error), 2))
            painter.drawLine(QPointF(x, LANE_TOP), QPointF(x, LANE_BOTTOM))

    def _draw_lane(self) -> QPixmap:
        """The outline filled, kept since it has as many corners as a pass has steps, and is the same at each."""
        p, ratio = self._theme.palette, self.devicePixelRatio()
        image = QPixmap(QSize(self.width(), LANE_BOTTOM - LANE_TOP + 1) * ratio)
        image.setDevicePixelRatio(ratio)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(0, -LANE_TOP)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(p.constant, 1.0 if p.is_strong else 0.45))
        painter.drawPath(self._lane_path)
        painter.end()
        return image

    def _paint_handle(self, painter: QPainter, handle: float) -> None:
        p = self._theme.palette
        ring = p.backward if self.value() > self.scale.turn else p.forward
        centre = QPointF(handle, BAR_TOP + BAR / 2)
        if self.hasFocus():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color(ring, 0.6 if p.is_strong else 0.22))
            painter.drawEllipse(centre, 15, 15)
        painter.setPen(QPen(color(ring), 3))
        painter.setBrush(color(p.panel))
        painter.drawEllipse(centre, 9.5, 9.5)

    def _labels_seen(self) -> list[Label]:
        """The names below the track: that of the position, and of the others those that have room beside it."""
        position, seen, taken, before = self.value(), list[Label](), QRectF(), QRectF()
        if position:
            text = shortened(self._label(position), _MAX_LABEL)
            taken = self._label_box(self.scale.x(position), text, bold=True)
            seen.append(Label(position, text, _sides(taken), is_now=True))
        for place, text, box in self._shown:
            if place != position and not box.intersects(taken) and not box.intersects(before):
                seen.append(Label(place, text, _sides(box)))
                before = box
        return seen

    def _paint_labels(self, painter: QPainter, part: QRectF) -> None:
        """Write the names that touch a part."""
        p = self._theme.palette
        accent = p.backward if self.value() > self.scale.turn else p.forward
        for label in self._seen:
            box = QRectF(*label.box)
            if box.intersects(part):
                ink = accent if label.is_now else p.text if label.place == self._hovered else p.dim
                self._paint_label(painter, box, label.text, ink, bold=label.is_now)

    def _label_box(self, x: float, text: str, *, bold: bool = False) -> QRectF:
        width = _width(text, bold=bold) + 8
        # Under the bars, whose ends the letters meet: the box is wider than its letters.
        bars = [each for each in (self.scale.forward, self.scale.backward) if each[1] > each[0]]
        low, high = (bars[0][0] - 4, bars[-1][1] + 4) if bars else (0.0, float(self.width()))
        left = min(max(x - width / 2, low), max(low, high - width))
        return QRectF(left, LABEL_TOP, width, 16)

    def _paint_label(self, painter: QPainter, box: QRectF, text: str, paint: str, *, bold: bool = False) -> None:
        painter.setFont(_font(bold=bold))
        painter.setPen(color(paint))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    # ---- asking ----

    def _ask(self) -> None:
        """A key or the wheel moved the slider position; the value waits for the answer."""
        wanted = self.sliderPosition()
        self.setSliderPosition(self.value())
        self.position_requested.emit(wanted)

    def _ask_at(self, event: QMouseEvent) -> None:
        wanted = self.scale.position(event.position().x())
        if wanted != self.value():
            self.position_requested.emit(wanted)

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        return QSize(600, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, HEIGHT)

    def sliderChange(self, change: QAbstractSlider.SliderChange) -> None:
        """Another value is drawn where it makes a difference, see `show_position`."""
        if change is not QAbstractSlider.SliderChange.SliderValueChange:
            super().sliderChange(change)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.scale = Scale(self.scale.turn, self.scale.length, float(self.width()))
        self._choose_labels()
        self._place_wedges()
        self._place_lane()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.scale.length:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color(self._theme.palette.hairline))
            painter.drawRoundedRect(QRectF(MARGIN, BAR_TOP, self.width() - 2 * MARGIN, BAR), BAR / 2, BAR / 2)
            return
        self._paint_bars(painter)
        self._paint_lane(painter)
        self._paint_stops(painter)
        self._paint_labels(painter, QRectF(event.rect()))
        self._paint_handle(painter, self._places[0])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._ask_at(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._ask_at(event)
        hovered = self.scale.position(event.position().x())
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self.scale.length:
            position = self.scale.position(event.pos().x())
            QToolTip.showText(event.globalPos(), f"{self.describe(position)}{self._lane.describe(position)}", self)
            return True
        return super().event(event)


def _sides(box: QRectF) -> tuple[float, float, float, float]:
    return box.x(), box.y(), box.width(), box.height()


@cache
def _font(*, bold: bool = False) -> QFont:
    """The font of the names; made once, as a step writes a dozen of them."""
    return mono_font(11, bold=bold)


@lru_cache(maxsize=4096)
def _width(text: str, *, bold: bool = False) -> float:
    return QFontMetricsF(_font(bold=bold)).horizontalAdvance(text)
