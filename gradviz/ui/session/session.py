"""The session: from a changed text to a picture. Runs, layouts and seeds go off the GUI thread from here.

text -> run -> recording -> sizes and layout -> picture. Every arrow but the last may be overtaken by a newer
text; the old picture stays until the new one is whole.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from PySide6.QtCore import QObject, Signal

from gradviz.changes import NO_CHANGES, WhatIf
from gradviz.errors import Cancelled, GradvizError
from gradviz.layout.plan import Layout
from gradviz.recording import Array, Framing, Problem, Recording, SavedView
from gradviz.ui.seed.candidates import candidates
from gradviz.ui.session.clock import Clock
from gradviz.ui.session.document import (
    NOTEBOOK,
    Content,
    Document,
    HandSeed,
    failed_sweep,
    folding_in,
    seeds_that_fit,
    text_of,
)
from gradviz.ui.session.foldings import Foldings
from gradviz.ui.session.lessons import watch_in
from gradviz.ui.session.opening import Opening
from gradviz.ui.session.picture import MOST_KEPT, LayOut, Maker, Measure, Picture, Prepare
from gradviz.ui.session.runner import Going, Latest
from gradviz.ui.session.supposing import Recalculate, Supposing

if TYPE_CHECKING:  # the window stands before there is anything to show
    from gradviz.playback.difference import Beside
    from gradviz.playback.groups.folding import Folding
    from gradviz.playback.track import Track


class RunLike(Protocol):
    """What is left of a run."""

    @property
    def recording(self) -> Recording:
        """What the run left behind."""

    @property
    def seconds(self) -> float:
        """How long it took."""

    def with_seed(self, output: int, seed: Array) -> Recording:
        """The recording with one more sweep at its end: v·J of that node."""

    def ask(self, what: str, value: Any = None, /) -> Any:
        """The answer to another question about the run; raises GradvizError where it has none."""


MOST_PEERS = 8
"""Recordings beside one another whose boxes are made large enough for all; ranks may be many more."""
CANCELLED = "The layout was cancelled, so the picture stays as it was."
THIS_RUN, RUN_BEFORE = "This run", "Run before"
RUN_AGAIN = "Run the script again to draw it."
NOT_ASKED = "The Jacobian of a custom Function is known where its script has run: run it."


class WithPyTorch(NamedTuple):
    """How a script is run with real PyTorch.

    Attributes:
        python: the program.
        args: what `sys.argv` holds besides the script's name.
        folder: where it runs; None for where its file stands.
    """

    python: Path
    args: tuple[str, ...] = ()
    folder: Path | None = None


Interpret = Callable[..., RunLike]
"""Given text, name and what to ask whether to stop; of the cells of a notebook `kind`; and whom to tell what is
printed (`on_output`) and which share is done (`on_progress`)."""


class _Ran(NamedTuple):
    run: RunLike
    hand: tuple[tuple[HandSeed, Recording], ...]


class Session(QObject):
    """Document, runner, layouter and clock, wired.

    Attributes:
        document: what is open.
        clock: where we are in the picture's track.
        picture: what is drawn, or None.
        opening: reads the file that is to be opened.
        supposing: asks for what-ifs of the run.
        direction: "down", "right", or "auto" for that in which the boxes are larger; set through `turn_to`.
        steps_over: whether a row of steps in a folded group is one step; set through `step_over`.
        may_run: whether a script from a file, of a text, runs as soon as it is opened; one that may not is held.

    Signals:
        picture_changed: another picture is whole, and the clock is loaded for it.
        running_changed: whether a run (not a layout) has been under way for a while.
        run_progressed: the share of the run that is done, 0..1, where it is known.
        printed: what a run that has been under way for a while has printed since the last time.
        released: somebody has asked to run what was held. Payload: its text.
        drawing_changed: whether a layout has been under way for a while.
        drawing_progressed: the share of it that is done, 0..1.
        jacobian_known: what the run says of a call of a custom Function. Payload: the recording, the node's id, the
            rows of its Jacobians by input or why there are none, and the lines of its backward or None.
        refused: a request that could not be met. Payload: GradvizError.
        closed: nothing runs any more.
    """

    picture_changed = Signal()
    running_changed = Signal(bool)
    run_progressed = Signal(float)
    printed = Signal(str)
    released = Signal(str)
    drawing_changed = Signal(bool)
    drawing_progressed = Signal(float)
    jacobian_known = Signal(object, int, object, object)
    refused = Signal(object)
    closed = Signal()

    def __init__(
        self,
        clock: Clock,
        *,
        interpret: Interpret,
        lay_out: LayOut,
        measure: Measure,
        prepare: Prepare | None = None,
        revive: Callable[[Recording], RunLike | None] | None = None,
        run_pytorch: Interpret | None = None,
        recalculate: Recalculate | None = None,
    ) -> None:
        super().__init__()
        self._revive, self._run_pytorch = revive, run_pytorch
        self._wish_to_stop: threading.Event | None = None
        self._opened_from: Path | None = None
        self.document = Document()
        self.opening = Opening()
        self.supposing = Supposing(self.document, recalculate)
        self.clock = clock
        clock.terms_at = self._terms_at
        self.picture: Picture | None = None
        self.direction = "down"
        self._room = (0.0, 0.0)
        self.steps_over = True
        self.may_run: Callable[[Path, str], bool] = lambda _path, _text: True
        self._heard: list[str] = []
        self._foldings = Foldings()
        self._kept: dict[bytes, Layout] = {}
        self._interpret, self._lay_out, self._measure, self._prepare = interpret, lay_out, measure, prepare
        self._to_restore = NO_CHANGES
        self._run: RunLike | None = None
        self._first_run: RunLike | None = None
        self._is_fresh = True
        self._asked_at = 0.0
        self._wanted: Track | None = None
        self._opened_as = SavedView()
        self._runs, self._layouts, self._seeds, self._questions = Latest(), Latest(), Latest(), Latest()
        self._wire()

    def beside(self) -> Session:
        """Another session over the same rooms, with nothing open: for a picture beside this one."""
        return Session(
            Clock(reduced_motion=self.clock.reduced_motion),
            interpret=self._interpret,
            lay_out=self._lay_out,
            measure=self._measure,
            prepare=self._prepare,
        )

    @property
    def no_seed(self) -> str:
        """Why no v can be set by hand; "" where one can: what ran or was loaded is drawn, and has a result to ask."""
        if self._run is None or self.picture is None or self.document.content.is_stale:
            return "Another v needs a run to sweep again: mend the script first."
        if next(candidates(self.picture.track), None) is None:
            return "Another v needs a result that requires grad, and there is none: compute one in the script first."
        return ""

    # ---- what is asked ----

    def open_file(self, path: Path) -> None:
        """Open a script, a notebook, a recording or a folder with one recording of each rank.

        A recording is read in a worker thread, and what is open stays until it is there; `opening` tells when it is,
        or why it cannot be read.
        """
        from gradviz.source.files import RECORDINGS

        if path.is_dir():
            self.opening.read(path, partial(_read_ranks, path), partial(self._take_ranks, path))
        elif path.suffix.lower() in RECORDINGS:
            self.opening.read(path, partial(_read_recording, path), partial(self._take_file, path))
        else:
            self.opening.open_now(path, lambda: self._open_text(path))

    def _open_text(self, path: Path) -> None:
        text, kind = read_script(path)
        is_own = kind != NOTEBOOK
        name = path.name if is_own else f"{path.stem}.py"
        held = None if self.may_run(path, text) else path
        self.open_script(text, name, path=path if is_own else None, watch=watch_in(text), kind=kind, held=held)
        self._opened_from = path

    def _take_file(self, path: Path, read: tuple[Recording, tuple[int, int] | None]) -> None:
        recording, stamp = read
        held = None if self.may_run(path, text_of(recording)) else path
        self.open_recording(recording, path.name, path=path, stamp=stamp, held=held)
        self._opened_from = path

    def _take_ranks(self, path: Path, ranks: list[Beside]) -> None:
        self.open_recording(ranks[0].recording, path.resolve().name, beside=ranks)

    def open_draft(self, draft: Content, then: Callable[[], None]) -> None:
        """Open a document as it was when its draft was kept, with what its file holds; `then` it is open."""
        from gradviz.ui.session.saving import reopened, with_seeds

        def take(content: Content) -> None:
            self.open_content(content)
            then()

        def work(going: Going) -> Content:
            content = reopened(draft, going)
            run = self._revive(content.recording) if content.recording.nodes and self._revive is not None else None
            return content if run is None else with_seeds(content, draft.hand_seeds, run.with_seed)

        if draft.path is None or not draft.is_recording:
            take(draft)
        else:
            self.opening.read(draft.path, work, take)

    def open_script(self, text: str, name: str, **details: Any) -> None:
        """Put another script in place and run it, if it is not held; `details` as in `Document.open_script`."""
        self._begin()
        self.document.open_script(text, name, **details)
        self._run_if_free()

    def open_recording(self, recording: Recording, name: str, *, held: Path | None = None, **details: Any) -> None:
        """Show a recording that was made elsewhere, as it was looked at when it was saved.

        Args:
            held: its file, where its script is not to run by itself.
            details: as in `Document.open_recording`.
        """
        self._begin()
        self._opened_as = recording.view or SavedView()
        self._foldings = Foldings(folding_in(self._opened_as))
        self._run = self._first_run = self._revive(recording) if self._revive is not None else None
        held = held if recording.source is not None else None
        self.document.open_recording(recording, name, held=held, **details)
        self.supposing.restore(self.document.content.what_if)

    def recording_to_write(self, framing: Framing | None) -> Recording:
        """What is open as its file holds it, looked at as it is now; `framing` as in `SavedView`."""
        from gradviz.ui.session.saving import recording_to_write

        content, track = self.document.content, None if self.picture is None else self.picture.track
        is_shown = track is not None and track.recording is content.recording and track.sweep == content.sweep
        position = self.clock.player.position if is_shown else None
        return recording_to_write(content, position, self._foldings.sight.by_hand, framing)

    def take_framing(self) -> Framing | None:
        """Where what is shown was on the screen when its file was saved; told once, so that it then may move."""
        if self._is_fresh:
            return None
        framing, self._opened_as = self._opened_as.framing, SavedView()
        return framing

    def compare(self, beside: Sequence[Beside], against: int = 0) -> None:
        """Show several recordings, or backward calls, on one layout; none ends it. The first is the present one."""
        if not beside:
            self._show_first()
        if not self.document.content.beside:
            self._first_run = self._run
        self.document.compare(beside, against)

    def _show_first(self) -> None:
        """Show the run or the file that is open, and not what is beside it."""
        if self.document.content.aside is not None:
            self.choose_beside(0)

    def compare_with_file(self, path: Path) -> None:
        """Compare this run with a recording from a file, once that is read."""
        self.opening.read(path, partial(_read_recording, path), partial(self._compare_with, path), replaces=False)

    def _compare_with(self, path: Path, read: tuple[Recording, tuple[int, int] | None]) -> None:
        from gradviz.playback.difference import Beside

        self._show_first()
        self.compare((Beside(THIS_RUN, self.document.content.own), Beside(path.name, read[0])), 1)

    def compare_with_present(self) -> None:
        """Keep this run to compare the next ones with."""
        from gradviz.playback.difference import Beside

        self._show_first()
        own = self.document.content.own
        self.compare((Beside(THIS_RUN, own), Beside(RUN_BEFORE, own)), 1)

    def choose_beside(self, place: int) -> None:
        """Show another of what is compared."""
        self.supposing.drop()
        if place == self.document.content.against:
            self.document.compare(self.document.content.beside, self.document.content.place or 0)
        is_other = self.document.content.beside[place].recording is not self.document.content.own
        self.document.choose_beside(place)
        if is_other:
            own = self.document.content.own
            self._run = self._first_run if place == 0 else self._revive(own) if self._revive is not None else None

    def open_content(self, content: Content) -> None:
        """Open a document as it was when its draft was kept, and run it, if it is not held and not of PyTorch."""
        self._begin()
        self._foldings = Foldings(content.folding)
        if content.recording.nodes and self._revive is not None:
            self._run = self._first_run = self._revive(content.recording)
        self.document.open_content(content)
        if content.recording.nodes:
            self.supposing.restore(content.what_if)
        if not content.with_pytorch:
            self._run_if_free()
            self.restore_after_run(content.what_if)

    def edit(self, text: str) -> None:
        """Take what was typed, and run it, if it is not held, and not a script that is run with PyTorch."""
        if text != self.document.content.text:
            self.document.set_text(text)
            self._to_restore = NO_CHANGES
            self._leave_lesson()
            if not self.document.content.with_pytorch:
                self._run_if_free(is_edited=True)

    def restore_after_run(self, what_if: WhatIf) -> None:
        """Show a what-if once the run that is under way has ended well: nothing can be changed before."""
        if self._runs.is_busy:
            self._to_restore = what_if

    def _leave_lesson(self) -> None:
        """What to watch goes with the script that it is about, once another one is in its place."""
        content = self.document.content
        if content.watch and not set(content.watch) & set(watch_in(content.text)):
            self.document.dismiss_watch()

    def _run_if_free(self, *, is_edited: bool = False) -> None:
        content = self.document.content
        if content.held is None and (is_edited or content.text.strip()):
            self.run()

    def run(self) -> None:
        """Run the text as it stands, with the built-in engine; what was held is free from now on."""
        content = self.document.content
        if content.held is not None:
            self.document.release()
            self.released.emit(content.text)
        self.document.run_with(pytorch=False)
        self._wish_to_stop = None
        text, name, seeds, interpret = content.text, content.name, content.hand_seeds, self._interpret
        details = {"kind": NOTEBOOK} if content.kind == NOTEBOOK else {}
        if self.file is not None:
            details["folder"] = str(self.file.resolve().parent)
        self._asked_at = time.monotonic()
        self._seeds.drop()
        self._heard.clear()

        def work(going: Going) -> _Ran:
            run = interpret(text, name, going, **details, on_output=going.say, on_progress=going.tell)
            fitting = seeds_that_fit(seeds, run.recording) if run.recording.problem is None else ()
            return _Ran(run, tuple((seed, run.with_seed(seed.output, seed.seed)) for seed in fitting))

        self._runs.ask(work)

    @property
    def file(self) -> Path | None:
        """The file that is open, also where nothing is written back to it, as to a notebook or a recording."""
        return self.document.content.path or self._opened_from

    @property
    def can_run_pytorch(self) -> bool:
        """Whether a script can be run with the user's own PyTorch here."""
        return self._run_pytorch is not None

    def run_with_pytorch(self, wish: WithPyTorch) -> None:
        """Run the text as it stands with real PyTorch, since somebody has asked for it and agreed.

        The picture before it stays until this one is whole; what is typed meanwhile runs nothing.
        """
        content, run_pytorch = self.document.content, self._run_pytorch
        if run_pytorch is None:
            self.refused.emit(GradvizError("This gradviz only shows recordings, and runs nothing."))
            return
        if content.held is not None:
            self.document.release()
            self.released.emit(content.text)
        self.document.run_with(pytorch=True)
        stopping = self._wish_to_stop = threading.Event()
        text, name, kind = content.text, content.name, content.kind
        path, source = content.path, content.recording.source
        if content.is_recording:  # the text came from a script, of which nobody knows where it is now
            path, name = None, source.name if source is not None else name
        if self.file is not None and path is None:  # beside a notebook or a recording stands what its script needs
            wish = wish._replace(folder=wish.folder or self.file.resolve().parent)
        self._asked_at = time.monotonic()
        self._seeds.drop()
        self._heard.clear()

        def work(going: Going) -> _Ran:
            details = {"kind": kind, "path": path, "on_output": going.say, "on_progress": going.tell}
            return _Ran(run_pytorch(text, name, wish, going, stopping.is_set, **details), ())

        self._runs.ask(work)

    @property
    def can_stop(self) -> bool:
        """Whether something has been under way for a while that can be stopped."""
        return self.opening.is_slow or self._runs.is_slow or self._layouts.is_slow

    def stop(self) -> None:
        """Give up the file that is being read; if there is none, stop the run, or the layout, that is under way.

        A run with PyTorch is asked to end, so that what was recorded until then can be shown; the second time it is
        ended at once.
        """
        if self.opening.is_busy:
            self.opening.stop()
            return
        wish = self._wish_to_stop
        if wish is not None and self._runs.is_busy and not wish.is_set():
            wish.set()
        else:
            self._runs.stop()
        self._layouts.stop()

    def sweep_by_hand(self, output: int, seed: Array) -> None:
        """Run backward once more from `output` with v = `seed` (of its shape), and show that sweep."""
        run = self._run
        if run is None or self.no_seed:
            self.refused.emit(GradvizError(self.no_seed))
            return
        chosen = HandSeed(output, run.recording.nodes[output].name, seed)
        self._seeds.ask(lambda _cancelled: (chosen, run.with_seed(output, seed)))

    def run_asked(self) -> Callable[[str, Any], Any] | None:
        """What asks the run of the picture a question by its name; None without a run, or where the script changed."""
        return None if self._run is None or self.document.content.is_stale else self._run.ask

    def ask_jacobian(self, node: int) -> None:
        """Ask the run for Jacobian and lines of a call of a custom Function; the answer is `jacobian_known`."""
        run, picture = self._run, self.picture
        if picture is None:
            return
        recording, call = picture.track.recording, picture.track.call
        if run is None or self.document.content.is_stale:
            self.jacobian_known.emit(recording, node, NOT_ASKED, None)
            return
        step = None if call is None or node not in call.step_of else call.steps[call.step_of[node]]
        v = None if step is None or step.incoming is None else step.incoming.ravel().tolist()

        def work(_going: Going) -> tuple[Recording, int, object, object]:
            rows: object
            try:
                rows = {int(slot): found for slot, found in run.ask("jacobian", node).items()}
            except GradvizError as error:
                rows = f"{error.headline[:1].upper()}{error.headline[1:]}."
            inside = None
            with suppress(GradvizError):  # the Jacobian says why, or stands without them
                inside = None if v is None else run.ask("inside", {"node": node, "v": v})
            return recording, node, rows, inside

        self._questions.ask(work)

    def turn_to(self, direction: str) -> None:
        """Lay out "down" or to the "right", or as there is room: "auto"."""
        if direction != self.direction:
            self.direction = direction
            self._lay_out_again()

    @property
    def runs_right(self) -> bool:
        """Whether the graph runs to the right, as it is drawn or will be."""
        return (self.picture.direction if self.direction == "auto" and self.picture else self.direction) == "right"

    def take_room(self, width: float, height: float) -> None:
        """Hear how large that is on which the graph is drawn, in pixels; it turns where its boxes are larger then."""
        self._room, picture = (width, height), self.picture
        spread = None if picture is None or self.direction != "auto" else picture.spread
        if picture is not None and spread is not None and spread.direction(self._room) != picture.direction:
            self._lay_out_again()

    def refold(self, folding: Folding) -> None:
        """Fold and open groups of the picture; the position stays."""
        self._foldings.take(folding)
        self._lay_out_again()

    def step_over(self, is_on: bool) -> None:
        """Step over folded groups, or through every node in them."""
        self.steps_over = is_on
        self._take_stops()

    def cancel_drawing(self) -> None:
        """End the layout that is under way; the picture that is there stays."""
        self._layouts.stop()

    @property
    def is_drawing_slow(self) -> bool:
        """Whether a layout has been under way for a while."""
        return self._layouts.is_slow

    @property
    def is_behind(self) -> bool:
        """Whether the picture is older than the last run, since its layout was cancelled or failed."""
        return self.picture is not None and self.picture.track is not self._wanted and not self._layouts.is_busy

    @property
    def wanted_nodes(self) -> int:
        """How many nodes the graph has that is to be drawn."""
        return 0 if self._wanted is None else len(self._wanted.forward)

    def close(self) -> None:
        """End what is under way."""
        self.clock.stop()
        for work in (self.opening, self._runs, self._layouts, self._seeds, self._questions, self.supposing):
            work.close()
        self.closed.emit()

    # ---- what has happened ----

    def _wire(self) -> None:
        self.document.recording_changed.connect(self._draw)
        self.document.beside_changed.connect(self._compare_again)
        self._runs.answered.connect(self._take_run)
        self._runs.failed.connect(self._take_failure)
        self._runs.slow_changed.connect(self._say_running)
        self._runs.progressed.connect(self.run_progressed)
        self._runs.said.connect(self._hear)
        self._layouts.answered.connect(self._take_layout)
        self._layouts.failed.connect(self._lose_layout)
        self._layouts.slow_changed.connect(self.drawing_changed)
        self._layouts.progressed.connect(self.drawing_progressed)
        self._seeds.answered.connect(self._take_seed)
        self._questions.answered.connect(lambda answer: self.jacobian_known.emit(*answer))
        self._seeds.failed.connect(self._refuse)
        self.supposing.refused.connect(self.refused)
        self.supposing.run_asked = self.run_asked

    def _begin(self) -> None:
        for work in (self.opening, self._runs, self._layouts, self._seeds, self._questions):
            work.drop()
        self.supposing.forget()
        self._to_restore = NO_CHANGES
        self._run, self._is_fresh, self._wanted = None, True, None
        self._wish_to_stop = self._opened_from = None
        self._foldings, self._opened_as = Foldings(), SavedView()
        self._kept.clear()

    def _hear(self, text: str) -> None:
        """What a short run prints is shown when it has ended: with every key that is pressed it would flicker."""
        self._heard.append(text)
        if self._runs.is_slow:
            self.printed.emit(text)

    def _say_running(self, is_running: bool) -> None:
        self.running_changed.emit(is_running)
        if is_running and self._heard:
            self.printed.emit("".join(self._heard))

    def _take_run(self, ran: _Ran) -> None:
        self._run = self._first_run = ran.run
        self.supposing.forget()
        what_if, self._to_restore = self._to_restore, NO_CHANGES
        self.document.take_run(ran.run.recording, ran.run.seconds, ran.hand)
        if what_if and ran.run.recording.problem is None:
            self.supposing.restore(what_if)

    def _take_failure(self, error: BaseException) -> None:
        seconds = time.monotonic() - self._asked_at
        if not isinstance(error, GradvizError):
            problem = Problem("gradviz itself failed while running this script.")
            self.document.take_failure(problem, seconds, "".join(self._heard))
            raise error
        headline = "Stopped." if isinstance(error, Cancelled) else error.headline
        self._run = None
        self.document.run_with(pytorch=self.document.content.recording.engine is not None)  # as what is still drawn
        problem = Problem(headline, error.hint, error.line, error.column)
        self.document.take_failure(problem, seconds, "".join(self._heard))

    def _take_seed(self, answer: tuple[HandSeed, Recording]) -> None:
        what_if = self.supposing.wanted
        self.supposing.drop()
        self.document.add_hand_seed(*answer)
        self.supposing.suppose(what_if)

    def _refuse(self, error: BaseException) -> None:
        if not isinstance(error, GradvizError):
            raise error
        self.refused.emit(error)

    def _lose_layout(self, error: BaseException) -> None:
        """The picture stays that is there, and what was asked of it is taken back."""
        picture = self.picture
        if picture is not None and picture.track is self._wanted:
            self.direction = self.direction if self.direction == "auto" else picture.direction
            from gradviz.playback.groups.folded import FoldedTrack

            if isinstance(picture.board, FoldedTrack):
                self._foldings.take(picture.board.folding)
                self.document.fold(picture.board.folding, picture.board.folding)
        self._refuse(GradvizError(CANCELLED, hint=RUN_AGAIN) if isinstance(error, Cancelled) else error)

    def _draw(self) -> None:
        from gradviz.playback.track import Track

        content = self.document.content
        track = Track(content.recording, content.sweep)
        self._wanted = track
        if not track.forward:
            self._layouts.drop()
            self._show(None)
            return
        self._lay_out_track(track)

    def _lay_out_again(self) -> None:
        """With what has changed; also where the picture of another run or pass is on its way."""
        if self.picture is not None and self.picture.track is self._wanted:
            self._lay_out_track(self.picture.track)
        else:
            self._draw()

    def _lay_out_track(self, track: Track) -> None:
        old = None if self._is_fresh else self.picture
        sight, kept, peers = self._foldings.sight, dict(self._kept), self._peers(track)
        word = "there" if self.document.content.supposed is None else "was"
        maker = Maker(
            self._measure,
            self._lay_out,
            track,
            self.direction,
            sight,
            old,
            kept,
            self._prepare,
            *peers,
            word,
            self._room,
        )
        known = maker.at_once()
        if known is not None:
            self._layouts.drop()
            self._take_layout(known)
        else:
            self._layouts.ask(lambda going: maker.make(going, going.tell))

    def _compare_again(self) -> None:
        """Something else is compared; where another recording is drawn with it, that is under way already."""
        picture, content = self.picture, self.document.content
        if picture is not None and self._wanted is picture.track and picture.track.recording is content.recording:
            self._lay_out_track(picture.track)

    def _peers(self, track: Track) -> tuple[tuple[Track, ...], Track | None]:
        """What shares its boxes with a track, and which of that it is compared with."""
        content = self.document.content
        supposed, place = content.supposed, content.place
        if track.recording is not content.recording:
            return (), None
        if supposed is not None:
            own = _track(supposed.own, track.sweep)
            return (own,), own
        if place is None or len(content.beside) < 2:
            return (), None
        peers = {
            at: each.track(track.sweep)
            for at, each in enumerate(content.beside)
            if at != place and (at == content.against or (at < MOST_PEERS and each.recording.rank is not None))
        }
        return tuple(peers.values()), peers.get(content.against)

    def _take_layout(self, picture: Picture) -> None:
        if picture.track is self._wanted:
            self._foldings.keep(picture.track, picture.drawn)
            self._keep(picture)
            self._show(picture)

    def _keep(self, picture: Picture) -> None:
        self._kept.pop(picture.key, None)
        self._kept[picture.key] = picture.layout
        for key in list(self._kept)[:-MOST_KEPT]:
            del self._kept[key]

    def _show(self, picture: Picture | None) -> None:
        old = None if self._is_fresh else self.picture
        self.picture = picture
        self._take_stops()
        if picture is not None and old is not None and picture.track is old.track:
            pass  # folded in another way, or turned: it plays on
        elif picture is not None:
            position = position_in(picture.track, old.track if old else None, self.clock.player.position)
            position = failed_position(picture.track, position)
            if self._is_fresh and self._opened_as.position is not None:
                position = self._opened_as.position
            self._is_fresh = False
            self.clock.load(picture.track.length, position)
        else:
            self.clock.load(0, 0)
        self.picture_changed.emit()

    def _terms_at(self, position: int) -> int:
        """How many gradients are added up at a position of the picture."""
        track = None if self.picture is None else self.picture.track
        node = None if track is None or position <= track.turn else track.node_at(position)
        index = None if track is None or node is None else track.index_of.get(node)
        if track is None or index is None:
            return 1
        return int(track.edge_carries[track.edge_sources == index].sum())

    def _take_stops(self) -> None:
        from gradviz.playback.groups.folded import FoldedTrack

        board = None if self.picture is None else self.picture.board
        stops = board.stops if isinstance(board, FoldedTrack) and self.steps_over else ()
        self.clock.player.stops = () if board is None or len(stops) == board.length + 1 else stops


