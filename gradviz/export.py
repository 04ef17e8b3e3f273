"""Recording to files of any kind, for the command line: by `formats`, by `player`, pictures by the unseen canvas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradviz.errors import GradvizError
from gradviz.film import SUFFIXES as FILMS
from gradviz.recording import Recording


@dataclass(frozen=True)
class Wish:
    """What to write, and for a picture at which moment.

    Attributes:
        file: where to.
        step: backward steps done, from 0; None for all.
        sweep: which backward call, from 1; None for the last.
        theme: the name of a palette.
        look: of a picture or film, what is not as usual: members of `ui.canvas.files.picture_file.Look` by name.
        ask: asks the run of the recording a question by its name; None where there is none.
        tell: is told the share that is done, 0..1, where that takes long.
        say: is told in sentences what the file does not hold of the recording, where it cannot hold all.
    """

    file: Path
    step: int | None = None
    sweep: int | None = None
    theme: str = "light"
    look: Mapping[str, Any] = field(default_factory=dict)
    ask: Callable[[str, Any], Any] | None = None
    tell: Callable[[float], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None


def _recording(recording: Recording, wish: Wish) -> None:
    from gradviz.formats import left_out, save

    save(recording, wish.file)
    if sentences := left_out(recording, wish.file.suffix):
        wish.say(sentences)


def _picture(recording: Recording, wish: Wish) -> None:
    from gradviz.layout.graph import request_of
    from gradviz.layout.layouter import Layouter
    from gradviz.playback.groups.folded import FoldedTrack
    from gradviz.playback.groups.folding import OPEN
    from gradviz.playback.groups.stretches import all_groups_of
    from gradviz.playback.track import Track

    track = Track(recording, chosen_sweep(recording, wish.sweep))
    if not track.forward:
        raise GradvizError(
            "there is no graph to draw: nothing in the script takes a gradient",
            hint="Give a tensor requires_grad=True.",
        )
    steps = len(track.steps) if wish.step is None else wish.step
    if not 0 <= steps <= len(track.steps):
        raise GradvizError(f"there is no step {steps}: this backward call has {len(track.steps)} steps")
    from gradviz.ui.canvas.files.painted_file import paint_file

    board = FoldedTrack.of(track, all_groups_of(track), OPEN)
    layouter = Layouter()
    try:
        paint_file(
            board, track.turn + steps, wish.file, theme=wish.theme, look=wish.look, tell=wish.tell,
            lay_out=lambda sizes: layouter.lay_out(request_of(board, sizes)),
        )  # fmt: skip
    except ImportError as error:
        raise GradvizError(
            f"pictures need Qt's system libraries: {error}", hint="See 'system packages' in the README, or write .json."
        ) from None
    finally:
        layouter.close()


def _page(recording: Recording, wish: Wish) -> None:
    from gradviz.player.document import Start
    from gradviz.player.page import write_page
    from gradviz.ui.canvas.scene.cards import cards

    start = Start(chosen_sweep(recording, wish.sweep), wish.step, "dark" in wish.theme)
    write_page(recording, wish.file, cards, start, wish.ask)


def _text(recording: Recording, wish: Wish) -> None:
    from gradviz.playback.track import Track
    from gradviz.texts import write_text

    write_text(Track(recording, chosen_sweep(recording, wish.sweep)), wish.file)


def write_worksheet(recording: Recording, sweep: int, file: Path) -> None:
    """Write the steps of a backward call with blanks, and their key on a page of its own, to print: PDF or HTML.

    Raises:
        GradvizError: the suffix is none of the two, or the file cannot be written.
    """
    from gradviz.formats.safe_write import put
    from gradviz.playback.track import Track
    from gradviz.texts.step_text import worksheet

    page = worksheet(Track(recording, sweep))
    if file.suffix.lower() in (".html", ".htm"):
        put(file, page.encode(errors="replace"))
    elif file.suffix.lower() == ".pdf":
        from gradviz.ui.canvas.files.printed_file import print_file

        print_file(page, file)
    else:
        raise GradvizError(f"{file}: a worksheet is a .pdf or an .html file")


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


WRITERS: dict[str, Callable[[Recording, Wish], None]] = {
    ".gradviz": _recording,
    ".json": _recording,
    ".png": _picture,
    ".svg": _picture,
    ".pdf": _picture,
    **dict.fromkeys(FILMS, _picture),
    ".html": _page,
    **dict.fromkeys((".dot", ".gv", ".graphml", ".csv", ".md", ".py"), _text),
}
