"""v, J and u as one picture: v laid on the rows of J, u above its columns, and the products where they meet.

·            u
v    J, never built    J·u   differences
     v·J
     differences       v·(J·u) = (v·J)·u
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gradviz.playback.formula.arithmetic import EQUALS, sign_before
from gradviz.playback.numbers import rounded
from gradviz.playback.words import number_text
from gradviz.recording import Array
from gradviz.ui.look.number_tiles import EMPTY, GAP, Look, NumberTiles
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import CAPTION_PX, Theme, color, mono_font, ui_font
from gradviz.ui.seed.experiment import Findings, places

LEAST, MOST = (40, 18), (84, 36)
"""Width and height of a tile in pixels: as there is room."""
APART = 3 * SPACE
BESIDE = 60
"""Pixels that the words about the two numbers reach further than the columns above them."""
MOST_TERMS = 6
LONGEST_NAME = 110
"""Width of the names of rows in pixels."""
HINT = "Drag a number of {what}, or double-click to type it. Point at any other number to see what it is made of."
_BELOW = ("back", "back_difference")
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTER = Qt.AlignmentFlag.AlignCenter


class TileNames(QWidget):
    """A name beside, or above, each of a row of tiles."""

    def __init__(self, theme: Theme, *, is_column: bool) -> None:
        super().__init__()
        self._theme, self._is_column = theme, is_column
        self._names: Sequence[str] = ()
        self._tile = LEAST
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_names(self, names: Sequence[str], tile: tuple[int, int]) -> None:
        """Show the names of tiles of a size in pixels."""
        self._names, self._tile = names, tile
        self.setAccessibleName(", ".join(names))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        wide, high = self._tile
        count = max(1, len(self._names))
        if not self._is_column:
            return QSize(count * (wide + GAP) - GAP, 16)
        metrics = QFontMetrics(mono_font(CAPTION_PX))
        longest = max((metrics.horizontalAdvance(name) for name in self._names), default=0)
        return QSize(min(longest + 2, LONGEST_NAME), count * (high + GAP) - GAP)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(mono_font(CAPTION_PX))
        painter.setPen(color(self._theme.palette.dim))
        metrics, (wide, high) = painter.fontMetrics(), self._tile
        for number, name in enumerate(self._names):
            if self._is_column:
                box = QRectF(0, number * (high + GAP), self.width(), high)
            else:
                box = QRectF(number * (wide + GAP), 0, wide, self.height())
            is_long = metrics.horizontalAdvance(name) > box.width()
            shown = name[name.rfind("[") :].replace(" ", "") if is_long and "[" in name else name
            text = metrics.elidedText(shown, Qt.TextElideMode.ElideMiddle, int(box.width()))
            painter.drawText(box, _RIGHT if self._is_column else _CENTER, text)


class _Ground(QFrame):
    """The dashed frame around J: it is shown, and was never built."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        p = self._theme.palette
        painter.setPen(QPen(color(p.dim if p.is_strong else p.faint), 1, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), SPACE + 2, SPACE + 2)


