"""Undo and redo of what the user changes: script, breakpoints, v, folds, numbers. In the order it happened."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor

from gradviz.ui.session.document import is_same
from gradviz.ui.session.history import History, Snapshot, Wanted, edit_name
from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.playback.groups.folding import Folding
    from gradviz.ui.session.document import HandSeed
    from gradviz.ui.window.workbench import Workbench

_KEYS = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)


class Undoing(QObject):
    """The history of the open document, kept and put in place.

    Signals:
        changed: another change is the one to take back, or to make again.
    """

    changed = Signal()

    def __init__(self, workbench: Workbench, session: Session) -> None:
        super().__init__(workbench)
        self._workbench, self._session = workbench, session
        self._is_applying = False
        self._seed_count, self._next_name = 0, ""
        self.history = History(Snapshot())
        self._begin()
        document = session.document
        document.opened.connect(self._begin)
        document.draft_changed.connect(self._take_change)
        workbench.folds.changed.connect(self._take_folding)
        document.run_ended.connect(self._see_run)
        session.supposing.restored.connect(lambda: self.history.see(self._now()))
        workbench.editor.area.installEventFilter(self)

    # ---- what is asked ----

    def undo(self) -> None:
        """Take the last change back."""
        self._workbench.editor.flush()
        self._apply(self.history.undo())

    def redo(self) -> None:
        """Make the next change again."""
        self._workbench.editor.flush()
        self._apply(self.history.redo())

    def call_next(self, name: str) -> None:
        """What to call the edit of the script that follows, where another part of the window makes it."""
        self._next_name = name

    def note(self, name: str, folding: Folding | None = None) -> None:
        """Something has been changed that can be taken back, and what that is called."""
        if not self._is_applying and self.history.note(name, self._now(folding)):
            self.changed.emit()

    # ---- what has happened ----

    def _see_run(self) -> None:
        """A run has come in the place of a what-if: that is taken back by no undo."""
        present = self.history.present
        if not self._is_applying and present.what_if and not self._session.supposing.wanted:
            self.history.see(replace(present, what_if=self._session.supposing.wanted))

    def _begin(self) -> None:
        self.history = History(Snapshot())
        self.history.see(self._now())
        self._seed_count = len(self._session.document.content.hand_seeds)
        self.changed.emit()

    def _take_folding(self, name: str, before: Folding, after: Folding) -> None:
        """A group was folded or opened by hand. What was open before may be the doing of a search or a step."""
        if not self._is_applying:
            self.history.see(replace(self.history.present, folding=before))
            self.note(name, folding=after)

    def _take_change(self) -> None:
        """The script, breakpoints and seeds; a seed that a run has dropped is no wish of anybody."""
        content, present = self._session.document.content, self.history.present
        count, self._seed_count = self._seed_count, len(content.hand_seeds)
        if self._is_applying:
            return
        if content.text != present.text:
            self.note(self._next_name or edit_name(present.text, content.text))
            self._next_name = ""
        elif len(content.hand_seeds) > count:
            seed = content.hand_seeds[-1]
            self.note(f"v of {seed.name or 'a node'}")
        elif content.breakpoints != present.breakpoints:
            self.note("breakpoints")
        else:  # numbers and folds have names that are told besides
            self.history.see(replace(self._now(), what_if=present.what_if))

    def _now(self, folding: Folding | None = None) -> Snapshot:
        content = self._session.document.content
        folded = folding or self.history.present.folding
        what_if = self._session.supposing.wanted
        return Snapshot(content.text, content.breakpoints, content.hand_seeds, folded, what_if)

    # ---- putting in place ----

    def _apply(self, wanted: Wanted | None) -> None:
        if wanted is None:
            return
        target, document = wanted.target, self._session.document
        self._is_applying = True
        try:
            if "text" in wanted.fields:
                document.want_hand_seeds(target.seeds)  # the run that follows sweeps them again
                self._set_text(target.text)
                self._session.restore_after_run(target.what_if)
                document.set_breakpoints(target.breakpoints)
            else:
                document.set_breakpoints(target.breakpoints)
                if "seeds" in wanted.fields:
                    self._set_seeds(target.seeds)
                self._session.supposing.suppose(target.what_if)  # a v that went has taken it along
            if "folding" in wanted.fields and target.folding is not None:
                self._workbench.folds.restore(target.folding)
        finally:
            self._is_applying = False
        folding = target.folding if "folding" in wanted.fields else self.history.present.folding
        self.history.see(self._now(folding))
        self.changed.emit()

    def _set_text(self, text: str) -> None:
        """Into the editor, with the cursor in the first line that differs, and run."""
        editor = self._workbench.editor
        old = editor.text()
        at = next((i for i, (a, b) in enumerate(zip(old, text, strict=False)) if a != b), min(len(old), len(text)))
        editor.set_text(text)
        editor.area.setTextCursor(QTextCursor(editor.area.document().findBlockByNumber(text.count("\n", 0, at))))
        editor.area.ensureCursorVisible()
        self._session.edit(text)

    def _set_seeds(self, seeds: tuple[HandSeed, ...]) -> None:
        """Drop the sweeps that are not wanted, and ask for the one that is."""
        document, session = self._session.document, self._session
        for index, seed in reversed(list(enumerate(document.content.hand_seeds))):
            if not any(is_same(seed, each) for each in seeds):
                document.drop_hand_seed(index)
        self._seed_count = len(seeds)
        there = document.content.hand_seeds
        for seed in [each for each in seeds if not any(is_same(each, one) for one in there)][-1:]:
            session.sweep_by_hand(seed.output, seed.seed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The editor would take the keys for an undo of its own, past all other changes."""
        match event:
            case QKeyEvent() if event.type() == QEvent.Type.ShortcutOverride and any(map(event.matches, _KEYS)):
                event.ignore()
                return True
        return super().eventFilter(watched, event)
