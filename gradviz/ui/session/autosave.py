"""Keeps a draft of what is being edited, off the GUI thread, from the first key on until it is saved or given up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThreadPool, QTimer, Signal

from gradviz.errors import FormatError
from gradviz.ui.session.document import Content, Document

if TYPE_CHECKING:  # they are loaded in the worker thread
    from gradviz.ui.session.drafts import Drafts, Found

TYPING_MS = 800
"""Whoever types without a rest has a draft at least so old."""


class Autosave(QObject):
    """One draft, of what the document holds; one worker, so that all is written in the order in which it happened.

    Args:
        folder: of the drafts of all windows.

    Signals:
        found_changed: the drafts that no window has open, the latest first. Payload: a tuple of Found.
        shared: another window has the file open, too, that was just opened. Payload: its Path.
        overtaken: another program has written the open file; once for each of its contents. Payload: its Path.
        vanished: the open file is not there any more; once. Payload: its Path.
        failed: drafts cannot be kept; again only after one could be. Payload: GradvizError.
    """

    found_changed = Signal(object)
    shared = Signal(object)
    overtaken = Signal(object)
    vanished = Signal(object)
    failed = Signal(object)

    def __init__(self, document: Document, folder: Path) -> None:
        super().__init__()
        self._document, self._folder = document, folder
        self._jobs: deque[_Keep | Callable[[], None]] = deque()
        self._adding = Lock()
        self._made: Drafts | None = None
        self._is_failing = False
        self._seen: tuple[Path, int, int] | None = None
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._typing = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._typing.timeout.connect(self._keep_typed)
        self._text_of: Callable[[], str] = lambda: document.content.text
        document.draft_changed.connect(lambda: self._keep(document.content))
        document.leaving.connect(self._leave)
        document.opened.connect(self._look_for_others)

    def look(self) -> None:
        """Look for drafts that no window has open; the answer is `found_changed`."""
        self._add(self._tell_found)

    def look_at_file(self) -> None:
        """Look whether another program has written or removed the open file: `overtaken`, or `vanished`, says it."""
        content = self._document.content
        if content.path is not None:
            self._add(lambda: self._tell_overtaken(content))

    def take(self, found: Found) -> None:
        """What is open now is that draft: its own file goes once it is kept as the draft of this window."""

        def remove() -> None:
            if not self._is_failing:
                found.file.unlink(missing_ok=True)

        self._add(remove)
        self.look()

    def discard(self, found: Found) -> None:
        """The user does not want a draft any more."""
        self._add(lambda: found.file.unlink(missing_ok=True))
        self.look()

    def type(self, text_of: Callable[[], str]) -> None:
        """A key was pressed in the editor; `text_of` has the text that the document is told after a rest."""
        self._text_of = text_of
        if not self._typing.isActive():
            self._typing.start()

    def writing(self, path: Path) -> AbstractContextManager[None]:
        """While a file is written, so that nothing half written stays beside it whatever happens."""
        return self._drafts.writing(path)

    def is_safe(self) -> bool:
        """Whether what is open is kept as it is now; waits until it is written."""
        self._keep(self._document.content)
        self._pool.waitForDone()
        return not self._is_failing

    def close(self) -> None:
        """The window closes: what has no name stays as a draft, all else was saved or given up."""
        self._typing.stop()
        self._leave(self._document.content)
        self._pool.waitForDone()

    def _keep_typed(self) -> None:
        text = self._text_of()
        if text != self._document.content.text:
            self._keep(replace(self._document.content, text=text))

    def _leave(self, content: Content) -> None:
        self._typing.stop()
        stays = content.is_untitled and content.is_modified and bool(content.text.strip())
        self._add(lambda: self._drafts.let_go(stays=stays))

    def _look_for_others(self) -> None:
        path = self._document.content.path
        if path is not None:
            self._add(lambda: self._tell_shared(path))

    # ---- the worker ----

    @property
    def _drafts(self) -> Drafts:
        from gradviz.ui.session.drafts import Drafts

        with self._adding:
            if self._made is None:
                self._made = Drafts(self._folder)
            return self._made

    def _keep(self, content: Content) -> None:
        self._add(_Keep(content))

    def _add(self, job: _Keep | Callable[[], None]) -> None:
        with self._adding:
            if isinstance(job, _Keep) and self._jobs and isinstance(self._jobs[-1], _Keep):
                self._jobs[-1] = job  # the one before would be replaced at once
                return
            self._jobs.append(job)
        self._pool.start(self._do_next)

    def _do_next(self) -> None:
        with self._adding:
            job = self._jobs.popleft()
        try:
            if isinstance(job, _Keep):
                self._write(job.content)
            else:
                job()
        except OSError as error:
            self._fail(error.strerror or type(error).__name__)
        except Exception as error:  # left to itself it would be reported in this thread, where nothing may be shown
            self._fail(f"gradviz itself failed ({type(error).__name__}: {error})")

    def _write(self, content: Content) -> None:
        from gradviz.ui.session.drafts import draft_of

        self._drafts.keep(draft_of(content))
        self._is_failing = False

    def _tell_shared(self, path: Path) -> None:
        if self._drafts.is_open_elsewhere(path):
            self.shared.emit(path)

    def _tell_overtaken(self, content: Content) -> None:
        from gradviz.ui.session.saving import is_changed_elsewhere

        path = content.path
        if path is None:
            return
        try:
            state = path.stat()
            stamp, told = (path, state.st_mtime_ns, state.st_size), self.overtaken
        except FileNotFoundError:
            stamp, told = (path, 0, 0), self.vanished
        if stamp != self._seen and (told is self.vanished or is_changed_elsewhere(content)):
            self._seen = stamp
            told.emit(path)

    def _tell_found(self) -> None:
        self.found_changed.emit(self._drafts.found())

    def _fail(self, reason: str) -> None:
        was_failing, self._is_failing = self._is_failing, True
        if not was_failing:
            self.failed.emit(FormatError(f"What you type is not kept safe: {self._folder}: {reason}.", hint="Save it."))


class _Keep:
    """A job that may be replaced by a later one of its kind."""

    def __init__(self, content: Content) -> None:
        self.content = content
