"""The table of steps as text: CSV for spreadsheets, Markdown for notes, a worksheet to print with its key."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from html import escape

from gradviz.playback.step_table import StepRow, heading, step_rows
from gradviz.playback.track import Track

HEADER = ("step", "node", "comes in", "rule", "goes out")
_RUNS = re.compile("[-+=@\t\r\uff0b\uff0d\uff1d\uff20]")
"""How a cell begins that a spreadsheet would run as a formula."""
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|[-+]?(inf|nan)")
"""A cell that is one, though it begins so."""
_MARKDOWN = re.compile(r"([\\`*_<>|~#]|\](?=[(\[:]))")

_WIDTHS = (7, 19, 24, 26, 24)
"""Of the columns of a worksheet, in per cent."""

STYLE = """
body { font-family: Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; font-size: 10pt; }
h1 { font-size: 16pt; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #8a909c; padding: 6px; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { background-color: #f0f2f5; }
pre { font-family: 'JetBrains Mono', Menlo, Consolas, monospace; font-size: 9pt; white-space: pre-wrap; }
.key { page-break-before: always; }
@page { size: A4; margin: 16mm; }
tr { page-break-inside: avoid; }
@media screen and (min-width: 1px) {
  body { max-width: 60em; margin: 2em auto; padding: 0 1.5em; }
  .key { margin-top: 4em; }
}
"""


def csv_table(track: Track, notes: Sequence[str] = ()) -> str:
    """A row for each step; a cell with several lines holds them all. With the mark by which Excel knows UTF-8.

    Notes are rows without a number at the end.
    """
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\r\n")
    rows.writerow(HEADER)
    for row in step_rows(track):
        rows.writerow([_harmless("\n".join(line.strip() for line in cell)) for cell in _cells(row)])
    rows.writerows(["", _harmless(note), "", "", ""] for note in notes)
    return "\ufeff" + written.getvalue()


def markdown_table(track: Track, notes: Sequence[str] = ()) -> str:
    """The call as a heading, notes below it, and a row for each step."""
    lines = [f"## {_in_markdown(heading(track))}", ""]
    lines += [part for note in notes for part in (_in_markdown(note), "")]
    lines += [_markdown_row(HEADER), _markdown_row(["---"] * len(HEADER))]
    for row in step_rows(track):
        lines.append(_markdown_row(["<br>".join(_in_markdown(line.strip()) for line in cell) for cell in _cells(row)]))
    return "\n".join([*lines, ""])


def worksheet(track: Track) -> str:
    """A page of HTML to print: the script, the steps with blanks for every number, and on a new page the key."""
    rows = list(step_rows(track))
    source = track.recording.source
    title = escape("a recording" if source is None else source.name)
    script = "" if source is None else f"<pre>{escape(source.text.strip())}</pre>"
    task = "Fill in what comes in at each step, and what goes out. v is given."
    sheet = _html_table([_blanked(row, is_first=index == 0) for index, row in enumerate(rows)])
    key = _html_table([_cells(row) for row in rows])
    call = escape(heading(track))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>Worksheet: {title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>Worksheet: {title}</h1>\n{script}\n<p>{call}. {task}</p>\n{sheet}\n"
        f'<div class="key">\n<h1>Key: {title}</h1>\n<p>{call}.</p>\n{key}\n</div>\n</body>\n</html>\n'
    )


def _cells(row: StepRow) -> tuple[Sequence[str], ...]:
    return (str(row.number),), (row.node,), row.comes_in, row.rule, row.goes_out


def _harmless(cell: str) -> str:
    """A cell that no spreadsheet runs: an apostrophe before it makes it a text."""
    return f"'{cell}" if _RUNS.match(cell) and not _NUMBER.fullmatch(cell) else cell


def _in_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


BLANK = "_" * 14


def _blanked(row: StepRow, *, is_first: bool) -> tuple[Sequence[str], ...]:
    """A row without its numbers. Where the pass begins, v is given; of a rule the letters stay."""
    came = row.comes_in if is_first else [_blank(line) for line in row.comes_in]
    rule = [line for line in row.rule if not line.startswith("  ")]
    return (str(row.number),), (row.node,), came, rule, [_blank(line) for line in row.goes_out]


def _blank(line: str) -> str:
    """The words of a line around a blank for its numbers: where they go to or come from, or the name before a sign."""
    for sign in (" to ", " from "):
        if sign in line:
            return f"{BLANK}{sign}{line.rpartition(sign)[2]}"
    name, equals, _ = line.partition(" = ")
    return f"{name} = {BLANK}" if equals else BLANK


def _html_table(rows: Sequence[Sequence[Sequence[str]]]) -> str:
    head = "".join(f'<th width="{width}%">{escape(title)}</th>' for title, width in zip(HEADER, _WIDTHS, strict=True))
    body = "\n".join(
        "<tr>" + "".join(f"<td>{'<br>'.join(escape(line.strip()) for line in cell)}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    # With a head of its own, the headings stand on every page.
    return (
        '<table border="1" cellspacing="0" cellpadding="6" width="100%">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )
