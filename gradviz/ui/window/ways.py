"""What the actions for breakpoints, finding one's way and the command palette do, and the menu of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from gradviz.errors import GradvizError
from gradviz.ui.app.settings import Settings
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.ui.actions.command_palette import CommandPalette
    from gradviz.ui.window.window import Window
    from gradviz.ui.window.workbench import Workbench

_ON_GROUP = ("fold", "focus_group", "leave_focus", "")
_ON_NODE = ("breakpoint", "run_to", "", "definition", "zoom_selection", "", "path", "ancestors", "descendants")
_ANYWHERE = ("show_all", "fit", "find", "fold_all", "unfold_all", "", "next_stop", "breakpoint_new")


_MOVE = 120.0
"""Screen pixels by which a key moves the picture."""

_OF_BENCH: dict[str, Callable[[Workbench], None]] = {
    "find": lambda bench: bench.finder.open(),
    "find_next": lambda bench: bench.finder.step(1),
    "find_previous": lambda bench: bench.finder.step(-1),
    "go_back": lambda bench: bench.navigation.go_back(),
    "go_forward": lambda bench: bench.navigation.go_forward(),
    "definition": lambda bench: bench.navigation.go_to_definition(),
    "birth": lambda bench: bench.navigation.go_to_birth(),
    "select_current": lambda bench: bench.navigation.select_current(),
    "select_input": lambda bench: bench.navigation.walk("input"),
    "select_consumer": lambda bench: bench.navigation.walk("consumer"),
    "select_next": lambda bench: bench.navigation.walk("next"),
    "select_previous": lambda bench: bench.navigation.walk("previous"),
    "move_left": lambda bench: bench.canvas.move_by(_MOVE, 0.0),
    "move_right": lambda bench: bench.canvas.move_by(-_MOVE, 0.0),
    "move_up": lambda bench: bench.canvas.move_by(0.0, _MOVE),
    "move_down": lambda bench: bench.canvas.move_by(0.0, -_MOVE),
    "zoom_selection": lambda bench: bench.navigation.zoom_to_selection(),
    "path": lambda bench: bench.navigation.light("path"),
    "ancestors": lambda bench: bench.navigation.light("ancestors"),
    "descendants": lambda bench: bench.navigation.light("descendants"),
    "show_all": lambda bench: bench.navigation.show_all(),
    "fold": lambda bench: bench.folds.toggle_here(),
    "fold_all": lambda bench: bench.folds.fold_all(),
    "unfold_all": lambda bench: bench.folds.unfold_all(),
    "plumbing": lambda bench: bench.folds.turn_plumbing(),
    "focus_group": lambda bench: bench.folds.focus_here(),
    "leave_focus": lambda bench: bench.folds.leave_focus(),
    "back_to_run": lambda bench: bench.go_back_to_run(),
    "next_stop": lambda bench: bench.stopping.go_on(1),
    "previous_stop": lambda bench: bench.stopping.go_on(-1),
    "breakpoints_turn": lambda bench: bench.stopping.turn_all(),
    "breakpoints_clear": lambda bench: bench.stopping.clear(),
}


class Ways:
    """The handlers of these actions of a window."""

    def __init__(self, window: Window, session: Session, settings: Settings, theme: Theme) -> None:
        self._window, self._session, self._settings, self._theme = window, session, settings, theme
        self._palette: CommandPalette | None = None

    def handlers(self) -> dict[str, Callable[[], None]]:
        """What each action does."""
        own = {
            "commands": self.show_commands,
            "leave": self._leave,
            "run_to": self._run_to,
            "breakpoint": self._toggle_here,
            "breakpoint_new": self._new_breakpoint,
            "what_if": self._write_number,
        }
        # The workbench is built when it is first needed, so each looks for it when it is asked.
        return own | {name: lambda work=work: work(self._bench) for name, work in _OF_BENCH.items()}

    @property
    def _bench(self) -> Workbench:
        return self._window.workbench

    @property
    def _is_in_script(self) -> bool:
        return self._bench.editor.area.hasFocus()

    # ---- the command palette ----

    def show_commands(self) -> None:
        """Open the command palette, or close it where it is open."""
        if self._palette is None:
            from gradviz.ui.actions.command_palette import CommandPalette

            self._palette = CommandPalette(self._theme, self._window)
            self._palette.chosen.connect(self._settings.remember_action)
        self._palette.open(self._window.top.menus, self._settings.recent_actions)

    # ---- finding the way ----

    def _leave(self) -> None:
        """One thing at a time: start page, find bar, what-if, what is lit, selection; the keys go to the graph."""
        if not self._window.is_working:
            self._window.show_workbench()
            return
        bench = self._bench
        was_on_graph = bench.canvas.hasFocus()
        if bench.finder.is_open:
            bench.leave_find()
        elif self._session.supposing.wanted and not self._is_in_script:
            bench.go_back_to_run()
        elif was_on_graph and bench.navigation.is_lit:
            bench.navigation.show_all()
        elif was_on_graph and bench.folds.is_focused and bench.selected is None and bench.selected_group is None:
            bench.folds.leave_focus()
        elif was_on_graph:
            bench.select(None)
        bench.canvas.setFocus()

    def _write_number(self) -> None:
        """Open a number of the inspector, of the node of this step where none is selected."""
        supposing = self._session.supposing
        self._bench.show_part(self._bench.inspector, True)
        why_not = supposing.why_not or self._bench.inspector.write_number()
        if why_not:
            self._window.show_error(GradvizError(why_not))

    # ---- breakpoints ----

    def _run_to(self) -> None:
        node = self._bench.selected
        if self._is_in_script:
            self._bench.stopping.run_to_line(self._bench.editor.line())
        elif node is None:
            self._window.show_message("Nothing is selected to run to: click a node, or put the cursor in a line.")
        else:
            self._bench.stopping.run_to_node(node)

    def _toggle_here(self) -> None:
        node = self._bench.navigation.node()
        if self._is_in_script or self._session.picture is None:
            self._bench.stopping.toggle_line(self._bench.editor.line())
        elif node is None:
            self._window.show_message("No node is selected: click one, or put the cursor in a line of the script.")
        else:
            self._bench.stopping.toggle_node(node)

    def _new_breakpoint(self) -> None:
        self._bench.show_part(self._bench.breakpoints, True)
        self._window.show_choices()
        self._bench.breakpoints.focus_field()

    # ---- the menu of the graph ----

    def show_menu(self, place: QPoint, by_key: bool) -> None:
        """Offer what can be done with the selected node; at a place on the screen, or at the middle for a key."""
        canvas = self._bench.canvas
        canvas.setFocus()
        menu = self.menu()
        menu.popup(canvas.mapToGlobal(canvas.rect().center()) if by_key else place)

    def menu(self) -> QMenu:
        """The menu for the node that is selected now; it goes when it closes."""
        menu = QMenu(self._window)
        menu.aboutToHide.connect(menu.deleteLater)
        node, picture = self._bench.selected, self._session.picture
        if self._bench.folds.board is not None and (node is not None or self._bench.selected_group is not None):
            self._put(menu, _ON_GROUP)
        if node is not None and picture is not None:
            self._put(menu, _ON_NODE)
            from gradviz.playback.conditions.breakpoints import Breakpoint

            op = picture.track.recording.nodes[node].op
            every = Breakpoint(f"op = {op}")
            entry = menu.addAction(f"Breakpoint on every {op}")
            entry.triggered.connect(lambda: self._bench.stopping.toggle(every))
            menu.insertAction(self._window.actions_by_name.by_name["run_to"], entry)
            menu.addSeparator()
        self._put(menu, _ANYWHERE)
        return menu

    def _put(self, menu: QMenu, names: tuple[str, ...]) -> None:
        for name in names:
            if name:
                menu.addAction(self._window.actions_by_name.by_name[name])
            else:
                menu.addSeparator()
