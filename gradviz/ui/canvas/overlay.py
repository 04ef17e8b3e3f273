"""What lies over the graph: the legend, the card under the pointer, the veil over an old graph."""

from __future__ import annotations

import math
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.playback.numbers import rounded
from gradviz.playback.words import counted, op_word, short_value
from gradviz.ui.canvas.boxes.gauge_painting import (
    TALL_KEY_ROWS,
    key_width,
    paint_key,
    paint_tall_key,
    tall_key_width,
)
from gradviz.ui.canvas.ink.marks import Ink, Mark, pill, pill_size, soft_shadow
from gradviz.ui.canvas.ink.painter import scaled_to
from gradviz.ui.canvas.ink.text import Pen, Role, text_width
from gradviz.ui.canvas.plane.view import Point, Rect, View
from gradviz.ui.canvas.scene.cards import NOT_REACHED, Kind
from gradviz.ui.canvas.scene.gauges import WORDS, size_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import color

EDGE_GAP = 16.0
"""Between the legend, the map and the border of the canvas, in screen pixels."""

LEGEND_HEIGHT = 52.0
DOCK_HEIGHT = LEGEND_HEIGHT + 6.0
"""Of the strip that the legend has below a graph of which a part is out of sight."""
_TALL_ROW = 18.0
_ROW = 22.0
_LEGEND = (("leaf", "leaf"), ("constant", "constant"), ("op", "forward"), ("gradient, width = size", "backward"))
_LINE = 20.0
_CARD_GAP, _CARD_MARGIN = 14.0, 8.0
"""Between the card and its box, and the border of the canvas, in screen pixels."""
_MOST_OPS = 4
UNFOLD = "Double-click, Enter or E unfolds"


def _surface(painter: QPainter, rect: QRectF, palette: Palette, radius: float = 8.0) -> None:
    soft_shadow(painter, rect, radius)
    painter.setPen(QPen(QColor(palette.hairline), 1.0))
    painter.setBrush(QColor(palette.card))
    painter.drawRoundedRect(rect, radius, radius)


# ---- legend ---------------------------------------------------------------------------------------------------


def legend_width(*, groups: bool = False) -> float:
    """The width of the legend in screen pixels; `groups`: with the sign of a folded group."""
    signs = sum(18.0 + text_width(word, Role.CAPTION) + 14.0 for word, _ in _entries(groups)) - 14.0
    return 24.0 + max(signs, key_width())


def _entries(groups: bool) -> tuple[tuple[str, str], ...]:
    return (*_LEGEND[:3], ("group", "keyword"), *_LEGEND[3:]) if groups else _LEGEND


def legend_mark(left: float, bottom: float, palette: Palette, *, groups: bool = False, vector: bool = False) -> Mark:
    """The legend with its bottom left corner at a screen point."""
    rect = QRectF(left, bottom - LEGEND_HEIGHT, legend_width(groups=groups), LEGEND_HEIGHT)

    def paint(painter: QPainter) -> None:
        _surface(painter, rect, palette)
        _paint_legend(painter, rect.left() + 12.0, rect.top() + 4.0 + _ROW / 2, palette, groups=groups, vector=vector)

    return Mark(rect.adjusted(-4, -4, 4, 6), paint)


def docked_legend_mark(width: float, bottom: float, palette: Palette, *, groups: bool = False) -> Mark:
    """The legend in a strip of a width below the graph, which ends at a height."""
    # One more than there is: the last pixel of the screen may be a part of one here.
    rect = QRectF(0.0, bottom - DOCK_HEIGHT, width + 1.0, DOCK_HEIGHT + 1.0)

    def paint(painter: QPainter) -> None:
        painter.fillRect(rect, QColor(palette.card))
        painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 1.0), QColor(palette.hairline))
        _paint_legend(painter, rect.left() + EDGE_GAP + 12.0, rect.top() + 7.0 + _ROW / 2, palette, groups=groups)

    return Mark(rect, paint)


def _paint_legend(
    painter: QPainter, left: float, middle: float, palette: Palette, *, groups: bool, vector: bool = False
) -> None:
    """Two rows, the first with its middle at a height."""
    x = left
    for word, role in _entries(groups):
        ink = getattr(palette, role)
        _legend_sign(painter, role, x, middle, QColor(ink))
        Pen(painter, vector=vector).write(x + 18.0, middle, word, Role.CAPTION, ink)
        x += 18.0 + text_width(word, Role.CAPTION) + 14.0
    paint_key(painter, left, middle + _ROW, palette, vector=vector)


