"""The steps of a backward pass as a table to read in a terminal."""

from __future__ import annotations

from itertools import zip_longest

from gradviz.playback.step_table import StepRow, heading, step_rows
from gradviz.playback.track import Track

HEADER = ("step", "node", "comes in", "rule", "goes out")


def table(track: Track) -> str:
    """A sentence on the call, and a row for each step; a row has as many lines as its longest cell."""
    lines = [HEADER, *(line for row in step_rows(track) for line in _lines(row))]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    texts = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([heading(track), "", *texts])


def _lines(row: StepRow) -> list[tuple[str, ...]]:
    columns = ((str(row.number),), (row.node,), row.comes_in, row.rule, row.goes_out)
    return list(zip_longest(*columns, fillvalue=""))
