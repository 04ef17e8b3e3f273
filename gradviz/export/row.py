"""What there is to know of a format: a row. Command line, dialog, help and tests read it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from gradviz.errors import GradvizError
from gradviz.export.work import Work
from gradviz.recording import Recording

if TYPE_CHECKING:
    from gradviz.playback.track import Track
    from gradviz.ui.canvas.files.picture_file import Graph, Look


class Family(Enum):
    """What kind of thing a file is: it stands among its like in the dialog."""

    PICTURE = "picture"
    FILM = "film"
    PAGE = "page"
    RECORDING = "recording"
    TEXT = "text"


class Library(NamedTuple):
    """What a format takes that gradviz does not bring.

    Attributes:
        module: the name under which it is imported.
        why: what it is for.
        requirement: what pip installs, as an extra of the distribution has it.
        instead: what needs nothing, as a sentence.
    """

    module: str
    why: str
    requirement: str
    instead: str

    def lacking(self) -> GradvizError | None:
        """What to install; None where it is there. Nothing is imported to find out."""
        try:
            is_there = find_spec(self.module) is not None
        except ValueError:  # it is kept from being imported
            is_there = False
        install = f'Install it: "{sys.executable}" -m pip install "{self.requirement}".'
        return None if is_there else GradvizError(self.why, hint=f"{install} {self.instead}")


@dataclass(frozen=True)
class Subject:
    """What is written.

    Attributes:
        recording: what is shown.
        document: what a recording as a file holds: with how it is looked at, and without a what-if applied.
        sweep: index of the backward call, or None.
        step: backward steps done where it is shown; None for where a file of that kind usually begins or ends.
        is_dark: whether it is shown in dark colours.
        notes: sentences on what its numbers are, where they are not simply those of a run.
        ask: asks the run of the recording a question by its name; None where there is none.
        track: the backward call as it is stepped through.
        graph, look: what is painted, and how; asked for by what paints.
    """

    recording: Recording
    document: Recording
    sweep: int | None
    track: Callable[[], Track]
    graph: Callable[[], Graph]
    look: Callable[[], Look]
    step: int | None = None
    is_dark: bool = False
    notes: Sequence[str] = ()
    ask: Callable[[str, Any], Any] | None = None


@dataclass(frozen=True)
class Row:
    """A format.

    Attributes:
        suffixes: of its files, the one that is offered first.
        name: what a person calls it.
        holds: what is in it, as a sentence.
        family: what kind of thing it is.
        start: begins to write a subject; imports what it needs when it is called.
        takes: the options of the command line that have a meaning for it, by name.
        needs: a library that gradviz does not bring, or None.
        keeps_what_if: whether a what-if is in it as it was set, to be applied again, beside the numbers of the run.
        notes_place: where it says what its numbers are, in words behind "says so".
        left_out: what of a subject it cannot hold, as sentences; "" where it holds all.
    """

    suffixes: tuple[str, ...]
    name: str
    holds: str
    family: Family
    start: Callable[[Subject], Work]
    takes: frozenset[str] = frozenset()
    needs: Library | None = None
    keeps_what_if: bool = False
    notes_place: str = ""
    left_out: Callable[[Subject], str] = lambda _subject: ""

    @property
    def suffix(self) -> str:
        """The suffix that is offered."""
        return self.suffixes[0]

    @property
    def words(self) -> str:
        """Its name with its suffixes, as dialogs for files have it."""
        return f"{self.name} ({' '.join(f'*{suffix}' for suffix in self.suffixes)})"

    @property
    def is_painted(self) -> bool:
        """Whether the graph is painted for it, which Qt wants to be done on the thread of the window."""
        return self.family in (Family.PICTURE, Family.FILM)

    def lacking(self) -> GradvizError | None:
        """Why it cannot be written here, and what to install; None where it can."""
        return None if self.needs is None else self.needs.lacking()
