"""Writing files without a window: for the command line."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradviz.errors import GradvizError
from gradviz.export.row import Row, Subject
from gradviz.export.work import done
from gradviz.formats.safe_write import put
from gradviz.playback.track import Track
from gradviz.recording import Recording

if TYPE_CHECKING:
    from gradviz.ui.canvas.files.picture_file import Graph, Look


@dataclass(frozen=True)
class Wish:
    """What of a recording is written, and how.

    Attributes:
        step: backward steps done, from 0; None for all.
        sweep: which backward call, from 1; None for the last.
        theme: the name of a palette.
        look: of a picture or film, what is not as usual: members of `ui.canvas.files.picture_file.Look` by name.
        ask: asks the run of the recording a question by its name; None where there is none.
    """

    step: int | None = None
    sweep: int | None = None
    theme: str = "light"
    look: Mapping[str, Any] = field(default_factory=dict)
    ask: Callable[[str, Any], Any] | None = None


def write_file(
    row: Row, recording: Recording, file: Path, wish: Wish, tell: Callable[[float], None] = lambda _: None
) -> str:
    """Write a recording as a file of some format.

    Args:
        tell: is told the share that is done, 0..1.

    Returns:
        What the file cannot hold, as sentences; "" where it holds all.

    Raises:
        GradvizError: it cannot be said in that format, or the format takes what is not installed.
        FormatError: the file cannot be written.
    """
    lack = row.lacking()
    if lack is not None:
        raise lack
    subject = _subject(recording, wish, chosen_sweep(recording, wish.sweep if "sweep" in row.takes else None))
    app = _application() if row.is_painted else None
    with interrupted_between(tell) as told:
        content = done(row.start(subject), told)
        told(1.0)
    put(file, content)
    del app  # Qt ends with what was painted, and not with Python
    return row.left_out(subject)


def _subject(recording: Recording, wish: Wish, sweep: int | None) -> Subject:
    return Subject(
        recording,
        recording,
        sweep,
        track=lambda: Track(recording, sweep),
        graph=partial(_graph, recording, sweep, wish.step),
        look=partial(_look, wish),
        step=wish.step,
        is_dark="dark" in wish.theme,
        ask=wish.ask,
    )


def _application() -> object:
    """What Qt needs to paint."""
    try:
        from gradviz.ui.canvas.files.painted_file import application

        return application()
    except ImportError as error:
        raise GradvizError(
            f"pictures need Qt's system libraries: {error}", hint="See 'system packages' in the README, or write .json."
        ) from None


def _look(wish: Wish) -> Look:
    from gradviz.ui.canvas.files.picture_file import Look
    from gradviz.ui.look.theme import PALETTES

    return Look(PALETTES[wish.theme], **wish.look)


def _graph(recording: Recording, sweep: int | None, step: int | None) -> Graph:
    from gradviz.layout.graph import request_of
    from gradviz.layout.layouter import Layouter
    from gradviz.playback.groups.folded import FoldedTrack
    from gradviz.playback.groups.folding import OPEN
    from gradviz.playback.groups.stretches import all_groups_of
    from gradviz.ui.canvas.files.picture_file import Graph
    from gradviz.ui.canvas.scene.measure import box_sizes

    track = Track(recording, sweep)
    if not track.forward:
        raise GradvizError(
            "there is no graph to draw: nothing in the script takes a gradient",
            hint="Give a tensor requires_grad=True.",
        )
    steps = len(track.steps) if step is None else step
    if not 0 <= steps <= len(track.steps):
        raise GradvizError(f"there is no step {steps}: this backward call has {len(track.steps)} steps")
    board = FoldedTrack.of(track, all_groups_of(track), OPEN)
    layouter = Layouter()
    try:
        return Graph(board, layouter.lay_out(request_of(board, box_sizes(board))), track.turn + steps)
    finally:
        layouter.close()


def chosen_sweep(recording: Recording, number: int | None) -> int | None:
    """The index of a backward call by its number, from 1; of the last one without a number, None where there is none.

    Raises:
        GradvizError: there is no such call, or it was not kept.
    """
    last = len(recording.sweeps) - 1
    if number is None or not recording.sweeps:
        return last if recording.sweeps else None
    by_number = {recording.number(index): index for index in range(last + 1)}
    if number in by_number:
        return by_number[number]
    if recording.thinned is not None and 0 < number <= recording.thinned.calls:
        raise GradvizError(f"backward call {number} is not in the file", hint=recording.kept)
    made = last + 1 if recording.thinned is None else recording.thinned.calls
    raise GradvizError(f"there is no backward call {number}: the script made {made}")


@contextmanager
def interrupted_between(tell: Callable[[float], None]) -> Iterator[Callable[[float], None]]:
    """Let Ctrl+C end the work between two of its bits: within a call into Qt it comes out as some other error.

    Args:
        tell: is told the share that is done; so is what is yielded, which raises KeyboardInterrupt.
    """
    asked = list[int]()

    def look(share: float) -> None:
        if asked:
            raise KeyboardInterrupt
        tell(share)

    if threading.current_thread() is not threading.main_thread():
        yield look
        return
    before = signal.signal(signal.SIGINT, lambda number, _frame: asked.append(number))
    try:
        yield look
    finally:
        signal.signal(signal.SIGINT, before)
