"""Breakpoints at work: it tells the player where to stop, and the views where it will and why it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradviz.errors import GradvizError
from gradviz.playback.conditions.breakpoints import Breakpoint, Stops, on_line, on_node, read, stop_in_calls, toggled
from gradviz.playback.conditions.condition import parse
from gradviz.playback.conditions.fitting import Fitting
from gradviz.playback.track import Track
from gradviz.ui.session.runner import Latest
from gradviz.ui.session.session import Session
from gradviz.ui.session.survey import Survey

if TYPE_CHECKING:
    from gradviz.recording import Recording

NONE_YET = "There is no breakpoint yet: F9 sets one on the selected node or the line of the cursor."


class Stopping(QObject):
    """The breakpoints of a session's document on its present picture.

    Signals:
        stops_changed: the breakpoints, or where they stop, are others.
        stopped: playing has come to a breakpoint, or left it. Payload: one sentence that says why, or "".
    """

    stops_changed = Signal()
    stopped = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._player = session.clock.player
        self._stops: Stops | None = None
        self._is_counted = False
        self._survey, self._jumps = Survey(), Survey()
        self._other_calls = Latest()
        self._other_calls.answered.connect(self._go_to_call)
        self._goal: tuple[Recording, int, int] | None = None  # the sweep that is on its way, and where to stop in it
        self._told: int | None = None
        self._until: int | None = None
        self._player.find_stop = self._find
        session.picture_changed.connect(self._take)
        session.document.breakpoints_changed.connect(self._take)
        session.clock.moved.connect(self._moved)
        session.closed.connect(self._close)
        self._take()

    # ---- what there is ----

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """Of the document."""
        return self._session.document.content.breakpoints

    @property
    def positions(self) -> tuple[int, ...]:
        """Where playing stops, as far as it is known by now; ascending."""
        if self._stops is None or not self._is_counted:
            return ()
        return tuple(self._stops.all.tolist())

    @property
    def counts(self) -> tuple[int | None, ...]:
        """At how many positions each breakpoint holds, on or off; None while it is not known."""
        if self._stops is None or not self._is_counted:
            return (None,) * len(self.breakpoints)
        counts = self._stops.counts
        # Another document has others before its own are counted.
        return counts if len(counts) == len(self.breakpoints) else (None,) * len(self.breakpoints)

    @property
    def has_other_calls(self) -> bool:
        """Whether there are backward calls besides the one shown, where a breakpoint may hold."""
        return self._track is not None and len(self._track.recording.sweeps) > 1

    def nodes(self, *, on: bool) -> frozenset[int]:
        """The nodes at which breakpoints that are on stop, or those where one that is off would."""
        if self._stops is None or not self._is_counted:
            return frozenset()
        return self._stops.nodes if on else self._stops.nodes_off

    def lines(self) -> dict[int, bool]:
        """By line of the script whether the breakpoint on it is on."""
        return {one.line: one.is_on for one in self.breakpoints if one.line is not None}

    @property
    def why(self) -> str:
        """Why playing has stopped here: one sentence; "" where it has not."""
        if self._stops is None or not self._player.is_halted:
            return ""
        reason = self._stops.why(self._player.position)
        return f"Stopped at breakpoint: {reason}." if reason else ""

    def held(self) -> frozenset[str]:
        """The texts of the breakpoints at which playing has stopped here."""
        if self._stops is None or not self._player.is_halted:
            return frozenset()
        return self._stops.held(self._player.position)

    # ---- what is asked ----

    def add(self, text: str) -> None:
        """Add a breakpoint that was typed; one of the same text is turned on.

        Raises:
            ConditionError: it cannot be read.
        """
        one = read(text)
        others = [known for known in self.breakpoints if known.text != one.text]
        self._session.document.set_breakpoints((*others, one))

    def toggle(self, one: Breakpoint) -> None:
        """Set a breakpoint, or take it away where it is set."""
        self._session.document.set_breakpoints(toggled(self.breakpoints, one))

    def toggle_line(self, line: int) -> None:
        """Set or take away the breakpoint of a line, from 1."""
        self.toggle(on_line(line))

    def toggle_node(self, node: int) -> None:
        """Set or take away the breakpoint of a node of the picture."""
        if self._track is not None:
            self.toggle(on_node(self._track, node))

    def turn(self, text: str, is_on: bool) -> None:
        """Turn a breakpoint on or off."""
        self._change(lambda one: one._replace(is_on=is_on) if one.text == text else one)

    def turn_all(self) -> None:
        """Turn all on where any is off, else all off."""
        is_on = not all(one.is_on for one in self.breakpoints)
        self._change(lambda one: one._replace(is_on=is_on))

    def remove(self, text: str) -> None:
        """Take a breakpoint away."""
        self._session.document.set_breakpoints([one for one in self.breakpoints if one.text != text])

    def clear(self) -> None:
        """Take all away."""
        self._session.document.set_breakpoints(())

    def go_on(self, by: int) -> None:
        """Go to the next breakpoint (1) or the one before (-1), where none is left in this backward call in another."""
        track, stops = self._track, self._stops
        if track is None or stops is None:
            return
        if not any(one.is_on for one in self.breakpoints):
            self._refuse("All breakpoints are off: turn one on in the list." if self.breakpoints else NONE_YET)
            return
        here = self._player.position

        def jump() -> None:
            found = stops.first(here, track.length) if by > 0 else stops.last(0, here)
            if found is None:
                self._look_in_other_calls(track, by)
            else:
                self._player.halt(found)

        self._measured(track, stops.is_measured, jump)

    def _look_in_other_calls(self, track: Track, by: int) -> None:
        recording, breakpoints, here = track.recording, self._of_other_calls(track), track.sweep or 0
        others = range(here + 1, len(recording.sweeps)) if by > 0 else range(here - 1, -1, -1)
        nowhere = f"No breakpoint comes {'after' if by > 0 else 'before'} this step."

        def find(cancelled: Callable[[], bool]) -> tuple[Recording, int, int] | str:
            found = stop_in_calls(recording, others, breakpoints, cancelled)
            return nowhere if found is None else (recording, *found)

        if others:
            self._other_calls.ask(find)
        else:
            self._refuse(nowhere)

    def _of_other_calls(self, track: Track) -> tuple[Breakpoint, ...]:
        """The breakpoints that other calls are looked through for: what is to be predicted in them is not measured."""
        if self._until is None:
            return self.breakpoints
        return tuple(one for one in self.breakpoints if not Fitting(track, one.condition).is_measured)

    def _go_to_call(self, found: tuple[Recording, int, int] | str) -> None:
        if isinstance(found, str):
            self._refuse(found)
        else:
            self._goal = found
            self._session.document.choose_sweep(found[1])

    def jump_to(self, text: str) -> None:
        """Go to the next place where a breakpoint holds, on or off; from the beginning where none comes after."""
        self._run_to(text, f"Nothing in this picture fits {text}.", stops_between=False)

    def run_to_node(self, node: int) -> None:
        """Go on to where a node comes next; a breakpoint on the way stops."""
        self._run_to(f"node = {node}", "The passes shown here do not come to that node.")

    def run_to_line(self, line: int) -> None:
        """Go on to where a line of the script comes next; a breakpoint on the way stops."""
        self._run_to(f"line = {line}", f"No tensor of this picture was made in line {line}.")

    def keep_limit(self) -> None:
        """Stop at nothing that lies in the numbers beyond the player's limit: they are still to be predicted."""
        if self._until != self._player.limit:
            self._take()

    # ---- what has happened ----

    @property
    def _track(self) -> Track | None:
        return None if self._session.picture is None else self._session.picture.track

    def _change(self, change: Callable[[Breakpoint], Breakpoint]) -> None:
        self._session.document.set_breakpoints([change(one) for one in self.breakpoints])

    def _run_to(self, text: str, nowhere: str, *, stops_between: bool = True) -> None:
        track, stops, here = self._track, self._stops, self._player.position
        if track is None or stops is None:
            return
        target = Fitting(track, parse(text), self._until)

        def jump() -> None:
            found = target.positions(1, track.length).tolist()
            if not found:
                self._refuse(nowhere)
                return
            goal = next((position for position in found if position > here), found[0])
            stop = stops.first(here, goal - 1) if stops_between and goal > here else None
            if stop is None:
                self._player.go(goal)
            else:
                self._player.halt(stop)

        self._measured(track, target.is_measured or (stops_between and stops.is_measured), jump)

    def _measured(self, track: Track, is_needed: bool, then: Callable[[], None]) -> None:
        if is_needed:
            self._jumps.when_measured(track, then)
        else:
            self._jumps.drop()
            then()

    def _find(self, low: int, high: int) -> int | None:
        return None if self._stops is None else self._stops.first(low, high)

    def _take(self) -> None:
        track = self._track
        self._jumps.drop()
        self._other_calls.drop()
        self._survey.drop()
        self._is_counted = False
        self._until = self._player.limit
        self._stops = None if track is None else Stops(track, self.breakpoints, self._until)
        if track is None or self._stops is None:
            self.stops_changed.emit()
        elif self._stops.counts_are_measured:
            self._survey.when_measured(track, self._count)
            if not self._is_counted:
                self.stops_changed.emit()
        else:
            self._count()
        if self._goal is not None and track is not None:
            (recording, sweep, position), self._goal = self._goal, None
            if track.recording is recording and track.sweep == sweep:
                self._player.halt(position)

    def _count(self) -> None:
        self._is_counted = True
        self.stops_changed.emit()

    def _moved(self) -> None:
        halted = self._player.position if self._player.is_halted else None
        if halted != self._told:
            self._told = halted
            self.stopped.emit(self.why)

    def _refuse(self, message: str) -> None:
        self._session.refused.emit(GradvizError(message))

    def _close(self) -> None:
        self._survey.close()
        self._jumps.close()
        self._other_calls.close()
