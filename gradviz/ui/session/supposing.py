"""The what-if of a session: which one is asked for, and its numbers once they are computed, off the GUI thread.

While one is computed, only the newest that is asked for meanwhile waits: a number that is dragged is seen to move, and
no request piles up. Until the first is there the picture of the run stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from gradviz.changes import NO_CHANGES, Applied, Spot, WhatIf, number_at
from gradviz.errors import Cancelled, GradvizError
from gradviz.recording import Recording
from gradviz.ui.session.document import Document
from gradviz.ui.session.runner import Going, Latest

NO_ENGINE = "A what-if needs the engine, and this gradviz only shows recordings."
NOTHING_DRAWN = "There is no run to change a number of: run a script first."


class Recalculates(Protocol):
    """What applies what-ifs to one recording."""

    def apply(self, what_if: WhatIf, cancelled: Callable[[], bool] = ..., /) -> Applied:
        """The recording with other numbers."""


Ask = Callable[[str, Any], Any]
"""Asks the run that is open a question by its name."""

Recalculate = Callable[[Recording, Ask | None], Recalculates]


class Supposing(QObject):
    """Asks for what-ifs, and shows the newest.

    Attributes:
        recalculate: makes what computes them; None without an engine.
        run_asked: gives what asks the run that is open, or None.

    Signals:
        slow_changed: whether one has been computed for a while.
        restored: one that was saved, or taken back, is asked for again.
        refused: a number that cannot be changed so. Payload: GradvizError.
    """

    slow_changed = Signal(bool)
    restored = Signal()
    refused = Signal(object)

    def __init__(self, document: Document, recalculate: Recalculate | None = None) -> None:
        super().__init__()
        self.recalculate = recalculate
        self.run_asked: Callable[[], Ask | None] = lambda: None
        self._document = document
        self._by: tuple[Recording, Recalculates] | None = None
        self._asked = NO_CHANGES
        self._next: WhatIf | None = None
        self._work = Latest()
        self._work.answered.connect(self._take)
        self._work.failed.connect(self._lose)
        self._work.slow_changed.connect(self.slow_changed)

    @property
    def wanted(self) -> WhatIf:
        """What is asked for, which may be ahead of what is shown."""
        return self._document.content.what_if

    @property
    def is_busy(self) -> bool:
        """Whether something is being computed."""
        return self._work.is_busy

    @property
    def why_not(self) -> str:
        """Why no number can be changed; "" where one can."""
        if self.recalculate is None:
            return NO_ENGINE
        return "" if self._document.content.own.nodes else NOTHING_DRAWN

    def change(self, spot: Spot, number: float) -> None:
        """Ask for another number at a spot, besides those that are changed already; the run's own takes it back."""
        if self.why_not:
            self.refused.emit(GradvizError(self.why_not))
            return
        try:
            was = number_at(self._document.content.own, spot)
        except GradvizError as error:
            self.refused.emit(error)
            return
        same = number == was
        # Of a gradient that an edit before it has changed, the run's number is a change too.
        is_plain = same and not any(each.spot != spot for each in self.wanted.changes)
        self.suppose(self.wanted.without(spot) if is_plain else self.wanted.changed(spot, number))

    def suppose(self, what_if: WhatIf) -> None:
        """Show this what-if; an empty one is the run itself."""
        if what_if == self.wanted and (what_if or self._document.content.supposed is None):
            return
        if not what_if:
            self.drop()
            self._document.restore_run()
            return
        self._document.want(what_if)
        if self._work.is_busy:
            self._next = what_if
        else:
            self._ask(what_if)

    def restore(self, what_if: WhatIf) -> None:
        """Show a what-if that was saved with its recording, or taken back: that is no change of the user's now."""
        self._document.want(what_if)
        if what_if and not self.why_not:
            self._ask(what_if)
        self.restored.emit()

    def drop(self) -> None:
        """Forget what is under way and what is asked for."""
        self.forget()
        self._document.want(NO_CHANGES)

    def forget(self) -> None:
        """Forget what is under way."""
        self._work.drop()
        self._next = None

    def close(self) -> None:
        """End what is under way."""
        self._work.close()

    def _ask(self, what_if: WhatIf) -> None:
        own, recalculate = self._document.content.own, self.recalculate
        if recalculate is None:
            return
        if self._by is None or self._by[0] is not own:
            self._by = (own, recalculate(own, self.run_asked()))
        by = self._by[1]

        self._asked = what_if

        def work(going: Going) -> tuple[Recording, WhatIf, Applied]:
            return own, what_if, by.apply(what_if, going)

        self._work.ask(work)

    def _take(self, answer: tuple[Recording, WhatIf, Applied]) -> None:
        own, what_if, applied = answer
        if own is self._document.content.own:
            waiting, self._next = self._next, None
            if waiting is not None:
                self._ask(waiting)
            self._document.suppose(what_if, applied)

    def _lose(self, error: BaseException) -> None:
        """It cannot be applied: what is shown stays, and is what is asked for again."""
        waiting, self._next = self._next, None
        if waiting is not None:
            self._ask(waiting)
            return
        self._document.give_up(self._asked)
        if isinstance(error, Cancelled):
            return
        if not isinstance(error, GradvizError):
            raise error
        self.refused.emit(error)
