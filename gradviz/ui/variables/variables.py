"""The area of the variables: heading with buttons, table, the sentence under it, and what to do while it is empty."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QToolButton, QVBoxLayout, QWidget

from gradviz.errors import GradvizError
from gradviz.playback.track import Track
from gradviz.source.leaf_changes import LeafChange
from gradviz.source.leaves import LeafSpec
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import Theme
from gradviz.ui.variables.cell_texts import MAX_INLINE, Column
from gradviz.ui.variables.grid import GridEditor
from gradviz.ui.variables.held import Held, Holdings, recorded_leaves
from gradviz.ui.variables.leaf_delegate import NAME_SHIFT, TEXT_SHIFT, LeafDelegate
from gradviz.ui.variables.leaf_model import LeafModel
from gradviz.ui.variables.leaf_search import LeafSearch
from gradviz.ui.window.parts import Caption

EditTrigger = QAbstractItemView.EditTrigger
ROW_PX = 32
EMPTY = "No variables yet.\nType an expression such as  x * w  into the script, or press + here."
MOST_PARAMETERS = 6
"""Rows of parameters for which the table asks room; further ones are scrolled to."""
_PROPOSED = ("x", "w", "b", "v", "a", "c")


class Variables(QWidget):
    """The leaves of the script; editing one asks for the change in the script's text.

    Attributes:
        model: the leaves.
        table: the view of them.
        sentence: why the last edit could not be made.

    Signals:
        edited: the user asks for a change. Payload: name, LeafChange (for `change_leaf`).
        leaf_requested: a parameter is to be shown in the graph. Payload: its name.
    """

    edited = Signal(str, object)
    leaf_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.model = LeafModel(theme, self)
        self._search = LeafSearch()
        self._track: Track | None = None
        self._holdings: Holdings | None = None
        self._written: tuple[LeafSpec, ...] = ()
        self._position, self._is_coming = 0, False
        self.table = LeafTable(self.model, theme)
        self.add_button, self.remove_button = QToolButton(), QToolButton()
        self.empty, self.sentence = plain_label(EMPTY, "dim"), plain_label(role="error")
        self._arrange()
        self.setMinimumHeight(_LEAST_HEIGHT)
        self._search.changed.connect(self._show_found)
        self.model.edited.connect(self.edited)
        self.model.complained.connect(self._say)
        self.model.modelReset.connect(self._show_empty)
        self.add_button.clicked.connect(self._add)
        self.remove_button.clicked.connect(self._remove)
        self.table.removal_requested.connect(self._remove)
        self.table.doubleClicked.connect(self._request)
        self.table.selectionModel().selectionChanged.connect(self._allow_removal)
        self._show_empty()

    def show(self, leaves: Sequence[LeafSpec] | None = None, held: Sequence[Held] = ()) -> None:
        """Show these leaves and what they hold; without arguments, make the widget visible as Qt does."""
        if leaves is None:
            super().show()
            return
        self.model.show(leaves, held)

    def show_script(self, text: str, track: Track | None, *, is_coming: bool = False) -> None:
        """Show the leaves of a script and what they hold in a run of it; those of a long one come a little later.

        Args:
            track: the backward call that is shown; None where none is of this text.
            is_coming: whether one is on its way.
        """
        self._is_coming = is_coming
        if track is not self._track:
            self._track, self._holdings = track, None
        self._search.look_in(text)
        self._show_found()

    def show_position(self, position: int) -> None:
        """Show what they hold when so many steps of the call are done."""
        if position != self._position:
            self._position = position
            self._show_found()

    def height_wanted(self) -> int:
        """How high it is with all of its rows, of many parameters the first."""
        rows = [self.model.leaf(row).is_recorded for row in range(self.model.rowCount())]
        return _LEAST_HEIGHT + 8 + ROW_PX * max(rows.count(False) + min(rows.count(True), MOST_PARAMETERS) - 1, 0)

    def end(self) -> None:
        """End what is under way."""
        self._search.close()

    def refuse(self, error: GradvizError) -> None:
        """Say why the last edit could not be made; its cell keeps what was typed."""
        self.model.refuse(error)

    def _show_found(self) -> None:
        found, track = self._search.found, self._track
        if track is None:
            self.model.show(found, None if self._is_coming else ())
            return
        if self._holdings is None or self._written is not found:
            self._written = found
            self._holdings = Holdings(track, (*found, *recorded_leaves(track, found)))
        self.model.show(self._holdings.leaves, self._holdings.at(self._position))

    def _arrange(self) -> None:
        self.caption = Caption("Variables")
        buttons = ((self.add_button, "+", "Add a variable"), (self.remove_button, "−", "Remove the selected variable"))
        for button, sign, name in buttons:
            button.setText(sign)
            button.setToolTip(name)
            button.setAccessibleName(name)
            button.setFixedSize(24, 22)
            button.setStyleSheet("padding: 0; font-size: 16px;")
            self.caption.layout_row.addWidget(button)
        for label in (self.empty, self.sentence):
            label.setContentsMargins(16, 4, 12, 8)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.sentence.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self.caption, self.table, self.empty, self.sentence):
            layout.addWidget(part, 1 if part in (self.table, self.empty) else 0)

    def _show_empty(self) -> None:
        is_empty = self.model.rowCount() == 0
        self.table.setVisible(not is_empty)
        self.empty.setVisible(is_empty)
        self._allow_removal()

    def _allow_removal(self) -> None:
        row = self.table.currentIndex().row()
        self.remove_button.setEnabled(0 <= row < self.model.rowCount() and not self.model.leaf(row).is_recorded)

    def _say(self, sentence: str) -> None:
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))

    def _request(self, index: QModelIndex) -> None:
        leaf = self.model.leaf(index.row())
        if leaf.is_recorded:
            self.leaf_requested.emit(leaf.name)

    def _add(self) -> None:
        taken = {self.model.leaf(row).name for row in range(self.model.rowCount())}
        name = next((name for name in _PROPOSED if name not in taken), "x")
        self.edited.emit(name, LeafChange(values=[1.0, 2.0, 3.0], requires_grad=True, added=True))

    def _remove(self) -> None:
        row = self.table.currentIndex().row()
        if 0 <= row < self.model.rowCount() and not self.model.leaf(row).is_recorded:
            self.model.request(row, LeafChange(removed=True, line=self.model.leaf(row).line))


_LEAST_HEIGHT = 92
"""Caption, heads and a row."""
_WIDTHS = {Column.NAME: (60, 104), Column.SHAPE: (52, 88)}
_AROUND = {Column.NAME: NAME_SHIFT + 2, Column.SHAPE: TEXT_SHIFT + 5}
"""Least and greatest widths, and what the delegate draws beside the text; in pixels."""
_PATHS_PX, _NORM_PX, _NARROW_WITH_PATHS_PX = (92, 190), 92, 480
"""With parameters names are paths and numbers norms, which leave room for shapes and dtypes in a wider table only."""
_DTYPE_PX, _NUMBERS_PX, _NARROW_PX = 58, 60, 240
"""Values and gradients need so much room each: without it there is no column of dtypes, and shapes and names are cut.

