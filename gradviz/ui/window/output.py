"""What the script printed, exactly, and where an error ended it."""

from __future__ import annotations

from textwrap import fill

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QGuiApplication, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolButton, QVBoxLayout, QWidget

from gradviz.recording import Problem, Warned
from gradviz.ui.look.columns import has_columns
from gradviz.ui.look.theme import Theme, color, mono_font

MAX_CHARACTERS = 1_000_000
"""More than this is cut in the middle, visibly; Copy still takes all."""

MAX_LINES = 20_000
"""The same for lines, each of which costs Qt some microseconds."""

MAX_LINE = 10_000
"""A longer line is cut at its end, visibly: Qt lays out one endless line very slowly."""

_MEASURED, _AROUND_TEXT = 4_000, 44
"""Characters that tell how much room a text needs; and pixels around it: margins and the scroll bar."""

EMPTY = "Nothing printed yet.\nTry print(x.grad)."
HIDDEN = "What is printed later is hidden while gradients are predicted."


class Output(QWidget):
    """Read-only pane in the font of code.

    Attributes:
        pane: the text.
        copy_button: copies all that was printed; shown while the pointer is over the pane.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._output = ""
        self._note = ""
        self._is_listening = False
        self._column = 0
        self._problem: Problem | None = None
        self._warnings: tuple[Warned, ...] = ()
        self._until: int | None = None
        self._hides = False
        self._places: list[tuple[int, int, int]] = []
        self._end = 0
        self.pane = QPlainTextEdit()
        self.pane.setReadOnly(True)
        self.pane.setUndoRedoEnabled(False)
        self.pane.setAccessibleName("Output")
        self.pane.setPlaceholderText(EMPTY)
        self.pane.setFont(mono_font())
        self.pane.document().setDocumentMargin(0)
        self.pane.setViewportMargins(16, 4, 8, 8)
        self.pane.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.copy_button = QToolButton(self)
        self.copy_button.setObjectName("copy")
        self.copy_button.setText("Copy")
        self.copy_button.setToolTip("Copy all that was printed")
        self.copy_button.clicked.connect(self.copy)
        self.copy_button.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.pane)
        self.installEventFilter(self)
        theme.changed.connect(self._fill)
        self._fill()

    def show_run(
        self,
        output: str,
        problem: Problem | None = None,
        seconds: float | None = None,
        warnings: tuple[Warned, ...] = (),
        note: str = "",
    ) -> None:
        """Show what one run printed and what ended it.

        Args:
            seconds: how long it took; None where nothing ran.
            warnings: each is shown after what had been printed by then.
            note: of ours about the run, shown below it and not part of the text.
        """
        is_same = (output, problem, warnings, note) == (self._output, self._problem, self._warnings, self._note)
        is_same = is_same and not self._is_listening
        self._is_listening = False
        self._output, self._problem, self._warnings, self._note = output, problem, warnings, note
        took = "" if seconds is None else f", in {seconds * 1000:.0f} ms"
        self.pane.setAccessibleDescription(f"{output.count(chr(10))} lines printed{took}")
        if not is_same:
            self._fill()

    def show_until(self, printed: int | None, *, hides_later: bool = False) -> None:
        """Dim what was printed after so many characters, or leave it out. None dims nothing, and leaves out all."""
        before, now = (self._until, self._hides), (printed, hides_later)
        self._until, self._hides = now
        if before != now and (before[1] or hides_later):
            self._fill()
        if printed != before[0]:
            self._dim_later(shows_end=True)

    def room_wanted(self) -> QSize:
        """How much room the text needs to be seen whole; of a long one its beginning."""
        lines = self.pane.toPlainText()[:_MEASURED].split("\n")
        metrics, bar = self.pane.fontMetrics(), self.pane.horizontalScrollBar().sizeHint().height()
        across = metrics.horizontalAdvance("0") * max(map(len, lines)) + _AROUND_TEXT
        return QSize(across, metrics.lineSpacing() * len(lines) + bar + 24)

    def hear(self, text: str) -> None:
        """Add what a run has just printed; the first of it takes the place of what the run before left."""
        if not self._is_listening:
            self._is_listening = True
            self._output, self._problem, self._warnings, self._note = "", None, (), ""
            self.pane.clear()
            self.show_until(None)
            self.pane.setMaximumBlockCount(MAX_LINES)
            self._column = 0
        self._output += text
        cursor = QTextCursor(self.pane.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        bar = self.pane.verticalScrollBar()
        is_at_end = bar.value() == bar.maximum()
        cursor.insertText(self._cut(text), _paint(self._theme.palette.text))
        if is_at_end:
            bar.setValue(bar.maximum())

    def _cut(self, text: str) -> str:
        """The text without what makes one of its lines too long, counting what already stands in the last line."""
        lines = text.split("\n")
        for number, line in enumerate(lines):
            start = 0 if number else self._column
            lines[number] = line[: max(0, MAX_LINE - start)]
            self._column = start + len(line)
        return "\n".join(lines)

    def text(self) -> str:
        """All that was printed, exactly, and the error below it."""
        return "".join(text for text, _ in self._pieces()) + self._problem_text()

    def copy(self) -> None:
        """Put `text()` on the clipboard."""
        QGuiApplication.clipboard().setText(self.text())

    def _problem_text(self) -> str:
        if self._problem is None or not self._problem.ended:
            return ""
        gap = "\n" if self._output and not self._output.endswith("\n") else ""
        return f"{gap}{_headline(self._problem)}\n{self._problem.hint}".rstrip()

    def _pieces(self) -> list[tuple[str, bool]]:
        """What was printed and warned of, in the order of the run; True for a warning, which ends its line."""
        pieces: list[tuple[str, bool]] = []
        start = 0
        output = self._output[: self._until or 0] if self._hides else self._output
        for warned in self._warnings:
            if warned.at > len(output):
                break
            end = max(start, _line_end(output, warned.at))
            if end > start:
                pieces.append((_ended(output[start:end]), False))
            where = "" if warned.line is None else f"Line {warned.line}: "
            pieces.append((f"{where}{warned.category}: {warned.message}\n", True))
            start = end
        if output[start:]:
            pieces.append((output[start:], False))
        return pieces

    def _fill(self) -> None:
        bar = self.pane.verticalScrollBar()
        was_at_end = bar.value() == bar.maximum() and bar.maximum() > 0
        palette = self._theme.palette
        self.pane.clear()
        self.pane.setMaximumBlockCount(0)
        self._keep_columns()
        cursor = QTextCursor(self.pane.document())
        plain, warned = _paint(palette.text), _paint(palette.warning)
        pieces = self._pieces()
        self._places = []
        start = 0
        for at, (text, is_warning) in enumerate(pieces):
            # Without the last line end, which would show as an empty line.
            shown = text.removesuffix("\n") if at == len(pieces) - 1 else text
            if not is_warning:
                self._places.append((start, len(text), cursor.position()))
                start += len(text)
            cursor.insertText(self._wrapped(shown) if is_warning else shortened(shown), warned if is_warning else plain)
        self._end = cursor.position()
        if self._problem is not None and self._problem.ended:
            gap = "\n\n" if pieces else ""
            cursor.insertText(f"{gap}{_stopped(self._problem)}", _paint(palette.error))
        if self._hides:
            gap = "\n\n" if pieces else ""
            cursor.insertText(f"{gap}{self._wrapped(HIDDEN)}", _paint(palette.dim))
        if self._note:
            gap = "\n\n" if pieces or self._problem is not None else ""
            cursor.insertText(f"{gap}{self._wrapped(self._note)}", _paint(palette.dim))
        if was_at_end or self._problem is not None:
            bar.setValue(bar.maximum())
        self._dim_later()

    def _dim_later(self, *, shows_end: bool = False) -> None:
        """Dim what was printed after `_until`; `shows_end`: bring the last line before it into sight."""
        start = self._place_of(self._until)
        if start is None:
            self.pane.setExtraSelections([])
            return
        later = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.pane.document())
        cursor.setPosition(start)
        here = QTextCursor(cursor)
        cursor.setPosition(self._end, QTextCursor.MoveMode.KeepAnchor)
        later.cursor, later.format = cursor, _paint(self._theme.palette.dim)
        self.pane.setExtraSelections([later])
        place = self.pane.cursorRect(here)
        if shows_end and not self.pane.viewport().rect().contains(place.center()):
            self.pane.verticalScrollBar().setValue(max(0, here.block().firstLineNumber() - 1))

    def _place_of(self, printed: int | None) -> int | None:
        """Where in the pane the first character after so many is; None where there is none, or it is not shown."""
        if printed is None or len(self._output) > MAX_CHARACTERS:
            return None
        start, size, place = next((each for each in self._places if each[0] + each[1] > printed), (0, 0, 0))
        return place + max(0, printed - start) if size else None

    def _keep_columns(self) -> None:
        """Arrays are printed in columns, which lines that wrap would break: these are scrolled instead."""
        modes = QPlainTextEdit.LineWrapMode
        self.pane.setLineWrapMode(modes.NoWrap if has_columns(self._output) else modes.WidgetWidth)

    def _wrapped(self, words: str) -> str:
        """Sentences of ours wrap also where the pane does not."""
        if self.pane.lineWrapMode() is not QPlainTextEdit.LineWrapMode.NoWrap:
            return words
        room = self.pane.viewport().width() // self.pane.fontMetrics().horizontalAdvance("0")
        return "\n".join(fill(line, max(room, 24)) if line.strip() else line for line in words.split("\n"))

    # ---- Qt's own names ----

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Resize):
            size = self.copy_button.sizeHint()
            self.copy_button.setGeometry(self.width() - size.width() - 14, 2, size.width(), size.height())
        if event.type() == QEvent.Type.Resize and self.pane.lineWrapMode() is QPlainTextEdit.LineWrapMode.NoWrap:
            self._fill()
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.copy_button.setVisible(event.type() == QEvent.Type.Enter and bool(self.text()))
        return super().eventFilter(watched, event)


def shortened(output: str) -> str:
    """The text as it is shown: whole, or with its middle and the ends of endless lines visibly cut."""
    if len(output) > MAX_CHARACTERS:
        half = MAX_CHARACTERS // 2
        cut = len(output) - 2 * half
        output = f"{output[:half]}\n… {cut:,} characters are not shown here; Copy takes them all …\n{output[-half:]}"
    lines = output.split("\n")
    if len(lines) > MAX_LINES:
        half = MAX_LINES // 2
        cut = len(lines) - 2 * half
        lines = [*lines[:half], f"… {cut:,} lines are not shown here; Copy takes them all …", *lines[-half:]]
    return "\n".join(_line(line) for line in lines)


def _line(line: str) -> str:
    return (
        line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}… {len(line) - MAX_LINE:,} more characters in this line"
    )


def _stopped(problem: Problem) -> str:
    """Where the output ends; why is said once, under the script, where it is mended."""
    return f"Stopped at {problem.place}." if problem.place else "Stopped."


def _headline(problem: Problem) -> str:
    where = f"{problem.place}: " if problem.file else f"Line {problem.line}: " if problem.line is not None else ""
    return f"{where}{problem.message}"


def _line_end(text: str, at: int) -> int:
    """Where the line ends that is being printed at a place: a warning waits for it."""
    return 0 if at <= 0 else text.find("\n", at - 1) + 1 or len(text)


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _paint(role: str) -> QTextCharFormat:
    paint = QTextCharFormat()
    paint.setForeground(color(role))
    return paint
