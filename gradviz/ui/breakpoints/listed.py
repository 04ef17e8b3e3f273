"""The list of breakpoints: what each one is, at how many steps it stops, on or off; a field to add one."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.errors import GradvizError
from gradviz.playback.conditions.condition import EXAMPLES
from gradviz.recording import counted
from gradviz.ui.breakpoints.stopping import Stopping
from gradviz.ui.look.fitted_label import FittedLabel
from gradviz.ui.look.icons import icon_button
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import Theme, color, mono_font
from gradviz.ui.window.parts import Caption

EMPTY = "No breakpoint yet. Click left of a line's number, press F9 on a node, or type a condition below."
PLACEHOLDER = "norm > 1e3,  nan,  op = mul,  line = 7 …"
_ROW_PX, _SIDE = 28, 12
_ROOMY_PX, _SHARED_PX = 170, 140
"""Heights from which a sentence may take two lines, and from which there is room for it and for rows."""


class BreakpointList(QWidget):
    """Shows the breakpoints of a document and asks for changes of them.

    Attributes:
        tree: one row per breakpoint.
        field: where a condition is typed.
        sentence: why what was typed is no condition.
    """

    def __init__(self, stopping: Stopping, theme: Theme) -> None:
        super().__init__()
        self._stopping, self._theme = stopping, theme
        self.tree, self.field = _Rows(), QLineEdit()
        self.empty, self.sentence = plain_label(EMPTY, "dim"), FittedLabel(2)
        self.caption = Caption("Breakpoints")
        self.remove_button = icon_button("close", "Remove the selected breakpoint (Delete)", theme, 14)
        self.next_button = icon_button("last", "Next breakpoint (F8)", theme, 14)
        self._arrange()
        self._wire()
        self._show()

    def focus_field(self) -> None:
        """Begin to type a condition."""
        self.field.setFocus()
        self.field.selectAll()

    # ---- building ----

    def _arrange(self) -> None:
        self.setObjectName("breakpoints")
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        for button in (self.next_button, self.remove_button):
            button.setFixedSize(24, 22)
            button.setStyleSheet("padding: 0;")
            self.caption.layout_row.addWidget(button)
        self.field.setPlaceholderText(PLACEHOLDER)
        self.field.setAccessibleName("Condition of a new breakpoint")
        self.field.setToolTip(f"Stop where this holds: {EXAMPLES}; joined with 'and'. Return adds it.")
        self.sentence.setProperty("role", "error")
        self.empty.setContentsMargins(16, 2, 12, 6)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.sentence.hide()
        foot = QVBoxLayout()
        foot.setContentsMargins(_SIDE, 4, _SIDE, 10)
        foot.setSpacing(4)
        foot.addWidget(self.field)
        foot.addWidget(self.sentence)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.caption)
        rows = QVBoxLayout()
        rows.setContentsMargins(12, 0, 8, 0)
        rows.addWidget(self.tree)
        layout.addLayout(rows, 1)
        layout.addWidget(self.empty, 1)
        layout.addLayout(foot)

    def _wire(self) -> None:
        self._stopping.stops_changed.connect(self._show)
        self._stopping.stopped.connect(lambda _why: self._mark())
        self.field.returnPressed.connect(self._add)
        self.field.textEdited.connect(lambda _text: self._say(""))
        self.tree.itemChanged.connect(self._turned)
        self.tree.itemActivated.connect(lambda item, _column: self._stopping.jump_to(item.text(0)))
        self.tree.removal_requested.connect(self._remove)
        self.tree.itemSelectionChanged.connect(self._allow)
        self.remove_button.clicked.connect(self._remove)
        self.next_button.clicked.connect(lambda: self._stopping.go_on(1))
        self._theme.changed.connect(self._mark)

    # ---- showing ----

    def _show(self) -> None:
        known, counts = self._stopping.breakpoints, self._stopping.counts
        item = self.tree.currentItem()
        chosen = "" if item is None else item.text(0)
        with QSignalBlocker(self.tree):
            self.tree.clear()
            for one, count in zip(known, counts, strict=True):
                item = QTreeWidgetItem([one.text, self._count_text(count)])
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(0, Qt.CheckState.Checked if one.is_on else Qt.CheckState.Unchecked)
                item.setFont(0, mono_font(12))
                item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                item.setSizeHint(0, QSize(0, _ROW_PX))
                said = self._count_text(count) or "not counted yet"
                item.setToolTip(0, f"{one.text}: {said}. Return goes to the next.")
                self.tree.addTopLevelItem(item)
                if one.text == chosen:
                    self.tree.setCurrentItem(item)
        self._share_room()
        self._mark()
        self._allow()

    def _mark(self) -> None:
        """Ink by what is on, and the one that has stopped the player stands out in words and colour."""
        palette, held = self._theme.palette, self._stopping.held()
        with QSignalBlocker(self.tree):
            for row, (one, count) in enumerate(zip(self._stopping.breakpoints, self._stopping.counts, strict=True)):
                item = self.tree.topLevelItem(row)
                if item is None:
                    continue
                is_here = one.text in held
                item.setFont(0, mono_font(12, bold=is_here))
                item.setText(1, "stopped here" if is_here else self._count_text(count))
                item.setForeground(0, color(palette.text if one.is_on else palette.dim))
                item.setForeground(1, color(palette.error if is_here else palette.dim))

    def _allow(self) -> None:
        self.remove_button.setEnabled(self.tree.currentItem() is not None)
        self.next_button.setEnabled(bool(self._stopping.breakpoints))

    def _count_text(self, count: int | None) -> str:
        """ "3 stops", "never", or "" while it is not known."""
        if count is None:
            return ""
        if not count:
            return "not in this call" if self._stopping.has_other_calls else "never"
        return counted(count, "stop")

    # ---- asking ----

    def _add(self) -> None:
        try:
            self._stopping.add(self.field.text())
        except GradvizError as error:
            self._say(error.message)
        else:
            self.field.clear()
            self._say("")

    def _say(self, sentence: str) -> None:
        self.sentence.say(sentence)
        self.sentence.setVisible(bool(sentence))
        self._share_room()

    def _share_room(self) -> None:
        """In a low list the rows make room for the sentence."""
        self.sentence.allow(2 if self.height() >= _ROOMY_PX else 1)
        has_room = self.height() >= _SHARED_PX or self.sentence.isHidden()
        self.tree.setVisible(bool(self._stopping.breakpoints) and has_room)
        self.empty.setVisible(not self._stopping.breakpoints and has_room)

    def _turned(self, item: QTreeWidgetItem) -> None:
        self._stopping.turn(item.text(0), item.checkState(0) is Qt.CheckState.Checked)

    def _remove(self) -> None:
        item = self.tree.currentItem()
        if item is not None:
            self._stopping.remove(item.text(0))

    # ---- Qt ----

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()


class _Rows(QTreeWidget):
    """Two columns without a head.

    Signals:
        removal_requested: Delete was pressed.
    """

    removal_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Breakpoints")
        self.setMinimumHeight(_ROW_PX)  # a sentence below it takes its room
        self.setHeaderLabels(("Stops where", "How often"))  # not seen, but read by screen readers
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(12)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removal_requested.emit()
        else:
            super().keyPressEvent(event)
