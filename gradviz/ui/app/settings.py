"""What the app remembers between starts: window, theme, recent files. Kept by QSettings, read as plain values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QByteArray, QSettings, QStandardPaths

from gradviz.errors import ConditionError
from gradviz.shipped import shipped
from gradviz.ui.actions.table import SIZES

if TYPE_CHECKING:
    from gradviz.playback.conditions.breakpoints import Breakpoint

MAX_RECENT = 10
MAX_DOCUMENTS = 60
"""Documents of which breakpoints are kept."""
MAX_ACTIONS = 12
MAX_AGREED = 200
"""Files of which it is kept how they are run with PyTorch."""
MAX_TRUSTED = 1_000
"""Scripts that run as soon as they are opened, and as many that run with PyTorch."""


def _hash_of(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Progress(NamedTuple):
    """How far somebody has come in a lesson.

    Attributes:
        is_done: whether it was stepped to its end.
        right, asked: how many gradients were predicted, and of how many, in the best pass of each backward call.
    """

    is_done: bool = False
    right: int = 0
    asked: int = 0


T = TypeVar("T")


class _Choice(Generic[T]):
    """A setting that is one of a few values; what is stored otherwise reads as the first of them."""

    def __init__(self, *allowed: T) -> None:
        self._allowed = {str(one).lower(): one for one in allowed}

    def __set_name__(self, owner: type[Settings], name: str) -> None:
        self._name = name

    def __get__(self, settings: Settings, owner: type[Settings]) -> T:
        usual = next(iter(self._allowed))
        stored = str(settings.store.value(self._name, usual))
        return self._allowed.get(stored, self._allowed[usual])

    def __set__(self, settings: Settings, value: T) -> None:
        settings.store.setValue(self._name, str(value).lower())


class Settings:
    """Named, typed access; a damaged or missing entry reads as its default.

    Args:
        file: an .ini file to keep them in; without it, where the system keeps settings.

    Attributes:
        store: where they are kept.
        theme: "system", or the name of a palette.
        size: how large the whole window is drawn, in per cent of the usual: one of `SIZES`.
        direction: "down", "right", or "auto" for that in which the boxes are larger.
        reduced_motion: whether steps are shown without animation.
        step_over: whether the steps in a folded group are one step.
        gauges: whether each box says how large its gradient is.
    """

    theme = _Choice("system", "light", "dark", "contrast_light", "contrast_dark")
    size = _Choice(*SIZES)
    direction = _Choice("auto", "down", "right")
    reduced_motion = _Choice(False, True)
    step_over = _Choice(True, False)
    gauges = _Choice(True, False)

    def __init__(self, file: Path | None = None) -> None:
        ini = QSettings.Format.IniFormat
        self._file = file
        self.store = QSettings("gradviz", "gradviz") if file is None else QSettings(str(file), ini)

    @property
    def recent(self) -> tuple[Path, ...]:
        """Files opened lately that are still there, the latest first."""
        return tuple(path for path in map(Path, self._listed("recent")) if path.is_file())[:MAX_RECENT]

    def remember_file(self, path: Path) -> None:
        """Put a file first among the recent ones."""
        path = path.resolve()
        others = [known for known in self.recent if known != path]
        self.store.setValue("recent", [str(known) for known in (path, *others)][:MAX_RECENT])

    def trusts(self, path: Path, text: str) -> bool:
        """Whether a script runs as soon as its file is opened: a lesson, or a text that was typed or run here before.

        A path says nothing: somebody else may have written the file since.
        """
        return path.resolve().is_relative_to(shipped("examples")) or _hash_of(text) in self._hashes("trusted")

    def trust(self, text: str) -> None:
        """Let a script run as soon as it is opened, from now on, wherever it is."""
        self._keep_hash("trusted", text)

    def agrees(self, text: str) -> bool:
        """Whether somebody has agreed to run a script with PyTorch, which has all rights of the user."""
        return _hash_of(text) in self._hashes("agreed")

    def agree(self, text: str) -> None:
        """Run a script with PyTorch without a question, from now on, wherever it is."""
        self._keep_hash("agreed", text)

    def _hashes(self, name: str) -> list[str]:
        stored = self._kept(name)
        return [entry for entry in stored if isinstance(entry, str)] if isinstance(stored, list) else []

    def _keep_hash(self, name: str, text: str) -> None:
        mine = _hash_of(text)
        others = [known for known in self._hashes(name) if known != mine]
        self._keep(name, [mine, *others][:MAX_TRUSTED])

    def pytorch_for(self, document: str) -> dict[str, str]:
        """How a document was run with PyTorch last, by its path: "python", "args", "folder"; empty where it never was.

        By "" what was chosen last for any.
        """
        found = _entries(self._table("pytorch").get(document))
        return {str(key): str(value) for key, value in found.items()}

    def remember_pytorch(self, document: str, choice: Mapping[str, str]) -> None:
        """Keep how a document is run with PyTorch."""
        kept = self._table("pytorch")
        for key in dict.fromkeys((document, "")):
            kept.pop(key, None)
            kept[key] = dict(choice)
        self._keep("pytorch", dict(list(kept.items())[-MAX_AGREED:]))

    @property
    def recent_actions(self) -> tuple[str, ...]:
        """What was chosen in the command palette lately, the latest first."""
        return tuple(self._listed("recent_actions")[:MAX_ACTIONS])

    def remember_action(self, name: str) -> None:
        """Put an action first among those chosen lately."""
        others = [known for known in self.recent_actions if known != name]
        self.store.setValue("recent_actions", [name, *others][:MAX_ACTIONS])

    def breakpoints(self, document: str) -> tuple[Breakpoint, ...]:
        """The breakpoints kept for a document, by its path or name."""
        kept = self._table("breakpoints").get(document, [])
        return tuple(one for one in map(_breakpoint, kept if isinstance(kept, list) else []) if one is not None)

    def remember_breakpoints(self, document: str, breakpoints: Sequence[Breakpoint]) -> None:
        """Keep the breakpoints of a document; none of them forgets it."""
        kept = self._table("breakpoints")
        kept.pop(document, None)
        if breakpoints:
            kept[document] = [[one.text, one.is_on] for one in breakpoints]
        self._keep("breakpoints", dict(list(kept.items())[-MAX_DOCUMENTS:]))

    def progress(self) -> dict[str, Progress]:
        """How far each lesson was taken, by its file name; a lesson that was never finished is not there."""
        return {name: _progress(kept) for name, kept in self._table("lessons").items()}

    def finish_lesson(self, name: str) -> None:
        """Keep that a lesson was stepped to its end."""
        kept = self._table("lessons")
        if not _progress(kept.get(name)).is_done:
            kept[name] = {**_entries(kept.get(name)), "done": True}
            self._keep("lessons", kept)

    def keep_prediction(self, name: str, call: int, right: int, asked: int) -> None:
        """Keep how many gradients of a backward call were predicted, where it is more than before."""
        kept = self._table("lessons")
        entry = _entries(kept.get(name))
        calls = {**_entries(entry.get("calls"))}
        before = _counts(calls.get(str(call)))
        if asked and right * max(before[1], 1) >= before[0] * asked:
            kept[name] = {**entry, "calls": {**calls, str(call): [right, asked]}}
            self._keep("lessons", kept)

    @property
    def folder(self) -> Path:
        """Where file dialogs start."""
        stored = Path(str(self.store.value("folder", "")))
        return stored if stored.is_dir() else Path.home()

    @folder.setter
    def folder(self, path: Path) -> None:
        self.store.setValue("folder", str(path))

    @property
    def drafts(self) -> Path:
        """The folder of what is being edited and not saved, beside the settings."""
        if self._file is not None:
            return self._file.parent / "drafts"
        place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
        return Path(place, "gradviz", "drafts")

    def window_state(self, part: str) -> QByteArray | None:
        """The stored geometry or splitter state of a part of the window, or None."""
        stored = self.store.value(f"window/{part}")
        return stored if isinstance(stored, QByteArray) else None

    def remember_window_state(self, part: str, state: QByteArray) -> None:
        """Store the geometry or splitter state of a part of the window."""
        self.store.setValue(f"window/{part}", state)

    def save(self) -> None:
        """Write to disk now."""
        self.store.sync()

    # ---- how it is kept ----

    def _listed(self, key: str) -> list[str]:
        """A stored list of texts; an .ini file has one of a single text as that text."""
        stored = self.store.value(key, [])
        entries = [stored] if isinstance(stored, str) else stored if isinstance(stored, list) else []
        return [entry for entry in entries if isinstance(entry, str)]

    def _table(self, key: str) -> dict[str, object]:
        return _entries(self._kept(key))

    def _kept(self, key: str) -> object:
        """What is stored as JSON; None where it is damaged or missing."""
        try:
            return json.loads(str(self.store.value(key, "null")))
        except ValueError:
            return None

    def _keep(self, key: str, value: object) -> None:
        self.store.setValue(key, json.dumps(value))


def _entries(stored: object) -> dict[str, object]:
    """A stored table; an empty one where it is damaged."""
    return stored if isinstance(stored, dict) else {}


def _counts(stored: object) -> tuple[int, int]:
    match stored:
        case [int(right), int(asked)]:
            return right, asked
        case _:
            return 0, 0


def _progress(stored: object) -> Progress:
    entry = _entries(stored)
    counts = [_counts(call) for call in _entries(entry.get("calls")).values()]
    return Progress(entry.get("done") is True, sum(right for right, _ in counts), sum(asked for _, asked in counts))


def _breakpoint(stored: object) -> Breakpoint | None:
    """A stored breakpoint; None where it is damaged."""
    from gradviz.playback.conditions.breakpoints import read

    match stored:
        case [str(text), bool(is_on)]:
            try:
                return read(text, is_on)
            except ConditionError:
                return None
        case _:
            return None
