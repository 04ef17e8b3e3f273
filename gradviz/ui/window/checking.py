"""The gradient check in the window: every node of the picture against central differences, as marks on the boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gradviz.errors import GradvizError
from gradviz.playback.health.finding import Finding
from gradviz.playback.words import label, number_text
from gradviz.recording import Recording
from gradviz.ui.canvas.step.checks import Verdict
from gradviz.ui.session.runner import Going, Latest
from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.run.verify import CheckRow
    from gradviz.ui.window.window import Window

Ask = Callable[[str, Any], Any]
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
            recording, nodes, ask = picture.track.recording, picture.track.forward, self._session.run_asked()
            self._window.show_message(CHECKING.format(0.0))
            self._latest.ask(lambda going: (recording, checked(recording, nodes, ask, going)))

    def _take(self, answer: tuple[Recording, Sequence[CheckRow]]) -> None:
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
        self.rows, self._recording = rows, recording
        bench = self._window.workbench
        bench.canvas.show_checks({node: verdict_of(row) for node, row in rows.items() if not row.reason})
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


def checked(recording: Recording, nodes: Sequence[int], ask: Ask | None, going: Going) -> list[CheckRow]:
    """One row for each op among some nodes; custom Functions are checked by the run that has them, where it lives."""
    from gradviz.run.verify import CheckRow, check_node  # late: it brings the engine

    ops = [node for node in nodes if not recording.nodes[node].is_leaf]
    asked: dict[int, CheckRow] = {}
    if ask is not None and any(recording.nodes[node].op[:1].isupper() for node in ops):
        try:
            asked = {row["node"]: CheckRow(**row) for row in ask("check", None)}
        except GradvizError:
            asked = {}  # the run has ended: its Functions are not checked, and say so
    rows = []
    for at, node in enumerate(ops):
        if going():
            break
        going.tell(at / len(ops))
        rows.append(asked[node] if node in asked else check_node(recording, node))
    return rows


def verdict_of(row: CheckRow) -> Verdict:
    """What the mark says."""
    if not row.passed:
        return Verdict.WRONG
    return Verdict.KINK if row.kink else Verdict.AGREES


def finding_of(row: CheckRow) -> Finding:
    """What the inspector says: the two numbers, and the verdict."""
    if row.reason:
        return Finding(f"Gradient check: not checked, {row.reason}.")
    numbers = ""
    if row.sent is not None and row.measured is not None:
        where = f" at {list(row.element)}" if row.element else ""
        numbers = f" analytic {number_text(row.sent)}, numeric {number_text(row.measured)}{where} for a random ∂L/∂out;"
    if not row.passed:
        return Finding(f"Gradient check:{numbers} they differ.", is_wrong=True)
    error = "" if row.error is None else f" Largest error {number_text(row.error)}."
    verdict = " at a kink: between the slopes of both sides." if row.kink else " they agree."
    return Finding(f"Gradient check:{numbers}{verdict}{error}")


def summary(recording: Recording, rows: Sequence[CheckRow]) -> str:
    """What a check has found, in a sentence or two."""
    wrong = [row for row in rows if not row.passed]
    left_out = sum(bool(row.reason) for row in rows)
    compared = len(rows) - left_out
    rest = f" {left_out:,} not checked." if left_out else ""
    if not compared:
        return f"Nothing could be checked.{rest}"
    if wrong:
        names = ", ".join(label(recording, row.node) for row in wrong[:3])
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        count = f"{len(wrong):,} of {compared:,} rules"
        return f"Gradient check: {count} {'is' if len(wrong) == 1 else 'are'} wrong: {names}{more}.{rest}"
    every = "the one rule agrees" if compared == 1 else f"all {compared:,} rules agree"
    return f"Gradient check: {every} with central differences.{rest}"
