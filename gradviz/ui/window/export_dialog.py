"""The dialog of File > Export: what is written, how it looks, and for a picture a preview of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QImage,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QStyledItemDelegate,
    QVBoxLayout,
    QWidget,
)

from gradviz.errors import GradvizError
from gradviz.export.row import Family, Row, Subject
from gradviz.export.table import row_of, rows
from gradviz.ui.canvas.files.film_file import film_scale, film_sides, shots
from gradviz.ui.canvas.files.picture_file import PNG_SCALE, Graph, Look, picture_of, png_scale
from gradviz.ui.canvas.files.pictures import GraphPicture, image_of, possible_scale
from gradviz.ui.canvas.ink.painter import painter_on
from gradviz.ui.look.icons import without_icons
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import PALETTES, Theme
from gradviz.ui.window.parts import THEME_NAMES
from gradviz.ui.window.slices import Slices

AS_SHOWN = "as shown"
RATES = (10, 15, 20, 25, 30, 50)
PACES = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0)
_SCALES = (1.0, 2.0, 3.0, 4.0)
_MOST_DETAILED = 600
"""Boxes of a graph of which the preview has all details, however small."""
_LEAST_WIDTH, _MOST_WIDTH = 40, 16_000

AskFile = Callable[[Row], "Path | None"]
"""Asks for the file of a format; None where the user gives up."""


class ExportDialog(QDialog):
    """Chooses a format and a look, and writes.

    Attributes:
        graph: what is shown.
        format, theme_choice, pages, width_px, rate, pace: what is chosen, with a widget for each.

    Args:
        ask_file: asks for the file.
        subject: what is written, in a look.
        write: writes what is not painted.
        put: writes the finished content of what is painted.
        limits: what of the screen a file of some format does not show, as a sentence.

    Signals:
        wrote: payload: the file.
    """

    wrote = Signal(object)

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None,
        *,
        ask_file: AskFile,
        subject: Callable[[Look], Subject],
        write: Callable[[Path], None],
        put: Callable[[Path, bytes], None],
        limits: Callable[[Row], str] = lambda _row: "",
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.setModal(True)
        self._theme, self._ask_file, self._write, self._put = theme, ask_file, write, put
        self._subject, self._limits = subject, limits
        self.graph: Graph | None = None
        self._is_film, self._other_scale = False, _SCALES.index(1.0)
        self._file = Path()
        self._picture: tuple[tuple[object, ...], GraphPicture] | None = None
        self.preview = Preview(self._image, theme)
        self.format, self.theme_choice, self.pages = QComboBox(), QComboBox(), QComboBox()
        self.legend, self.gauges = QCheckBox("Legend"), QCheckBox("Gradient sizes")
        self.scale, self.width_px = QComboBox(), QSpinBox()
        self.rate, self.pace = QComboBox(), QComboBox()
        self.holds, self.size_words, self.problem = QLabel(), QLabel(), QLabel()
        self.progress = QProgressBar()
        self.slices = Slices(self)
        self._fields: list[QWidget] = []
        self._fill()
        self._arrange()
        self._wire()

    # ---- what is asked ----

    def show_graph(self, graph: Graph, *, gauges: bool) -> None:
        """Offer to export a graph; `gauges`: whether its boxes have gauges on the screen."""
        self.graph, self._picture = graph, None
        self.gauges.setChecked(gauges)
        self._show_problem("")
        self._show_choice()

    @property
    def chosen(self) -> Row:
        """The format that is chosen."""
        return next(row for row in rows() if row.suffix == self.format.currentData())

    @property
    def palette_chosen(self) -> Palette:
        """The palette of the picture."""
        choice = str(self.theme_choice.currentData())
        return self._theme.palette if choice == AS_SHOWN else PALETTES[choice]

    def look(self) -> Look:
        """How the file will look."""
        every_step = "every_step" in self.chosen.takes and self.pages.currentIndex() == 1
        scale = self.scale.currentData()
        return Look(
            self.palette_chosen,
            legend=self.legend.isChecked(),
            gauges=self.gauges.isChecked(),
            scale=scale,
            width=self.width_px.value() if scale is None else None,
            every_step=every_step,
            rate=int(self.rate.currentData()),
            pace=float(self.pace.currentData()),
        )

    def export(self) -> None:
        """Ask for the file and write it; a picture bit by bit, with its progress."""
        self._show_problem("")
        try:
            path = self._ask_file(self.chosen)
            if path is None or self.graph is None:
                return
            self._file, row, graph = path, row_of(path.suffix), self.graph
            if row is not None and row.is_painted:
                if (lack := row.lacking()) is not None:
                    raise lack
                self.slices.start(row.start(replace(self._subject(self.look()), graph=lambda: graph)))
                self._show_busy(True)
            else:
                self._write(path)
                self._end(path)
        except GradvizError as error:
            self._fail(error)

    # ---- building ----

    def _fill(self) -> None:
        self.format.setItemDelegate(QStyledItemDelegate(self.format))  # the usual one of a list shows no item grey
        self.format.view().setStyleSheet("QAbstractItemView::item { padding: 5px 6px; }")
        family = rows()[0].family
        for row in rows():
            if row.family is not family:
                self.format.insertSeparator(self.format.count())
            family = row.family
            self.format.addItem(row.words, row.suffix)
            self._allow(row)
        for choice in (AS_SHOWN, *PALETTES):
            self.theme_choice.addItem(THEME_NAMES.get(choice, "As shown"), choice)
        for scale in _SCALES:
            self.scale.addItem(f"{scale:g} ×", scale)
        self.scale.addItem("Width", None)
        self.width_px.setRange(_LEAST_WIDTH, _MOST_WIDTH)
        self.width_px.setValue(1600)
        self.width_px.setSuffix(" pixels")
        self.width_px.lineEdit().setTextMargins(6, 0, 0, 0)
        self.legend.setChecked(True)
        for rate in RATES:
            self.rate.addItem(f"{rate} per second", rate)
        for pace in PACES:
            self.pace.addItem("1 second per step" if pace == 1 else f"{pace:g} seconds per step", pace)
        self.scale.setCurrentIndex(_SCALES.index(PNG_SCALE))
        self.rate.setCurrentIndex(RATES.index(Look.rate))
        self.pace.setCurrentIndex(PACES.index(Look.pace))

    def _allow(self, row: Row) -> None:
        """Leave a format grey, with the reason, whose library is not installed."""
        why, items = row.lacking(), self.format.model()
        if why is None or not isinstance(items, QStandardItemModel):
            return
        item = items.item(self.format.count() - 1)
        item.setText(f"{row.words}: {why.message.partition(',')[0]}")
        item.setToolTip(f"{why.message[:1].upper()}{why.message[1:]}. {why.hint}")
        item.setEnabled(False)
        item.setForeground(QColor(self._theme.palette.faint))

    def _arrange(self) -> None:
        size = QHBoxLayout()
        size.addWidget(self.scale)
        size.addWidget(self.width_px, 1)
        self._size_row = QWidget()
        self._size_row.setLayout(size)
        size.setContentsMargins(0, 0, 0, 0)
        self.size_words.setProperty("role", "dim")
        self.holds.setProperty("role", "dim")
        self.problem.setProperty("role", "error")
        for text in (self.holds, self.size_words, self.problem):
            text.setWordWrap(True)
            text.setTextFormat(Qt.TextFormat.PlainText)
            text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.form = QFormLayout()
        self.form.setHorizontalSpacing(16)
        self.form.setVerticalSpacing(12)
        self.pages.addItems(["This step", "A page for every step of backward"])
        for words, field in (
            ("Format", self.format), ("", self.holds), ("Colours", self.theme_choice), ("Show", self.pages),
            ("Size", self._size_row), ("Images", self.rate), ("Speed", self.pace), ("With", self.legend),
            ("", self.gauges), ("", self.size_words),
        ):  # fmt: skip
            self.form.addRow(words, field)
            self._fields.append(field)
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = QPushButton("Export…")
        self.go.setProperty("role", "primary")
        self.go.setDefault(True)
        self.buttons.addButton(self.go, QDialogButtonBox.ButtonRole.ActionRole)
        without_icons(self.buttons)
        right = QVBoxLayout()
        right.addLayout(self.form)
        right.addStretch()
        right.addWidget(self.problem)
        right.addWidget(self.progress)
        right.addSpacing(8)
        right.addWidget(self.buttons)
        side = QWidget()
        side.setLayout(right)
        right.setContentsMargins(0, 0, 0, 0)
        side.setFixedWidth(380)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(20, 20, 20, 16)
        whole.setSpacing(20)
        whole.addWidget(self.preview, 1)
        whole.addWidget(side)
        self.resize(940, 560)
        self._show_busy(False)

    def _wire(self) -> None:
        for combo in (self.format, self.theme_choice, self.pages, self.scale, self.rate, self.pace):
            combo.currentIndexChanged.connect(self._show_choice)
        for box in (self.legend, self.gauges):
            box.toggled.connect(self._show_choice)
        self.width_px.valueChanged.connect(self._show_choice)
        self.go.clicked.connect(self.export)
        self.buttons.rejected.connect(self._cancel)
        self.slices.progressed.connect(lambda share: self.progress.setValue(round(1000 * share)))
        self.slices.finished.connect(self._finish)
        self.slices.failed.connect(self._fail)
        self._theme.changed.connect(self._show_choice)

    # ---- what is shown ----

    def _show_choice(self) -> None:
        if self.graph is None:
            return
        row = self.chosen
        is_film = row.family is Family.FILM
        if is_film != self._is_film:  # a film is usually smaller than a picture
            scale, self._is_film, self._other_scale = self._other_scale, is_film, self.scale.currentIndex()
            with QSignalBlocker(self.scale):
                self.scale.setCurrentIndex(scale)
        self.holds.setText(f"{row.holds} {self._limits(row)}".rstrip())
        shown = {
            self.theme_choice: row.is_painted,
            self.pages: "every_step" in row.takes,
            self._size_row: "scale" in row.takes,
            self.rate: "rate" in row.takes,
            self.pace: "pace" in row.takes,
            self.legend: "legend" in row.takes,
            self.gauges: "gauges" in row.takes,
        }
        for field, is_shown in shown.items():
            self.form.setRowVisible(field, is_shown)
        self.width_px.setVisible(self.scale.currentData() is None)
        self.preview.renew()
        words = self._size_text() if row.is_painted else ""
        self.size_words.setText(words)
        self.form.setRowVisible(self.size_words, bool(words))

    def _size_text(self) -> str:
        """How large the file will look."""
        assert self.graph is not None
        look, picture, row = self.look(), self._shown_picture(), self.chosen
        if row.family is Family.FILM:
            stops = self.graph.stops or range(self.graph.track.length + 1)
            plan = list(shots(picture, stops, look.rate, look.pace))
            seconds = sum(shot.ticks for shot in plan) / look.rate
            width, height = film_sides(picture.size, film_scale(picture.size, look.scale, look.width))
            return f"{width:,} × {height:,} pixels, {_time_text(seconds)}, {len(plan):,} images"
        if "scale" in row.takes:
            scale = possible_scale(picture.size, png_scale(picture.size, look))
            width, height = (math.ceil(side * scale) for side in picture.size)
            return f"{width:,} × {height:,} pixels"
        return ""

    def _shown_picture(self) -> GraphPicture:
        """The picture in the look that is chosen, kept until that changes."""
        assert self.graph is not None
        look = self.look()
        key = (look.palette, look.legend, look.gauges)
        if self._picture is None or self._picture[0] != key:
            self._picture = (key, picture_of(self.graph, look))
        return self._picture[1]

    def _image(self, room: QSize, ratio: float) -> QImage:
        """The preview, no larger than some room in pixels of the screen."""
        if self.graph is None:
            return QImage()
        picture = self._shown_picture()
        width, height = picture.size
        scale = min(room.width() / width, room.height() / height, 1.0) * ratio
        image = image_of(picture, self.graph.position, scale, detail=self._detail(picture))
        image.setDevicePixelRatio(ratio)
        return image

    def _detail(self, picture: GraphPicture) -> float | None:
        """How much detail the boxes of the preview have: as much as in the file, where that is drawn in a moment."""
        if len(picture.scene.boxes) > _MOST_DETAILED:
            return None
        look, row = self.look(), self.chosen
        if row.family is Family.FILM:
            return min(film_scale(picture.size, look.scale, look.width), 1.0)
        return min(possible_scale(picture.size, png_scale(picture.size, look)), 1.0) if "scale" in row.takes else 1.0

    def _show_problem(self, sentence: str) -> None:
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))

    def _show_busy(self, is_busy: bool) -> None:
        self.progress.setValue(0)
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(policy)
        self.progress.setVisible(is_busy)
        self.go.setEnabled(not is_busy)
        for field in self._fields:
            field.setEnabled(not is_busy)

    # ---- what has happened ----

    def _cancel(self) -> None:
        """Cancel what is written; else close."""
        if self.slices.is_busy:
            self.slices.cancel()
            self._show_busy(False)
            self._show_problem("Cancelled. Nothing was written.")
        else:
            self.reject()

    def _finish(self, content: bytes) -> None:
        try:
            self._put(self._file, content)
        except GradvizError as error:
            self._fail(error)
        else:
            self._end(self._file)

    def _fail(self, error: GradvizError) -> None:
        self._show_busy(False)
        self._show_problem(error.one_line(""))

    def _end(self, path: Path) -> None:
        self._show_busy(False)
        self.accept()
        self.wrote.emit(path)

    # ---- Qt ----

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.preview.renew()

    def reject(self) -> None:
        self.slices.cancel()
        self._show_busy(False)
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.slices.cancel()
        super().closeEvent(event)


class Preview(QWidget):
    """A picture as large as there is room, drawn anew when the room or the picture has changed.

    Args:
        draw: makes the image, given the room in pixels of the screen and device pixels to one of them.
    """

    def __init__(self, draw: Callable[[QSize, float], QImage], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draw, self._theme, self._image = draw, theme, QImage()
        self.setAccessibleName("Preview")
        self.setMinimumSize(240, 200)

    def renew(self) -> None:
        """The picture has changed."""
        self._image = QImage()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.renew()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image.isNull():
            self._image = self._draw(self.size() - QSize(2, 2), self.devicePixelRatioF())
        with painter_on(self) as painter:
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        size = self._image.deviceIndependentSize()
        at = QPointF(round((self.width() - size.width()) / 2), round((self.height() - size.height()) / 2))
        painter.drawImage(at, self._image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(QColor(self._theme.palette.hairline), 1.0))
        painter.drawRect(QRectF(at, size).adjusted(-1, -1, 0, 0))


def _time_text(seconds: float) -> str:
    """ "34 seconds", "2:05 minutes"."""
    whole = round(seconds)
    return f"{whole} seconds" if whole < 120 else f"{whole // 60}:{whole % 60:02d} minutes"
