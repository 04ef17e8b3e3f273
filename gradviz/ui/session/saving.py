"""What is open, into its file: the script, or the recording with all that was set by hand. Asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.errors import FormatError, GradvizError
from gradviz.formats.safe_write import put
from gradviz.recording import Array, ChangedNumber, Framing, Recording, SavedView, Sweep
from gradviz.source.files import decode
from gradviz.ui.session.document import Content, HandSeed, content_of, is_same, seeds_that_fit

if TYPE_CHECKING:
    from gradviz.formats.watched import Watch
    from gradviz.playback.groups.folding import Folding


def write_script(content: Content, path: Path) -> None:
    """Write the text to a file, whole or not at all.

    Raises:
        FormatError: it cannot be written; what was there before is unchanged.
    """
    try:
        written = content.text.encode()
    except UnicodeEncodeError as error:
        line = content.text.count("\n", 0, error.start) + 1
        raise FormatError(
            f"{path.name} cannot be written: line {line} has half of a character, which no file can hold.",
            hint="Delete it.",
        ) from None
    put(path, written)


def recording_to_write(
    content: Content, position: int | None, folding: Folding | None, framing: Framing | None
) -> Recording:
    """The recording that is open, and how it is looked at.

    Args:
        position: in the track of the chosen sweep; None where that is not what is shown.
        folding: what is folded by hand, or None.
        framing: where the graph is on the screen; None where all of it is in sight.
    """
    if content.aside is not None:  # another is shown beside it
        content, position = replace(content.aside, text=content.text, breakpoints=content.breakpoints), None
    recording = content.own
    ran = "" if recording.source is None else recording.source.text
    view = SavedView(
        sweep=content.sweep,
        position=position,
        by_hand=len(recording.sweeps) - content.script_sweeps if recording.sweeps else 0,
        breakpoints=tuple((one.text, one.is_on) for one in content.breakpoints),
        folded=None if folding is None else tuple(sorted(folding.folded)),
        focus=None if folding is None else folding.focus,
        plumbing=None if folding is None else folding.has_plumbing,
        framing=framing,
        text=content.text if content.text != ran else None,
        what_if=tuple(
            ChangedNumber(**change.spot._asdict(), number=change.number) for change in content.what_if.changes
        ),
    )
    return replace(recording, view=view)


def reopened(draft: Content, watch: Watch) -> Content:
    """The document of a draft with what its file holds, where nothing is to be run again to have it.

    Raises:
        Cancelled: nobody wants it any more.
    """
    from gradviz.formats import load

    if not draft.is_recording or draft.path is None:
        return draft
    stamp = stamp_of(draft.path)
    try:
        saved = content_of(load(draft.path, watch), draft.name, draft.path)
    except FormatError:
        return draft  # it is gone: the text is what is left
    if draft.held is None and not saved.with_pytorch:
        return replace(draft, stamp=stamp)  # its run brings all of it, for the text as it is now
    ran = "" if saved.recording.source is None else saved.recording.source.text
    return replace(
        saved, text=draft.text, breakpoints=draft.breakpoints, held=draft.held, stamp=stamp,
        what_if=draft.what_if, folding=draft.folding, saved_folding=draft.saved_folding,
        is_stale=bool(saved.recording.nodes) and draft.text != ran,
    )  # fmt: skip


def with_seeds(content: Content, seeds: Sequence[HandSeed], sweep_again: Callable[[int, Array], Recording]) -> Content:
    """A document with other v set by hand, as far as they fit its recording and can be sent back through it.

    Args:
        content: without a what-if.
        seeds: those that it is to have.
        sweep_again: makes the recording with one more sweep at its end, given a node and its v.
    """
    recording, count = content.recording, content.script_sweeps
    kept: list[tuple[HandSeed, Sweep]] = []
    there = list(zip(content.hand_seeds, recording.sweeps[count:], strict=True))
    for seed in seeds_that_fit(seeds, recording):
        same = next((pair for pair in there if is_same(pair[0], seed)), None)
        with suppress(GradvizError):
            kept.append(same or (seed, sweep_again(seed.output, seed.seed).sweeps[-1]))
    whole = replace(recording, sweeps=(*recording.sweeps[:count], *(sweep for _, sweep in kept)))
    last = len(whole.sweeps) - 1
    chosen = None if content.sweep is None or last < 0 else min(content.sweep, last)
    return replace(content, recording=whole, hand_seeds=tuple(seed for seed, _ in kept), sweep=chosen)


def stamp_of(path: Path) -> tuple[int, int] | None:
    """When a file was written last, in nanoseconds, and its size; None where it is not there."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


def is_changed_elsewhere(content: Content) -> bool:
    """Whether another program has written the document's file since it was opened or saved here."""
    path = content.path
    if path is None:
        return False
    if content.is_recording:
        return stamp_of(path) not in (None, content.stamp)
    try:
        return decode(path.read_bytes(), path.name) != content.saved_text
    except FormatError:
        return True  # it is no text any more
    except OSError:
        return False  # it is gone, or cannot be read: writing it takes nothing away
