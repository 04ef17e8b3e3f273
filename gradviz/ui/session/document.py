"""The document: one frozen value with one writer. Views read it and are told what has happened; undo is the editor's.

Knows what is open and what its last run left behind. Runs nothing and draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from gradviz.changes import NO_CHANGES, Change, Spot, WhatIf
from gradviz.errors import ConditionError
from gradviz.recording import Array, Problem, Recording, SavedView, Sweep, Warned
from gradviz.source.missing_names import missing_name

if TYPE_CHECKING:
    from gradviz.changes import Applied, Broken, Kept
    from gradviz.playback.conditions.breakpoints import Breakpoint
    from gradviz.playback.difference import Beside
    from gradviz.playback.groups.folding import Folding

_DRAFTED = (
    *("text", "name", "path", "saved_text", "kind", "held", "breakpoints", "hand_seeds"),
    *("what_if", "folding", "saved_breakpoints", "saved_seeds", "saved_what_if", "saved_folding"),
)
"""The fields of a document that its draft keeps."""

UNTITLED = "untitled.py"
SCRIPT, NOTEBOOK = "script", "notebook"
EMPTY = Recording()
FEW_CHARACTERS = 1_000
"""Of two texts that are compared character by character, not only line by line."""
_ALIKE = 0.6


class HandSeed(NamedTuple):
    """A v set by hand: the id and name of the node it belongs to, and v itself, of that node's shape."""

    output: int
    name: str | None
    seed: Array


class Supposed(NamedTuple):
    """A what-if that is shown in the place of the run.

    Attributes:
        what_if: what is other than in the run.
        own: the run's own recording, which comes back.
        kept: the nodes that could not be computed again.
        broken: where the first NaN or infinity comes from that the run did not have, or None.
    """

    what_if: WhatIf
    own: Recording
    kept: tuple[Kept, ...] = ()
    broken: Broken | None = None