def tall_legend_size(*, groups: bool = False) -> tuple[float, float]:
    """Width and height of the legend that stands upright, in screen pixels."""
    words = max(18.0 + text_width(word, Role.CAPTION) for word, _ in _entries(groups))
    return 24.0 + max(words, tall_key_width()), 12.0 + _TALL_ROW * (len(_entries(groups)) + TALL_KEY_ROWS)


def tall_legend_mark(left: float, bottom: float, palette: Palette, *, groups: bool = False) -> Mark:
    """The legend in rows, with its bottom left corner at a screen point."""
    width, height = tall_legend_size(groups=groups)
    rect = QRectF(left, bottom - height, width, height)

    def paint(painter: QPainter) -> None:
        _surface(painter, rect, palette)
        x, middle = rect.left() + 12.0, rect.top() + 6.0 + _TALL_ROW / 2
        for word, role in _entries(groups):
            ink = QColor(getattr(palette, role))
            _legend_sign(painter, role, x, middle, ink)
            Pen(painter).write(x + 18.0, middle, word, Role.CAPTION, ink.name())
            middle += _TALL_ROW
        paint_tall_key(painter, x, middle, _TALL_ROW, palette)

    return Mark(rect.adjusted(-4, -4, 4, 6), paint)


def _legend_sign(painter: QPainter, role: str, x: float, middle: float, ink: QColor) -> None:
    """The same forms as in the picture: round on the left, dashed, square, a line."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    frame = QRectF(x, middle - 5.0, 11.0, 10.0)
    if role == "leaf":
        painter.drawEllipse(frame.adjusted(0, 0, -1, 0))
    elif role == "forward":
        painter.drawRoundedRect(frame.adjusted(0, 0, -1, 0), 2.5, 2.5)
    elif role == "keyword":
        painter.drawRoundedRect(QRectF(x, middle - 5.5, 11.0, 6.5), 1.8, 1.8)
        painter.setPen(QPen(ink, 1.2))
        for drop in (2.8, 5.0):
            painter.drawLine(QPointF(x + drop / 2, middle + drop), QPointF(x + 11.0 - drop / 2, middle + drop))
    elif role == "backward":
        painter.drawRoundedRect(QRectF(x, middle - 1.5, 13.0, 3.0), 1.5, 1.5)
    else:
        pen = QPen(ink, 1.3)
        pen.setDashPattern([2.2, 1.6])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 2.5, 2.5)


# ---- the card under the pointer ---------------------------------------------------------------------------------


class Row(NamedTuple):
    """One line of the card."""

    text: str
    role: Role
    ink: str


def hover_rows(scene: Scene, index: int, face: int, palette: Palette) -> list[Row]:
    """What the card of a node says at a position."""
    track, card = scene.track, scene.cards[index]
    if card.kind is Kind.GROUP:
        return _group_rows(scene, index, face, palette)
    node = track.recording.nodes[track.forward[index]]
    place = f"  ·  line {node.line}" if node.line else ""
    rows = [
        Row(card.name, Role.STRONG, palette.text),
        Row(f"{card.word or op_word(node)}  ·  {card.badge} {node.dtype}{place}", Role.CAPTION, palette.dim),
    ]
    if face & 2:
        value = short_value(track.recording.value(node.id), 44) or "value not recorded"
        rows.append(Row(value, Role.VALUE, palette.text))
    if face & 1:
        rows.append(Row(f"{card.prefix} {_long_gradient(scene, index)}", Role.VALUE, palette.backward))
        rows += [Row(text, Role.CAPTION, palette.dim) for text in _size_words(scene, index)]
    elif card.has_row and not card.gradient:
        rows.append(Row(f"gradient: {NOT_REACHED} by this backward", Role.CAPTION, palette.dim))
    return rows


def _group_rows(scene: Scene, index: int, face: int, palette: Palette) -> list[Row]:
    """What the card of a folded group says."""
    track, card = scene.folded, scene.cards[index]
    number = None if track is None else track.group_of(track.forward[index])
    if track is None or number is None:
        return []
    group = track.groups.groups[number]
    report = track.reports.at(0, number)
    inside = [f"{count} {op}" for op, count in report.ops[:_MOST_OPS]]
    more = len(report.ops) - _MOST_OPS
    lines = "" if report.lines is None else f"  ·  lines {report.lines[0]}–{report.lines[1]}"
    rows = [
        Row(group.title, Role.STRONG, palette.text),
        Row(f"{card.word}  ·  {counted(report.parameters, 'leaf', 'leaves')}{lines}", Role.CAPTION, palette.dim),
        Row(", ".join(inside) + (f" and {more} more" if more > 0 else ""), Role.CAPTION, palette.dim),
        Row(card.value, Role.VALUE, palette.text),
    ]
    if face & 1 and card.gradient:
        rows.append(Row(f"{card.prefix} {card.gradient}", Role.VALUE, palette.backward))
    return [*rows, Row(UNFOLD, Role.CAPTION, palette.dim)]


def _size_words(scene: Scene, index: int) -> list[str]:
    """The norm of the gradient that came in, and what it is where it is off the scale."""
    codes, norms = scene.gauges
    word = WORDS.get(size_of(int(codes[index])))
    what = "norm of what came in" if scene.cards[index].prefix == ".grad" else "norm"  # .grad may be a sum
    norm = "" if math.isnan(norms[index]) else f"{what} {rounded(float(norms[index]), 4)}"
    text = "  ·  ".join(part for part in (norm, word) if part)
    return [text] if text else []


def _long_gradient(scene: Scene, index: int) -> str:
    track = scene.track
    step = track.steps[int(track.backward_ranks[index]) - track.turn - 1]
    call = track.call
    entry = call.accumulation_of.get(step.node) if call is not None and scene.cards[index].prefix == ".grad" else None
    if call is None:
        return "none"
    return short_value(call.incoming(step) if entry is None else call.after(entry), 38) or "none"


def hover_mark(
    scene: Scene, index: int, face: int, view: View, frame: Rect, palette: Palette, size: float = 1.0
) -> Mark:
    """The card of a node, beside its box and inside the screen rectangle `frame`; at `size` 1 as large as usual."""
    rows = hover_rows(scene, index, face, palette)
    width = max(text_width(row.text, row.role) for row in rows) + 24.0
    height = len(rows) * _LINE + 14.0
    box = scene.boxes[index]
    taken = (width * size, height * size)
    x, y = _card_corner(view.rect_to_screen((box[0], box[1], box[2], box[3])), taken, frame)

    def paint(painter: QPainter) -> None:
        with scaled_to(painter, x, y, size):
            _surface(painter, QRectF(0.0, 0.0, width, height), palette, 10.0)
            for number, row in enumerate(rows):
                Pen(painter).write(12.0, 7.0 + _LINE * (number + 0.5), row.text, row.role, row.ink)

    return Mark(QRectF(x, y, *taken).adjusted(-4, -4, 4, 6), paint)


def _card_corner(box: Rect, size: Point, frame: Rect) -> Point:
    """Beside the box, else below or above it, so that it covers nothing of it; and always in sight."""
    width, height = size
    corners = (
        (box[2] + _CARD_GAP, box[1]),
        (box[0] - _CARD_GAP - width, box[1]),
        (box[0], box[3] + _CARD_GAP),
        (box[0], box[1] - _CARD_GAP - height),
    )
    for number, (x, y) in enumerate(corners):
        inside = (_clamped(x, width, frame[0], frame[2]), _clamped(y, height, frame[1], frame[3]))
        # Along the box it may be moved, away from it not.
        if inside[number // 2] == (x, y)[number // 2]:
            return inside
    return inside


def _clamped(start: float, length: float, low: float, high: float) -> float:
    return min(max(start, low + _CARD_MARGIN), high - _CARD_MARGIN - length)


# ---- an out-of-date graph ----------------------------------------------------------------------------------------

STALE_TEXT = "Stale: from the previous run"


def stale_marks(frame: Rect, palette: Palette) -> list[Mark]:
    """A veil over the graph, and why it is there."""
    whole = QRectF(QPointF(frame[0], frame[1]), QPointF(frame[2], frame[3]))

    def veil(painter: QPainter) -> None:
        painter.fillRect(whole, color(palette.canvas, 0.4 if palette.is_strong else 0.62))

    width, height = pill_size(STALE_TEXT, 1.0)
    place = QRectF((frame[0] + frame[2] - width) / 2, frame[1] + EDGE_GAP, width, height)
    return [Mark(whole, veil), pill(STALE_TEXT, place, Ink(palette.card, palette.dim, palette.hairline), 1.0)]
