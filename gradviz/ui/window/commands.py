"""What the actions of the window do: one handler per name of the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gradviz.errors import GradvizError
from gradviz.playback.player import Player
from gradviz.ui.actions.table import SIZES, SPECS
from gradviz.ui.app.settings import Settings
from gradviz.ui.look.theme import CHOICES, Theme
from gradviz.ui.session.lessons import read_lesson
from gradviz.ui.session.session import Session
from gradviz.ui.window.checking import GradientCheck
from gradviz.ui.window.companions import FieldCompanion, SeedCompanion, show_in_front
from gradviz.ui.window.copying import Copying
from gradviz.ui.window.pytorch import RunWithPyTorch
from gradviz.ui.window.ways import Ways

if TYPE_CHECKING:
    from gradviz.ui.window.window import Window

MESSAGE_MS = 8000
TELLING = (
    "seed", "what_if", "arrow_field", "show_heat", "check", "compare_runs", "compare_calls", "compare_file", "birth",
    "export",
)  # fmt: skip
"""Actions that show gradients of later steps, which somebody may be about to predict."""
PREDICT_FIRST = "This shows gradients that are still to be predicted: answer them, or press Q to end Predict."
_TICKED = tuple(spec.name for spec in SPECS if spec.is_choice)
_ZOOM = 1.25


class Commands:
    """The handlers of a window's actions."""

    def __init__(self, window: Window, session: Session, settings: Settings, theme: Theme) -> None:
        self._window, self._session, self._settings, self._theme = window, session, settings, theme
        self._help: QWidget | None = None
        self._export_dialog: QWidget | None = None
        self.field = FieldCompanion(window, session, settings, theme)
        self.seed = SeedCompanion(window, session, settings, theme, lambda node: window.workbench.visit(node))
        self.ways = Ways(window, session, settings, theme)
        self.pytorch = RunWithPyTorch(window, session, settings, theme)
        self.copying = Copying(window, session)
        self.checking = GradientCheck(window, session)

    def handlers(self) -> dict[str, Callable[[], None]]:
        """What each action does."""
        own = self._file_handlers() | self._edit_handlers() | self._view_handlers() | self._play_handlers()
        every = own | self.ways.handlers() | self.pytorch.handlers() | self.copying.handlers()
        every |= self.checking.handlers()
        every = every | {name: lambda work=every[name]: self._unless_predicting(work) for name in TELLING}
        return every | {name: lambda work=every[name]: self._choose(work) for name in _TICKED}

    def _choose(self, work: Callable[[], None]) -> None:
        """What is chosen is shown in the menus."""
        work()
        self._window.show_choices()

    def _file_handlers(self) -> dict[str, Callable[[], None]]:
        """Those that may fail are guarded: the error becomes a message."""
        files = self._window.files
        failing: dict[str, Callable[[], object]] = {
            "open": lambda: self._open(self._window.files.choose),
            "open_ranks": lambda: self._open(self._window.files.choose_folder),
            "save": files.save,
            "save_as": files.save_as,
            "export": self._export,
            "compare_file": self._compare_with_file,
            "quit": self._window.close,
        }
        guarded = {name: lambda work=work: self.guarded(work) for name, work in failing.items()}
        return guarded | {
            "new": self._new,
            "start": self._window.show_start,
            "help": self._show_help,
            "about": self._show_about,
        }

    def _edit_handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "undo": lambda: self._window.workbench.undoing.undo(),
            "redo": lambda: self._window.workbench.undoing.redo(),
            "edit_script": lambda: self._window.workbench.editor.setFocus(),
            "text_larger": lambda: self._window.workbench.editor.zoom(1),
            "text_smaller": lambda: self._window.workbench.editor.zoom(-1),
        }

    def _view_handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "fit": lambda: self._window.workbench.canvas.fit(),
            "zoom_in": lambda: self._window.workbench.canvas.zoom_by(_ZOOM),
            "zoom_out": lambda: self._window.workbench.canvas.zoom_by(1 / _ZOOM),
            "arrow_field": self.field.open,
            "across": lambda: self._turn("down" if self._session.runs_right else "right"),
            "direction_auto": lambda: self._turn("auto"),
            "follow": self._toggle_follow,
            "gauges": self._toggle_gauges,
            "show_left": self._toggle_left,
            "show_right": lambda: self._toggle_part(self._window.workbench.inspector),
            "show_breakpoints": lambda: self._toggle_part(self._window.workbench.breakpoints),
            "show_heat": self._toggle_heat,
            "reduced_motion": self._toggle_motion,
            "full_screen": self._toggle_full_screen,
            "present": lambda: self._window.presenter.toggle(),
        } | {
            **{f"theme_{choice}": lambda choice=choice: self.choose_theme(choice) for choice in CHOICES},
            **{f"size_{size}": lambda size=size: self._choose_size(size) for size in SIZES},
        }

    def _play_handlers(self) -> dict[str, Callable[[], None]]:
        player = self._session.clock.player
        return {
            "play": player.toggle,
            "step": lambda: player.step(1),
            "back": lambda: player.step(-1),
            "first": player.first,
            "last": player.last,
            "turn": self._go_to_turn,
            "faster": lambda: self._change_speed(1),
            "slower": lambda: self._change_speed(-1),
            "loop": self._toggle_loop,
            "step_over": self._toggle_step_over,
            "next_sweep": lambda: self._change_sweep(1),
            "previous_sweep": lambda: self._change_sweep(-1),
            "seed": lambda: self.guarded(self.seed.open),
            "compare_runs": self._session.compare_with_present,
            "compare_calls": self._compare_calls,
            "compare_end": lambda: self._session.compare(()),
            "predict": self._toggle_predict,
            "reveal": lambda: self._window.workbench.leading.predicting.reveal(),
            "next_lesson": self._window.open_next_lesson,
            "run": self._run,
            "stop": self._session.stop,
        }

    def _choose_size(self, size: int) -> None:
        """Qt takes it at the start only."""
        is_new = size != self._settings.size
        self._settings.size = size
        self._settings.save()
        if is_new:
            self._window.show_message(f"Restart gradviz to apply {size} %.")

    def guarded(self, work: Callable[[], object], file: str = "") -> None:
        """Do what may fail; the error becomes a message, about `file` where one is named."""
        try:
            work()
        except GradvizError as error:
            self._window.show_error(error, file)

    def _new(self) -> None:
        if self._window.files.may_leave():
            self._session.open_script("", "untitled.py", is_new=True)
            self._window.workbench.editor.setFocus()

    def _open(self, choose: Callable[[], Path | None]) -> None:
        if self._window.files.may_leave() and (path := choose()) is not None:
            self._window.files.open(path)

    def _compare_with_file(self) -> None:
        path = self._window.files.choose_recording()
        if path is not None:
            self._session.compare_with_file(path)

    def _compare_calls(self) -> None:
        """Show this backward call beside another: the one before, or of the first one the next."""
        from gradviz.playback.difference import Beside
        from gradviz.ui.timeline.sweeps import sweep_title

        content = self._session.document.content
        own, chosen = content.own, content.sweep
        if chosen is None or len(own.sweeps) < 2:
            self._window.show_error(GradvizError("There is no other backward call to compare with: try another v."))
            return
        titles = [sweep_title(own, at, content.script_sweeps) for at in range(len(own.sweeps))]
        names = [f"{own.number(at)}: {title.text}" for at, title in enumerate(titles)]
        beside = [Beside(name, own, at) for at, name in enumerate(names)]
        self._session.compare(beside, chosen - 1 if chosen else 1)

    def _export(self) -> None:
        dialog = self._window.files.export()
        if dialog is not self._export_dialog:
            self._export_dialog = dialog
            dialog.wrote.connect(lambda path: self._window.show_message(f"Wrote {path}"))

    def _run(self) -> None:
        self._window.workbench.editor.flush()
        self._session.run()

    def _go_to_turn(self) -> None:
        if self._session.picture is not None:
            self._session.clock.player.go(self._session.picture.track.turn)

    def _change_speed(self, by: int) -> None:
        player = self._session.clock.player
        nearest = min(range(len(Player.SPEEDS)), key=lambda i: abs(Player.SPEEDS[i] - player.speed))
        player.set_speed(Player.SPEEDS[min(max(nearest + by, 0), len(Player.SPEEDS) - 1)])

    def _unless_predicting(self, work: Callable[[], None]) -> None:
        if self._window.is_working and self._window.workbench.leading.predicting.hides_later:
            self._window.show_message(PREDICT_FIRST)
        else:
            work()

    def _toggle_predict(self) -> None:
        """Ask for gradients, or end it; what would tell them is closed first."""
        bench = self._window.workbench
        if not bench.leading.predicting.is_on:
            for window in (self.seed.window, self.field.window):
                if window is not None:
                    window.close()
            bench.show_heat(False)
            self._session.compare(())
        bench.leading.toggle_predict()

    def _toggle_loop(self) -> None:
        self._session.clock.player.loop = not self._session.clock.player.loop

    def _toggle_step_over(self) -> None:
        self._session.step_over(not self._session.steps_over)
        self._settings.step_over = self._session.steps_over

    def _toggle_motion(self) -> None:
        self._settings.reduced_motion = self._session.clock.reduced_motion = not self._session.clock.reduced_motion

    def _toggle_follow(self) -> None:
        self._window.workbench.follows = not self._window.workbench.follows

    def _toggle_gauges(self) -> None:
        self._settings.gauges = not self._settings.gauges
        self._window.workbench.canvas.show_gauges(self._settings.gauges)

    def _toggle_full_screen(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _toggle_left(self) -> None:
        left = self._window.workbench.left
        left.setVisible(left.isHidden())

    def _toggle_part(self, part: QWidget) -> None:
        self._window.workbench.show_part(part, part.isHidden())

    def _toggle_heat(self) -> None:
        bench = self._window.workbench
        bench.show_heat(not bench.has_heat)

    def _change_sweep(self, by: int) -> None:
        document = self._session.document
        if document.content.sweep is not None:
            document.choose_sweep(document.content.sweep + by)

    def _turn(self, direction: str) -> None:
        self._settings.direction = direction
        self._session.turn_to(direction)

    def choose_theme(self, choice: str) -> None:
        """Draw in another theme, now and at the next start."""
        self._settings.theme = choice
        self._theme.choose(choice)
        self._window.show_choices()

    def _show_help(self) -> None:
        from gradviz.ui.window.help import HelpWindow

        if self._help is None:
            self._help = HelpWindow(self._theme, self._window)
            self._help.lesson_requested.connect(self._open_lesson)
        show_in_front(self._help)

    def _open_lesson(self, path: Path) -> None:
        """Open the lesson that a page of the help leads to; the page stays beside it."""
        self._window.open_lesson(read_lesson(path))
        self._window.activateWindow()

    def _show_about(self) -> None:
        from gradviz.ui.window.about import About

        about = About(self._window)
        about.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        about.open()
