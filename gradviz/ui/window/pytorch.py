"""Run with PyTorch, as the window offers it: the question before the first run of a file, the badge, and Verify."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.errors import GradvizError
from gradviz.recording import Recording
from gradviz.ui.app.settings import Settings
from gradviz.ui.look.icons import without_icons
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.runner import Latest
from gradviz.ui.session.session import Session, WithPyTorch
from gradviz.ui.window.offer import CHOOSE, RUN

if TYPE_CHECKING:  # a window without that part of gradviz shows recordings
    from gradviz.graph.compare import Compared
    from gradviz.run.interpreters import Interpreter
    from gradviz.ui.window.window import Window

WARNING = (
    "{name} will be executed by your own Python, with your rights: as when you start it in a terminal, it can read, "
    "change and delete your files and use the network. Run it only if you trust it."
)
LOOKING = "Looking for Pythons with PyTorch…"
NONE_FOUND = "No Python with PyTorch was found. Install it with 'python -m pip install torch', or choose a Python."
CHOOSE_ONE = "Choose a Python that has PyTorch."
OTHER, AGAIN = "Other…", "Look again…"
_OTHER, _AGAIN = "", "again"
"""What stands for these two in the list, in the place of a path."""


Search = Callable[[Path | None, Callable[[], bool]], "list[Interpreter]"]
"""Finds the Pythons of this machine, given a script beside which one may be, and what to ask whether to stop."""


def _find(beside: Path | None, cancelled: Callable[[], bool]) -> list[Interpreter]:
    from gradviz.run.interpreters import find

    return find(beside, cancelled)


class RunWithPyTorch:
    """The handlers of the actions around PyTorch.

    Args:
        search: finds the Pythons of this machine; in a worker thread.
    """

    def __init__(
        self,
        window: Window,
        session: Session,
        settings: Settings,
        theme: Theme,
        search: Search = _find,
    ) -> None:
        self._window, self._session, self._settings, self._theme = window, session, settings, theme
        self.search = search
        self._agreed: dict[str, str] = {}
        self._is_agreed = False
        self._known: dict[Path | None, list[Interpreter]] = {}
        self.dialog: PyTorchDialog | None = None
        self._searching, self._comparing = Latest(), Latest()
        self._comparing.answered.connect(self._show_compared)
        self._comparing.failed.connect(self._fail)
        session.document.opened.connect(self._forget)
        session.document.saved.connect(self._keep_agreement)
        for work in (self._searching, self._comparing):
            session.closed.connect(work.close)

    def handlers(self) -> dict[str, Callable[[], None]]:
        """What each action does."""
        return {RUN: self.run, CHOOSE: self.choose, "verify": self.verify}

    @property
    def _key(self) -> str:
        """What a file's agreement is kept by; "" for what is in no file, of which nothing is kept."""
        file = self._session.file
        return "" if file is None else str(file.resolve())

    def run(self) -> None:
        """Run the script with PyTorch; the first time for a file, ask."""
        if not self._session.can_run_pytorch:
            self._window.show_error(GradvizError("This gradviz only shows recordings, and runs nothing."))
            return
        self._window.workbench.editor.flush()
        known = self._settings.pytorch_for(self._key) if self._key else self._agreed
        if known.get("python") and self._is_agreed:
            self._run_with(known)
        else:
            self.choose()

    def choose(self) -> None:
        """Ask with which Python, arguments and folder; then run."""
        if not self._session.can_run_pytorch:
            self.run()  # which says it
            return
        self._window.workbench.editor.flush()
        content = self._session.document.content
        known = (self._settings.pytorch_for(self._key) if self._key else {}) or self._agreed
        start = known or {"python": self._settings.pytorch_for("").get("python", "")}
        file = self._session.file
        folder = None if file is None else file.resolve().parent
        there = self._known.setdefault(folder, [])
        self.dialog = PyTorchDialog(content.name, file, start, self.search, self._searching, self._window, there)
        self.dialog.chosen.connect(self._take)
        self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.dialog.open()

    def _take(self, choice: Mapping[str, str]) -> None:
        self._agreed = dict(choice)
        self._settings.remember_pytorch(self._key, choice)
        self._is_agreed = True
        self._run_with(choice)

    def _run_with(self, choice: Mapping[str, str]) -> None:
        self._keep_agreement()
        self._session.run_with_pytorch(_wish_of(choice))

    def _keep_agreement(self) -> None:
        """What is typed into a script that was agreed to is agreed to as well, and so is what is saved of it."""
        if self._is_agreed:
            self._settings.agree(self._session.document.content.text)

    def _forget(self) -> None:
        """Another document is open: what was agreed to was about the one before."""
        self._agreed, self._is_agreed = {}, self._settings.agrees(self._session.document.content.text)

    # ---- verify ----

    def verify(self) -> None:
        """Compare each node of the picture with the rule of gradviz's own engine, off the GUI thread."""
        picture = self._session.picture
        if picture is None:
            return
        recording, sweep = picture.track.recording, picture.track.sweep
        self._window.show_message("Comparing every node with gradviz's own rules…")

        def work(going: Callable[[], bool]) -> tuple[Recording, list[Compared]]:
            from gradviz.graph.compare import compare  # late: it brings the engine

            return recording, compare(recording, sweep, going)

        self._comparing.ask(work)

    def _show_compared(self, answer: tuple[Recording, list[Compared]]) -> None:
        recording, rows = answer
        picture = self._session.picture
        if picture is None or picture.track.recording is not recording:
            return  # another picture has come meanwhile
        differing = [row for row in rows if row.differs]
        bench = self._window.workbench
        bench.navigation.show_found(frozenset(row.node for row in differing) if differing else None)
        if differing:
            bench.visit(differing[0].node)
        self._window.show_message(verdict(recording, rows))

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, GradvizError):
            raise error
        self._window.show_error(error)