class Board(QWidget):
    """The picture. What is dragged or typed is told at once; what follows from it is shown when it is found.

    Signals:
        v_changed, u_changed: a number was changed. Payload: the whole array.
        v_settled, u_settled: it was let go. Payload: the whole array.
        v_clicked, u_clicked: a tile was clicked. Payload: its flat index in the whole array.
        refused: what was typed is no number. Payload: the sentence.
    """

    v_changed = Signal(object)
    u_changed = Signal(object)
    v_settled = Signal(object)
    u_settled = Signal(object)
    v_clicked = Signal(int)
    u_clicked = Signal(int)
    refused = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.v, self.u = NumberTiles(theme, "backward"), NumberTiles(theme, "leaf")
        self.matrix = NumberTiles(theme, "forward")
        self.forward, self.forward_difference = NumberTiles(theme, "leaf"), NumberTiles(theme, "constant")
        self.back, self.back_difference = NumberTiles(theme, "backward"), NumberTiles(theme, "constant")
        self._whole: dict[str, Array] = {}
        self._found: Findings | None = None
        self._names = ("", "")
        self._row_names: list[str] = []
        self._column_names: list[str] = []
        self._lit: tuple[str, int] | None = None
        self._built: int | None = None
        self._arrange()
        self._wire()
        theme.changed.connect(self._dress)
        self._dress()

    # ---- building ----

    def _arrange(self) -> None:
        theme = self._theme
        self.rows_named, self.columns_named = TileNames(theme, is_column=True), TileNames(theme, is_column=False)
        self.titles = {
            name: QLabel() for name in ("v", "matrix", "u", "forward", "forward_difference", "back", "back_difference")
        }
        for label in self.titles.values():
            label.setFont(ui_font(12, bold=True))
            label.setAlignment(_CENTER)
        for name in ("u", "back", "back_difference"):
            self.titles[name].setAlignment(_RIGHT)
        self.identity = QLabel()
        self.identity.setTextFormat(Qt.TextFormat.RichText)
        self.identity.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.terms = QLabel()
        self.terms.setFont(mono_font(12))
        self.terms.setWordWrap(True)
        self.terms.setMinimumHeight(36)
        self.terms.setAlignment(Qt.AlignmentFlag.AlignCenter)
        ground = _Ground(theme)
        inner = QVBoxLayout(ground)
        inner.setContentsMargins(4, 4, 4, 4)
        inner.addWidget(self.matrix)
        self.ground = ground
        grid = QGridLayout()
        grid.setHorizontalSpacing(APART)
        grid.setVerticalSpacing(SPACE)
        middle = Qt.AlignmentFlag.AlignHCenter
        grid.addWidget(self.columns_named, 0, 2, middle)
        grid.addWidget(self.titles["u"], 1, 0, 1, 2, _RIGHT)
        grid.addWidget(self.u, 1, 2, middle)
        for place, name in enumerate(("v", "matrix", "forward", "forward_difference"), start=1):
            grid.addWidget(self.titles[name], 2, place, middle)
        grid.addWidget(self.rows_named, 3, 0, _RIGHT)
        for place, shown in enumerate((self.v, ground, self.forward, self.forward_difference), start=1):
            grid.addWidget(shown, 3, place, _CENTER)
        grid.addWidget(self.titles["back"], 4, 0, 1, 2, _RIGHT)
        grid.addWidget(self.back, 4, 2, middle)
        grid.addWidget(self.titles["back_difference"], 5, 0, 1, 2, _RIGHT)
        grid.addWidget(self.back_difference, 5, 2, middle)
        grid.addWidget(self.identity, 4, 3, 2, 3)
        grid.setRowMinimumHeight(2, 24)
        centred = QHBoxLayout()
        centred.addStretch()
        centred.addLayout(grid)
        centred.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        column.addStretch()
        column.addLayout(centred)
        column.addStretch()
        column.addWidget(self.terms)
        for name, tiles in self._tiles().items():
            tiles.setAccessibleName(ACCESSIBLE[name])

    def _tiles(self) -> dict[str, NumberTiles]:
        return {
            "v": self.v, "u": self.u, "matrix": self.matrix, "forward": self.forward, "back": self.back,
            "forward_difference": self.forward_difference, "back_difference": self.back_difference,
        }  # fmt: skip

    def _wire(self) -> None:
        for name, tiles, changed, settled, clicked in (
            ("v", self.v, self.v_changed, self.v_settled, self.v_clicked),
            ("u", self.u, self.u_changed, self.u_settled, self.u_clicked),
        ):
            tiles.numbers_changed.connect(lambda part, n=name, s=changed: s.emit(self._completed(n, part)))
            tiles.settled.connect(lambda part, n=name, s=settled: s.emit(self._completed(n, part)))
            tiles.tile_clicked.connect(lambda at, n=name, s=clicked: s.emit(self._shown(n)[at]))
            tiles.refused.connect(self.refused)
        for name, tiles in self._tiles().items():
            tiles.tile_pointed.connect(lambda at, n=name: self._point(n, at))

    def _dress(self) -> None:
        p = self._theme.palette
        inks = {"v": p.backward, "back": p.backward, "u": p.leaf, "forward": p.leaf, "matrix": p.forward}
        for name, label in self.titles.items():
            label.setStyleSheet(f"color: {inks.get(name, p.dim)};")
        self.terms.setStyleSheet(f"color: {p.dim};")
        self._show_identity()

    # ---- showing ----

    def clear(self) -> None:
        """Show nothing."""
        self._found = self._lit = None
        self._whole = {}
        for name, tiles in self._tiles().items():
            tiles.hide()
            self.titles[name].hide()
        for widget in (self.ground, self.rows_named, self.columns_named, self.identity):
            widget.hide()

    def show_vectors(self, v: Array, u: Array | None) -> None:
        """Show v and u as they are chosen; what follows from them is still that of the ones before."""
        found = self._found
        was = None if found is None or found.wish.u is None else found.wish.u.shape
        if found is not None and (found.wish.v.shape, was) != (v.shape, None if u is None else u.shape):
            self._found = self._lit = None  # of another output or leaf, which nothing is known of yet
        self._whole = {"v": v} if u is None else {"v": v, "u": u}
        self._show_tiles()

    def show_findings(
        self,
        found: Findings,
        names: tuple[str, str],
        shapes: tuple[tuple[int, ...], tuple[int, ...]],
        built: int | None = None,
    ) -> None:
        """Show what was found.

        Args:
            names: of the output and the leaf.
            shapes: of the output and the leaf.
            built: which of the rows is being built right now; None while none is.
        """
        self._found, self._names, self._built = found, names, built
        rows_of = 1 if found.wish.is_second else 0
        self._row_names = places(shapes[rows_of], names[rows_of], found.rows)
        self._column_names = places(shapes[1], names[1], found.columns)
        self._whole = {"v": found.wish.v} if found.wish.u is None else {"v": found.wish.v, "u": found.wish.u}
        self._show_titles()
        self._show_tiles()
        self.updateGeometry()
        self._show_identity()
        self._say_terms()

    def _show_titles(self) -> None:
        found, (output, leaf) = self._found, self._names
        assert found is not None
        is_second = found.wish.is_second
        titles = {
            "v": "v", "u": "u",
            "matrix": f"H = ∂²(v·{output})/∂{leaf}²" if is_second else f"J = ∂{output}/∂{leaf}, never built",
            "forward": "H·u" if is_second else "J·u", "forward_difference": "differences",
            "back": "v·J", "back_difference": "differences",
        }  # fmt: skip
        for name, text in titles.items():
            self.titles[name].setText(text)

    def _shown(self, name: str) -> tuple[int, ...]:
        """Which elements of v or u have a tile."""
        found = self._found
        if found is None:
            return ()
        return found.columns if name == "u" or found.wish.is_second else found.rows

    def _completed(self, name: str, part: Array) -> Array:
        """All of v or u, with the numbers of the tiles in their places."""
        whole = np.array(self._whole[name], copy=True)
        whole.reshape(-1)[list(self._shown(name))] = np.ravel(part)
        made: Array = whole[()] if whole.ndim == 0 else whole
        self._whole[name] = made
        return made

    @property
    def tile(self) -> tuple[int, int]:
        """Width and height of a tile in pixels: as large as all have room for."""
        found = self._found
        columns, rows = (len(found.columns), len(found.rows)) if found is not None else (1, 1)
        wide = (self.width() - self.rows_named.sizeHint().width() - 5 * APART - BESIDE) // (columns + 3) - GAP
        high = (self.height() - self.terms.minimumHeight() - 20 * SPACE) // (rows + 3) - GAP
        return min(max(wide, LEAST[0]), MOST[0]), min(max(high, LEAST[1]), MOST[1])

    def _show_tiles(self) -> None:
        found = self._found
        if found is None:
            return
        tile, is_second = self.tile, found.wish.is_second
        for tiles in self._tiles().values():
            tiles.resize_tiles(*tile)
        self.rows_named.show_names(self._row_names, tile)
        self.columns_named.show_names(self._column_names, tile)
        count = len(found.columns)
        v, u = self._whole.get("v"), self._whole.get("u")
        has_leaf = u is not None and bool(found.rows)
        if v is not None and not is_second:
            self.v.show_numbers(np.ravel(v)[list(found.rows)], columns=1, is_editable=True, looks=self._looks("v"))
        if u is not None:
            shown = np.ravel(u)[list(found.columns)]
            self.u.show_numbers(shown, columns=count, is_editable=True, looks=self._looks("u"))
        if has_leaf:
            matrix = found.matrix if found.matrix is not None else np.full((len(found.rows), count), np.nan)
            self.matrix.show_numbers(matrix, columns=count, looks=self._looks("matrix"))
        self._show_column("forward", found.forward, found.rows)
        self._show_column("forward_difference", found.forward_difference, found.rows)
        self._show_row("back", None if is_second else found.gradient, found.columns)
        flat = None if is_second else found.backward_difference
        self._show_row("back_difference", flat, tuple(range(count)))
        seen: list[tuple[QWidget, bool]] = [
            *((widget, not is_second) for widget in (self.v, self.titles["v"])),
            *((widget, has_leaf) for widget in (self.u, self.titles["u"], self.ground, self.titles["matrix"])),
            *((widget, has_leaf) for widget in (self.rows_named, self.columns_named)),
            *((each[name], has_leaf and not is_second) for name in _BELOW for each in (self._tiles(), self.titles)),
        ]
        for widget, is_seen in seen:
            widget.setVisible(is_seen)

    def _show_column(self, name: str, whole: Array | None, rows: Sequence[int]) -> None:
        tiles = self._tiles()[name]
        tiles.setVisible(bool(rows))
        self.titles[name].setVisible(bool(rows))
        if whole is None:
            tiles.show_numbers(np.zeros(len(rows)), columns=1, looks=[EMPTY] * len(rows))
        else:
            tiles.show_numbers(np.ravel(whole)[list(rows)], columns=1, looks=self._looks(name))

    def _show_row(self, name: str, whole: Any, columns: Sequence[int]) -> None:
        tiles, count = self._tiles()[name], len(columns)
        if whole is None:
            tiles.show_numbers(np.zeros(count), columns=max(1, count), looks=[EMPTY] * count)
        else:
            tiles.show_numbers(np.ravel(whole)[list(columns)], columns=max(1, count), looks=self._looks(name))

    def minimumSizeHint(self) -> QSize:
        """With the smallest tiles: they grow with the room that there is."""
        found = self._found
        columns, rows = (len(found.columns), len(found.rows)) if found is not None else (1, 1)
        wide = self.rows_named.sizeHint().width() + 5 * APART + BESIDE + (columns + 3) * (LEAST[0] + GAP)
        high = self.terms.minimumHeight() + 20 * SPACE + (rows + 3) * (LEAST[1] + GAP)
        return QSize(wide, high)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_tiles()

    # ---- what is lit ----

    def _looks(self, name: str) -> list[Look]:
        found = self._found
        assert found is not None
        count = len(found.columns)
        if name == "matrix":
            return [
                self._entry(row, column)
                for row in range(len(found.rows)) for column in range(count)
            ]  # fmt: skip
        size = len(found.rows) if name in ("v", "forward", "forward_difference") else count
        return [Look(is_lit=self._is_lit(name, at)) for at in range(size)]

    def _entry(self, row: int, column: int) -> Look:
        found = self._found
        assert found is not None
        if row >= len(found.known) or not found.known[row] or found.matrix is None:
            return EMPTY
        if self._built is not None:
            return Look(is_lit=row == self._built)
        share = 1.0 if found.matrix[row, column] else 0.0
        if share and not found.wish.is_second:
            v = np.abs(np.nan_to_num(np.ravel(self._whole["v"])[list(found.rows)].astype(np.float64)))
            most = float(v.max(initial=0.0))
            share = 0.25 + 0.75 * float(v[row]) / most if most and v[row] else 0.0
        return Look(share, self._is_lit("matrix", row * max(1, len(found.columns)) + column) and bool(share))

    def _is_lit(self, name: str, at: int) -> bool:
        if self._lit is None or self._found is None:
            return False
        by, where = self._lit
        columns = max(1, len(self._found.columns))
        if by == "matrix":
            row, column = divmod(where, columns)
            own = {"matrix": where, "v": row, "forward": row, "u": column, "back": column}
            return own.get(name) == at
        if by in ("back", "u"):
            return (
                (name == "matrix" and at % columns == where)
                or (name == "v" and by == "back")
                or (name, at) == self._lit
            )
        if by in ("forward", "v"):
            is_factor = name == "u" and by == "forward"
            return (name == "matrix" and at // columns == where) or is_factor or (name, at) == self._lit
        return False

    def _point(self, name: str, at: int) -> None:
        lit = None if at < 0 or name.endswith("difference") else (name, at)
        if lit != self._lit:
            self._lit = lit
            self._show_tiles()
            self._say_terms()

    def _say_terms(self) -> None:
        is_second = self._found is not None and self._found.wish.is_second
        self.terms.setText(self.described_terms() or HINT.format(what="u" if is_second else "v or u"))

    def described_terms(self) -> str:
        """What the number that is pointed at is made of, as one line; "" where none is."""
        found = self._found
        if self._lit is None or found is None or found.matrix is None:
            return ""
        by, at = self._lit
        name = "H" if found.wish.is_second else "J"
        columns = len(found.columns)
        if by == "matrix":
            row, column = divmod(at, columns)
            if not found.known or not found.known[row]:
                return f"Row {found.rows[row] + 1} of J takes a pass of its own, with a 1 in this place of v."
            over, under = self._row_names[row], self._column_names[column]
            what = f"∂²(v·{self._names[0]})/∂{over}∂{under}" if name == "H" else f"∂{over}/∂{under}"
            return f"{what} = {_number(found.matrix[row, column])}"
        if by == "back" and found.gradient is not None:
            v = np.ravel(found.wish.v)[list(found.rows)]
            total = float(np.ravel(found.gradient)[found.columns[at]])
            hidden = np.size(found.wish.v) - len(found.rows)
            return _sum_text(f"v·J for {self._column_names[at]}", total, v, found.matrix[:, at], hidden)
        if by == "forward" and found.forward is not None and found.wish.u is not None:
            u = np.ravel(found.wish.u)[list(found.columns)]
            total = float(np.ravel(found.forward)[found.rows[at]])
            hidden = np.size(found.wish.u) - columns
            return _sum_text(f"{name}·u for {self._row_names[at]}", total, found.matrix[at], u, hidden)
        if by == "v":
            return f"Row {found.rows[at] + 1} of J is multiplied by this number."
        return f"Column {found.columns[at] + 1} of {name} is multiplied by this number."

    def _show_identity(self) -> None:
        found = self._found
        both = None if found is None else found.identity
        self.identity.setVisible(both is not None)
        if both is None or found is None:
            return
        p = self._theme.palette
        left, right = (rounded(number, 8).replace("-", "−") for number in both)
        is_finite = all(math.isfinite(number) for number in both)
        verdict = "the same number,<br>computed two ways" if both[0] == both[1] else "the same up to rounding"
        if not found.is_same:
            verdict = "these differ by more<br>than rounding"
        ink = p.leaf if found.is_same else p.error
        if not is_finite:
            verdict, ink = "not finite, so there is<br>nothing to compare", p.error
        self.identity.setText(
            f"<table cellspacing='0' cellpadding='1'>"
            f"<tr><td>v·(J·u)&nbsp;</td><td>= <b>{left}</b></td></tr>"
            f"<tr><td>(v·J)·u&nbsp;</td><td>= <b>{right}</b></td></tr></table>"
            f"<span style='color:{ink}'>{verdict}</span>"
        )


ACCESSIBLE = {
    "v": "v, one number for each row of J", "u": "u, one number for each column of J", "matrix": "J",
    "forward": "J times u", "back": "v times J", "forward_difference": "J times u by differences",
    "back_difference": "v times J by differences",
}  # fmt: skip


def _number(number: float) -> str:
    return number_text(float(number)).replace("-", "−")


def _sum_text(name: str, total: float, first: Any, second: Any, hidden: int) -> str:
    """A product as a sum of its terms: "v·J for x[0] = 1·2 + 1·2 = 4"."""
    pairs = [(float(a), float(b)) for a, b in zip(first, second, strict=True) if a and b]
    terms = [f"{_wrapped(_number(a))}·{_wrapped(_number(b))}" for a, b in pairs[:MOST_TERMS]]
    more = ["…"] if len(pairs) > MOST_TERMS or hidden else []
    sign = sign_before(total, pairs, is_all=not more)
    if sign != EQUALS:
        return f"{name} = {_number(total)}{sign}{' + '.join(terms) or 'no term but 0'}"
    return f"{name} = {' + '.join(terms + more) or 'no term but 0'} = {_number(total)}"


def _wrapped(text: str) -> str:
    return f"({text})" if text.startswith("−") else text
