"""The list of backward calls: chips while they are few, one button with a searchable list when they are many."""

from __future__ import annotations

import re
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QListView, QToolButton, QVBoxLayout, QWidget

from gradviz.playback.words import label, short_value
from gradviz.recording import Recording
from gradviz.source.prompts import without_prompt
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import MONO_FAMILY, Theme, mono_font

MAX_CHIPS = 4
_LEAST_CHIP = 72  # a chip narrower than its words shows their beginning and end
_MAX_TITLE, _MAX_VALUE = 30, 16
_GRAPH_WORDS = re.compile(r"(?:,\s*|(?<=\())(?:retain_graph|create_graph)\s*=\s*\w+")
_ROW_PX, _MOST_ROWS = 26, 12
_ROOT = QModelIndex()


class SweepTitle(NamedTuple):
    """What a backward call is called, and where it stands ("line 7", "custom seed" or "")."""

    text: str
    place: str

    @property
    def line(self) -> str:
        """Both, for a list."""
        return f"{self.text}    {self.place}" if self.place else self.text


def sweep_title(recording: Recording, sweep: int, script_sweeps: int) -> SweepTitle:
    """The call as the script has it; where there is no script or v was set by hand, as a script would have it."""
    call = recording.sweeps[sweep]
    if sweep >= script_sweeps:
        seeds = ", ".join(short_value(call.seed(at), 16) for at in range(len(call.seeds)))
        return SweepTitle(f"{_outputs(recording, sweep)}.backward({seeds})", "custom seed")
    place = f"line {call.line}" if call.line else ""
    if place and call.file is not None:
        place = f"{recording.sources[call.file].name} {place}"
    words = f"grad({_outputs(recording, sweep)})" if call.kind == "grad" else f"{_outputs(recording, sweep)}.backward()"
    text = _call_text(recording, call.main_line)
    return SweepTitle(_shortened(text, recording, sweep) or words, place)


def _shortened(text: str, recording: Recording, sweep: int) -> str:
    """A call in few characters: without what it keeps of the graph, then with the numbers of v for its words."""
    short = text if len(text) <= _MAX_TITLE else _GRAPH_WORDS.sub("", text)
    before, is_backward, _ = short.partition(".backward(")
    if len(short) > _MAX_TITLE and is_backward and len(recording.sweeps[sweep].seeds) == 1:
        short = f"{before}.backward({short_value(recording.sweeps[sweep].seed(0), _MAX_VALUE)})"
    return short if len(short) <= _MAX_TITLE else short[: _MAX_TITLE - 1] + "…"


def _outputs(recording: Recording, sweep: int) -> str:
    return ", ".join(label(recording, node) for node in recording.sweeps[sweep].outputs) or "nothing"


def _call_text(recording: Recording, line: int | None) -> str:
    if recording.source is None or line is None:
        return ""
    lines = recording.source.text.splitlines()
    text = without_prompt(lines[line - 1]).split("#")[0].strip() if 0 < line <= len(lines) else ""
    if ".backward(" not in text and "grad(" not in text:
        return ""
    return text


def _starts_from(recording: Recording, sweep: int) -> str:
    """What the output of a call is worth, "loss = 1.28": alike as the calls of a loop are, this tells them apart."""
    outputs = recording.sweeps[sweep].outputs
    if len(outputs) != 1:
        return ""
    value = short_value(recording.value(outputs[0]), _MAX_VALUE)
    return f"{label(recording, outputs[0], _MAX_TITLE)} = {value}" if value else ""


class SweepList(QAbstractListModel):
    """The backward calls of a recording as rows; a title is made when its row is looked at."""

    def __init__(self, recording: Recording, script_sweeps: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._recording, self._script_sweeps = recording, script_sweeps

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._recording.sweeps)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        recording, sweep = self._recording, index.row()
        title = sweep_title(recording, sweep, self._script_sweeps)
        number = f"{recording.number(sweep):>{len(str(recording.number(len(recording.sweeps) - 1)))}}"
        return "   ".join(part for part in (number, title.line, _starts_from(recording, sweep)) if part)


