"""Finding the way: what a node depends on, the way to the output, back and forward, from node to line and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradviz.playback.flow import has_run
from gradviz.playback.health.path import path_text, path_to
from gradviz.playback.health.trail import born_text
from gradviz.playback.lineage import ancestors, descendants, to_output
from gradviz.playback.track import Track
from gradviz.playback.visits import Visits
from gradviz.playback.words import label
from gradviz.trace.births import NAN
from gradviz.ui.canvas.step.spotlight import Spotlight
from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.ui.window.workbench import Workbench

Kin = Callable[[Track, int], frozenset[int]]
NO_BIRTH = "No NaN and no infinity was born in this run: every number is finite, or was written so."
LOOKING = "None was born in this backward call; the others are still being looked through."
NO_NODE = "No node is selected: click one, or press S for the node of this step."


_WAYS = {"input": "input", "consumer": "consumer", "next": "node after it", "previous": "node before it"}


class Navigation(QObject):
    """What is lit by descent, and the way through selections, of one workbench.

    Signals:
        told: one sentence on what is shown now, or why nothing is.
    """

    told = Signal(str)

    _KIN: dict[str, tuple[Kin, str]] = {
        "path": (to_output, "{lit} of {all} nodes are on the way from {name} to the output"),
        "ancestors": (ancestors, "{name} was computed from {others} of {all} nodes"),
        "descendants": (descendants, "{others} of {all} nodes were computed from {name}"),
    }

    def __init__(self, workbench: Workbench, session: Session) -> None:
        super().__init__(workbench)
        self._workbench, self._session = workbench, session
        self._visits = Visits()
        self._lit: tuple[str, int] | None = None
        session.picture_changed.connect(self._picture_changed)
        session.document.opened.connect(self._visits.clear)
        workbench.node_selected.connect(self._visits.visit)

    def attend(self, why: str) -> None:
        """Where playing has stopped, and why: look at that node; what was selected before is let go."""
        track, position = self._track, self._session.clock.player.position
        if why and track is not None and self._workbench.selected != track.node_at(position):
            self._workbench.select(None)

    # ---- light ----

    @property
    def is_lit(self) -> bool:
        """Whether some nodes are lit and the rest is pale."""
        return self._lit is not None

    def light(self, kind: str) -> None:
        """Light the "path" to the output, the "ancestors" or the "descendants" of the selected node; again: all."""
        node = self.node()
        if node is None:
            self.told.emit(NO_NODE)
        elif self._lit == (kind, node):
            self.show_all()
        else:
            self._lit = (kind, node)
            self._show_light(is_new=True)

    def show_all(self) -> None:
        """Light everything again."""
        self._lit = None
        self._workbench.finder.hide()
        self._workbench.canvas.light(None)
        self.told.emit("")

    def show_found(self, nodes: frozenset[int] | None) -> None:
        """Light what a search has found."""
        self._lit = None
        self._workbench.canvas.light(None if nodes is None else Spotlight(nodes))

    def _show_light(self, *, is_new: bool = False) -> None:
        track = self._track
        if track is None or self._lit is None:
            return
        kind, node = self._lit
        kin, words = self._KIN[kind]
        nodes = kin(track, node)
        name = label(track.recording, node)
        if not nodes:
            self._lit = None
            self._workbench.canvas.light(None)
            self.told.emit(f"No way leads from {name} to the output: the loss does not depend on it.")
            return
        self._workbench.finder.hide()
        way = path_to(track, node) if kind == "path" else None
        ratios = [] if way is None else [(each.node, each.ratio) for each in way.factors]
        factors = tuple((step, ratio) for step, ratio in ratios if not isnan(ratio))
        self._workbench.canvas.light(Spotlight(nodes, True, factors))
        if is_new:
            count, every = len(nodes), len(track.forward)
            said = words.format(lit=f"{count:,}", others=f"{count - 1:,}", all=f"{every:,}", name=name)
            if way is not None and way.factors and has_run(track, self._session.clock.player.position, node):
                said = f"{said}. The gradient on the way: {path_text(track, way)}"
            self.told.emit(f"{said}; Esc shows all again.")

    # ---- selections ----

    def node(self) -> int | None:
        """The selected node, or else the node of this step."""
        track = self._track
        if self._workbench.selected is not None or track is None:
            return self._workbench.selected
        return track.node_at(self._session.clock.player.position)

    def select_current(self) -> None:
        """Select the node of this step."""
        node = None if self._track is None else self._track.node_at(self._session.clock.player.position)
        group = None if node is None else self._workbench.folds.box_of(node)
        if group is not None:
            self._workbench.select_group(group)
        elif node is not None:
            self._workbench.visit(node)

    def walk(self, way: str) -> None:
        """Select a node beside the selected one: an "input", a "consumer", the "next" or the "previous" computed."""
        track, node = self._track, self.node()
        if track is None or node is None:
            self.told.emit(NO_NODE)
            return
        beside = [other for other in self._beside(track, node, way) if other in track.index_of]
        if beside:
            self._workbench.visit(beside[0])
        else:
            self.told.emit(f"{label(track.recording, node)} has no {_WAYS[way]} in this picture.")

    def _beside(self, track: Track, node: int, way: str) -> Sequence[int]:
        if way == "input":
            return track.recording.nodes[node].inputs
        if way == "consumer":
            return [consumer for consumer, _ in track.recording.consumers[node]]
        place = track.forward.index(node) + (1 if way == "next" else -1)
        return track.forward[place : place + 1] if place >= 0 else ()

    def go_back(self) -> None:
        """Select what was selected before."""
        self._go(self._visits.back, "No selection comes before this one.")

    def go_forward(self) -> None:
        """Select what was selected before going back."""
        self._go(self._visits.forward, "No selection comes after this one.")

    def _go(self, turn: Callable[[dict[int, int]], int | None], nothing: str) -> None:
        node = turn({} if self._track is None else self._track.index_of)
        if node is None:
            self.told.emit(nothing)
        else:
            self._workbench.visit(node)

    def zoom_to_selection(self) -> None:
        """Show what is lit, or else the selected node and its neighbours, as large as it fits."""
        track, node = self._track, self.node()
        lit = self._workbench.canvas.lit_nodes
        if track is None or (node is None and not lit):
            self.told.emit(NO_NODE)
            return
        if not lit and node is not None:
            nodes, uses = track.recording.nodes, track.recording.consumers
            lit = frozenset({node, *nodes[node].inputs, *(consumer for consumer, _ in uses[node])})
        self._workbench.canvas.zoom_to(lit)

    # ---- definition ----

    def go_to_definition(self) -> None:
        """From the cursor's line in the script to its node, from the node anywhere else to its line."""
        if self._session.document.content.is_stale:
            self.told.emit("The picture is of an older text, so its lines may be others: mend the script first.")
        elif self._workbench.editor.area.hasFocus():
            self._to_node(self._workbench.editor.line())
        else:
            self._to_line()

    def _to_node(self, line: int) -> None:
        track = self._track
        made = [] if track is None else [n for n in track.forward if track.recording.nodes[n].line == line]
        if not made:
            self.told.emit(f"No tensor of this picture was made in line {line}.")
            return
        self._workbench.visit(made[-1])
        self._workbench.canvas.setFocus()
        if len(made) > 1:
            self.told.emit(f"Line {line} made {len(made):,} tensors; the last of them is selected.")

    def _to_line(self) -> None:
        track, node = self._track, self.node()
        line = None if track is None or node is None else track.recording.nodes[node].line
        if node is None or line is None:
            self.told.emit(NO_NODE if node is None else "It is not known which line made this node.")
        else:
            self._workbench.visit(node)
            self._workbench.editor.go_to_line(line)

    # ---- births ----

    def go_to_birth(self) -> None:
        """Go to the step at which NaN was first born, or else an infinity; from one of them on to the next."""
        track, births = self._track, self._workbench.canvas.births
        if track is None or not births:
            self._go_to_other_call()
            return
        ordered = [birth for birth in births if birth.kind == NAN] or births
        here = self._session.clock.player.position
        places = sorted({birth.position for birth in ordered})
        is_at_one = here in places and self.node() == track.node_at(here)
        place = next((place for place in places if place > here), places[0]) if is_at_one else places[0]
        birth = next(birth for birth in ordered if birth.position == place)
        self._workbench.visit(birth.node, position=place)
        number = f" ({places.index(place) + 1} of {len(places):,})" if len(places) > 1 else ""
        self.told.emit(f"{label(track.recording, birth.node)}{number}: {born_text(track, birth)}")

    def _go_to_other_call(self) -> None:
        """Go to where the first of the run was born, which is not in this backward call."""
        alarm = self._workbench.alarm
        if alarm.first is None:
            self.told.emit(LOOKING if alarm.is_looking else NO_BIRTH)
        elif self._workbench.go_to_first_birth():
            self.told.emit(f"None was born in this backward call. {alarm.first.words}")

    # ---- what has happened ----

    @property
    def _track(self) -> Track | None:
        return None if self._session.picture is None else self._session.picture.track

    def _picture_changed(self) -> None:
        if self._lit is None:
            return
        if self._track is None or self._lit[1] not in self._track.index_of:
            self._lit = None
            self._workbench.canvas.light(None)
        else:
            self._show_light()
