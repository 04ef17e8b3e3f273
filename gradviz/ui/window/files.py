"""Opening, saving and exporting, with the dialogs that belong to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from gradviz.errors import FormatError, GradvizError
from gradviz.ui.app.settings import Settings
from gradviz.ui.look.icons import without_icons
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.autosave import Autosave
from gradviz.ui.session.picture import Picture
from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.ui.session.drafts import Found

OPEN_FILTER = "Scripts, notebooks, recordings (*.py *.ipynb *.gradviz *.json);;All files (*)"
SAVE_FILTER = "Python script (*.py)"
EXPORTS = {
    ".png": "Picture (*.png)",
    ".svg": "Drawing (*.svg)",
    ".pdf": "Page (*.pdf)",
    ".gradviz": "Recording (*.gradviz)",
    ".json": "Recording as text (*.json)",
    ".html": "Page that plays in a browser (*.html)",
    ".gv": "Graph for Graphviz (*.gv *.dot)",
    ".graphml": "Graph for networkx, yEd, Gephi (*.graphml)",
    ".csv": "Steps for a spreadsheet (*.csv)",
    ".md": "Steps as Markdown (*.md)",
    ".py": "Script for numpy (*.py)",
}


class Unsaved:
    """What to do with changes that are in no file yet."""

    SAVE, DISCARD, CANCEL = "save", "discard", "cancel"

    @classmethod
    def ask(cls, parent: QWidget, name: str) -> str:
        """One of SAVE, DISCARD, CANCEL."""
        from PySide6.QtWidgets import QMessageBox

        buttons = QMessageBox.StandardButton
        box = QMessageBox(parent)
        box.setWindowTitle("gradviz")
        box.setText(f"Save the changes to {name}?")
        box.setInformativeText("They are lost otherwise.")
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        without_icons(box)
        box.exec()
        answers = {buttons.Save: cls.SAVE, buttons.Discard: cls.DISCARD}
        return answers.get(box.standardButton(box.clickedButton()), cls.CANCEL)


class Changed:
    """What to do where another program has written the file that is to be saved."""

    OVERWRITE, SAVE_AS, CANCEL = "overwrite", "save as", "cancel"

    @classmethod
    def ask(cls, parent: QWidget, name: str) -> str:
        """One of OVERWRITE, SAVE_AS, CANCEL."""
        from PySide6.QtWidgets import QMessageBox

        box = QMessageBox(parent)
        box.setWindowTitle("gradviz")
        box.setText(f"Another program has changed {name} since it was opened here.")
        box.setInformativeText("To overwrite it takes those changes away.")
        overwrite = box.addButton("Overwrite", QMessageBox.ButtonRole.DestructiveRole)
        save_as = box.addButton("Save as…", QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(save_as)
        without_icons(box)
        box.exec()
        answers = {overwrite: cls.OVERWRITE, save_as: cls.SAVE_AS}
        return next((answer for button, answer in answers.items() if button is box.clickedButton()), cls.CANCEL)


class Discarded:
    """Whether a draft may go for good."""

    @classmethod
    def ask(cls, parent: QWidget, name: str) -> bool:
        """True where it may."""
        from PySide6.QtWidgets import QMessageBox

        buttons = QMessageBox.StandardButton
        box = QMessageBox(parent)
        box.setWindowTitle("gradviz")
        box.setText(f"Discard {name} for good?")
        box.setInformativeText("It is in no file.")
        box.setStandardButtons(buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Cancel)
        without_icons(box)
        box.exec()
        return box.standardButton(box.clickedButton()) == buttons.Discard


class Files:
    """The file commands of a window.

    Args:
        flush: has the editor tell what was typed in the last moment.
        refuse: shows an error as a sentence.
    """

    def __init__(
        self,
        window: QWidget,
        session: Session,
        settings: Settings,
        theme: Theme,
        autosave: Autosave,
        *,
        flush: Callable[[], None],
        refuse: Callable[[GradvizError], None],
    ) -> None:
        self._window, self._session, self._settings, self._theme = window, session, settings, theme
        self._autosave, self._flush, self._refuse = autosave, flush, refuse

    def may_leave(self) -> bool:
        """Whether what is open may go: nothing unsaved, or saved now, or given up by the user.

        What has no name is not asked about: it stays as a draft on the start page.
        """
        self._flush()
        content = self._session.document.content
        if not content.is_modified or (content.is_untitled and self._autosave.is_safe()):
            return True
        answer = Unsaved.ask(self._window, content.name)
        if answer != Unsaved.SAVE:
            return answer == Unsaved.DISCARD
        try:
            return self.save()
        except GradvizError as error:
            self._refuse(error)
            return False

    def open_draft(self, found: Found) -> None:
        """Open a draft as it was."""
        self._session.open_content(found.draft.content)
        self._autosave.take(found)

    def discard_draft(self, found: Found) -> None:
        """Remove a draft, if the user wants that."""
        if Discarded.ask(self._window, found.draft.content.name):
            self._autosave.discard(found)

    def choose(self) -> Path | None:
        """Ask for a file to open."""
        from PySide6.QtWidgets import QFileDialog

        name, _ = QFileDialog.getOpenFileName(self._window, "Open", str(self._settings.folder), OPEN_FILTER)
        return Path(name) if name else None

    def choose_folder(self) -> Path | None:
        """Ask for a folder with one recording of each rank."""
        from PySide6.QtWidgets import QFileDialog

        name = QFileDialog.getExistingDirectory(self._window, "Open folder of ranks", str(self._settings.folder))
        return Path(name) if name else None

    def open(self, path: Path) -> None:
        """Open a file, or a folder of ranks, and remember it.

        Raises:
            GradvizError: it cannot be read as what its name says.
        """
        self._session.open_file(path)
        self._settings.remember_file(path)
        self._settings.folder = path.resolve().parent

    def save(self) -> bool:
        """Write the script to its file, asking for one where there is none. False where the user gives up."""
        self._flush()
        path = self._session.document.content.path
        return self.save_as() if path is None else self._write(path)

    def save_as(self) -> bool:
        """Write the script to a file that is asked for."""
        from PySide6.QtWidgets import QFileDialog

        self._flush()
        proposed = self._settings.folder / self._session.document.content.name
        name, _ = QFileDialog.getSaveFileName(self._window, "Save script", str(proposed), SAVE_FILTER)
        if not name:
            return False
        path = Path(name)
        return self._write(path if path.suffix else path.with_suffix(".py"))

    def export(self) -> Path | None:
        """Ask for a file and write the recording or the picture to it, by its suffix; the file, or None.

        Raises:
            GradvizError: the suffix is none of `EXPORTS`, or the file cannot be written.
        """
        from PySide6.QtWidgets import QFileDialog

        stem = Path(self._session.document.content.name).stem
        proposed = self._settings.folder / f"{stem}.png"
        name, kind = QFileDialog.getSaveFileName(self._window, "Export", str(proposed), ";;".join(EXPORTS.values()))
        if not name:
            return None
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(next((s for s, text in EXPORTS.items() if text == kind), ".png"))
        self.export_to(path)
        return path

    def export_to(self, path: Path) -> None:
        """Write the recording or the picture, as the file's suffix says.

        Raises:
            GradvizError: the suffix is none of `EXPORTS`, or the file cannot be written.
        """
        if path == self._session.document.content.path:
            raise FormatError(f"{path.name} is the script itself; choose another name.")
        picture = self._session.picture
        if picture is None:
            raise GradvizError("There is nothing to export yet: run a script first.")
        from gradviz.source.files import RECORDINGS

        suffix = path.suffix.lower()
        if suffix not in EXPORTS and suffix != ".dot":
            raise FormatError(f"'{path.suffix}' is not a format to export to; choose one of {', '.join(EXPORTS)}.")
        writers = {".html": self._write_page} | dict.fromkeys(RECORDINGS, self._write_recording)
        writers |= dict.fromkeys((".gv", ".dot", ".graphml", ".csv", ".md", ".py"), self._write_text)
        write = writers.get(suffix, self._write_picture)
        with self._autosave.writing(path):
            write(picture, path)

    def _write(self, path: Path) -> bool:
        from gradviz.ui.session.saving import is_changed_elsewhere, write_script

        content = self._session.document.content
        if path == content.path and is_changed_elsewhere(content):
            answer = Changed.ask(self._window, path.name)
            if answer != Changed.OVERWRITE:
                return answer == Changed.SAVE_AS and self.save_as()
        with self._autosave.writing(path):
            write_script(content, path)
        if self._session.document.content.held is None:
            self._settings.trust(path)  # it was typed or run here
        self._session.document.set_saved(path)
        self._settings.remember_file(path)
        self._settings.folder = path.resolve().parent
        return True

    def _write_recording(self, picture: Picture, path: Path) -> None:
        from gradviz.formats import save

        save(picture.track.recording, path)

    def _write_text(self, picture: Picture, path: Path) -> None:
        from gradviz.texts import write_text
        from gradviz.ui.window.aside import do_aside

        do_aside(lambda: write_text(picture.track, path))

    def _write_page(self, picture: Picture, path: Path) -> None:
        from gradviz.player.document import Start
        from gradviz.player.page import write_page
        from gradviz.ui.canvas.scene.cards import cards
        from gradviz.ui.window.aside import do_aside

        track, position = picture.track, self._session.clock.player.position
        start = Start(track.sweep, min(max(position - track.turn, 0), len(track.steps)))
        ask = self._session.run_asked()
        do_aside(lambda: write_page(track.recording, path, cards, start, ask))

    def _write_picture(self, picture: Picture, path: Path) -> None:
        from gradviz.formats.safe_write import put
        from gradviz.ui.canvas.files.picture_file import Graph, Look, start_writing
        from gradviz.ui.canvas.files.pictures import done

        graph = Graph(picture.drawn, picture.layout, self._session.clock.player.position)
        put(path, done(start_writing(path.suffix.lower(), graph, Look(self._theme.palette))))