class SweepPicker(QFrame):
    """A pop-up list of all backward calls with a field to search them.

    Signals:
        chosen: payload: index of the sweep.
    """

    chosen = Signal(int)

    def __init__(self, recording: Recording, script_sweeps: int, current: int | None, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.rows = QSortFilterProxyModel(self)
        self.rows.setSourceModel(SweepList(recording, script_sweeps, self))
        self.rows.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.field = QLineEdit()
        self.field.setPlaceholderText(f"Search {len(recording.sweeps)} backward calls…")
        self.note = plain_label(recording.kept, "dim")
        self.note.setVisible(bool(recording.kept))
        self.field.textChanged.connect(self.rows.setFilterFixedString)
        self.field.returnPressed.connect(self._choose_shown)
        self.list = QListView()
        self.list.setModel(self.rows)
        self.list.setUniformItemSizes(True)
        self.list.setFont(mono_font(12))
        self.list.setStyleSheet(f"QListView::item {{ height: {_ROW_PX}px; padding: 0 4px; }}")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFixedHeight(_ROW_PX * min(max(len(recording.sweeps), 3), _MOST_ROWS) + 4)
        self.list.setAccessibleName("Backward calls")
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self.field)
        layout.addWidget(self.list)
        layout.addWidget(self.note)
        self.resize(480, self.sizeHint().height())
        if current is not None:
            self.list.setCurrentIndex(self.rows.index(current, 0))

    def _choose_shown(self) -> None:
        if self.rows.rowCount():
            here = self.list.currentIndex()
            self._choose(here if here.isValid() else self.rows.index(0, 0))

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self.rows.mapToSource(index).row())
        self.close()


