"""The gradient check in the window: every node of the picture against central differences, as marks on the boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gradviz.errors import GradvizError
from gradviz.recording import Recording
from gradviz.ui.session.runner import Latest
from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.graph.verify import CheckRow
    from gradviz.ui.window.window import Window

CHECKING = "Comparing every rule with central differences… {:.0%}; the same command again ends it."
CANCELLED = "The check was ended."


class GradientCheck:
    """The command that checks the picture; given again, it takes the marks away, or ends a check under way.

    Attributes:
        rows: of the last check, by node; empty where none is shown.
    """

    def __init__(self, window: Window, session: Session) -> None:
        self._window, self._session = window, session
        self._recording: Recording | None = None
        self.rows: dict[int, CheckRow] = {}
        self._latest = Latest()
        self._latest.answered.connect(self._take)
        self._latest.failed.connect(self._fail)
        self._latest.progressed.connect(lambda share: window.show_message(CHECKING.format(share)))
        session.picture_changed.connect(self._forget)
        session.closed.connect(self._latest.close)

    def handlers(self) -> dict[str, Callable[[], None]]:
        """What its action does."""
        return {"check": self.check}

    @property
    def is_busy(self) -> bool:
        """Whether a check is under way."""
        return self._latest.is_busy

    def check(self) -> None:
        """Check every node of the picture, off the GUI thread."""
        picture = self._session.picture
        if self._latest.is_busy:
            self._latest.drop()
            self._window.show_message(CANCELLED)
        elif self.rows:
            self._show({}, None)
            self._window.show_message("")
        elif picture is not None:
            from gradviz.ui.window.checked import checked  # late: the window stands before anything is checked

            recording, nodes, ask = picture.track.recording, picture.track.forward, self._session.run_asked()
            self._window.show_message(CHECKING.format(0.0))
            self._latest.ask(lambda going: (recording, checked(recording, nodes, ask, going)))

    def _take(self, answer: tuple[Recording, Sequence[CheckRow]]) -> None:
        from gradviz.ui.window.checked import summary

        recording, rows = answer
        picture = self._session.picture
        if picture is None or picture.track.recording is not recording:
            return  # another picture has come meanwhile
        self._show({row.node: row for row in rows}, recording)
        wrong = next((row for row in rows if not row.passed), None)
        if wrong is not None:
            self._window.workbench.visit(wrong.node)
        self._window.show_message(summary(recording, rows))

    def _show(self, rows: dict[int, CheckRow], recording: Recording | None) -> None:
        from gradviz.ui.window.checked import finding_of, verdict_of

        self.rows, self._recording = rows, recording
        bench = self._window.workbench
        marked = {node: row for node, row in rows.items() if not (row.reason and row.passed)}
        bench.canvas.show_checks({node: verdict_of(row) for node, row in marked.items()})
        bench.inspector.show_remarks({node: finding_of(row) for node, row in rows.items()})
        bench.show_node()

    def _forget(self) -> None:
        """The marks are of one recording; those of another would be lies."""
        picture = self._session.picture
        recording = None if picture is None else picture.track.recording
        if self.rows and recording is not self._recording:
            self._show({}, None)

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, GradvizError):
            raise error
        self._window.show_error(error)