@dataclass(frozen=True)
class Content:
    """All that is open, at one moment.

    Attributes:
        text: the script as it stands in the editor.
        name: what the title shows, e.g. "vjp.py".
        path: the file that Save writes, or None.
        saved_text: the text as the file has it.
        saved_breakpoints, saved_seeds, saved_what_if: what else of this the file of a recording has.
        saved_folding: the same of folds: those that were seen then, or None where nobody has folded since.
        stamp: the time and the size that this file had when it was read or written here, as `saving.stamp_of` gives it.
        recording: what is drawn: the last run that made a tensor, with the sweeps of the seeds set by hand at its end.
        script_sweeps: how many of the recording's sweeps the script itself made.
        sweep: the chosen sweep, or None where there is none.
        hand_seeds: one per sweep beyond `script_sweeps`.
        output: what the last run printed, good or not.
        warnings: what it warned of.
        problem: why the last run ended early, or None.
        is_stale: whether the recording is older than the last run.
        seconds: how long the last run took, or None before the first.
        watch: what to watch in a lesson, one sentence each.
        breakpoints: where playing stops.
        kind: "script", or "notebook": the cells of one, each of which shows its last value.
        held: the file from elsewhere whose text is shown and not run until somebody asks for it; None for text that
            runs by itself.
        with_pytorch: whether what is drawn was made by real PyTorch, which runs only when it is asked for.
        beside: what is compared on one layout, of which `recording` is one: all ranks of a distributed run, this run
            and a file, or backward calls; else empty.
        against: which of them the shown one is compared with.
        supposed: the what-if that `recording` is, or None.
        what_if: the one that is asked for, which may be ahead of it.
        folding: what the user has folded and opened by hand last, or None.
        aside: while another of `beside` is shown, this document as it was with the first, which Save writes; else None.
    """

    text: str = ""
    name: str = UNTITLED
    path: Path | None = None
    saved_text: str = ""
    recording: Recording = EMPTY
    script_sweeps: int = 0
    sweep: int | None = None
    hand_seeds: tuple[HandSeed, ...] = ()
    output: str = ""
    warnings: tuple[Warned, ...] = ()
    problem: Problem | None = None
    is_stale: bool = False
    seconds: float | None = None
    watch: tuple[str, ...] = ()
    breakpoints: tuple[Breakpoint, ...] = ()
    kind: str = SCRIPT
    held: Path | None = None
    with_pytorch: bool = False
    beside: tuple[Beside, ...] = ()
    against: int = 0
    supposed: Supposed | None = None
    aside: Content | None = None
    saved_breakpoints: tuple[Breakpoint, ...] = ()
    saved_seeds: tuple[HandSeed, ...] = ()
    what_if: WhatIf = NO_CHANGES
    folding: Folding | None = None
    saved_what_if: WhatIf = NO_CHANGES
    saved_folding: Folding | None = None
    stamp: tuple[int, int] | None = None

    @property
    def place(self) -> int | None:
        """Which of `beside` is shown."""
        from gradviz.playback.difference import place_of

        return place_of(self.beside, self.own, self.sweep)

    @property
    def own(self) -> Recording:
        """What the run left, whatever what-if is drawn in its place."""
        return self.recording if self.supposed is None else self.supposed.own

    def beside_with(self, made: Recording) -> tuple[Beside, ...]:
        """What is compared once a run has left another recording: with that in the first place.

        Ranks are of another run, and backward calls of the one before; they are compared no more.
        """
        is_of_one = any(each.sweep is not None or each.recording.rank is not None for each in self.beside)
        return () if is_of_one or not self.beside else (self.beside[0]._replace(recording=made), *self.beside[1:])

    @property
    def is_recording(self) -> bool:
        """Whether its file holds a recording, which Save writes with all that was set by hand, and not a script."""
        if self.path is None:
            return False
        from gradviz.source.files import RECORDINGS

        return self.path.suffix.lower() in RECORDINGS

    @property
    def is_modified(self) -> bool:
        """Whether closing would lose something that was typed, or set where the file has it."""
        if self.text != self.saved_text:
            return True
        if not self.is_recording:
            return False
        first = self.aside or self
        is_as_saved = (self.breakpoints, first.what_if, self.folding) == (
            *(self.saved_breakpoints, self.saved_what_if, self.saved_folding),
        )
        return not (is_as_saved and are_same(first.hand_seeds, self.saved_seeds))

    def is_set_as_in(self, other: Content) -> bool:
        """Whether nothing was typed or set by hand between this and another moment of one document."""
        plain = ("path", "name", "text", "breakpoints", "what_if", "folding")
        is_alike = all(getattr(self, name) == getattr(other, name) for name in plain)
        return is_alike and are_same(self.hand_seeds, other.hand_seeds)

    @property
    def is_untitled(self) -> bool:
        """Whether nobody has given it a name or a file."""
        return self.path is None and self.name == UNTITLED

    @property
    def key(self) -> str:
        """What the document is known by from one start to the next; "" for one that is in no file."""
        return "" if self.is_untitled else self.name if self.path is None else str(self.path)

    @property
    def title(self) -> tuple[str, bool]:
        """The name, and whether it is modified."""
        return self.name, self.is_modified


