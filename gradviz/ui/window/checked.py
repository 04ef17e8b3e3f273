"""What a gradient check finds at each node, as a mark and in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gradviz.errors import GradvizError
from gradviz.playback.health.finding import Finding
from gradviz.playback.words import label, number_text
from gradviz.recording import Recording
from gradviz.ui.canvas.step.checks import Verdict
from gradviz.ui.session.runner import Going

if TYPE_CHECKING:
    from gradviz.graph.verify import CheckRow

Ask = Callable[[str, Any], Any]


def checked(recording: Recording, nodes: Sequence[int], ask: Ask | None, going: Going) -> list[CheckRow]:
    """One row for each op among some nodes; custom Functions are checked by the run that has them, where it lives."""
    from gradviz.graph.verify import CheckRow, check_node  # late: it brings the engine

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
    if row.reason and not row.passed:
        return Finding(f"Gradient check: {row.reason}.", is_wrong=True)
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
    left_out = sum(bool(row.reason) and row.passed for row in rows)
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