def verdict(recording: Recording, rows: list[Compared]) -> str:
    """What a comparison has found, in a sentence or two."""
    from gradviz.playback.words import label  # late: the window stands before there is a node

    engine = recording.engine_name if recording.engine is not None else "The recording"
    differing = [row for row in rows if row.differs]
    left_out = sum(row.difference is None for row in rows)
    compared = len(rows) - left_out
    rest = f" {left_out:,} have no rule of ours, or a value that was not kept." if left_out else ""
    if not compared:
        return f"Nothing could be compared.{rest}"
    if not differing:
        nodes = "the one node" if compared == 1 else f"all {compared:,} nodes"
        return f"{engine} and gradviz's own rules agree at {nodes} that were compared.{rest}"
    names = ", ".join(f"{label(recording, row.node)} ({row.what})" for row in differing[:3])
    more = f" and {len(differing) - 3} more" if len(differing) > 3 else ""
    return f"{engine} and gradviz's own rules differ at {len(differing):,} of {compared:,} nodes: {names}{more}.{rest}"


def _wish_of(choice: Mapping[str, str]) -> WithPyTorch:
    folder = choice.get("folder", "")
    return WithPyTorch(
        Path(choice["python"]), tuple(shlex.split(choice.get("args", ""))), Path(folder) if folder else None
    )