class Document(QObject):
    """The content and its only writer.

    Attributes:
        kept: the breakpoints that a document had when it was open last, by its key.

    Signals:
        leaving: what is open goes, for another. Payload: its Content.
        draft_changed: something that its draft keeps.
        opened: another script or recording is in place; the editor shows its text anew.
        saved: what is open was written to its file.
        title_changed: the name, or whether it is modified.
        recording_changed: another recording or another sweep is to be drawn.
        run_ended: output, warnings, problem, time or staleness of the last run.
        watch_changed: what to watch.
        breakpoints_changed: where playing stops.
        held_changed: whether the text waits for somebody to run it.
        beside_changed: something else is compared.
        supposed_changed: another what-if is drawn, or the run itself again.
    """

    leaving = Signal(object)
    draft_changed = Signal()
    opened = Signal()
    saved = Signal()
    title_changed = Signal()
    recording_changed = Signal()
    run_ended = Signal()
    watch_changed = Signal()
    breakpoints_changed = Signal()
    held_changed = Signal()
    beside_changed = Signal()
    supposed_changed = Signal()

    _FACTS: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("recording_changed", ("recording", "sweep")),
        ("run_ended", ("output", "warnings", "problem", "is_stale", "seconds")),
        ("watch_changed", ("watch",)),
        ("breakpoints_changed", ("breakpoints",)),
        ("held_changed", ("held",)),
        ("beside_changed", ("beside", "against")),
        ("supposed_changed", ("supposed",)),
        ("draft_changed", _DRAFTED),
    )

    def __init__(self) -> None:
        super().__init__()
        self._content = Content()
        self.kept: Callable[[str], Sequence[Breakpoint]] = lambda _key: ()

    @property
    def content(self) -> Content:
        """The present value."""
        return self._content

    def open_script(
        self,
        text: str,
        name: str,
        *,
        path: Path | None = None,
        is_new: bool = False,
        watch: Sequence[str] = (),
        kind: str = SCRIPT,
        held: Path | None = None,
    ) -> None:
        """Put another script in place. `is_new`: it is in no file yet, so closing asks to save it."""
        saved = "" if is_new else text
        self.open_content(self._with_kept(Content(text, name, path, saved, watch=tuple(watch), kind=kind, held=held)))

    def open_recording(
        self,
        recording: Recording,
        name: str,
        *,
        path: Path | None = None,
        stamp: tuple[int, int] | None = None,
        held: Path | None = None,
        beside: Sequence[Beside] = (),
    ) -> None:
        """Show a recording from a file as it was looked at; its script, where it has one, can be edited and run.

        Args:
            path, stamp: of the file that Save writes.
            beside: where it is one rank of several, all of them.
        """
        held = held if recording.engine is None else None  # what PyTorch ran is not run again by itself
        content = replace(content_of(recording, name, path), held=held, beside=tuple(beside), stamp=stamp)
        self.open_content(content if recording.view is not None else self._with_kept(content))

    def open_content(self, content: Content) -> None:
        """Put another document in place as it is, e.g. one from a draft."""
        self.leaving.emit(self._content)
        self._replace(content)
        self.opened.emit()

    def set_text(self, text: str) -> None:
        """Take what was typed; breakpoints on lines move with them."""
        from gradviz.playback.conditions.breakpoints import moved_with_text

        old = self._content
        if text != old.text:
            changes: dict[str, Any] = {"breakpoints": moved_with_text(old.breakpoints, old.text, text)}
            if old.with_pytorch and old.recording.source is not None:
                changes["is_stale"] = old.recording.source.text != text
            self._write(text=text, **changes)

    def set_saved(self, path: Path, stamp: tuple[int, int] | None = None) -> None:
        """What is open is now in that file, of that stamp: its text in a script, all of it in a recording."""
        old = self._content
        first = old.aside or old
        saved = replace(
            old, path=path, name=path.name, saved_text=old.text, saved_breakpoints=old.breakpoints,
            saved_seeds=first.hand_seeds, saved_what_if=first.what_if, saved_folding=old.folding, stamp=stamp,
        )  # fmt: skip
        self._replace(saved if saved.is_recording else replace(saved, kind=SCRIPT))
        self.saved.emit()

    def take_run(self, recording: Recording, seconds: float, hand: Sequence[tuple[HandSeed, Recording]] = ()) -> None:
        """Take what a run left behind.

        Of a run that failed, what came before the error is shown. Where nothing came before it, as in a line that is
        not typed to its end, the picture stays, stale, if it is of the same script. `hand` holds the seeds set by
        hand that still fit, each with the recording whose last sweep it made.
        """
        changes: dict[str, Any] = {
            "output": recording.output, "warnings": recording.warnings,
            "problem": recording.problem, "seconds": seconds,
        }  # fmt: skip
        old = self._content
        if recording.problem is not None and _is_drawn(old) and _has_nothing_to_show(recording):
            shown_what_if = NO_CHANGES if old.supposed is None else old.supposed.what_if
            self._write(**changes, is_stale=True, what_if=shown_what_if)
            return
        whole = replace(recording, sweeps=(*recording.sweeps, *(made.sweeps[-1] for _, made in hand)))
        shown = _shown(whole, recording.problem)
        shown["script_sweeps"] = len(recording.sweeps)
        shown["hand_seeds"] = tuple(seed for seed, _ in hand)
        if old.sweep is not None and old.sweep < len(whole.sweeps) and failed_sweep(whole) is None:
            shown["sweep"] = old.sweep
        shown["beside"] = old.beside_with(whole)
        shown["against"] = min(1, len(shown["beside"]))
        if old.with_pytorch and recording.source is not None:
            shown["is_stale"] = recording.source.text != old.text  # somebody has typed while it ran
        self._write(**(changes | shown))

    def run_with(self, *, pytorch: bool) -> None:
        """Take down what runs the text from now on: real PyTorch, or the built-in engine."""
        self._write(with_pytorch=pytorch)

    def take_failure(self, problem: Problem, seconds: float, output: str = "") -> None:
        """The run ended without leaving a recording, having printed `output`: the picture before it stays, stale.

        One of another script goes.
        """
        changes: dict[str, Any] = {"is_stale": True} if _is_drawn(self._content) else _shown(EMPTY, problem)
        self._write(**(changes | {"output": output, "warnings": (), "problem": problem, "seconds": seconds}))

    def release(self) -> None:
        """Let the text run: somebody has asked for it."""
        self._write(held=None)

    def add_hand_seed(self, seed: HandSeed, made: Recording) -> None:
        """Add the sweep of a v set by hand (the last of `made`) to the run, and choose it; a what-if ends."""
        self.restore_run()
        old = self._content
        whole = replace(old.recording, sweeps=(*old.recording.sweeps, made.sweeps[-1]))
        beside = tuple(
            each._replace(recording=whole) if each.recording is old.recording else each for each in old.beside
        )
        self._write(beside=beside, recording=whole, sweep=len(whole.sweeps) - 1, hand_seeds=(*old.hand_seeds, seed))

    def drop_hand_seed(self, index: int) -> None:
        """Take away a v set by hand, and its sweep; a what-if ends."""
        self.restore_run()
        old = self._content
        at, sweeps = old.script_sweeps + index, old.recording.sweeps
        whole = replace(old.recording, sweeps=(*sweeps[:at], *sweeps[at + 1 :]))
        kept = (*old.hand_seeds[:index], *old.hand_seeds[index + 1 :])
        chosen = old.sweep
        if chosen is not None and chosen >= at:
            chosen = max(chosen - 1, 0) if whole.sweeps else None
        beside = tuple(
            each._replace(recording=whole) if each.recording is old.recording else each for each in old.beside
        )
        if any(each.sweep is not None for each in beside):
            beside = ()
        self._write(recording=whole, sweep=chosen, hand_seeds=kept, beside=beside)

    def want_hand_seeds(self, seeds: Sequence[HandSeed]) -> None:
        """Set the v that the next run sweeps again."""
        self._write(hand_seeds=tuple(seeds))

    def choose_sweep(self, sweep: int) -> None:
        """Draw another sweep; nothing happens where there is no such one."""
        if 0 <= sweep < len(self._content.recording.sweeps) and sweep != self._content.sweep:
            self._write(sweep=sweep)

    def suppose(self, what_if: WhatIf, applied: Applied) -> None:
        """Draw a what-if in the place of the run."""
        supposed = Supposed(what_if, self._content.own, applied.kept, applied.broken)
        self._write(recording=applied.recording, supposed=supposed)

    def want(self, what_if: WhatIf) -> None:
        """Take down which what-if is asked for."""
        if what_if != self._content.what_if:
            self._write(what_if=what_if)

    def give_up(self, what_if: WhatIf) -> None:
        """A what-if cannot be applied: only what is drawn is there. That of the file nobody has taken back by that."""
        old = self._content
        drawn = NO_CHANGES if old.supposed is None else old.supposed.what_if
        is_of_file = old.supposed is None and what_if == old.saved_what_if
        self._write(what_if=drawn, saved_what_if=drawn if is_of_file else old.saved_what_if)

    def restore_run(self) -> None:
        """Draw the run again, without any what-if."""
        if self._content.supposed is not None or self._content.what_if:
            self._write(recording=self._content.own, supposed=None, what_if=NO_CHANGES)

    def fold(self, folding: Folding, shown: Folding) -> None:
        """The user has folded or opened something by hand.

        Args:
            folding: what is folded now.
            shown: what was folded before. Where nobody had changed it by hand, it is as good as what was saved: a
                search may have opened a group.
        """
        old = self._content
        saved = shown if old.folding == old.saved_folding else old.saved_folding
        self._write(folding=folding, saved_folding=saved)

    def compare(self, beside: Sequence[Beside], against: int = 0) -> None:
        """Compare several recordings or backward calls, of which the present one is one; none ends it."""
        self._write(beside=tuple(beside), against=against)

    def choose_beside(self, place: int) -> None:
        """Draw another of what is compared; the same backward call, where it has that."""
        old = self._content
        _, recording, sweep = old.beside[place]
        self.restore_run()
        first = old.aside or self._content
        if recording is not old.own:
            shown = _shown(recording, recording.problem)
            if recording is first.recording:
                shown |= {"script_sweeps": first.script_sweeps, "hand_seeds": first.hand_seeds}
            else:
                shown["aside"] = first
            if old.sweep is not None and old.sweep < len(recording.sweeps):
                shown["sweep"] = old.sweep
            self._write(output=recording.output, warnings=recording.warnings, **shown)
        elif sweep is not None:
            self.choose_sweep(sweep)

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Stop there, and nowhere else."""
        if tuple(breakpoints) != self._content.breakpoints:
            self._write(breakpoints=tuple(breakpoints))

    def dismiss_watch(self) -> None:
        """The sentences on what to watch have been read."""
        self._write(watch=())

    def _with_kept(self, content: Content) -> Content:
        kept = tuple(self.kept(content.key))
        return replace(content, breakpoints=kept, saved_breakpoints=kept)

    def _write(self, **changes: Any) -> None:
        self._replace(replace(self._content, **changes))

    def _replace(self, content: Content) -> None:
        before, self._content = self._content, content
        if before.title != content.title:
            self.title_changed.emit()
        for signal, fields in self._FACTS:
            # By identity: recordings hold arrays, which have no single truth value to compare by.
            if any(getattr(before, field) is not getattr(content, field) for field in fields):
                getattr(self, signal).emit()


def _shown(recording: Recording, problem: Problem | None) -> dict[str, Any]:
    """The fields that a newly drawn recording sets. The first sweep is shown first, as a reader would ask.

    Where one broke off, that one is shown.
    """
    return {
        "recording": recording,
        "script_sweeps": len(recording.sweeps),
        "sweep": (failed_sweep(recording) or 0) if recording.sweeps else None,
        "hand_seeds": (),
        "problem": problem,
        "is_stale": False,
        "supposed": None,
        "what_if": NO_CHANGES,
        "aside": None,
    }


def content_of(recording: Recording, name: str, path: Path | None = None) -> Content:
    """What is open once a recording has been read from a file, as it was looked at when it was saved."""
    view = recording.view or SavedView()
    shown = _shown(replace(recording, view=None), recording.problem)
    text, kind = text_of(recording), SCRIPT if recording.source is None else recording.source.kind
    if view.text is not None:
        shown["is_stale"] = bool(recording.nodes)
    if view.sweep is not None:
        shown["sweep"] = view.sweep
    shown["script_sweeps"] = len(recording.sweeps) - view.by_hand
    shown["hand_seeds"] = tuple(_seed_of(recording, sweep) for sweep in recording.sweeps[shown["script_sweeps"] :])
    breakpoints, folding = read_breakpoints(view.breakpoints), folding_in(view)
    changes = tuple(Change(Spot(each.node, each.element, each.sweep, each.slot), each.number) for each in view.what_if)
    shown["what_if"] = WhatIf(changes)
    return Content(
        **shown, text=text, name=name, path=path, saved_text=text, kind=kind, output=recording.output,
        warnings=recording.warnings, with_pytorch=recording.engine is not None, breakpoints=breakpoints,
        saved_breakpoints=breakpoints, saved_seeds=shown["hand_seeds"], saved_what_if=shown["what_if"],
        folding=folding, saved_folding=folding,
    )  # fmt: skip


def text_of(recording: Recording) -> str:
    """The script that a recording opens with: as it was typed last, else as it ran; "" where it has none."""
    typed = None if recording.view is None else recording.view.text
    ran = "" if recording.source is None else recording.source.text
    return ran if typed is None else typed


def folding_in(view: SavedView) -> Folding | None:
    """What was folded by hand when a recording was saved; None where nothing was."""
    if view.folded is None:
        return None
    from gradviz.playback.groups.folding import Folding

    return Folding(frozenset(view.folded), view.focus, view.plumbing)


def _seed_of(recording: Recording, sweep: Sweep) -> HandSeed:
    (output,), (seed,) = sweep.outputs, sweep.seeds
    assert seed is not None  # whoever reads a file checks it
    return HandSeed(output, recording.nodes[output].name, seed)


def read_breakpoints(written: Sequence[tuple[str, bool]]) -> tuple[Breakpoint, ...]:
    """Breakpoints from a file; what is no condition, or one of a newer gradviz, is left out."""
    from gradviz.playback.conditions.breakpoints import read

    found = []
    for text, is_on in written:
        with suppress(ConditionError):
            found.append(read(text, is_on))
    return tuple(found)


def failed_sweep(recording: Recording) -> int | None:
    """The sweep that ended in the error of the run, or None."""
    broken = [index for index, sweep in enumerate(recording.sweeps) if sweep.error is not None]
    if recording.problem is not None and broken:
        return broken[-1]
    node = None if recording.problem is None else recording.problem.node
    if node is None or not recording.sweeps:
        return None
    last = recording.sweeps[-1]
    came_to = {source for step in last.steps for source in recording.nodes[step.node].inputs}
    return len(recording.sweeps) - 1 if node in came_to | set(last.outputs) else None


def _has_nothing_to_show(recording: Recording) -> bool:
    """Whether a run that failed has left nothing that is worth more than the picture before it.

    Where a name is missing that is so before the first backward call: it is a script that is being written.
    """
    is_missing = recording.problem is not None and missing_name(recording.problem.message) != ""
    return not recording.nodes or (is_missing and not recording.sweeps)


def _is_drawn(content: Content) -> bool:
    """Whether what is drawn is of the script as it is being edited, and not of another one that was pasted over."""
    drawn = content.recording
    if not drawn.nodes or drawn.source is None:
        return bool(drawn.nodes)
    was, now = (
        {line for line in map(str.strip, text.splitlines()) if line} for text in (drawn.source.text, content.text)
    )
    if 2 * len(was & now) >= len(was):
        return True
    few = len(drawn.source.text) + len(content.text) < FEW_CHARACTERS
    if few and now and all(any(line in other for other in was) for line in now):
        return True  # an expression that was made into the script that is drawn
    return few and SequenceMatcher(None, drawn.source.text, content.text).ratio() > _ALIKE


def seeds_that_fit(seeds: Sequence[HandSeed], recording: Recording) -> tuple[HandSeed, ...]:
    """The seeds set by hand whose node is still there after a run: same id, name and shape, taking a gradient."""
    nodes = recording.nodes
    return tuple(
        seed
        for seed in seeds
        if seed.output < len(nodes)
        and (nodes[seed.output].name, nodes[seed.output].shape) == (seed.name, seed.seed.shape)
        and nodes[seed.output].requires_grad
    )


def are_same(one: tuple[HandSeed, ...], other: tuple[HandSeed, ...]) -> bool:
    """Whether two rows of seeds are equal, NaN to NaN."""
    return len(one) == len(other) and all(map(is_same, one, other))


def is_same(one: HandSeed, other: HandSeed) -> bool:
    """Whether two seeds are of the same node and have the same numbers."""
    if one is other:
        return True
    is_of_same = (one.output, one.name, one.seed.dtype) == (other.output, other.name, other.seed.dtype)
    return is_of_same and np.array_equal(one.seed, other.seed, equal_nan=one.seed.dtype.kind in "fc")