In a table narrower than the last there is none of shapes either.
"""


class LeafTable(QTableView):
    """The view: rows of one height, the value takes the room, many values open the grid.

    Signals:
        removal_requested: Delete was pressed.
    """

    removal_requested = Signal()

    def __init__(self, model: LeafModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self.setModel(model)
        self.setItemDelegate(LeafDelegate(theme, self))
        self.setAccessibleName("Variables")
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(EditTrigger.DoubleClicked | EditTrigger.EditKeyPressed | EditTrigger.AnyKeyPressed)
        self.verticalHeader().hide()
        self.horizontalHeader().setResizeContentsPrecision(0)  # of hundreds of rows those in sight are measured
        self.verticalHeader().setDefaultSectionSize(ROW_PX)
        self._set_columns()
        for changed in (model.modelReset, model.dataChanged):
            changed.connect(lambda *_what: self._share_width())

    def _share_width(self) -> None:
        """Names and shapes are whole as far as that leaves room for the numbers."""
        has_paths = self._model.has_recorded
        widths = _WIDTHS | {Column.NAME: _PATHS_PX} if has_paths else _WIDTHS
        wide = {
            column: min(max(self.sizeHintForColumn(column) + _AROUND[column], least), most)
            for column, (least, most) in widths.items()
        }
        is_narrow = self.width() < (_NARROW_WITH_PATHS_PX if has_paths else _NARROW_PX)
        self.setColumnHidden(Column.SHAPE, is_narrow)  # the graph says it too
        if is_narrow:
            del wide[Column.SHAPE]
        spare = self.width() - sum(wide.values()) - 2 * (_NORM_PX if has_paths else _NUMBERS_PX)
        self.setColumnHidden(Column.DTYPE, spare < _DTYPE_PX or (has_paths and is_narrow))  # the script does
        for column, width in reversed(wide.items()):
            narrower = max(widths[column][0], width + min(spare, 0))
            spare += width - narrower
            self.setColumnWidth(column, narrower)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _set_columns(self) -> None:
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStyleSheet("QHeaderView::section:first { padding-left: 16px; }")
        header.setMinimumSectionSize(36)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in (Column.VALUE, Column.GRAD):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.setColumnWidth(Column.DTYPE, _DTYPE_PX)
        self._share_width()

    # ---- Qt's own names ----

    def edit(  # type: ignore[override]
        self, index: QModelIndex, trigger: EditTrigger | None = None, event: QEvent | None = None
    ) -> bool:
        if trigger is None:
            super().edit(index)
            return True
        starts = trigger in (EditTrigger.DoubleClicked, EditTrigger.EditKeyPressed)
        if starts and index.isValid() and index.column() == Column.VALUE and self._is_long(index.row()):
            self.open_grid(index.row())
            return True
        return bool(super().edit(index, trigger, event))  # type: ignore[arg-type]

    def _is_long(self, row: int) -> bool:
        leaf = self._model.leaf(row)
        count = 1
        for size in leaf.shape:
            count *= size
        return leaf.values is not None and count > MAX_INLINE

    def open_grid(self, row: int) -> None:
        """Edit the values of a row as a grid."""
        leaf = self._model.leaf(row)
        if leaf.values is None:
            return
        values = GridEditor.ask(leaf.name, leaf.values, self._theme, self.window())
        if values is not None:
            self._model.request(row, LeafChange(values=values, line=leaf.line))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removal_requested.emit()
            return
        super().keyPressEvent(event)
