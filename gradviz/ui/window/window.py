"""The main window: wiring only. State lives in the session, actions in a table, files in `files`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gradviz.errors import GradvizError
from gradviz.recording import Framing, counted
from gradviz.ui.actions.menus import ONLY_WORDS, Actions
from gradviz.ui.actions.table import SIZES
from gradviz.ui.app.first_paint import FirstPaint
from gradviz.ui.app.settings import Settings
from gradviz.ui.look.sheet import style_sheet
from gradviz.ui.look.theme import CHOICES, Theme
from gradviz.ui.session.autosave import Autosave
from gradviz.ui.session.lessons import GROUPS, Lesson, lessons
from gradviz.ui.session.session import Session
from gradviz.ui.window.commands import MESSAGE_MS, Commands
from gradviz.ui.window.files import Files
from gradviz.ui.window.parts import StatusLine, TopBar
from gradviz.ui.window.start_page import StartPage

if TYPE_CHECKING:
    from gradviz.ui.session.drafts import Found
    from gradviz.ui.window.presenter import Presenter
    from gradviz.ui.window.progress_strip import OpeningStrip
    from gradviz.ui.window.workbench import Workbench

SHARED = "{name} is open in another window, too: whoever saves second is asked first."
OVERTAKEN = "Another program has changed {name}: open it again to see that; saving asks before it overwrites it."
VANISHED = "{name} is no longer on the disk: save to write it again."


class Window(QMainWindow):
    """Start page or workbench, menus, top bar and status bar around a session.

    Attributes:
        session: what is open.
        start: the start page.
        autosave: keeps what is not saved.
        commands: what the actions do.
        actions_by_name: every action.
    """

    def __init__(self, theme: Theme, settings: Settings, session: Session) -> None:
        super().__init__()
        self.session = session
        self._theme, self._settings = theme, settings
        theme.changed.connect(self._dress)
        self._dress()  # before there is anything in it: each widget would be dressed twice
        self._workbench: Workbench | None = None
        self._presenter: Presenter | None = None
        self._said: QLabel | None = None
        self._opening_strip: OpeningStrip | None = None
        self._has_breakpoints = False
        self._listed = ""
        self._lessons = lessons()
        self.autosave = Autosave(session.document, settings.drafts)
        self.files = Files(
            *(self, session, settings, theme, self.autosave),
            framing=self._framing, flush=self._flush, refuse=self.show_error,
        )  # fmt: skip
        self.top = TopBar(theme)
        self._stack = QStackedWidget()
        self._arrange()
        self.start = StartPage(theme, self._lessons, self._stack)
        self._stack.addWidget(self.start)
        self.commands = Commands(self, session, settings, theme)
        self.actions_by_name = Actions(self, self.top.menus, self.commands.handlers(), theme)
        self.status = StatusLine(theme)
        self.setStatusBar(self.status)
        self.figures = self.status.figures
        self._wire()
        self.show_choices()
        self.show_start()
        FirstPaint(self, self.autosave.look)

    @property
    def workbench(self) -> Workbench:
        """The workbench, built when it is first needed: the start page opens without it."""
        if self._workbench is None:
            from gradviz.ui.window.workbench import Workbench

            self._workbench = Workbench(self._theme, self.session)
            self._workbench.action_requested.connect(self.trigger)
            self._lead(self._workbench)
            self._workbench.file_dropped.connect(lambda name: self.open_path(Path(name)))
            self._wire_ways(self._workbench)
            self._workbench.undoing.changed.connect(self._show_undo)
            editor = self._workbench.editor
            editor.area.textChanged.connect(lambda: self.autosave.type(editor.text))
            self._stack.addWidget(self._workbench)
            self._workbench.divide(self.width())
            self._workbench.canvas.show_gauges(self._settings.gauges)
            self._workbench.show_all()
            for part, splitter in self._splitters(self._workbench):
                state = self._settings.window_state(part)
                if state is not None:
                    self._workbench.panes.restore(splitter, state, self.width())
        return self._workbench

    @property
    def is_working(self) -> bool:
        """Whether the workbench is shown, not the start page."""
        return self._workbench is not None and self._stack.currentWidget() is self._workbench

    @property
    def presenter(self) -> Presenter:
        """What presents, made when it is first needed."""
        if self._presenter is None:
            from gradviz.ui.window.presenter import Presenter

            self._presenter = Presenter(self, self.session, self._theme)
        return self._presenter

    @property
    def is_presenting(self) -> bool:
        """Whether what is open is presented."""
        return self._presenter is not None and self._presenter.is_on

    # ---- what is asked ----

    def trigger(self, name: str) -> None:
        """Do the action of that name, if it can be done now."""
        self.actions_by_name.by_name[name].trigger()

    def show_start(self) -> None:
        """Show the start page; what is open stays open behind it."""
        self.session.clock.player.go(self.session.clock.player.position)
        self.start.show_recent(self._settings.recent)
        self.start.show_progress(self._settings.progress())
        if self.isVisible():
            self.autosave.look()
        self.start.offer_back(self.session.document.content.name if self._workbench is not None else "")
        self._show_page(self.start)
        self.show_state()
        self.start.field.setFocus()

    def show_workbench(self) -> None:
        """Show what is open; what was said before was of something else."""
        self.statusBar().clearMessage()
        self._show_page(self.workbench)
        self.show_state()
        self.workbench.canvas.setFocus()

    def open_path(self, path: Path) -> None:
        """Open a file, after asking about unsaved changes."""
        if self.files.may_leave():
            self.files.open(path)

    def opening(self, path: Path) -> Callable[[], None]:
        """Say that a file is being opened; what is returned opens it.

        The window stands before it can open anything. The start page there would be gone as soon as it is seen.
        """
        said = self._said = QLabel(f"Opening {path.name} …")
        said.setProperty("role", "dim")
        said.setAlignment(Qt.AlignmentFlag.AlignCenter)
        said.setTextFormat(Qt.TextFormat.PlainText)
        self._stack.addWidget(said)
        self._stack.setCurrentWidget(said)
        return lambda: self.open_path(path)

    def _show_page(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)
        said, self._said = self._said, None
        if said is not None:
            said.deleteLater()

    def _refuse_file(self, path: Path, error: GradvizError) -> None:
        if self._said is not None:
            self.show_start()
        self.show_error(error, path.name)

    def _show_opening(self, is_slow: bool) -> None:
        """What shows how far it is is built when a file first takes long."""
        if is_slow and self._opening_strip is None:
            from gradviz.ui.window.progress_strip import MARGIN, OpeningStrip

            self._opening_strip = OpeningStrip(self.session)
            place = QVBoxLayout()
            place.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
            place.addWidget(self._opening_strip, 0, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
            self._pages.addLayout(place, 0, 0)
        self.show_state()

    def open_lesson(self, lesson: Lesson) -> None:
        """Open a lesson, after asking about unsaved changes."""
        if self.files.may_leave():
            self.session.open_script(lesson.text, lesson.path.name, watch=lesson.watch)

    def play_preview(self) -> None:
        """Play the first lesson on the start page."""
        if self.start.preview is not None:
            self.start.preview.play(self.session.beside())

    def _end_preview(self) -> None:
        if self.start.preview is not None:
            self.start.preview.close_session()

    def open_next_lesson(self) -> None:
        """Open the lesson after the one that is open; the first, where none is, or the last is."""
        following = self._lesson_after(self.session.document.content.name) if self._workbench is not None else None
        self.open_lesson(following or self._lessons[0])

    def _lesson_after(self, name: str) -> Lesson | None:
        """The next of the same group, or the first of the next group; None after the last."""
        ordered = sorted(self._lessons, key=lambda lesson: list(GROUPS).index(lesson.group))
        names = [lesson.path.name for lesson in ordered]
        place = names.index(name) + 1 if name in names else 0
        return ordered[place] if place < len(ordered) else None

    def _lead(self, workbench: Workbench) -> None:
        """Tell the strip of lessons which one follows, and keep how far one has come."""
        leading = workbench.leading
        leading.following = lambda name: "" if (found := self._lesson_after(name)) is None else found.title
        leading.finished.connect(self._settings.finish_lesson)
        leading.predicted.connect(self._settings.keep_prediction)
        leading.predicting.changed.connect(self.show_choices)

    def open_text(self, text: str) -> None:
        """Open what was typed on the start page: an expression becomes a whole script."""
        from gradviz.source.expression import complete_expression

        if self.files.may_leave():
            whole = complete_expression(text)
            self.session.open_script(whole or text, "untitled.py", is_new=not whole)
            self.start.clear()

    def open_draft(self, found: Found) -> None:
        """Open what was not saved, after asking about unsaved changes."""
        if self.files.may_leave():
            self.files.open_draft(found)

    def show_message(self, sentence: str) -> None:
        """One sentence in the status bar for a while; "" for none."""
        self.statusBar().showMessage(sentence, MESSAGE_MS)

    def show_error(self, error: GradvizError, file: str = "") -> None:
        """One sentence in the status bar; `file` is what it is about. It stays on the start page."""
        self.status.show_error(error.one_line(file), MESSAGE_MS if self.is_working else 0)

    def remember_layout(self) -> None:
        """Keep the place of the window and the sizes of its parts for the next start."""
        self._settings.remember_window_state("geometry", self.saveGeometry())
        if self._workbench is not None:
            chosen = [each for each in self._splitters(self._workbench) if self._workbench.panes.is_chosen(each[1])]
            for part, splitter in chosen:
                self._settings.remember_window_state(part, splitter.saveState())

    # ---- building ----

    def _dress(self) -> None:
        self.setStyleSheet(style_sheet(self._theme.palette))

    def _arrange(self) -> None:
        self.setWindowTitle("gradviz")
        self.setMinimumSize(640, 400)  # a small screen at 200 %
        self.resize(1440, 900)
        self.setAcceptDrops(True)
        body = QWidget()
        self.setCentralWidget(body)  # from outside in: what is put into another widget is dressed again with all in it
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.top)
        self._pages = QGridLayout()
        self._pages.setSpacing(0)
        self._pages.addWidget(self._stack, 0, 0)
        layout.addLayout(self._pages, 1)
        geometry = self._settings.window_state("geometry")
        if geometry is not None:
            self.restoreGeometry(geometry)

    def _wire(self) -> None:
        session, document = self.session, self.session.document
        document.opened.connect(self.show_workbench)
        self.statusBar().messageChanged.connect(self._show_status_bar)
        document.title_changed.connect(self.show_state)
        document.run_ended.connect(self.show_state)
        document.supposed_changed.connect(self.show_state)
        session.picture_changed.connect(self.show_state)
        document.beside_changed.connect(self.show_state)
        session.may_run = self._settings.trusts
        session.released.connect(self._settings.trust)
        session.refused.connect(self.show_error)
        session.opening.refused.connect(self._refuse_file)
        session.opening.slow_changed.connect(self._show_opening)
        session.closed.connect(self.autosave.close)
        session.closed.connect(self._end_preview)
        self.autosave.failed.connect(self.show_error)
        self.autosave.found_changed.connect(self._show_drafts)
        self.autosave.shared.connect(lambda path: self.show_message(SHARED.format(name=path.name)))
        self.autosave.overtaken.connect(lambda path: self.show_message(OVERTAKEN.format(name=path.name)))
        self.autosave.vanished.connect(lambda path: self.show_message(VANISHED.format(name=path.name)))
        self.start.draft_opened.connect(self.open_draft)
        self.start.draft_discarded.connect(self.files.discard_draft)
        session.refused.connect(lambda _error: self.show_choices())
        session.running_changed.connect(self.show_state)
        session.drawing_changed.connect(self.show_state)
        self.start.text_entered.connect(self.open_text)
        self.start.lesson_opened.connect(self.open_lesson)
        self.start.file_opened.connect(self.open_path)
        self.start.open_requested.connect(lambda: self.trigger("open"))
        self.start.back_requested.connect(self.show_workbench)
        self.top.theme_requested.connect(self.commands.choose_theme)
        self.top.action_requested.connect(self.trigger)
        document.breakpoints_changed.connect(self._keep_breakpoints)
        document.title_changed.connect(self._keep_breakpoints)
        document.kept = self._settings.breakpoints
        menus = self.actions_by_name.menus
        menus["View"].setToolTipsVisible(True)  # that of "Arrow field" says what is needed where there is none
        recent = QMenu("Open recent", self)
        menus["File"].insertMenu(self.actions_by_name.by_name["start"], recent)
        recent.aboutToShow.connect(lambda: self._fill_recent(recent))
        groups = {group: menus["Lessons"].addMenu(group) for group in GROUPS}
        for number, lesson in enumerate(self._lessons, 1):
            entry = groups[lesson.group].addAction(f"{number}   {lesson.title}")
            entry.triggered.connect(lambda _checked=False, lesson=lesson: self.open_lesson(lesson))

    def _wire_ways(self, workbench: Workbench) -> None:
        workbench.canvas.menu_requested.connect(self.commands.ways.show_menu)
        workbench.canvas.turned_back.connect(workbench.navigation.go_back)
        workbench.canvas.turned_forward.connect(workbench.navigation.go_forward)
        workbench.navigation.told.connect(self.show_message)
        workbench.folds.told.connect(self.show_message)
        workbench.stopping.stopped.connect(self._show_stop)
        workbench.stopping.stopped.connect(workbench.navigation.attend)
        self.statusBar().messageChanged.connect(self._keep_stop)
        workbench.stopping.stops_changed.connect(self._show_list)

    @staticmethod
    def _splitters(workbench: Workbench) -> tuple[tuple[str, QSplitter], ...]:
        return (("columns", workbench.columns), ("rows", workbench.left), ("right", workbench.right))

    def _framing(self) -> Framing | None:
        return None if self._workbench is None else self._workbench.canvas.framing

    def _flush(self) -> None:
        if self._workbench is not None:
            self._workbench.editor.flush()

    # ---- what has happened ----

    def _show_stop(self, why: str) -> None:
        """Why playing has stopped stays there until it goes on."""
        self.statusBar().showMessage(why)

    def _keep_stop(self, message: str) -> None:
        """Where another sentence has gone, why playing has stopped is still to be said."""
        if not message and (why := self.workbench.stopping.why):
            self._show_stop(why)

    def _show_list(self) -> None:
        """The first breakpoint of a document brings the list; whoever closes it then is left alone.

        With another document, which has none, it goes: the inspector needs the room.
        """
        bench, key = self.workbench, self.session.document.content.key
        had, self._has_breakpoints = self._has_breakpoints, bool(bench.stopping.breakpoints)
        is_same, self._listed = self._listed == key, key
        if had != self._has_breakpoints and (self._has_breakpoints or not is_same):
            bench.show_part(bench.breakpoints, self._has_breakpoints)
            self.show_choices()

    def _show_drafts(self, found: Sequence[Found]) -> None:
        """What was not saved is on the start page; where a file is open, it is said once."""
        self.start.show_drafts(found)
        if self.is_working and any(entry.is_new for entry in found):
            self.show_message("What was not saved when gradviz ended is on the start page.")

    def _show_undo(self) -> None:
        """The menu says what would be taken back, and made again."""
        history = self.workbench.undoing.history
        for action, word, name in (("undo", "Undo", history.undoes), ("redo", "Redo", history.redoes)):
            self.actions_by_name.by_name[action].setText(f"{word}: {name}".replace("&", "&&") if name else word)

    def _keep_breakpoints(self) -> None:
        content = self.session.document.content
        if content.key and self._settings.breakpoints(content.key) != content.breakpoints:
            self._settings.remember_breakpoints(content.key, content.breakpoints)

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for path in self._settings.recent:
            menu.addAction(path.name).triggered.connect(lambda _checked=False, path=path: self.open_path(path))
        if menu.isEmpty():
            words = menu.addAction("No files yet")
            words.setEnabled(False)
            words.setProperty(ONLY_WORDS, True)

    def _show_status_bar(self) -> None:
        """On the start page it is there while it has something to say: why a file could not be opened."""
        has_words = self.is_working or bool(self.statusBar().currentMessage())
        self.statusBar().setVisible(has_words and not self.is_presenting)

    def show_state(self) -> None:
        """Show title and figures, and allow what can be done now."""
        content, picture = self.session.document.content, self.session.picture
        name = content.name if self.is_working else ""
        self.top.show_name(name, content.is_modified)
        self.top.show_tools(is_working=self.is_working, has_picture=self.is_working and picture is not None)
        self.setWindowTitle(f"{name}[*] · gradviz" if name else "gradviz")
        self.setWindowModified(bool(name) and content.is_modified)
        self.figures.setText(self._figures() if self.is_working else "")
        self._show_status_bar()
        present = {
            "open": self._workbench is not None,
            "script": self.is_working,
            "picture": self.is_working and picture is not None,
            "run": self.session.can_stop,
            "what_if": self.is_working and content.supposed is not None,
            "compared": self.is_working and bool(content.beside),
        }
        self.actions_by_name.show_choice("plumbing", self._workbench is None or self._workbench.folds.has_plumbing)
        there = frozenset(kind for kind, is_there in present.items() if is_there)
        if self.is_presenting:
            from gradviz.ui.window.presenter import ALLOWED

            self.actions_by_name.allow(there, ALLOWED)
            return
        self.actions_by_name.allow(there)
        self.commands.field.allow(self.actions_by_name.by_name["arrow_field"], is_working=self.is_working)

    def _figures(self) -> str:
        picture = self.session.picture
        parts = []
        if picture is not None:
            parts = [counted(len(picture.track.forward), "node"), counted(len(picture.track.steps), "backward step")]
            if len(picture.drawn.forward) < len(picture.track.forward):
                parts.insert(1, f"shown as {len(picture.drawn.forward):,} boxes")
            engine = picture.track.recording.engine
            parts.append("built-in engine" if engine is None else picture.track.recording.engine_name)
        return "   ·   ".join(parts)

    def show_choices(self) -> None:
        """Tick the choices that are in force."""
        choose = self.actions_by_name.show_choice
        for choice in CHOICES:
            choose(f"theme_{choice}", self._theme.choice == choice)
        for size in SIZES:
            choose(f"size_{size}", self._settings.size == size)
        choose("across", self.session.runs_right)
        choose("direction_auto", self.session.direction == "auto")
        choose("step_over", self.session.steps_over)
        choose("reduced_motion", self.session.clock.reduced_motion)
        choose("follow", self._workbench is None or self._workbench.follows)
        choose("gauges", self._settings.gauges)
        choose("present", self.is_presenting)
        choose("predict", self._workbench is not None and self._workbench.leading.predicting.is_on)
        choose("show_left", self._workbench is None or not self._workbench.left.isHidden())
        choose("show_right", self._workbench is None or not self._workbench.inspector.isHidden())
        choose("show_breakpoints", self._workbench is not None and not self._workbench.breakpoints.isHidden())
        choose("show_heat", self._workbench is not None and self._workbench.has_heat)
        self.top.show_theme()

    # ---- Qt ----

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.autosave.look_at_file()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not self.is_presenting and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        local = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if local and not self.is_presenting:
            event.acceptProposedAction()
            self.open_path(Path(local[0]))

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.files.may_leave():
            event.ignore()
            return
        if not self.is_presenting:
            self.remember_layout()
        self._settings.save()
        self.session.close()
        event.accept()
        QApplication.closeAllWindows()
