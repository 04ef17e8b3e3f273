"""The table of steps as CSV, Markdown and a worksheet."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from gradviz.playback.step_table import step_rows
from gradviz.playback.track import Track
from gradviz.recording import Recording
from gradviz.texts.step_text import BLANK, _harmless, csv_table, markdown_table, worksheet
from tests.samples import weighted_sum


def named(name: str) -> Recording:
    recording = weighted_sum()
    return replace(recording, nodes=(recording.nodes[0]._replace(name=name), *recording.nodes[1:]))


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_csv_has_a_row_for_each_step():
    rows = read(csv_table(Track(weighted_sum(), 0)))

    _, second, *_ = step_rows(Track(weighted_sum(), 0))
    assert "[1, 1] ⊙ [3, 5]" in second.rule[1]
    assert [row["step"] for row in rows] == ["1", "2", "3", "4"]
    assert rows[1] == {
        "step": "2", "node": "x·x·w (mul)", "comes in": "[1, 1]",
        "rule": "\n".join(line.strip() for line in second.rule), "goes out": "[3, 5] to x·x",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["=cmd|' /C calc'!A0", "@SUM(1)", "+a", "-a", "-2+3+cmd|' /C calc'!A0", "+1|x", "-.5*A1", "\uff1d1+1"]
)
def test_no_cell_is_run_by_a_spreadsheet(name):
    rows = read(csv_table(Track(named(name), 0)))

    cells = [cell for row in rows for cell in row.values() if re.match("[-=+@\uff0b\uff0d\uff1d\uff20]", cell)]
    assert all(math.isfinite(float(cell)) for cell in cells)
    assert any(name in row["node"] for row in rows)


@pytest.mark.parametrize("number", ["-6", "+0.5", "-1.5e-07", "-inf"])
def test_a_number_stays_a_number(number):
    assert _harmless(number) == number
    assert _harmless(f"{number}|") == f"'{number}|"


def test_markdown_is_a_table_with_a_heading():
    lines = markdown_table(Track(weighted_sum(), 0)).splitlines()

    assert lines[0] == "## backward call 1, line 7: v = 1 at y"
    assert lines[2] == "| step | node | comes in | rule | goes out |"
    assert lines[4].startswith("| 1 | y (sum) | 1 |")
    assert lines[5].count("<br>") == 1
    assert len(lines) == 8


@pytest.mark.parametrize("name", ["a|b", "<img src=x onerror=alert(1)>", "a`b", "[x](javascript:alert(1))", "a\n\n# b"])
def test_a_name_in_markdown_is_only_a_name(name):
    text = markdown_table(Track(named(name), 0))

    assert {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines()[2:]} == {6}
    assert "<img" not in text.replace("\\<img", "")
    assert "](j" not in text.replace("\\](j", "")


class Cells(HTMLParser):
    """The cells of a page's tables, and the tags it has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data


def test_a_worksheet_has_blanks_and_its_key_on_a_page_of_its_own():
    page = worksheet(Track(weighted_sum(), 0))
    sheet, key = page.split('<div class="key">')

    assert "page-break-before: always" in page
    blanks = [cell.strip() for cell in Cells(sheet).cells]
    _, second, *_ = step_rows(Track(weighted_sum(), 0))
    assert blanks[:5] == ["1", "y (sum)", "1", blanks[3], f"{BLANK} to x·x·w"]  # v is given
    assert blanks[5:10] == ["2", "x·x·w (mul)", BLANK, second.rule[0], f"{BLANK} to x·x"]
    assert blanks[17].startswith(f"{BLANK}{BLANK} from x·x")  # the sum, and its terms
    assert "[3, 5]" not in "".join(blanks)
    assert "[3, 5]" in "".join(Cells(key).cells)
    assert "x.grad = [-6, 20]" in "".join(Cells(key).cells)


def test_a_name_in_a_worksheet_is_text():
    recording = named("<img src=x onerror=alert(1)>")
    recording = replace(recording, source=replace(recording.source, name="</title><script>", text="</pre><script>"))

    assert not {"img", "script"} & Cells(worksheet(Track(recording, 0))).tags


def test_a_worksheet_is_printed_on_two_pages(qapp, tmp_path):
    from gradviz.ui.canvas.files.printed_file import print_file

    print_file(worksheet(Track(weighted_sum(), 0)), tmp_path / "sheet.pdf")

    content = (tmp_path / "sheet.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert re.findall(rb"/Type\s*/Pages.*?/Count (\d+)", content, re.DOTALL) == [b"2"]


def test_a_printed_worksheet_has_its_headings_on_every_page(qapp):
    from PySide6.QtGui import QTextDocument, QTextTable

    document = QTextDocument()
    document.setHtml(worksheet(Track(weighted_sum(), 0)))

    tables = [each for each in document.rootFrame().childFrames() if isinstance(each, QTextTable)]
    assert [table.format().headerRowCount() for table in tables] == [1, 1]