class SweepBar(QWidget):
    """The chips above the track.

    Signals:
        sweep_chosen: payload: index of the sweep.
        seed_requested: the user wants to set a v by hand.
    """

    sweep_chosen = Signal(int)
    seed_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._recording = Recording()
        self._script_sweeps = 0
        self._sweep: int | None = None
        self._needed, self._is_placed = 0, False
        self.chips: list[QToolButton] = []
        self.seed_chip = QToolButton()
        self.seed_chip.setObjectName("seed")
        self.seed_chip.setText("+ another seed v")
        self.seed_chip.clicked.connect(self.seed_requested)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(8)
        self._layout.addWidget(self.seed_chip)
        self._layout.addStretch()
        theme.changed.connect(self._dress)
        self._dress()

    def show_sweeps(self, recording: Recording, sweep: int | None, script_sweeps: int) -> None:
        """Take a recording and its chosen sweep."""
        self._recording, self._sweep, self._script_sweeps = recording, sweep, script_sweeps
        self._make_chips()

    def _make_chips(self) -> None:
        """One for each call while there is room for all; else one for the chosen call, which opens the list."""
        self._remove_chips()
        count = len(self._recording.sweeps)
        self.chips = [self._chip(index) for index in range(count)] if count <= MAX_CHIPS else [self._many_chip()]
        self._place_chips()
        self._needed = sum(chip.sizeHint().width() + self._layout.spacing() for chip in self.chips)
        self._needed += self.seed_chip.sizeHint().width()
        if len(self.chips) > 1 and self._is_cramped():
            self._remove_chips()
            self.chips = [self._many_chip()]
            self._place_chips()
        self._name_single_chip()

    def _name_single_chip(self) -> None:
        """A chip that stands alone gives up its line where there is no room, and not the middle of its words."""
        if len(self.chips) != 1:
            return
        chip, sweep = self.chips[0], self._sweep or 0
        title = sweep_title(self._recording, sweep, self._script_sweeps)
        is_one_of_many = len(self._recording.sweeps) > 1
        count = f"    {self._recording.number(sweep)} of {self._calls}  ▾" if is_one_of_many else ""
        chip.setText(title.line + count)
        needed = chip.sizeHint().width() + self._layout.spacing() + self.seed_chip.sizeHint().width()
        if self._is_placed and needed > self.width():
            chip.setText(title.text + count)

    def _is_cramped(self) -> bool:
        return self._is_placed and self._needed > self.width()

    def _place_chips(self) -> None:
        for place, chip in enumerate(self.chips):
            chip.setObjectName("chip")
            chip.setMinimumWidth(_LEAST_CHIP)
            self._layout.insertWidget(place, chip)
            chip.ensurePolished()

    def _remove_chips(self) -> None:
        while self.chips:
            chip = self.chips.pop()
            self._layout.removeWidget(chip)
            chip.hide()  # it is deleted later, and would be seen until then
            chip.deleteLater()

    def allow_seed(self, is_allowed: bool, why: str) -> None:
        """Whether a v can be set by hand; `why` is shown as the tool tip."""
        self.seed_chip.setEnabled(is_allowed)
        self.seed_chip.setToolTip(why)

    def open_list(self) -> SweepPicker:
        """Show the searchable list of all calls."""
        picker = SweepPicker(self._recording, self._script_sweeps, self._sweep, self)
        picker.chosen.connect(self.sweep_chosen)
        place, room = self.mapToGlobal(QPoint(0, -picker.height() - 4)), self.screen().availableGeometry()
        picker.move(max(min(place.x(), room.right() - picker.width()), room.left()), max(place.y(), room.top()))
        picker.show()
        picker.field.setFocus()
        return picker

    def _chip(self, index: int) -> QToolButton:
        title = sweep_title(self._recording, index, self._script_sweeps)
        chip = QToolButton()
        chip.setText(title.line)
        chip.setCheckable(True)
        chip.setChecked(index == self._sweep)
        chip.setToolTip(f"Show backward call {self._recording.number(index)} of {self._calls}")
        chip.clicked.connect(lambda: self._clicked(index))
        return chip

    def _clicked(self, index: int) -> None:
        for place, chip in enumerate(self.chips):
            chip.setChecked(place == index)
        self.sweep_chosen.emit(index)

    @property
    def _calls(self) -> int:
        """How many calls there were, kept or not."""
        thinned = self._recording.thinned
        return len(self._recording.sweeps) if thinned is None else thinned.calls

    def _many_chip(self) -> QToolButton:
        chip = QToolButton()
        chip.setCheckable(True)
        chip.setChecked(True)
        chip.setToolTip(f"Choose another backward call\n{self._recording.kept}".rstrip())
        chip.clicked.connect(self._many_clicked)
        return chip

    def _many_clicked(self) -> None:
        self.chips[0].setChecked(True)
        self.open_list()

    def _dress(self) -> None:
        p = self._theme.palette
        self.setStyleSheet(f"""
            QToolButton {{ border: 1px solid {p.hairline}; border-radius: 8px; padding: 4px 12px;
                font-family: "{MONO_FAMILY}"; font-size: 12px; color: {p.dim}; background: transparent; }}
            QToolButton:hover {{ background: {p.window}; color: {p.text}; }}
            QToolButton:checked {{ background: {p.constant_tint}; color: {p.text};
                border-color: {p.hairline if p.is_strong else p.constant_tint}; }}
            QToolButton:focus {{ border-color: {p.forward}; }}
            QToolButton#seed {{ border: 1px dashed {p.faint}; font-family: Inter; }}
            QToolButton#seed:disabled {{ color: {p.faint}; }}
        """)

    # ---- Qt ----

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._is_placed = True
        has_all = len(self.chips) == len(self._recording.sweeps)
        if 1 < len(self._recording.sweeps) <= MAX_CHIPS and has_all == self._is_cramped():
            self._make_chips()
        self._name_single_chip()
