"""The window of the arrow field: what it is, the picture, and what an arrow means. It stays open beside the graph."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import QPoint, QSignalBlocker, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.errors import FormatError, GradvizError
from gradviz.playback.field import Field
from gradviz.playback.numbers import rounded
from gradviz.ui.field.plot import FieldPlot
from gradviz.ui.field.words import NEEDED
from gradviz.ui.look.icons import dress
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import Theme, ui_font

SAVED_DENSITY = 2.0
"""Pixels of a saved picture for each pixel on the screen."""


class ArrowField(QDialog):
    """Shows the fields of one sweep, one at a time. Not modal.

    Attributes:
        plot: the picture.
        choice: which field is shown, where there are several.
        title, meaning, key: the texts around the picture.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fields: tuple[Field, ...] = ()
        self._suggested = Path("field.png")
        self.setWindowTitle("Arrow field")
        self.setMinimumSize(420, 420)
        self.resize(760, 780)
        self.plot = FieldPlot(theme)
        self.title, self.key = QLabel(), QLabel()
        self.meaning, self.empty = plain_label(role="dim"), plain_label(NEEDED, "dim")
        self.choice = QComboBox()
        self.choice.setAccessibleName("Which two leaves")
        self.choice.currentIndexChanged.connect(self._show_chosen)
        self.picture = QWidget()
        self._arrange()
        theme.changed.connect(self._write)

    def show_fields(self, fields: Sequence[Field], stem: str = "field") -> None:
        """Show the first of the fields, or the one of the same two leaves that was shown before; say so if none is.

        Args:
            stem: of the name that is proposed for a saved picture.
        """
        before = self._shown.names if self._shown is not None else None
        self._fields = tuple(fields)
        self._suggested = self._suggested.with_name(f"{stem}-field.png")
        names = [field.names for field in self._fields]
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItems([" and ".join(pair) for pair in names])
            self.choice.setCurrentIndex(names.index(before) if before in names else 0 if names else -1)
        self._show_chosen()

    @property
    def _shown(self) -> Field | None:
        index = self.choice.currentIndex()
        return self._fields[index] if 0 <= index < len(self._fields) else None

    def save_png(self, path: Path) -> None:
        """Write the picture with its texts, twice as dense as on the screen.

        Raises:
            FormatError: the file cannot be written.
        """
        pixmap = QPixmap(self.picture.size() * SAVED_DENSITY)
        pixmap.setDevicePixelRatio(SAVED_DENSITY)
        pixmap.fill(self._theme.palette.window)
        self.picture.render(pixmap, QPoint(), renderFlags=QWidget.RenderFlag.DrawChildren)
        if not pixmap.save(str(path), "PNG"):
            raise FormatError(f"{path.name} cannot be written: choose another folder or name.")

    # ---- building ----

    def _arrange(self) -> None:
        self.title.setFont(ui_font(20, bold=True))
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.key.setTextFormat(Qt.TextFormat.RichText)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.choice)
        card = QFrame()
        card.setProperty("role", "card")
        inner = QVBoxLayout(card)
        inner.setContentsMargins(3 * SPACE, 4 * SPACE, 4 * SPACE, 3 * SPACE)
        inner.addWidget(self.plot)
        column = QVBoxLayout(self.picture)
        column.setContentsMargins(5 * SPACE, 4 * SPACE, 5 * SPACE, 2 * SPACE)
        column.setSpacing(2 * SPACE)
        column.addLayout(head)
        column.addWidget(self.meaning)
        column.addSpacing(SPACE)
        column.addWidget(card, 1)
        column.addWidget(self.key)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 4 * SPACE)
        whole.setSpacing(SPACE)
        whole.addWidget(self.picture, 1)
        whole.addWidget(self.empty, 1)
        whole.addLayout(self._buttons())

    def _buttons(self) -> QHBoxLayout:
        self.failure = plain_label(role="error")
        self.fit_button, self.save_button = QPushButton("Show all"), QPushButton("Save as PNG…")
        dress(self.fit_button, "fit", self._theme, "dim")
        dress(self.save_button, "export", self._theme, "dim")
        self.fit_button.clicked.connect(self.plot.fit)
        self.save_button.clicked.connect(self._ask_and_save)
        row = QHBoxLayout()
        row.setContentsMargins(5 * SPACE, 0, 5 * SPACE, 0)
        row.setSpacing(2 * SPACE)
        row.addWidget(self.failure, 1)
        for button in (self.fit_button, self.save_button):
            button.setAutoDefault(False)
            row.addWidget(button)
        return row

    # ---- showing ----

    def _show_chosen(self) -> None:
        field = self._shown
        self.choice.setVisible(len(self._fields) > 1)
        self.picture.setVisible(field is not None)
        self.empty.setVisible(field is None)
        self.save_button.setEnabled(field is not None)
        self.fit_button.setEnabled(field is not None)
        self.failure.clear()
        if field is not None:
            self.plot.show_field(field)
            self._write()

    def _write(self) -> None:
        field = self._shown
        if field is None or self.plot.arrows is None:
            return
        self.title.setText(field.title)
        self.meaning.setText(field.meaning)
        self.plot.setAccessibleName(f"{field.title} over {field.names[0]} and {field.names[1]}")
        p, stride = self._theme.palette, self.plot.arrows.stride
        longest = rounded(self.plot.arrows.longest, 4)
        parts = [f"<span style='color:{p.backward}; font-weight:600'>→</span> the longest arrow is {longest} long"]
        parts += [f"{field.x.size} points"] if stride == 1 else [f"every {_ordinal(stride)} of {field.x.size} points"]
        parts += [] if field.surface is None else [f"colour shows {escape(field.output)}"]
        self.key.setText(f"<span style='color:{p.dim}'>{' &nbsp;·&nbsp; '.join(parts)}</span>")

    def _ask_and_save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save as PNG", str(self._suggested), "Picture (*.png)")
        if not name:
            return
        path = Path(name) if Path(name).suffix else Path(name).with_suffix(".png")
        self._suggested = path
        try:
            self.save_png(path)
            self.failure.clear()
        except GradvizError as error:
            self.failure.setText(error.one_line())


def _ordinal(number: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(number, f"{number}th")