class PyTorchDialog(QDialog):
    """What will happen, and with which Python.

    Attributes:
        pythons: the list to choose from.
        args, folder: for the script.
        problem: why it cannot be run so, or "".
        go: the button that agrees.

    Signals:
        chosen: payload: a dict with "python", "args" and "folder".
    """

    chosen = Signal(object)

    def __init__(
        self,
        name: str,
        path: Path | None,
        start: Mapping[str, str],
        search: Search,
        searching: Latest,
        parent: QWidget | None = None,
        known: list[Interpreter] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Run with PyTorch")
        self._search, self._finds, self._path = searching, search, path
        self._known = [] if known is None else known
        self._found: dict[str, Interpreter] = {}
        self._wanted = start.get("python", "")
        self.words, self.problem = plain_label(WARNING.format(name=name)), plain_label(role="error")
        self.pythons, self.args, self.folder = QComboBox(), QLineEdit(start.get("args", "")), QLineEdit()
        self.folder.setText(start.get("folder", ""))
        self.folder.setPlaceholderText(str(Path.home() if path is None else path.resolve().parent))
        self.args.setPlaceholderText("none, or as in a terminal: --epochs 3")
        self._arrange()
        self._search.answered.connect(self._take_found)
        self._search.failed.connect(self._take_failure)
        self.finished.connect(self._leave)
        if self._known and (not self._wanted or any(str(made.path) == self._wanted for made in self._known)):
            self._take_found(self._known)
        else:
            self._look_around()
        for part in (self.args, self.folder):
            part.textChanged.connect(self._check)
        self.pythons.activated.connect(self._activated)
        self._check()

    def _look_around(self) -> None:
        """Find the Pythons of this machine, which takes seconds."""
        self.pythons.clear()
        self.pythons.addItem(LOOKING)
        self.pythons.setEnabled(False)
        search, path, wanted = self._finds, self._path, self._wanted
        self._search.ask(lambda going: self._look(search, path, wanted, going))

    @staticmethod
    def _look(
        search: Search,
        beside: Path | None,
        wanted: str,
        going: Callable[[], bool],
    ) -> list[Interpreter]:
        """In a worker thread: what is there, and first what was chosen before."""
        from gradviz.run.interpreters import ask

        found = search(beside, going)
        if wanted and all(str(made.path) != wanted for made in found):
            found.insert(0, ask(Path(wanted)))
        return found

    def _arrange(self) -> None:
        self.pythons.setAccessibleName("Python")
        self.pythons.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.pythons.setMinimumContentsLength(40)
        places = QHBoxLayout()
        self.browse = QPushButton("Choose…")
        self.browse.setAutoDefault(False)
        self.browse.clicked.connect(self._choose_folder)
        places.addWidget(self.folder, 1)
        places.addWidget(self.browse)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        form.addRow("Python", self.pythons)
        form.addRow("Arguments", self.args)
        form.addRow("Folder", places)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = QPushButton("Run with PyTorch")
        self.go.setProperty("role", "primary")
        self.go.setDefault(True)
        self.buttons.addButton(self.go, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self._agree)
        self.buttons.rejected.connect(self.reject)
        without_icons(self.buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(12)
        layout.addWidget(self.words)
        layout.addLayout(form)
        layout.addWidget(self.problem)
        layout.addStretch()
        layout.addWidget(self.buttons)
        self.setMinimumWidth(560)

    # ---- what has happened ----

    def _leave(self) -> None:
        """Nobody waits for Pythons any more."""
        self._search.drop()
        self._search.answered.disconnect(self._take_found)
        self._search.failed.disconnect(self._take_failure)

    def _take_found(self, found: list[Interpreter]) -> None:
        """List them: first those that can run it, then how to get others, then those that cannot."""
        self._known[:] = found
        self._found = {str(made.path): made for made in found}
        self.pythons.clear()
        self.pythons.setEnabled(True)
        for made in found:
            if not made.problem:
                self._list(made)
        self.pythons.addItem(OTHER, _OTHER)
        self.pythons.addItem(AGAIN, _AGAIN)
        for made in found:
            if made.problem:
                self._list(made)
        firsts = [self._wanted, *(str(made.path) for made in found if not made.problem), *self._found]
        places = [self.pythons.findData(path) for path in firsts if path]
        self.pythons.setCurrentIndex(next((place for place in places if place >= 0), 0))
        self._check()

    def _list(self, made: Interpreter) -> None:
        self.pythons.addItem(f"{made.words}    {_shortened(made.path)}", str(made.path))
        self.pythons.setItemData(self.pythons.count() - 1, str(made.path), Qt.ItemDataRole.ToolTipRole)

    def _take_failure(self, error: BaseException) -> None:
        self._take_found([])
        if not isinstance(error, (GradvizError, OSError)):
            raise error

    def _activated(self, _index: int) -> None:
        if self.pythons.currentData() == _OTHER and self.pythons.isEnabled():
            self._choose_python()
        elif self.pythons.currentData() == _AGAIN:
            self._look_around()
        self._check()

    def _choose_python(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Choose a Python", str(Path.home()))
        if not name:
            self.pythons.setCurrentIndex(0)
            return
        self._wanted = name
        known = list(self._found.values())
        self.pythons.clear()
        self.pythons.addItem("Looking for PyTorch in it…")
        self.pythons.setEnabled(False)
        self._search.ask(lambda going: self._look(lambda _beside, _going: known, None, name, going))

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Choose a folder", self.folder.text())
        if name:
            self.folder.setText(name)

    def _why_not(self) -> str:
        made = self._found.get(str(self.pythons.currentData()))
        if not self.pythons.isEnabled():
            return ""
        if made is None:
            return CHOOSE_ONE if any(not one.problem for one in self._found.values()) else NONE_FOUND
        if made.problem:
            return f"{made.problem}. {made.hint}"
        try:
            shlex.split(self.args.text())
        except ValueError:
            return "The arguments have an unclosed quotation mark."
        folder = self.folder.text().strip()
        return "" if not folder or Path(folder).is_dir() else "There is no such folder."

    def _check(self) -> None:
        why = self._why_not()
        self.problem.setText(why)
        self.problem.setVisible(bool(why))
        self.go.setEnabled(self.pythons.isEnabled() and not why)
        self._make_room()

    def _make_room(self) -> None:
        """Be as high as the words need: a sentence that came in pushed the rows over one another."""
        layout = self.layout()
        if layout is None:
            return
        layout.activate()
        width = max(self.width(), self.minimumWidth())
        needed = layout.totalHeightForWidth(width)
        self.setMinimumHeight(needed)
        if self.isVisible() and self.height() < needed:
            self.resize(width, needed)

    def _agree(self) -> None:
        self.chosen.emit(
            {
                "python": str(self.pythons.currentData()),
                "args": self.args.text().strip(),
                "folder": self.folder.text().strip(),
            }
        )
        self.accept()


def _shortened(path: Path) -> str:
    """A path with the home folder as a tilde."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)
