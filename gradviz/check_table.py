"""The check of every node's rule, as a table to read."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.graph.verify import CheckRow

HEADER = ("node", "op", "name", "largest error", "result")


def table(rows: Sequence[CheckRow]) -> str:
    """One line per node under a header, and a last line that sums up."""
    lines = [HEADER, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    texts = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([*texts, "", _summary(rows)])


def _cells(row: CheckRow) -> tuple[str, ...]:
    error = "-" if row.error is None else f"{row.error:.1e}"
    return (str(row.node), row.op, row.name or "", error, _result(row))


def _result(row: CheckRow) -> str:
    if row.reason:
        return f"{'not checked' if row.passed else 'FAILS'}: {row.reason}"
    if not row.passed:
        return f"FAILS at input {row.slot}{_numbers(row)}"
    return "agrees, at a kink: a convention, not a fault" if row.kink else "agrees"


def _numbers(row: CheckRow) -> str:
    """What is sent, and what would be right."""
    where = " along a random direction" if row.element is None else f", element {list(row.element)}" * bool(row.element)
    return f"{where}: for a random ∂L/∂y it sends {row.sent:.4g}, and differences say {row.measured:.4g}"


def _summary(rows: Sequence[CheckRow]) -> str:
    failed, left_out = sum(not row.passed for row in rows), sum(bool(row.reason) and row.passed for row in rows)
    checked = len(rows) - left_out
    compared = _counted(checked, "rule", "rules")
    agree, fail = _counted(checked - failed, "agrees", "agree"), _counted(failed, "fails", "fail")
    text = f"{compared} compared with central differences: {agree}, {fail}"
    return f"{text}; {left_out} not checked." if left_out else f"{text}."


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
