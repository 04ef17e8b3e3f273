"""The product at a node, drawn: v, the Jacobian that is never built, and what goes out, each number with its terms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFocusEvent,
    QHelpEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.playback.formula.arithmetic import NOT, sign_before
from gradviz.playback.product.form import OUT, Form, J, V
from gradviz.playback.product.jacobian import Matrix
from gradviz.playback.product.product import Factor, Product
from gradviz.playback.product.structure import COLUMN, DENSE, EQUAL_ROW, NUMBER, ROW, SPARSE
from gradviz.ui.inspector.cells import digit_width
from gradviz.ui.inspector.form_plan import LEFT, RESULT, RIGHT, Part, parts_around, planned_forms
from gradviz.ui.inspector.product_plan import DIGITS, Look, Map, Plan, Tile, Words, planned, written
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import Theme, color, mono_font, ui_font

LISTED = 4
"""Numbers that go out, and terms of each, up to which all terms are listed below."""
LINE = 17
HOVER_LINES = 2
WORDS_PX, TERMS_PX = 10, 11
HINT = "Point at a number to see its terms."
FULL = (DENSE, SPARSE, ROW, EQUAL_ROW, COLUMN, NUMBER)
"""Structures of which terms that are 0 are told too."""
_MAP_COLUMNS = 96


class Spot(NamedTuple):
    """The number that is pointed at, as its tile has it."""

    kind: str
    factor: int
    row: int
    column: int
    panel: int = 0


class ProductView(QWidget):
    """The tiles and the terms. Pointing at a number lights what it is made of; arrow keys go through what goes out.

    Signals:
        number_pointed: another number is pointed at. Payload: V and -1 for what comes in, else OUT and the slot of the
            input that it goes to; "" and -1 for none.
    """

    number_pointed = Signal(str, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._product: Product | None = None
        self._looks: list[Look] = []
        self._forms: tuple[Form, ...] = ()
        self._parts: list[tuple[Part, Part, Part]] = []
        self._plans: dict[int, Plan] = {}
        self._terms: dict[tuple[int, int, int], list[tuple[str, str]]] = {}
        self._images: dict[int, QImage] = {}
        self._lit: Spot | None = None
        self._found: frozenset[tuple[int, int, int, int]] = frozenset()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("v times the Jacobian")
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self._repaint_maps)

    @property
    def lit(self) -> Spot | None:
        """The number that is pointed at."""
        return self._lit

    def show_product(self, product: Product, *, as_matrices: bool = False) -> None:
        """Show a product that has factors; one of matrices as these, if that is wanted and it has such forms."""
        forms = product.forms if as_matrices else ()
        if product is self._product and forms == self._forms:
            return
        self.light(None)
        self._product, self._forms = product, forms
        self._looks = [] if forms else [Look(*factor.block(*_first(factor))) for factor in product.factors]
        self._parts = [parts_around(form, *_largest(form)) for form in forms]
        self._plans.clear()
        self._terms.clear()
        self._images.clear()
        self.setAccessibleDescription(self.described() if QAccessible.isActive() or self.hasFocus() else "")
        self.updateGeometry()
        self.update()

    def described(self) -> str:
        """All of it in words: each number that goes out with its terms."""
        if self._product is None:
            return ""
        if self._forms:
            return "; ".join(form.equation for form in self._forms)
        parts = [f"v = {', '.join(written(number, DIGITS) for number in self._product.v[:12].tolist())}"]
        for number, factor in enumerate(self._product.factors):
            parts.append(f"to {factor.name}: {factor.structure.words}")
            look = self._looks[number]
            shown = range(look.left, look.left + look.block.shape[1])
            parts += ["".join(text for text, _ in self.terms(number, column)) for column in shown]
        return "; ".join(parts)

    # ---- terms -------------------------------------------------------------------------------------------------

    def terms(self, factor: int, column: int, row: int = -1) -> list[tuple[str, str]]:
        """What one number that goes out is made of, as pieces of text with a kind: V, J, OUT or ""."""
        key = (factor, column, row)
        if key not in self._terms:
            found = self._form_terms(*key) if self._forms else self._found_terms(factor, column)
            self._terms[key] = found
        return self._terms[key]

    def _form_terms(self, factor: int, column: int, row: int) -> list[tuple[str, str]]:
        """Those of a number of the result of two matrices; what is negative stands in parentheses but at the front."""
        pieces = self._forms[factor].find(row, column).pieces
        texts = [(part if isinstance(part, str) else written(part, DIGITS), kind) for part, kind in pieces]
        return [texts[0], *((_wrapped(text) if kind else text, kind) for text, kind in texts[1:])]

    def _found_terms(self, factor: int, column: int) -> list[tuple[str, str]]:
        assert self._product is not None
        found, look = self._product.factors[factor], self._looks[factor]
        entries = look.block[:, column - look.left]
        v = self._product.v[look.top : look.top + len(entries)]
        sparse = len(entries) > LISTED or found.structure.name not in FULL
        rows = [row for row in range(len(entries)) if not sparse or entries[row] != 0]
        total, is_changed = float(found.sent[column]), found.slot in self._product.changed
        factors = [(float(v[row]), float(entries[row])) for row in rows]
        sign = NOT if is_changed else sign_before(total, factors, is_all=found.is_whole)
        pieces = [(f"{written(total, DIGITS)}{sign}", OUT)]
        for row in rows:
            pieces += [(" + ", "")] if len(pieces) > 1 else []
            pieces += [
                (written(float(v[row]), DIGITS), V),
                ("·", ""),
                (_wrapped(written(float(entries[row]), DIGITS)), J),
            ]
        left = found.jacobian.shape[0] - len(entries)
        if left:
            sign = " + " if rows else ""
            pieces.append((f"{sign}the terms of {left:,} other rows", ""))
        elif not rows:
            pieces.append(("no terms", ""))
        return pieces

    def lists_all(self, width: int) -> bool:
        """Whether the terms of every number that goes out are listed: where they are few, and fit a width."""
        factors = () if self._product is None else self._product.factors
        if self._forms:
            return False
        columns = sum(factor.jacobian.shape[1] for factor in factors)
        if columns > LISTED or any(max(factor.jacobian.shape) > LISTED for factor in factors):
            return False
        lines = [self.terms(*place) for place in self.plan(width).columns]
        return all(sum(len(text) for text, _ in line) * digit_width(TERMS_PX) <= width - 4 for line in lines)

    # ---- where things are --------------------------------------------------------------------------------------

    def plan(self, width: int | None = None) -> Plan:
        """Where everything stands at a width in pixels (the widget's own where None)."""
        width = self.width() if width is None else width
        if width not in self._plans:
            if self._product is None:
                return Plan((), (), (), (), TERMS_PX, 0)
            found = planned_forms(self._forms, self._parts, width) if self._forms else None
            self._plans[width] = found or planned(self._product, self._looks, width)
        return self._plans[width]

    def _tile_at(self, point: QPoint) -> Tile | None:
        return next(
            (tile for tile in self.plan().tiles if QRect(*tile.box).adjusted(-1, -1, 2, 2).contains(point)), None
        )

    # ---- pointing ----------------------------------------------------------------------------------------------

    def light(self, spot: Spot | None) -> None:
        """Light a number with what it is made of, or none."""
        if spot != self._lit:
            self._lit = spot
            self._found = frozenset() if spot is None or not self._forms else self._made_of(spot)
            self.update()
            self._tell(spot)

    def _tell(self, spot: Spot | None) -> None:
        if spot is None or self._product is None:
            self.number_pointed.emit("", -1)
        elif spot.kind == V:
            self.number_pointed.emit(V, -1)
        else:
            parts = self._forms or self._product.factors
            self.number_pointed.emit(OUT, parts[spot.factor].slot)

    def _made_of(self, spot: Spot) -> frozenset[tuple[int, int, int, int]]:
        """What is lit with a number of three matrices: form, matrix, row and column of each."""
        _, number, row, column, panel = spot
        form, (_, _, seen) = self._forms[number], self._parts[number]
        found = {(number, panel, row, column)}
        if panel == RESULT:
            terms = form.find(row, column)
            found |= {(number, LEFT, *place) for place in terms.left.tolist()}
            return frozenset(found | {(number, RIGHT, *place) for place in terms.right.tolist()})
        for down in range(seen.top, seen.top + seen.rows):
            for across in range(seen.left, seen.left + seen.columns):
                terms = form.find(down, across)
                if [row, column] in (terms.left if panel == LEFT else terms.right).tolist():
                    found.add((number, RESULT, down, across))
        return frozenset(found)

    def _is_lit(self, tile: Tile) -> bool:
        if self._lit is None:
            return False
        if self._forms:
            return (tile.factor, tile.panel, tile.row, tile.column) in self._found
        kind, factor, row, column, _ = self._lit
        if kind == V:
            return tile.row == row and (tile.kind == V or (tile.kind == J and tile.number != 0))
        if kind == OUT:
            return tile.kind == V or (tile.factor == factor and tile.column == column)
        is_row = tile.kind == V and tile.row == row
        is_out = tile.kind == OUT and (tile.factor, tile.column) == (factor, column)
        return is_row or is_out or (tile.kind, tile.factor, tile.row, tile.column) == self._lit[:4]

    def _look_at(self, found: Map, point: QPoint) -> None:
        """Draw the part of a large Jacobian that the pointer is at."""
        assert self._product is not None
        forms, x, y, wide, high = self._forms, *found.box
        factor = None if forms else self._product.factors[found.factor]
        height, width = forms[found.factor].result.numbers.shape if factor is None else factor.jacobian.shape
        row = int(min(max((point.y() - y) / high, 0), 0.999) * height)
        column = int(min(max((point.x() - x) / wide, 0), 0.999) * width)
        if factor is None:
            parts = parts_around(forms[found.factor], row, column)
            has_moved, self._parts[found.factor] = parts != self._parts[found.factor], parts
        else:
            look = Look(*factor.block(row, column))
            has_moved, self._looks[found.factor] = look[:2] != self._looks[found.factor][:2], look
        if has_moved:
            self._plans.clear()
            self._terms.clear()
            self.update()

    # ---- Qt ----------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(0, 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def heightForWidth(self, width: int) -> int:
        plan = self.plan(width)
        lines = len(plan.columns) if self.lists_all(width) else HOVER_LINES
        return plan.height + SPACE + lines * LINE

    def paintEvent(self, event: QPaintEvent) -> None:
        plan, seen = self.plan(), event.rect()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_grounds(painter, plan)
        painter.setFont(ui_font(WORDS_PX))
        painter.setPen(color(self._theme.palette.dim))
        for words in _in_sight(plan.words, seen):
            side = Qt.AlignmentFlag.AlignRight if words.is_right else Qt.AlignmentFlag.AlignHCenter
            text = words.text
            if len(text) * WORDS_PX > words.box[2]:  # it may be too long
                text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, words.box[2])
            painter.drawText(QRect(*words.box), side | Qt.AlignmentFlag.AlignVCenter, text)
        painter.setFont(mono_font(plan.pixels))
        for tile in _in_sight(plan.tiles, seen):
            self._paint_tile(painter, tile)
        if plan.height <= seen.bottom():
            self._paint_terms(painter, plan)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color(self._theme.palette.backward), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), SPACE, SPACE)

    def _paint_grounds(self, painter: QPainter, plan: Plan) -> None:
        p = self._theme.palette
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color(p.dim if p.is_strong else p.faint), 1, Qt.PenStyle.DashLine))
        for ground in plan.grounds:
            painter.drawRoundedRect(QRectF(*ground.box).adjusted(0.5, 0.5, -0.5, -0.5), SPACE + 1, SPACE + 1)
        for found in plan.maps:
            box = QRect(*found.box)
            painter.drawImage(box, self._image(found.factor))
            painter.setPen(QPen(color(p.dim if p.is_strong else p.faint), 1, Qt.PenStyle.DashLine))
            painter.drawRect(QRectF(box).adjusted(-0.5, -0.5, 0.5, 0.5))
            painter.setPen(QPen(color(p.backward), 1.5))
            painter.drawRect(QRectF(*found.part))

    def _paint_tile(self, painter: QPainter, tile: Tile) -> None:
        p = self._theme.palette
        box, is_lit = QRectF(*tile.box), self._is_lit(tile)
        is_gradient, is_zero = tile.kind != J, tile.number == 0
        finite = math.isfinite(tile.number)
        accent, tint = (p.backward, p.backward_tint) if is_gradient else (p.forward, p.forward_tint)
        is_ground = is_gradient or not (is_zero or self._meets_zero(tile))
        if is_lit or is_ground:
            painter.setPen(Qt.PenStyle.NoPen)
            fill = (
                _ink(accent) if is_lit and not (is_zero and not is_gradient) else _ink(tint, 1 if is_gradient else 0.7)
            )
            painter.setBrush(fill)
            painter.drawRoundedRect(box, SPACE, SPACE)
        ink = p.text if is_gradient else p.dim if is_zero or not is_ground else p.forward
        if is_lit and not (is_zero and not is_gradient):
            ink = p.on_accent
        painter.setPen(_ink(ink if finite or is_lit else p.error))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, tile.text)

    def _meets_zero(self, tile: Tile) -> bool:
        """Whether an entry stands in a row that v switches off."""
        assert self._product is not None
        return tile.kind == J and not self._forms and float(self._product.v[tile.row]) == 0

    def _paint_terms(self, painter: QPainter, plan: Plan) -> None:
        if self._product is None:
            return
        y = plan.height + SPACE
        painter.setFont(mono_font(TERMS_PX))
        if self.lists_all(self.width()):
            for number, (factor, column) in enumerate(plan.columns):
                self._paint_pieces(
                    painter, self.terms(factor, column), y + number * LINE, 1, self._names(factor, column)
                )
            return
        spot = self._lit
        if spot is None or (spot.kind == V and not self._forms):
            painter.setFont(ui_font(TERMS_PX))
            painter.setPen(color(self._theme.palette.dim))
            text = HINT if spot is None else f"Row {spot[2]} of J is multiplied by this number."
            painter.drawText(QRect(0, y, self.width(), LINE), Qt.AlignmentFlag.AlignCenter, text)
            return
        if self._forms and spot.panel != RESULT:
            return
        self._paint_pieces(painter, self.terms(spot.factor, spot.column, spot.row), y, HOVER_LINES, is_lit=True)

    def _names(self, factor: int, column: int) -> bool:
        """Whether the line of a number is that of what is pointed at."""
        return self._lit is not None and self._lit[0] != V and (self._lit[1], self._lit[3]) == (factor, column)

    def _paint_pieces(
        self, painter: QPainter, pieces: list[tuple[str, str]], y: int, lines: int, is_lit: bool = False
    ) -> None:
        """Write coloured pieces, centred where they fit on one line; what does not fit at all ends in "…"."""
        p = self._theme.palette
        inks = {V: p.backward, OUT: p.backward, J: p.forward, "": p.dim}
        wide = digit_width(TERMS_PX)
        painter.setFont(mono_font(TERMS_PX, bold=is_lit and lines == 1))
        whole = sum(len(text) for text, _ in pieces) * wide
        x, right, line = max((self.width() - whole) / 2, 2.0), self.width() - 2.0, 0
        for text, kind in pieces:
            needs = len(text) * wide
            if x + needs > right - (2 * wide if line == lines - 1 and text is not pieces[-1][0] else 0):
                line += 1
                if line == lines:
                    painter.setPen(color(p.dim))
                    painter.drawText(
                        QRectF(x, y + (line - 1) * LINE, 3 * wide, LINE), Qt.AlignmentFlag.AlignVCenter, "…"
                    )
                    return
                x = 2.0
            painter.setPen(color(inks[kind]))
            painter.drawText(QRectF(x, y + line * LINE, needs + 4, LINE), Qt.AlignmentFlag.AlignVCenter, text)
            x += needs

    def _image(self, factor: int) -> QImage:
        if factor not in self._images:
            assert self._product is not None
            if self._forms:
                numbers = self._forms[factor].result.numbers
                ink = self._theme.palette.backward
                self._images[factor] = _seen_from_afar(numbers, range(len(numbers)), len(numbers), ink)
            else:
                found, ink = self._product.factors[factor], self._theme.palette.forward
                self._images[factor] = _seen_from_afar(found.sample, found.rows, found.jacobian.shape[0], ink)
        return self._images[factor]

    def _repaint_maps(self) -> None:
        self._images.clear()
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        over = next((found for found in self.plan().maps if QRect(*found.box).contains(point)), None)
        if over is not None:
            self._look_at(over, point)
        tile = self._tile_at(point)
        self.light(None if tile is None else Spot(tile.kind, tile.factor, tile.row, tile.column, tile.panel))

    def hideEvent(self, event: QHideEvent) -> None:
        self.light(None)

    def leaveEvent(self, event: QEvent) -> None:
        self.light(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.setAccessibleDescription(self.described())
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.light(None)
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        out = [tile for tile in self.plan().tiles if tile.kind == OUT]
        if event.key() in steps and out:
            places = [(tile.factor, tile.row, tile.column) for tile in out]
            at, step = None if self._lit is None else self._lit[1:4], steps[Qt.Key(event.key())]
            if at is not None and at not in places:
                at = next((place for place in places if (place[0], place[2]) == (at[0], at[2])), None)
            now = places.index(at) if at is not None else -1 if step > 0 else len(places)
            tile = out[(now + step) % len(out)]
            self.light(Spot(OUT, tile.factor, tile.row, tile.column, tile.panel))
            said = self.terms(tile.factor, tile.column, tile.row)
            self.setAccessibleDescription("".join(text for text, _ in said))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tile = self._tile_at(event.pos())
            QToolTip.showText(event.globalPos(), "" if tile is None else self._tip(tile), self)
            return True
        return super().event(event)

    def _tip(self, tile: Tile) -> str:
        if self._forms:
            panel = self._forms[tile.factor].panels[tile.panel]
            return f"{panel.name}[{tile.row}, {tile.column}] = {tile.number:.9g}"
        if tile.kind == J:
            return f"J[{tile.row}, {tile.column}] = {tile.number:.9g}"
        at = tile.row if tile.kind == V else tile.column
        return f"{'v' if tile.kind == V else 'goes out'}[{at}] = {tile.number:.9g}"


@lru_cache(maxsize=64)
def _ink(value: str, alpha: float = 1.0) -> QColor:
    """A colour that is used for many tiles."""
    return color(value, alpha)


Placed = TypeVar("Placed", Tile, Words)


def _in_sight(placed: Sequence[Placed], seen: QRect) -> list[Placed]:
    """What of many things is painted: most of a large product is below what can be seen of it."""
    return [one for one in placed if one.box[1] <= seen.bottom() and one.box[1] + one.box[3] >= seen.top()]


def _first(factor: Factor) -> tuple[int, int]:
    """Where something is to be seen: the first entry of the rows that were looked at."""
    used = factor.sample != 0
    if not used.size:
        return 0, 0
    row, column = np.unravel_index(int(used.argmax()), used.shape)  # stops at the first one
    return (factor.rows[int(row)], int(column)) if used[row, column] else (0, 0)


def _largest(form: Form) -> tuple[int, int]:
    """Where in a large result something is to be seen."""
    numbers = np.abs(np.nan_to_num(form.result.numbers))
    row, column = np.unravel_index(int(numbers.argmax()), numbers.shape)
    return int(row), int(column)


def _wrapped(text: str) -> str:
    return f"({text})" if text.startswith("−") else text


def _seen_from_afar(sample: Matrix, rows: Sequence[int], height: int, paint: str) -> QImage:
    """A picture of a large matrix of some height: where its entries are, each row as the nearest that was looked at."""
    width = sample.shape[1]
    columns = min(width, _MAP_COLUMNS)
    starts = (np.arange(columns) * width) // columns
    size = np.abs(np.nan_to_num(sample, nan=1.0, posinf=1.0, neginf=1.0))
    binned = np.maximum.reduceat(size, starts, axis=1)
    most = float(binned.max()) or 1.0
    share = np.where(binned > 0, 0.25 + 0.75 * np.sqrt(binned / most), 0.0)
    down = min(height, _MAP_COLUMNS)
    wanted = (np.arange(down) * height) // down
    nearest = np.abs(np.asarray(rows)[:, None] - wanted).argmin(axis=0)
    ink = color(paint)
    pixels = np.zeros((down, columns, 4), np.uint8)
    pixels[..., 0], pixels[..., 1], pixels[..., 2] = ink.red(), ink.green(), ink.blue()
    pixels[..., 3] = (255 * share[nearest]).astype(np.uint8)
    return QImage(pixels.tobytes(), columns, down, 4 * columns, QImage.Format.Format_RGBA8888).copy()
