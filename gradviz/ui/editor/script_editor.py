"""The script editor: the text area, the strip with the problem, and the rest after which an edit counts."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QTextCursor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.recording import Problem
from gradviz.ui.editor.lexer import units
from gradviz.ui.editor.problem_strip import ProblemStrip
from gradviz.ui.editor.text_area import MAX_CHARACTERS, TextArea
from gradviz.ui.look.theme import Theme

REST_MS = 350
LEAST_AREA = 30
"""Least height of the text area, in pixels: a line and the bar below it."""
PROBLEM_SHARE = 2 / 3
"""The most of the height that the strip takes."""


_MEASURED = 4_000
"""Characters that tell how much room a script needs."""


class ScriptEditor(QWidget):
    """Shows and edits the script.

    Args:
        rest_ms: how long the keys must rest before an edit is told, in milliseconds.

    Attributes:
        area: the text area.
        strip: the strip under it.

    Signals:
        text_edited: the user has changed the text and paused. Payload: the whole text. Not emitted for `set_text`.
        file_dropped: a file was dropped or pasted. Payload: its path.
    """

    text_edited = Signal(str)
    file_dropped = Signal(str)

    def __init__(self, theme: Theme, *, rest_ms: int = REST_MS) -> None:
        super().__init__()
        self.area, self.strip = TextArea(theme), ProblemStrip()
        self.rest = QTimer(self)
        self.rest.setSingleShot(True)
        self.rest.setInterval(rest_ms)
        self._told = ""
        self._has_edited = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.area.setMinimumHeight(LEAST_AREA)
        layout.addWidget(self.area, 1)
        layout.addWidget(self.strip)
        self.setFocusProxy(self.area)
        self._problem: Problem | None = None
        self._wire()

    def _wire(self) -> None:
        self.rest.timeout.connect(self.flush)
        self.area.textChanged.connect(self.rest.start)
        self.area.paste_refused.connect(self._refuse_paste)
        self.area.files_dropped.connect(self._tell_files)
        self.strip.clicked.connect(self.go_to_problem)

    # ---- text ----

    def room_wanted(self) -> QSize:
        """How much room the text needs to be seen whole; of a long one its beginning. Comments need no width."""
        lines = self.text()[:_MEASURED].split("\n")
        metrics, bars = self.area.fontMetrics(), self.area.verticalScrollBar().sizeHint().width()
        across = metrics.horizontalAdvance("0") * max(map(_code_length, lines)) + self.area.gutter.room() + 2 * bars
        strip = 0 if self.strip.isHidden() else self.strip.sizeHint().height()
        return QSize(across, metrics.lineSpacing() * len(lines) + 2 * bars + strip)

    def text(self) -> str:
        """The whole text, with line ends "\\n"."""
        return self.area.toPlainText()

    def set_text(self, text: str, keep_undo: bool = True) -> None:
        """Show another text. It is not told as an edit.

        Args:
            keep_undo: make it one step that Ctrl+Z takes back; False starts a new history (another file).
        """
        if keep_undo:
            self._exchange(text.replace("\r\n", "\n").replace("\r", "\n"))
        else:
            self.area.setPlainText(text)
            self.area.marks.light(None, is_forward=False)
            self.show_problem(None)
        self._told = self.text()
        self.rest.stop()

    def is_at_end(self) -> bool:
        """Whether nothing but blanks stands behind the cursor: no bracket is open that the editor has closed."""
        cursor = QTextCursor(self.area.textCursor())
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        return not cursor.selectedText().strip()

    def put_cursor(self, index: int) -> None:
        """Put the cursor behind so many characters of the text."""
        cursor = self.area.textCursor()
        cursor.setPosition(units(self.text(), index))
        self.area.setTextCursor(cursor)

    def _exchange(self, new: str) -> None:
        """Replace only what differs, so that the cursor and the view stay."""
        old = self.area.toPlainText()
        if new == old:
            return
        start = _common(old, new)
        behind = _common(old[start:][::-1], new[start:][::-1])
        cursor = QTextCursor(self.area.document())
        cursor.beginEditBlock()
        cursor.setPosition(units(old, start))
        cursor.setPosition(units(old, len(old) - behind), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(new[start : len(new) - behind])
        cursor.endEditBlock()

    def flush(self) -> None:
        """Tell a pending edit now, without waiting for the rest."""
        self.rest.stop()
        text = self.text()
        # Colouring counts as a change of the document for Qt, so only the text itself tells an edit.
        if text != self._told:
            self._told = text
            self._has_edited = True
            self.text_edited.emit(text)

    def zoom(self, steps: int) -> None:
        """Make the letters larger or smaller by so many pixels."""
        self.area.set_pixels(self.area.pixels() + steps)

    # ---- marks ----

    def light_line(self, line: int | None, forward: bool = False) -> None:
        """Light the line (from 1) of the current node in the tint of its pass, or none.

        It is scrolled into view, but for the first time after an edit: that is the run of what is being typed.
        """
        was_typing, self._has_edited = self._has_edited, self._has_edited and line is None
        if line == self.area.marks.lit_line() and self.area.marks.is_forward == forward:
            return
        self.area.marks.light(line, is_forward=forward)
        if line is not None and not was_typing:
            self._bring_into_view(line)

    def line(self) -> int:
        """The line of the cursor, from 1."""
        return self.area.textCursor().blockNumber() + 1

    def go_to_line(self, line: int) -> None:
        """Put the cursor at the first letter of a line (from 1), and the keys into the script."""
        block = self.area.document().findBlockByNumber(line - 1)
        if block.isValid():
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + len(block.text()) - len(block.text().lstrip()))
            self.area.setTextCursor(cursor)
            self.area.centerCursor()
        self.area.setFocus()

    def show_stops(self, lines: Mapping[int, bool]) -> None:
        """Mark the lines (from 1) with a breakpoint; whether it is on."""
        self.area.marks.show_stops(lines)

    def show_problem(self, problem: Problem | None, offer: str = "") -> None:
        """Underline the place of the problem and say it in the strip; None when all is well.

        Args:
            problem: what to say.
            offer: the words of a button that may help, or "".
        """
        self._problem = problem
        self.area.marks.underline(problem)
        where = ""
        if problem is not None and problem.place:
            where = f"{problem.place}: " if problem.file else f"Line {problem.line}: "
        self.strip.show_text(f"{where}{problem.message}" if problem else "", problem.hint if problem else "", offer)

    def go_to_problem(self) -> None:
        """Put the cursor at the place of the problem."""
        place = self.area.marks.error_place()
        if place is not None:
            cursor = self.area.textCursor()
            cursor.setPosition(place.selectionStart())
            self.area.setTextCursor(cursor)
            self.area.setFocus()

    def _bring_into_view(self, line: int) -> None:
        block = self.area.document().findBlockByNumber(line - 1)
        place = self.area.cursorRect(QTextCursor(block))
        if block.isValid() and not self.area.viewport().rect().contains(place.center()):
            rows = max(1, self.area.viewport().height() // max(1, place.height()))
            self.area.verticalScrollBar().setValue(max(0, line - 1 - rows // 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        most = min(round(PROBLEM_SHARE * self.height()), self.height() - LEAST_AREA)
        self.strip.allow(QSize(self.width(), max(0, most)))

    # ---- what the area tells ----

    def _refuse_paste(self, length: int) -> None:
        self.strip.show_text(
            f"The pasted text has {length:,} characters, and {MAX_CHARACTERS:,} fit here.",
            "Paste a shorter piece.",
        )

    def _tell_files(self, paths: list[str]) -> None:
        self.file_dropped.emit(paths[0])


def _code_length(line: str) -> int:
    return 0 if line.lstrip().startswith("#") else len(line)


def _common(a: str, b: str) -> int:
    """How many letters two texts have in common at their start. Halves, so that a long text takes no loop of Python."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
