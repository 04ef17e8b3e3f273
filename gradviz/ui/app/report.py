"""What is shown when gradviz itself fails: the traceback, ready to copy. The app goes on."""

from __future__ import annotations

import sys
import traceback
from types import TracebackType

from PySide6.QtCore import QThread, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from gradviz.errors import GradvizError
from gradviz.ui.look.icons import without_icons
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import mono_font

SENTENCE = "gradviz has made a mistake. What you have open is still there; saving it now is a good idea."


class Report(QDialog):
    """The traceback of an error that should not happen.

    Attributes:
        text: what Copy copies.
    """

    shown: Report | None = None
    """The one report on the screen; errors that follow while it is open are added to it."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        from gradviz.ui.window.about import versions_text

        self.setWindowTitle("gradviz has made a mistake")
        self.text = f"{text.rstrip()}\n\n{versions_text()}\n"
        self.details = QPlainTextEdit(self.text)
        self.details.setReadOnly(True)
        self.details.setFont(mono_font(12))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        without_icons(buttons)
        sentence = plain_label(SENTENCE)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(12)
        for part in (sentence, self.details, buttons):
            layout.addWidget(part)
        self.resize(720, 420)

    def add(self, text: str) -> None:
        """Put another traceback below."""
        self.text = f"{self.text}\n{text}"
        self.details.setPlainText(self.text)

    def done(self, result: int) -> None:
        Report.shown = None
        super().done(result)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)


def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show an exception: a `GradvizError` as its sentence, anything else as a report; also on the terminal.

    May be called in any thread; it is shown in that of the windows.
    """
    app = QApplication.instance()
    if app is not None and QThread.currentThread() is not app.thread():
        QTimer.singleShot(0, app, lambda: report(kind, error, trace))
        return
    if issubclass(kind, KeyboardInterrupt):
        QApplication.quit()
        return
    window = QApplication.activeWindow()
    show_error = getattr(window, "show_error", None)
    if isinstance(error, GradvizError) and show_error is not None:
        show_error(error)
        return
    sys.__excepthook__(kind, error, trace)
    text = "".join(traceback.format_exception(kind, error, trace))
    if Report.shown is not None:
        Report.shown.add(text)
        return
    Report.shown = Report(text, window)
    Report.shown.open()
