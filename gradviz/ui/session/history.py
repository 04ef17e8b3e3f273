"""What the user has changed, as pairs of snapshots: undo goes from one to the other, and can cause no other change.

Knows what a snapshot holds, and not how it is put in place. Runs nothing and draws nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gradviz.changes import NO_CHANGES, WhatIf
from gradviz.recording import counted
from gradviz.ui.session.document import HandSeed, are_same

if TYPE_CHECKING:
    from gradviz.playback.conditions.breakpoints import Breakpoint
    from gradviz.playback.groups.folding import Folding

MOST = 500
"""Changes that can be taken back; the oldest go first."""
_MOST_CHARACTERS = 20_000_000
"""Of all the texts that are kept for it."""


@dataclass(frozen=True)
class Snapshot:
    """All that a user can change and take back, at one moment.

    Attributes:
        text: the script.
        breakpoints: where playing stops.
        seeds: the v set by hand.
        folding: the groups that were folded by hand last, or None where none was.
        what_if: the numbers that are other than in the run.
    """

    text: str = ""
    breakpoints: tuple[Breakpoint, ...] = ()
    seeds: tuple[HandSeed, ...] = ()
    folding: Folding | None = None
    what_if: WhatIf = NO_CHANGES

    def differences(self, other: Snapshot) -> frozenset[str]:
        """The fields that `other` has otherwise."""
        plain = ("text", "breakpoints", "folding", "what_if")
        found = {name for name in plain if getattr(self, name) != getattr(other, name)}
        return frozenset(found if are_same(self.seeds, other.seeds) else found | {"seeds"})


class Change(NamedTuple):
    """One change: what it is called, and what was there before and after it."""

    name: str
    before: Snapshot
    after: Snapshot


class Wanted(NamedTuple):
    """What is to be put in place: the moment to go to, and the fields in which it differs. All else may stay."""

    target: Snapshot
    fields: frozenset[str]


class History:
    """The changes of one document, and how many of them are done.

    Attributes:
        present: what is there now, as far as it is known.
    """

    def __init__(self, present: Snapshot) -> None:
        self.present = present
        self._changes: list[Change] = []
        self._done = 0

    @property
    def undoes(self) -> str:
        """The name of the change that is taken back next; "" where there is none."""
        return self._changes[self._done - 1].name if self._done else ""

    @property
    def redoes(self) -> str:
        """The name of the change that is made again next; "" where there is none."""
        return self._changes[self._done].name if self._done < len(self._changes) else ""

    def note(self, name: str, now: Snapshot) -> bool:
        """The user has changed something; what was taken back before cannot be made again. False if nothing differs."""
        if not self.present.differences(now):
            return False
        del self._changes[self._done :]
        self._changes.append(Change(name, self.present, now))
        self.present = now
        while len(self._changes) > MOST or (len(self._changes) > 1 and self._characters() > _MOST_CHARACTERS):
            del self._changes[0]
        self._done = len(self._changes)
        return True

    def see(self, now: Snapshot) -> None:
        """Something has changed that was no wish of the user's, so that it is not taken back: by a run, say."""
        self.present = now

    def undo(self) -> Wanted | None:
        """Go back before the last change; None where there is none."""
        if not self._done:
            return None
        self._done -= 1
        change = self._changes[self._done]
        return Wanted(change.before, change.after.differences(change.before))

    def redo(self) -> Wanted | None:
        """Go on behind the next change that was taken back; None where there is none."""
        if self._done == len(self._changes):
            return None
        change = self._changes[self._done]
        self._done += 1
        return Wanted(change.after, change.before.differences(change.after))

    def _characters(self) -> int:
        # Texts that did not change are the same object.
        texts = {id(text): len(text) for change in self._changes for text in (change.before.text, change.after.text)}
        return sum(texts.values())


def edit_name(old: str, new: str) -> str:
    """What an edit of the script is called: by the first line that differs."""
    was, now = old.split("\n"), new.split("\n")
    line = next((at for at, (a, b) in enumerate(zip(was, now, strict=False), 1) if a != b), min(len(was), len(now)))
    if len(now) == len(was):
        return f"edit of line {line}"
    count = abs(len(now) - len(was))
    lines = counted(count, "line")
    return f"{lines} more at line {line}" if len(now) > len(was) else f"{lines} less at line {line}"