def _read_recording(path: Path, going: Going) -> tuple[Recording, tuple[int, int] | None]:
    """A recording, and the stamp that its file had before it was read."""
    from gradviz.formats import load
    from gradviz.ui.session.saving import stamp_of

    stamp = stamp_of(path)
    return load(path, going), stamp


def _read_ranks(path: Path, going: Going) -> list[Beside]:
    from gradviz.formats.rank_folder import load_ranks
    from gradviz.playback.difference import Beside

    return [Beside(rank_name(each, at), each) for at, each in enumerate(load_ranks(path, going))]


def _track(recording: Recording, sweep: int | None) -> Track:
    from gradviz.playback.track import Track

    return Track(recording, sweep)


def rank_name(recording: Recording, place: int) -> str:
    """E.g. "Rank 3"."""
    return f"Rank {place if recording.rank is None else recording.rank.rank}"


def position_in(track: Track, old: Track | None, position: int) -> int:
    """Where to stand in a new track after standing at `position` of the old one.

    A first picture starts at the turn, so that it is full of values. The end stays the end. A track of the same
    size keeps its step; any other starts at its turn again.
    """
    if old is None:
        return track.turn
    if old.recording is track.recording and old.sweep != track.sweep:
        return track.turn
    if (track.turn, track.length) == (old.turn, old.length):
        return position
    return track.length if position == old.length > old.turn else track.turn


def failed_position(track: Track, otherwise: int) -> int:
    """Where the run broke off in this track: after the last step that was done; `otherwise` where it did not."""
    return otherwise if track.sweep is None or failed_sweep(track.recording) != track.sweep else track.length


def read_script(path: Path) -> tuple[str, str]:
    """The script in a file, and its kind; to a notebook nothing is written back.

    Raises:
        FormatError: it cannot be read, is too large, or is no text.
    """
    from gradviz.source.files import read_source

    source = read_source(path)
    return source.text, source.kind
