"""Opening, saving and exporting, with the dialogs that belong to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from gradviz.errors import FormatError, GradvizError
from gradviz.recording import Framing
from gradviz.ui.app.settings import Settings
from gradviz.ui.look.icons import without_icons
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.autosave import Autosave
from gradviz.ui.session.picture import Picture
from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.export.row import Row, Subject
    from gradviz.ui.canvas.files.picture_file import Graph, Look
    from gradviz.ui.session.drafts import Found
    from gradviz.ui.window.export_dialog import ExportDialog

OPEN_FILTER = "Scripts, notebooks, recordings (*.py *.ipynb *.gradviz *.json);;All files (*)"
SAVES = {
    ".py": "Python script (*.py)",
    ".gradviz": "Script with its recording, as it is looked at (*.gradviz)",
    ".json": "The same as text (*.json)",
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
        box.setInformativeText("Overwriting it discards those changes.")
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
        framing: where the graph is on the screen; None where all of it is in sight.
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
        framing: Callable[[], Framing | None],
        flush: Callable[[], None],
        refuse: Callable[[GradvizError], None],
    ) -> None:
        self._window, self._session, self._settings, self._theme = window, session, settings, theme
        self._autosave, self._framing, self._flush, self._refuse = autosave, framing, flush, refuse
        self._export: ExportDialog | None = None
        self._given_up = session.document.content
        session.opening.may_replace = self._may_replace
        session.opening.opened.connect(self._remember)

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
        self._begin_opening()
        self._session.open_draft(found.draft.content, lambda: self._autosave.take(found))

    def discard_draft(self, found: Found) -> None:
        """Remove a draft, if the user wants that."""
        if Discarded.ask(self._window, found.draft.content.name):
            self._autosave.discard(found)

    def choose(self) -> Path | None:
        """Ask for a file to open."""
        from PySide6.QtWidgets import QFileDialog

        name, _ = QFileDialog.getOpenFileName(self._window, "Open", str(self._settings.folder), OPEN_FILTER)
        return Path(name) if name else None

    def choose_recording(self) -> Path | None:
        """Ask for a recording to compare with."""
        from PySide6.QtWidgets import QFileDialog

        from gradviz.source.files import RECORDINGS

        kinds = " ".join(f"*{suffix}" for suffix in sorted(RECORDINGS))
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Compare with file", str(self._settings.folder), f"Recordings ({kinds})"
        )
        return Path(name) if name else None

    def choose_folder(self) -> Path | None:
        """Ask for a folder with one recording of each rank."""
        from PySide6.QtWidgets import QFileDialog

        name = QFileDialog.getExistingDirectory(self._window, "Open folder of ranks", str(self._settings.folder))
        return Path(name) if name else None

    def open(self, path: Path) -> None:
        """Open a file, or a folder of ranks, which is remembered once it is open."""
        self._begin_opening()
        self._session.open_file(path)

    def _begin_opening(self) -> None:
        self._given_up = self._session.document.content

    def _may_replace(self) -> bool:
        """Whether what is open may go for a file that has been read: what was typed meanwhile is asked about."""
        self._flush()
        return self._session.document.content.is_set_as_in(self._given_up) or self.may_leave()

    def _remember(self, path: Path) -> None:
        self._settings.remember_file(path)
        self._settings.folder = path.resolve().parent

    def save(self) -> bool:
        """Write what is open to its file, asking for one where there is none. False where the user gives up."""
        self._flush()
        path = self._session.document.content.path
        return self.save_as() if path is None else self._write(path)

    def save_as(self) -> bool:
        """Write what is open to a file that is asked for: the script, or the recording with all that is set by hand."""
        from PySide6.QtWidgets import QFileDialog

        self._flush()
        proposed = self._settings.folder / self._session.document.content.name
        kinds, usual = ";;".join(SAVES.values()), SAVES.get(proposed.suffix.lower(), SAVES[".py"])
        name, kind = QFileDialog.getSaveFileName(self._window, "Save", str(proposed), kinds, usual)
        if not name:
            return False
        path = Path(name)
        suffix = next((suffix for suffix, text in SAVES.items() if text == kind), ".py")
        return self._write(path if path.suffix else path.with_suffix(suffix))

    def export(self) -> ExportDialog:
        """Show the dialog that exports what is open; it tells what it wrote."""
        from gradviz.ui.window.export_dialog import ExportDialog

        if self._export is None:
            self._export = ExportDialog(
                self._theme, self._window, ask_file=self._ask_export, subject=self.subject,
                write=self.export_to, put=self._put, limits=self._limits,
            )  # fmt: skip
        self._export.show_graph(self.graph(), gauges=self._settings.gauges)
        self._export.open()
        return self._export

    def _limits(self, row: Row) -> str:
        """What of the screen a file does not show, and which numbers it does not keep, as sentences."""
        from gradviz.ui.window.export_notes import limits

        return f"{limits(self._session.document.content, row)} {row.left_out(self.subject())}".strip()

    def _left_out(self, suffix: str) -> str:
        """The numbers that a recording does not keep, as sentences; "" where it keeps all."""
        from gradviz.formats import left_out

        return left_out(self._session.recording_to_write(self._framing()), suffix)

    def _ask_export(self, row: Row) -> Path | None:
        """The file to write, with the suffix of the format unless another one was typed."""
        from PySide6.QtWidgets import QFileDialog

        stem = Path(self._session.document.content.name).stem
        proposed = self._settings.folder / f"{stem}{row.suffix}"
        name, _ = QFileDialog.getSaveFileName(self._window, "Export", str(proposed), row.words)
        if not name:
            return None
        path = Path(name)
        path = path if path.suffix else path.with_suffix(row.suffix)
        self._check_export(path)
        return path

    def export_to(self, path: Path) -> None:
        """Write what is open, as the file's suffix says; a picture as the screen has it.

        Raises:
            GradvizError: there is no such format, it takes what is not installed, or the file cannot be written.
        """
        from gradviz.export.work import done
        from gradviz.formats.safe_write import put
        from gradviz.ui.window.aside import do_aside

        row, subject = self._check_export(path), self.subject()
        if (lack := row.lacking()) is not None:
            raise lack
        with self._autosave.writing(path):
            if row.is_painted:
                put(path, done(row.start(subject)))
            else:
                do_aside(lambda: put(path, done(row.start(subject))))

    def subject(self, look: Look | None = None) -> Subject:
        """What is open, as a file of any format has it.

        Args:
            look: of what is painted; None for that of the screen.

        Raises:
            GradvizError: there is none yet.
        """
        from gradviz.export.row import Subject

        picture, position = self._picture(), self._session.clock.player.position
        track = picture.track
        return Subject(
            track.recording,
            self._session.recording_to_write(self._framing()),
            track.sweep,
            track=lambda: track,
            graph=self.graph,
            look=lambda: self.look() if look is None else look,
            step=min(max(position - track.turn, 0), len(track.steps)),
            notes=self._what_if_notes(picture),
            ask=self._session.run_asked(),
        )

    def _check_export(self, path: Path) -> Row:
        from gradviz.export.table import row_of, rows

        content, row = self._session.document.content, row_of(path.suffix)
        if path == content.path:
            what = "document that is open" if content.is_recording else "script itself"
            raise FormatError(f"{path.name} is the {what}; choose another name, or save it.")
        if row is None:
            known = ", ".join(row.suffix for row in rows())
            raise FormatError(f"'{path.suffix}' is not a format to export to; choose one of {known}.")
        return row

    def _picture(self) -> Picture:
        if self._session.picture is None:
            raise GradvizError("There is nothing to export yet: run a script first.")
        return self._session.picture

    def graph(self) -> Graph:
        """What a picture is made of.

        Raises:
            GradvizError: there is none yet.
        """
        from gradviz.ui.canvas.files.picture_file import Graph
        from gradviz.ui.window.export_notes import picture_notes

        picture, player, content = self._picture(), self._session.clock.player, self._session.document.content
        is_shown = picture.track.recording is content.recording
        return Graph(
            picture.drawn, picture.layout, player.position, player.stops, picture.scene, picture.difference,
            picture_notes(content, picture.difference) if is_shown else (),
        )  # fmt: skip

    def look(self) -> Look:
        """How a picture looks that is as the screen has it."""
        from gradviz.ui.canvas.files.picture_file import Look

        return Look(self._theme.palette, gauges=self._settings.gauges)

    def _put(self, path: Path, content: bytes) -> None:
        """Write the content of a picture."""
        from gradviz.formats.safe_write import put
        from gradviz.ui.window.aside import do_aside

        with self._autosave.writing(path):
            do_aside(lambda: put(path, content))

    def _write(self, path: Path) -> bool:
        from gradviz.source.files import RECORDINGS
        from gradviz.ui.session.saving import is_changed_elsewhere, stamp_of, write_script

        content = self._session.document.content
        if path == content.path and is_changed_elsewhere(content):
            answer = Changed.ask(self._window, path.name)
            if answer != Changed.OVERWRITE:
                return answer == Changed.SAVE_AS and self.save_as()
        with self._autosave.writing(path):
            if path.suffix.lower() in RECORDINGS:
                self._refuse_losing(path)
                self._save_recording(path)
            else:
                write_script(content, path)
        if self._session.document.content.held is None:
            self._settings.trust(self._session.document.content.text)  # it was typed or run here
        self._session.document.set_saved(path, stamp_of(path))
        self._settings.remember_file(path)
        self._settings.folder = path.resolve().parent
        return True

    def _refuse_losing(self, path: Path) -> None:
        """What is saved is not kept anywhere else, so that nothing of it may be left out."""
        if self._left_out(path.suffix):
            raise FormatError(
                f"{path.name} cannot hold all numbers: there are too many for text.",
                hint="Save it as .gradviz; File > Export writes a .json with summaries of the largest arrays.",
            )

    def _save_recording(self, path: Path) -> None:
        from gradviz.formats import save
        from gradviz.ui.window.aside import do_aside

        recording = self._session.recording_to_write(self._framing())
        do_aside(lambda: save(recording, path))

    def _what_if_notes(self, picture: Picture) -> tuple[str, ...]:
        from gradviz.ui.window.export_notes import what_if_notes

        content = self._session.document.content
        return what_if_notes(content) if picture.track.recording is content.recording else ()
