"""Drafts: what is being edited, kept in a folder beside the settings until it is saved or given up.

Every open document has a draft of its own there, by a number nobody else has: `N.json` is the draft, `N.lock` is locked
as long as its process lives, `N.writing` names the file that is being saved or exported. So a start tells the drafts of
windows that are open from those of windows that ended, however they did. Knows no widgets.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import uuid
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradviz.changes import Change, Spot, WhatIf
from gradviz.errors import FormatError
from gradviz.formats.file_lock import lock_file
from gradviz.formats.safe_write import clear_leftover, write_whole
from gradviz.ui.session.document import NOTEBOOK, SCRIPT, Content, HandSeed, are_same, content_of, read_breakpoints
from gradviz.ui.session.lessons import watch_in

if TYPE_CHECKING:
    from gradviz.playback.groups.folding import Folding

VERSION = 1
MOST = 50
"""Drafts of windows that are closed; the oldest go first."""
_MOST_NUMBERS = 10_000
"""A larger v set by hand is not kept."""


@dataclass(frozen=True)
class Draft:
    """What it takes to open a document again as it was.

    Attributes:
        content: the document, without what its runs have left behind.
        kept_at: when it was kept, in seconds since 1970.
    """

    content: Content
    kept_at: float

    @property
    def is_unsaved(self) -> bool:
        """Whether it holds what is in no file: a change, or an expression that was typed."""
        content = self.content
        has_any = bool(content.text.strip()) or content.is_recording
        return has_any and (content.is_modified or content.is_untitled)


class Found(NamedTuple):
    """A draft that no window has open.

    Attributes:
        file: where it is.
        is_new: whether its process ended without closing its window, and this is the first look since.
    """

    file: Path
    draft: Draft
    is_new: bool


def draft_of(content: Content) -> Draft:
    """The draft of a document as it is now."""
    kept = Content(
        text=content.text, name=content.name, path=content.path, saved_text=content.saved_text, kind=content.kind,
        held=content.held, breakpoints=content.breakpoints, hand_seeds=content.hand_seeds,
        saved_breakpoints=content.saved_breakpoints, saved_seeds=content.saved_seeds, what_if=content.what_if,
        folding=content.folding, saved_what_if=content.saved_what_if, saved_folding=content.saved_folding,
    )  # fmt: skip
    return Draft(kept, time.time())


class Drafts:
    """The drafts of one process in a folder that all share.

    Args:
        folder: made when it is first needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: int | None = None
        self._number = ""
        self._beginning = RLock()

    def keep(self, draft: Draft) -> None:
        """Write the draft of what is open, in place of the one before.

        Raises:
            OSError: it cannot be written.
        """
        self._begin()
        write_whole(self._mine(".json"), _written(draft))

    def let_go(self, *, stays: bool) -> None:
        """What was open is closed: its draft stays to be found again, or goes."""
        with self._beginning:
            lock, self._lock = self._lock, None
            if lock is None:
                return
            with contextlib.suppress(OSError):
                if not stays:
                    self._mine(".json").unlink(missing_ok=True)
                os.close(lock)
                self._mine(".lock").unlink(missing_ok=True)

    def found(self) -> tuple[Found, ...]:
        """The drafts that no window has open and that are in no file, the latest first.

        What else was left behind by a process that ended is removed.
        """
        abandoned: list[Found] = []
        for file, is_new in self._abandoned():
            draft = _draft_in(file)
            if draft is None:
                continue  # of a newer gradviz, or damaged by the disk: nothing that is to be removed
            if draft.is_unsaved and not _is_in_its_file(draft.content):
                abandoned.append(Found(file, draft, is_new))
            else:
                _remove(file)
        abandoned.sort(key=lambda entry: -entry.draft.kept_at)
        different: dict[tuple[object, ...], Found] = {}
        for entry in abandoned:
            content = entry.draft.content
            key = (content.path, content.name, content.text)
            if key in different or len(different) == MOST:
                _remove(entry.file)
            else:
                different[key] = entry
        return tuple(different.values())

    def is_open_elsewhere(self, path: Path) -> bool:
        """Whether another window has that file open."""
        for lock in self.folder.glob("*.lock"):
            if lock.stem != self._number and _is_locked(lock):
                draft = _draft_in(lock.with_suffix(".json"))
                if draft is not None and draft.content.path == path:
                    return True
        return False

    @contextlib.contextmanager
    def writing(self, path: Path) -> Iterator[None]:
        """While a file is being written: what is left beside it if this process ends is found at the next start."""
        note: Path | None = None
        with contextlib.suppress(OSError):
            self._begin()
            note = self._mine(".writing")
            note.write_bytes(os.fsencode(path.absolute()))
        try:
            yield
        finally:
            if note is not None:
                with contextlib.suppress(OSError):
                    note.unlink(missing_ok=True)

    def _begin(self) -> None:
        with self._beginning:
            while self._lock is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._number = uuid.uuid4().hex
                file = os.open(self._mine(".lock"), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
                if lock_file(file) and self._mine(".lock").exists():
                    self._lock = file
                else:  # another start took it for one that is left, before it was locked
                    os.close(file)

    def _mine(self, suffix: str) -> Path:
        return self.folder / f"{self._number}{suffix}"

    def _abandoned(self) -> list[tuple[Path, bool]]:
        """The drafts whose window is gone, and whether that is news; of what else is left there, nothing stays."""
        ended = set()
        for lock in self.folder.glob("*.lock"):
            if lock.stem != self._number and not _is_locked(lock):
                clear_leftover(lock.with_suffix(".json"))
                _end_writing(lock.with_suffix(".writing"))
                _remove(lock)
                ended.add(lock.stem)
        for note in self.folder.glob("*.writing"):
            if not note.with_suffix(".lock").exists():
                _end_writing(note)
        drafts = [file for file in self.folder.glob("*.json") if not file.with_suffix(".lock").exists()]
        return [(file, file.stem in ended) for file in drafts]


def _end_writing(note: Path) -> None:
    """Remove what is left beside the file that a note names, and the note."""
    with contextlib.suppress(OSError, ValueError):
        clear_leftover(Path(os.fsdecode(note.read_bytes())))
    _remove(note)


def _remove(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.unlink(missing_ok=True)


def _is_locked(lock: Path) -> bool:
    try:
        file = os.open(lock, os.O_RDWR)
    except OSError:
        return False
    try:
        return not lock_file(file)
    finally:
        os.close(file)


def _is_in_its_file(content: Content) -> bool:
    """Whether the file has all of it by now: the process ended after it was saved."""
    from gradviz.formats import load
    from gradviz.source.files import read_source

    if content.path is None:
        return False
    try:
        if not content.is_recording:
            return read_source(content.path).text == content.text
        there = content_of(load(content.path), content.name, content.path)
    except (FormatError, ValueError):  # the second one for a path that no file can have
        return False
    plain = ("text", "breakpoints", "what_if", "folding")
    is_same = all(getattr(there, name) == getattr(content, name) for name in plain)
    return is_same and are_same(there.hand_seeds, content.hand_seeds)


# ---- as JSON ----


def _written(draft: Draft) -> bytes:
    content = draft.content
    document = {
        "version": VERSION,
        "kept_at": draft.kept_at,
        "text": content.text,
        "name": content.name,
        "path": _path_text(content.path),
        "saved_text": None if content.saved_text == content.text else content.saved_text,
        "kind": content.kind,
        "held": _path_text(content.held),
        "breakpoints": [[one.text, one.is_on] for one in content.breakpoints],
        "seeds": _seeds_written(content.hand_seeds),
        "what_if": _what_if_written(content.what_if),
        "folding": _folding_written(content.folding),
    }
    if content.is_recording:
        document["saved_breakpoints"] = [[one.text, one.is_on] for one in content.saved_breakpoints]
        document["saved_seeds"] = _seeds_written(content.saved_seeds)
        document["saved_what_if"] = _what_if_written(content.saved_what_if)
        document["saved_folding"] = _folding_written(content.saved_folding)
    return json.dumps(document).encode("ascii")  # escaped: half a character in a text is none in UTF-8


def _path_text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _seeds_written(seeds: Sequence[HandSeed]) -> list[dict[str, Any]]:
    return [_seed_written(seed) for seed in seeds if seed.seed.size <= _MOST_NUMBERS]


def _seed_written(seed: HandSeed) -> dict[str, Any]:
    numbers = np.ascontiguousarray(seed.seed)
    return {
        "output": seed.output, "name": seed.name, "dtype": numbers.dtype.str, "shape": list(seed.seed.shape),
        "numbers": b64encode(numbers.tobytes()).decode("ascii"),
    }  # fmt: skip


def _what_if_written(what_if: WhatIf) -> list[list[Any]]:
    return [[*change.spot, change.number] for change in what_if.changes]


def _folding_written(folding: Folding | None) -> list[Any] | None:
    return None if folding is None else [sorted(folding.folded), folding.focus, folding.has_plumbing]


def _draft_in(file: Path) -> Draft | None:
    """The draft in a file; None where it cannot be read or is of another version."""
    try:
        return _draft_read(json.loads(file.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None  # it may hold anything, at any depth


def _draft_read(document: Any) -> Draft | None:
    match document:
        case {"version": 1, "kept_at": int() | float() as kept_at, "text": str(text), "name": str(name)}:
            pass
        case _:
            return None
    time.localtime(kept_at)  # raises where that is no time
    path, saved, held = (document.get(key) for key in ("path", "saved_text", "held"))
    content = Content(
        text=text,
        name=name,
        path=None if path is None else Path(path),
        saved_text=text if saved is None else str(saved),
        kind=NOTEBOOK if document.get("kind") == NOTEBOOK else SCRIPT,
        held=None if held is None else Path(held),
        watch=watch_in(text),
    )
    breakpoints, saved_breakpoints = (
        read_breakpoints([(str(text), bool(is_on)) for text, is_on in document.get(key, [])])
        for key in ("breakpoints", "saved_breakpoints")
    )
    seeds, saved_seeds = (tuple(map(_seed_read, document.get(key, []))) for key in ("seeds", "saved_seeds"))
    what_if, saved_what_if = (_what_if_read(document.get(key, [])) for key in ("what_if", "saved_what_if"))
    folding, saved_folding = (_folding_read(document.get(key)) for key in ("folding", "saved_folding"))
    content = replace(
        content, breakpoints=breakpoints, saved_breakpoints=saved_breakpoints, hand_seeds=seeds,
        saved_seeds=saved_seeds, what_if=what_if, saved_what_if=saved_what_if, folding=folding,
        saved_folding=saved_folding,
    )  # fmt: skip
    return Draft(content, float(kept_at))


def _what_if_read(written: Sequence[Sequence[Any]]) -> WhatIf:
    return WhatIf(tuple(Change(Spot(*place), float(number)) for *place, number in written))


def _folding_read(written: Sequence[Any] | None) -> Folding | None:
    if written is None:
        return None
    from gradviz.playback.groups.folding import Folding

    folded, focus, has_plumbing = written
    return Folding(frozenset(map(tuple, folded)), None if focus is None else tuple(focus), has_plumbing)


def _seed_read(entry: dict[str, Any]) -> HandSeed:
    numbers = np.frombuffer(b64decode(entry["numbers"]), np.dtype(str(entry["dtype"])))
    name = entry["name"]
    return HandSeed(int(entry["output"]), None if name is None else str(name), numbers.reshape(entry["shape"]).copy())
