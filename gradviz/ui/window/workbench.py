"""The workbench: script, output and variables; the graph; the inspector; the timeline. It shows a session.

Wiring only: requests of the views go to the session, what has happened there is shown by the views.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from gradviz.changes import NO_CHANGES, Spot
from gradviz.errors import GradvizError
from gradviz.playback import flow
from gradviz.playback.groups.bundles import HIDDEN
from gradviz.playback.groups.sentence import folded_sentence
from gradviz.playback.track import Track
from gradviz.source.leaf_changes import LeafChange, change_leaf
from gradviz.ui.breakpoints.listed import BreakpointList
from gradviz.ui.breakpoints.stopping import Stopping
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.plane.view import READABLE
from gradviz.ui.editor import ScriptEditor
from gradviz.ui.finding.alarm import Alarm
from gradviz.ui.finding.bar import FindBar
from gradviz.ui.finding.finder import Finder
from gradviz.ui.finding.navigation import Navigation
from gradviz.ui.inspector import Inspector
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.document import SCRIPT, Content
from gradviz.ui.session.session import Session
from gradviz.ui.timeline.timeline import FEW_LINES, Timeline
from gradviz.ui.variables import Variables
from gradviz.ui.window.alarm_strip import AlarmStrip
from gradviz.ui.window.compare_strip import CompareStrip
from gradviz.ui.window.engine_badge import EngineBadge, notes
from gradviz.ui.window.folds import Folds
from gradviz.ui.window.held_strip import HeldStrip
from gradviz.ui.window.leading import Leading
from gradviz.ui.window.no_graph import NoGraph
from gradviz.ui.window.offer import NUMBERS, OFFERS, RUN, offer, words_of
from gradviz.ui.window.output import Output
from gradviz.ui.window.panes import LEFT, RIGHT, Panes
from gradviz.ui.window.parts import LEAST_BODY, WATCH_LINES, Caption, RunState, WatchStrip, area
from gradviz.ui.window.printed import printed_by
from gradviz.ui.window.progress_strip import DrawingStrip
from gradviz.ui.window.undoing import Undoing
from gradviz.ui.window.what_if_strip import WhatIfStrip, spot_text

if TYPE_CHECKING:
    from gradviz.ui.heat.panel import HeatPanel

ROWS = (5, 2, 2)
_UNREADABLE = 0.19  # screen pixels per scene unit
LEAST_SCRIPT = 150
"""Height of the script with its caption that other panes leave it, in pixels."""
HEAT = 230
"""Height of the heat strip when it is first opened."""
_LOW = 480
"""A workbench lower than this has few lines of words, so that the graph keeps its room."""


class Workbench(QWidget):
    """All that is seen while a script is open.

    Attributes:
        selected: the node that was clicked, or None; the inspector then follows the current one.
        selected_group: the group that was clicked instead, by its number, or None.
        follows: whether a step brings its node into sight.
        inspectors: what shows the node: the inspector, and any other that is there for a while.
        beside, below: the layouts in which other parts stand at the right, and at the bottom.

    Signals:
        node_selected: payload: its id. Not emitted when the selection ends.
        node_chosen: a node or a group was selected, or the selection ended.
        action_requested: payload: name of an action.
        file_dropped: payload: the path as text.
    """

    node_selected = Signal(int)
    node_chosen = Signal()
    action_requested = Signal(str)
    file_dropped = Signal(str)

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self.selected: int | None = None
        self.selected_group: int | None = None
        self._to_visit: int | None = None
        self._to_step = False
        self._to_position: int | None = None
        self._heat: HeatPanel | None = None
        self._failed: int | None = None
        self.follows = True
        self._direction: str | None = None
        self._stays = False
        self._shown_position = -1
        self._is_new, self._is_to_fit = True, False
        self._track: Track | None = None
        self.editor, self.output, self.variables = ScriptEditor(theme), Output(theme), Variables(theme)
        self.canvas, self.inspector = Canvas(theme), Inspector(theme)
        self.inspectors = [self.inspector]
        self.watch, self.run_state, self.held = WatchStrip(theme), RunState(theme), HeldStrip()
        self.compare, self.what_if, self.alarm_strip = CompareStrip(), WhatIfStrip(), AlarmStrip()
        self.alarm = Alarm(session)
        self.timeline = Timeline(theme, self.sentence)
        self.leading = Leading(theme, session)
        self.empty = NoGraph()
        self.drawing = DrawingStrip(session, self.canvas)
        self.badge = EngineBadge(self.canvas)
        self.stopping, self.navigation = Stopping(session), Navigation(self, session)
        self.folds = Folds(self, session)
        self.breakpoints = BreakpointList(self.stopping, theme)
        self.find_bar = FindBar(theme, self.canvas)
        self.finder = Finder(self.find_bar, session, self.navigation.show_found, self.visit)
        self._arrange()
        self._wire_requests()
        self._wire_facts()
        self.undoing = Undoing(self, session)

    # ---- building ----

    def _arrange(self) -> None:
        self.left = QSplitter(Qt.Orientation.Vertical)
        script = Caption("Script")
        script.layout_row.addWidget(self.run_state)
        for head, body in ((script, self.editor), (Caption("Output"), self.output), (None, self.variables)):
            self.left.addWidget(area(head, body))
        for row, share in enumerate(ROWS):
            self.left.setStretchFactor(row, share)
        self.left.setSizes([100 * share for share in ROWS])
        graph = QWidget()
        self._graph = QStackedLayout(graph)
        self._graph.addWidget(self.canvas)
        self._graph.addWidget(self.empty)
        middle = QWidget()
        stack = QVBoxLayout(middle)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        for strip in (self.held, self.alarm_strip, self.what_if, self.compare, self.watch):
            stack.addWidget(strip)
            strip.hide()
        self.middle = QSplitter(Qt.Orientation.Vertical)
        self.middle.addWidget(graph)
        self.middle.setCollapsible(0, False)
        stack.addWidget(self.middle, 1)
        self.right = QSplitter(Qt.Orientation.Vertical)
        for part, share in ((self.inspector, 3), (self.breakpoints, 1)):
            self.right.addWidget(part)
            self.right.setStretchFactor(self.right.count() - 1, share)
        self.right.setChildrenCollapsible(False)
        self.right.setSizes([540, 270])
        self.breakpoints.hide()
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        for column in (self.left, middle, self.right):
            self.columns.addWidget(column)
        self.left.setMinimumWidth(LEFT[0])
        self.right.setMinimumWidth(RIGHT[0])
        self.panes = Panes(self.columns, self.left)
        middle.setMinimumWidth(200)
        self.columns.setStretchFactor(1, 1)
        self.columns.setCollapsible(1, False)
        for splitter in (self.columns, self.left, self.right, self.middle):
            splitter.setHandleWidth(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        self.beside, self.below = QHBoxLayout(), whole
        self.beside.addWidget(self.columns, 1)
        whole.addLayout(self.beside, 1)
        whole.addWidget(self.leading.strip)
        whole.addWidget(self.timeline)

    def _wire_requests(self) -> None:
        session = self._session
        self.editor.text_edited.connect(self._take_typed)
        self.editor.file_dropped.connect(self.file_dropped)
        self.variables.edited.connect(self.change_leaf)
        self.variables.leaf_requested.connect(self._visit_leaf)
        session.closed.connect(self.variables.end)
        self.run_state.stop_requested.connect(session.stop)
        self.watch.dismissed.connect(session.document.dismiss_watch)
        self.leading.action_requested.connect(self.action_requested)
        self.leading.predicting.changed.connect(self._hide_later)
        self.held.run_requested.connect(lambda: self.action_requested.emit("run"))
        self.held.pytorch_requested.connect(lambda: self.action_requested.emit(RUN))
        self.alarm_strip.go_requested.connect(self.go_to_first_birth)
        self.compare.shown_chosen.connect(session.choose_beside)
        self.compare.against_chosen.connect(self._compare_with)
        self.compare.leaf_chosen.connect(self._go_to_leaf)
        self.compare.node_chosen.connect(self.visit)
        self.compare.end_requested.connect(lambda: session.compare(()))
        self.what_if.back_requested.connect(self.go_back_to_run)
        self.inspector.number_changed.connect(self.change_number)
        self.inspector.refused.connect(lambda words: session.refused.emit(GradvizError(words)))
        self.canvas.node_clicked.connect(self.select)
        self.canvas.background_clicked.connect(lambda: self.select(None))
        self.canvas.group_clicked.connect(self.select_group)
        self.canvas.fold_requested.connect(self.folds.toggle)
        self.canvas.entered.connect(self.folds.toggle_here)
        self.inspector.fold_requested.connect(self.folds.toggle)
        self.inspector.focus_requested.connect(self.folds.focus)
        self.inspector.node_requested.connect(self.visit)
        self.inspector.jacobian_requested.connect(session.ask_jacobian)
        self.inspector.way_pointed.connect(self.canvas.point)
        self.canvas.room_changed.connect(session.take_room)
        self.inspector.steps_requested.connect(lambda: self.select(None))
        self.inspector.line_requested.connect(self._go_to_line)
        self.editor.area.gutter.stop_clicked.connect(self.stopping.toggle_line)
        self.editor.strip.offer_taken.connect(self._take_offer)
        self.find_bar.close_requested.connect(self.leave_find)
        self.find_bar.covers_changed.connect(self.canvas.keep_clear)
        self.columns.splitterMoved.connect(self._align)
        self.timeline.transport.pressed.connect(self.action_requested)
        self.timeline.slider.position_requested.connect(session.clock.player.go)
        self.timeline.transport.speed_chosen.connect(session.clock.player.set_speed)
        self.timeline.sweeps.sweep_chosen.connect(session.document.choose_sweep)
        self.timeline.sweeps.seed_requested.connect(lambda: self.action_requested.emit("seed"))

    def _align(self) -> None:
        self.timeline.align(self.columns.sizes()[0])

    def _wire_facts(self) -> None:
        session, document = self._session, self._session.document
        document.opened.connect(self._show_text)
        document.opened.connect(self._show_watch)  # again: only now is it known whether a lesson says it
        document.run_ended.connect(self._show_run)
        document.watch_changed.connect(self._show_watch)
        document.held_changed.connect(self._show_held)
        document.beside_changed.connect(self._show_beside)
        document.supposed_changed.connect(self._show_supposed)
        session.supposing.slow_changed.connect(
            lambda is_slow: self.what_if.show_computing(is_slow, document.content.supposed)
        )
        session.running_changed.connect(self._show_running)
        session.run_progressed.connect(self._show_progress)
        session.printed.connect(self.output.hear)
        session.refused.connect(self._show_staleness)
        session.picture_changed.connect(self._show_picture)
        session.clock.moved.connect(self._show_moment)
        session.jacobian_known.connect(self.inspector.take_jacobian)
        self.alarm.changed.connect(self._show_alarm)
        document.opened.connect(self._show_alarm)
        self.stopping.stops_changed.connect(self._show_stops)

    # ---- what is asked ----

    def select(self, node: int | None) -> None:
        """Select a node of the picture, or none."""
        track = self._track
        self.selected = node if track is not None and node in track.index_of else None
        self.selected_group = None
        self.canvas.select_group(None)
        self.canvas.select(self.selected)
        self.show_node()
        self._show_heat()
        if self.selected is not None:
            self.node_selected.emit(self.selected)
        self.node_chosen.emit()

    def select_group(self, number: int) -> None:
        """Select a group of the picture, folded or open."""
        self.select(None)
        self.selected_group = number
        self.canvas.select_group(number)
        self.show_node()
        self.node_chosen.emit()

    def visit(self, node: int, sweep: int | None = None, position: int | None = None) -> None:
        """Go to a node: position, selection, line, sentence and camera, and the folded groups around it open.

        Whatever is pressed to go to a node goes this way. What is still to be predicted is not passed: then the
        position stays.

        Args:
            sweep: the backward call in which it is looked at; that which is shown by default.
            position: where it is the current node; by default the nearest in the pass that is shown.
        """
        if sweep is not None:
            self._session.document.choose_sweep(sweep)
            if not self._has_current_picture():
                self._to_visit, self._to_step, self._to_position = node, True, position  # once it is laid out
                return
        self.select(node)
        if self.selected is None or self._track is None:
            return
        player = self._session.clock.player
        place = flow.position_of(self._track, node, player.position) if position is None else position
        if place is not None and place <= player.end:
            player.go(place)
        self._bring_into_view(node)

    def _has_current_picture(self) -> bool:
        """Whether what is drawn is of the recording and the backward call that are chosen."""
        picture, content = self._session.picture, self._session.document.content
        if picture is None or picture.track is not self._track:
            return False
        return picture.track.recording is content.recording and picture.track.sweep == content.sweep

    def _bring_into_view(self, node: int) -> None:
        if self.folds.show_node(node):
            self._to_visit = node  # in sight once the picture is laid out
        else:
            self.canvas.reveal(node)

    def leave_find(self) -> None:
        """Close the find bar; the keys go to the graph."""
        self.finder.close()
        self.canvas.setFocus()

    def show_part(self, part: QWidget, is_shown: bool) -> None:
        """Show or hide the inspector or the list of breakpoints; the column goes with the last of them."""
        part.setVisible(is_shown)
        self.right.setVisible(not (self.inspector.isHidden() and self.breakpoints.isHidden()))

    @property
    def around_graph(self) -> tuple[QWidget, ...]:
        """The strips above the graph and below it, as far as they are built."""
        heat = () if self._heat is None else (self._heat,)
        return (self.held, self.alarm_strip, self.what_if, self.compare, self.watch, *heat)

    @property
    def has_heat(self) -> bool:
        """Whether the heat strip is open."""
        return self._heat is not None and not self._heat.isHidden()

    def show_heat(self, is_shown: bool) -> None:
        """Open or close the heat strip, which is built and measured when it is first opened."""
        if is_shown and self._heat is None:
            from gradviz.ui.heat.panel import HeatPanel

            self._heat = HeatPanel(self._theme)
            self._heat.leaf_chosen.connect(lambda sweep, node: self.visit(node, sweep))
            self._heat.close_requested.connect(lambda: self.action_requested.emit("show_heat"))
            self._session.closed.connect(self._heat.close_work)
            self.middle.addWidget(self._heat)
            self.middle.setStretchFactor(0, 1)
            high = min(HEAT, int(self.height() * 0.4))
            self.middle.setSizes([self.middle.height() - high, high])
        if self._heat is not None:
            self._heat.setVisible(is_shown)
            self._show_heat()

    def _show_heat(self) -> None:
        """What the strip is of, and where in it the graph is; while it is closed, nothing."""
        if self._heat is not None and not self._heat.isHidden():
            self._heat.show_recording(self._session.document.content.recording)
            self._heat.show_place(None if self._track is None else self._track.sweep, self.selected)

    def go_to_first_birth(self) -> bool:
        """Show the step at which the first NaN or infinity of the run was born; False where there is none."""
        first = self.alarm.first
        if first is None:
            return False
        self.visit(first.birth.node, first.sweep, first.birth.position)
        return True

    def _arrive(self) -> None:
        """Go to the node that was asked for in another picture, which is there now."""
        node, self._to_visit = self._to_visit, None
        goes, self._to_step = self._to_step, False
        position, self._to_position = self._to_position, None
        if node is not None and goes:
            self.visit(node, position=position)
        elif node is not None:
            self._bring_into_view(node)

    def _take_typed(self, text: str) -> None:
        """Run what was typed; a bare expression that is in no file becomes a whole script, which an undo takes back."""
        from gradviz.source.expression import completed

        content = self._session.document.content
        is_ours = content.path is None and content.held is None and content.kind == SCRIPT and not content.with_pytorch
        whole = completed(text) if is_ours and self.editor.is_at_end() else None
        if whole is None:
            self._session.edit(text)
            return
        self._session.document.set_text(text)
        self._write(whole.text, "whole script")
        self.editor.put_cursor(whole.end)

    def _write(self, text: str, name: str) -> None:
        """Put another text into the script as one edit, by the name by which it is taken back, and run it."""
        self.editor.set_text(text)
        self.undoing.call_next(name)
        self._session.edit(text)
        self._show_variables()

    def give_numbers(self) -> None:
        """Give numbers to the names that the script uses and does not define, in shapes that fit, and run it."""
        from gradviz.source.given_numbers import give_numbers
        from gradviz.source.missing_names import missing_name

        self.editor.flush()
        content = self._session.document.content
        if content.problem is None:
            return
        try:
            text, names = give_numbers(content.text, missing_name(content.problem.message))
        except GradvizError as error:
            self._session.refused.emit(error)
            return
        self._write(text, f"numbers for {', '.join(names)}")
        if content.with_pytorch:
            self.action_requested.emit(RUN)

    def change_leaf(self, name: str, change: LeafChange) -> None:
        """Write a change of the table of variables into the script, and run it.

        A new leaf where names are missing is one for them.
        """
        if change.added and offer(self._session.document.content) == NUMBERS:
            self.give_numbers()
            return
        try:
            text = change_leaf(self.editor.text(), name, change)
        except GradvizError as error:
            self.variables.refuse(error)
            return
        self._write(text, f"change of {name}")

    def change_number(self, spot: Spot, number: float, is_settled: bool = True) -> None:
        """Show what would be if a number of the run were another.

        Args:
            is_settled: False while it is dragged, which is one change to take back in the end.
        """
        self._session.supposing.change(spot, number)
        if is_settled:
            self.undoing.note(f"change {spot_text(self._session.document.content.own, spot)}")

    def go_back_to_run(self) -> None:
        """Show the numbers of the run again."""
        self._session.supposing.suppose(NO_CHANGES)
        self.undoing.note("back to the run")

    # ---- what has happened ----

    def divide(self, width: int) -> None:
        """Give the columns their first widths in a window of `width` pixels: the graph gets the most."""
        self.panes.divide(width)
        self._align()

    def _fit_panes(self) -> None:
        """Share the left column and the window by what has just been opened."""
        script, output, variables = self.editor.room_wanted(), self.output.room_wanted(), self.variables.height_wanted()
        self.panes.divide(self.width(), max(script.width(), output.width()))
        heads = LEAST_BODY // 2
        needs = (script.height() + heads, output.height() + heads, variables)
        self.panes.fit_rows(needs, (LEAST_SCRIPT, LEAST_BODY + heads, self.variables.minimumHeight()))
        self._align()

    def show_all(self) -> None:
        """Show the session as it is, after this workbench has just been built."""
        self._show_text()
        self._show_run()
        self.leading.open_content()
        self._show_watch()
        self._show_held()
        self._show_beside()
        self._show_supposed()
        self.alarm.look()
        self._show_picture()

    def _show_text(self) -> None:
        self.selected = None
        self._is_new = True
        self.editor.set_text(self._session.document.content.text, keep_undo=False)
        self.editor.show_stops(self.stopping.lines())
        self._show_variables()

    def _show_variables(self) -> None:
        """What they hold at the moment that is shown; where that is of an older text, the text alone."""
        content, track = self._session.document.content, self._track
        source = content.recording.source
        is_of_text = not content.is_stale and ("" if source is None else source.text) == content.text
        is_drawn = is_of_text and track is not None and track.recording is content.recording
        is_coming = not is_drawn and not content.is_stale and content.problem is None
        self.variables.show_script(content.text, track if is_drawn else None, is_coming=is_coming)

    def _show_run(self) -> None:
        content = self._session.document.content
        action = offer(content)
        if action in OFFERS and not self._session.can_run_pytorch:
            action = ""
        self.editor.show_problem(content.problem, words_of(action, content))
        said = [] if content.is_stale else [content.recording.kept, *notes(content.recording)]
        kept = "\n".join(text for text in said if text)
        self.output.show_run(content.output, content.problem, content.seconds, content.warnings, kept)
        self.run_state.show_result(content.seconds, is_good=content.problem is None or not content.problem.ended)
        self._show_staleness()
        self._show_emptiness()
        self._allow_seed()
        self._show_variables()
        self._dim_output()
        self._light_line()
        if self._is_new and content.seconds is not None:
            self._is_new, self._is_to_fit = False, True
            self._fit_panes()

    def _take_offer(self) -> None:
        action = offer(self._session.document.content)
        if action == NUMBERS:
            self.give_numbers()
        elif action:
            self.action_requested.emit(action)

    def _show_stops(self) -> None:
        """Those of a picture that is not shown yet come with it: on the one before they have no place."""
        self.editor.show_stops(self.stopping.lines())
        if self._session.picture is None or self._session.picture.track is self._track:
            self.canvas.show_stops(self.stopping.nodes(on=True), self.stopping.nodes(on=False))
            self.timeline.slider.show_stops(self.stopping.positions)

    def _show_running(self, is_running: bool) -> None:
        if is_running:
            self.run_state.show_running()
        else:
            content = self._session.document.content
            self.run_state.show_result(content.seconds, is_good=content.problem is None or not content.problem.ended)

    def _show_progress(self, share: float) -> None:
        if self.run_state.is_running:
            self.run_state.show_running(share)

    def _show_held(self) -> None:
        self.held.show_file(self._session.document.content.held, has_pytorch=self._session.can_run_pytorch)
        self._show_emptiness()

    def _show_staleness(self) -> None:
        self.canvas.set_stale(self._session.document.content.is_stale or self._session.is_behind)

    def _show_supposed(self) -> None:
        self.what_if.show_supposed(self._session.document.content.supposed)

    def _show_beside(self) -> None:
        content = self._session.document.content
        self.compare.show_beside(content.beside, content.place, content.against)
        picture = self._session.picture
        if picture is not None and picture.track is self._track and content.supposed is None:
            self.compare.show_difference(picture.difference)

    @staticmethod
    def _edited(content: Content, sweep: int | None) -> frozenset[int]:
        """The nodes at which what comes in was changed by hand, in a backward call."""
        changes = () if content.supposed is None else content.supposed.what_if.changes
        spots = [each.spot for each in changes if each.spot.sweep is not None and each.spot.slot is None]
        return frozenset(spot.node for spot in spots if spot.sweep == sweep)

    def _compare_with(self, place: int) -> None:
        """Compare what is shown with another; with itself there is nothing to compare, so that is shown instead."""
        content = self._session.document.content
        if place == content.place:
            self._session.choose_beside(content.against)
        else:
            self._session.compare(content.beside, place)

    def _go_to_leaf(self, place: int, sweep: int, node: int) -> None:
        """Show a parameter in one backward call of one rank."""
        self._session.choose_beside(place)
        self.compare.show_choice(place)
        self.visit(node, sweep)

    def _go_to_line(self, line: int) -> None:
        """Show a line that made what the inspector shows, which comes along."""
        node = self.navigation.node()
        if node is not None:
            self.visit(node)
        self.editor.light_line(line, self._is_forward())

    def _visit_leaf(self, name: str) -> None:
        """Show a parameter in the graph."""
        track = self._track
        nodes = () if track is None else (track.recording.nodes[node] for node in track.forward)
        found = next((node.id for node in nodes if node.name == name and node.is_leaf), None)
        if found is not None:
            self.visit(found)

    def _show_alarm(self) -> None:
        """Where the first NaN is; a lesson leads there itself."""
        first = self.alarm.first if self.leading.guide is None else None
        self.alarm_strip.show_words("" if first is None else first.words)

    def _show_watch(self) -> None:
        is_said = self.leading.guide is None  # else it is said step by step
        self.watch.show_watch(self._session.document.content.watch if is_said else ())

    def _show_picture(self) -> None:
        picture, content = self._session.picture, self._session.document.content
        self._shown_position = -1
        self._show_emptiness()
        self._show_staleness()
        is_other = picture is None or picture.track is not self._track
        self._stays = not is_other  # folded in another way: it looks at what was folded, not at the step
        if is_other:
            self.selected_group = None
        self._track = Track(content.recording) if picture is None else picture.track
        difference = None if picture is None else picture.difference
        edited = self._edited(content, self._track.sweep)
        for inspector in self.inspectors:
            inspector.show_difference(difference, edited)
        self._show_beside()
        self._allow_change()
        board = self.folds.board
        names = (board.handed_on_by,) if board is not None and board.base is self._track else ()
        self.timeline.show_track(self._track, content.script_sweeps, *names)
        if picture is None:
            self.canvas.clear()
            self.badge.hide()
        else:
            self.badge.show_recording(picture.track.recording)
            self.canvas.reduced_motion = self._session.clock.reduced_motion
            is_new = self.canvas.show_track(picture.drawn, picture.layout, picture.was, picture.scene)
            self.canvas.show_difference(difference)
            if self._direction not in (None, picture.direction):
                is_new = True
                self.canvas.show_anew()
            self._direction = picture.direction
            if is_new:
                self._make_readable()
        self._show_stops()
        self._show_variables()
        if picture is not None and self._is_to_fit:
            self._is_to_fit = False
            self._fit_panes()  # again: leaves that no assignment made are rows by now
        if is_other:
            self._mark_failure(self._track)
        if self.selected not in self._track.index_of:
            self.selected = None
        self.canvas.select(self.selected)
        self.canvas.select_group(self.selected_group)
        self._allow_seed()
        self._show_moment()
        self._stays = False
        if picture is None:
            self._to_visit, self._to_step, self._to_position = None, False, None
        elif self._to_visit is not None:
            self._arrive()
        self._show_heat()
        framing = None if picture is None else self._session.take_framing()
        if framing is not None:
            self.canvas.frame(framing)

    def _allow_change(self) -> None:
        """Numbers can be changed where what follows can be computed, and is not to be predicted."""
        is_hidden = self.leading.predicting.hides_later
        is_possible = self._session.picture is not None and not self._session.supposing.why_not
        self.inspector.let_change(is_possible and not is_hidden)

    def _mark_failure(self, track: Track) -> None:
        """Select the node at which the run broke off, if it is in the picture; once it is mended, none is."""
        failed = track.failed
        if failed is not None or self._failed is not None:
            self.selected = failed
        self._failed = failed

    def _make_readable(self) -> None:
        """A large graph, fitted, shows no number: it opens at a size that does. The key F still fits it."""
        if self.canvas.view.scale < _UNREADABLE:
            self.canvas.show_position(self._session.clock.player.position)
            self.canvas.read(READABLE)

    def _show_emptiness(self) -> None:
        """Words instead of a graph where a script has run and made no tensor, or there is none."""
        content = self._session.document.content
        is_done = content.seconds is not None or content.held is not None or not content.text.strip()
        is_empty = is_done and not content.recording.nodes and self._session.picture is None
        self._graph.setCurrentWidget(self.empty if is_empty else self.canvas)
        self.empty.explain(content)

    def _show_moment(self) -> None:
        """The position or the phase has changed. The inspector and the line follow the position only."""
        clock, picture = self._session.clock, self._session.picture
        if picture is not None and picture.track is not self._track:
            return  # the position is that of a picture that is shown next: what is selected is of the one before
        self.timeline.show_player(clock.player, clock.phase)
        if picture is not None:
            self.canvas.show_position(clock.player.position, clock.phase, follows=self.follows)
        if clock.player.position != self._shown_position:
            self._shown_position = clock.player.position
            self.variables.show_position(self._shown_position)
            self._dim_output()
            self.leading.show_moment()
            self.canvas.ask(self.leading.predicting.way)
            self._follow()
            self.show_node()
            self._light_line()

    def _dim_output(self) -> None:
        """Dim what the script printed after the moment that is shown."""
        content, track = self._session.document.content, self._track
        is_of_run = track is not None and track.recording is content.recording and not content.is_stale
        until = printed_by(track, self._shown_position) if is_of_run and track is not None else None
        self.output.show_until(until, hides_later=self.leading.predicting.hides_later)

    def _hide_later(self) -> None:
        """What is to be predicted is not to be read off anywhere."""
        self._dim_output()
        self.stopping.keep_limit()
        self.finder.keep_limit()
        picture = self._session.picture
        if picture is not None and picture.track is self._track:  # else it is shown with its picture
            self.canvas.ask(self.leading.predicting.way)
            self._allow_change()
            self.show_node()

    def _follow(self) -> None:
        """Keep the current node in sight."""
        node = self._track.node_at(self._shown_position) if self._track is not None else None
        if node is not None and self.follows and not self._stays:
            self.canvas.reveal(node)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.panes.resize(event.size().width())
        is_low = self.height() < _LOW
        self.timeline.be_low(is_low)
        self.watch.allow(FEW_LINES if is_low else WATCH_LINES)
        self.leading.strip.be_low(is_low)
        self._align()

    def show_node(self) -> None:
        """Show the node that is selected, or that of the step, in each inspector."""
        if self._track is not None:
            position = self._session.clock.player.position
            node = self.selected if self.selected is not None else self._track.node_at(position)
            board, number = self.folds.board, self._group_to_show(position)
            group = None if board is None or number is None else board.reports.at(position, number)
            for inspector in self.inspectors:
                inspector.hides_sums = self.leading.predicting.hides_later
                if group is None or number is None:
                    inspector.show_node(self._track, position, node)
                else:
                    inspector.show_group(group, is_folded=self.folds.is_folded(number))

    def _group_to_show(self, position: int) -> int | None:
        """The selected group; where nothing is selected, the folded one that is stepped over."""
        board = self.folds.board
        if self.selected_group is not None or self.selected is not None or board is None:
            return self.selected_group
        index = board.box_at(position)
        return board.group_of(board.forward[index]) if self._session.steps_over and index != HIDDEN else None

    def sentence(self, track: Track, position: int) -> tuple[str, str]:
        """What happens at a position, and what comes next."""
        picture = self._session.picture
        is_drawn = picture is not None and picture.track is track and self._session.steps_over
        return folded_sentence(picture.drawn if picture is not None and is_drawn else track, position)

    def _light_line(self) -> None:
        """The line of the current node; none where the text is no longer the one that was recorded."""
        track = self._track
        node = track.node_at(self._session.clock.player.position) if track is not None else None
        line = track.recording.nodes[node].line if track is not None and node is not None else None
        content = self._session.document.content
        source = content.own.source
        is_of_text = not content.is_stale and (
            source is None or content.place in (None, 0) or source.text == content.text
        )
        self.editor.light_line(line if is_of_text else None, self._is_forward())

    def _is_forward(self) -> bool:
        return self._track is None or self._session.clock.player.position <= self._track.turn

    def _allow_seed(self) -> None:
        why = self._session.no_seed
        self.timeline.sweeps.allow_seed(not why, why or "Try another v in the seed laboratory")
