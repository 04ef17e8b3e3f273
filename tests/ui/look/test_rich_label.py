"""Texts that are laid out once look as Qt's own do, and what changes in an enclosure stays in there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QTextDocument, QTextOption
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from gradviz.ui.look.enclosure import Enclosure
from gradviz.ui.look.rich_label import RichLabel, unbroken

TOP = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
MARKUP = (
    '<p style="margin:0">a = <span style="color:#C2410C">1.00</span></p><p style="margin:4px 0 0 0">b = 2.00</p>',
    '<p align="center" style="margin:12px 0 3px 0"><span style="font-size:22px">∂L/∂a · x<sup>2</sup></span></p>',
    "<b>add</b> sends 1 to nll_loss and 1 to a, which is more than has room on one line of so narrow a label",
)


@pytest.mark.parametrize("alignment", [TOP, MIDDLE], ids=["top", "middle"])
@pytest.mark.parametrize("margins", [(0, 0, 0, 0), (16, 2, 12, 6)], ids=["no margins", "margins"])
@pytest.mark.parametrize("markup", MARKUP)
def test_rich_text_looks_as_in_a_label_of_qt(qtbot, markup, margins, alignment):
    ours, theirs = RichLabel(), QLabel()
    theirs.setTextFormat(Qt.TextFormat.RichText)
    theirs.setWordWrap(True)
    ours.write(markup)
    theirs.setText(markup)
    for label in (ours, theirs):
        label.setContentsMargins(*margins)
    for label in (ours, theirs):
        qtbot.addWidget(label)
        label.setAlignment(alignment)
        label.setEnabled(False)  # in another colour than black
        label.resize(190, theirs.heightForWidth(190) + 7)

    assert ours.heightForWidth(190) == theirs.heightForWidth(190)
    assert ours.grab().toImage() == theirs.grab().toImage()


def test_selected_text_is_painted_as_selected(qtbot):
    label = RichLabel()
    qtbot.addWidget(label)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.write("some words")
    label.resize(120, 20)
    before = label.grab().toImage()

    label.setSelection(0, 4)

    assert label.grab().toImage() != before


class _Heard(QWidget):
    """Counts how often its layout was asked for again."""

    count = 0

    def event(self, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return super().event(event)


@pytest.mark.parametrize("is_enclosed", [True, False], ids=["enclosed", "open"])
def test_what_changes_in_an_enclosure_stays_in_there(qtbot, is_enclosed):
    outside, inside = _Heard(), QWidget()
    qtbot.addWidget(outside)
    label = QLabel("one")
    QVBoxLayout(inside).addWidget(label)
    QVBoxLayout(outside).addWidget(Enclosure(inside) if is_enclosed else inside)
    outside.show()
    QApplication.processEvents()
    outside.count = 0

    label.setText("one line\nand another")
    for _ in range(3):
        QApplication.processEvents()

    assert (outside.count == 0) == is_enclosed


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("g ⊙ softmax of the whole (∂L/∂y)", "∂L/"),
        ("g where x is greater than 0, else 0", "else "),
        ("v is what was said above: [1.5, -0.25, 2]", "-0.25, "),
    ],
)
def test_no_line_ends_within_a_gradient_a_last_case_or_a_row_of_numbers(qapp, text, ends):
    def lines(markup: str) -> set[str]:
        document, found = QTextDocument(), set()
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WordWrap)
        document.setDefaultTextOption(option)
        document.setHtml(markup)
        for width in range(120, 400):
            document.setTextWidth(width)
            document.size()
            block = document.begin()
            rows = [block.layout().lineAt(row) for row in range(block.layout().lineCount())]
            found |= {block.text()[row.textStart() :][: row.textLength()] for row in rows}
        return found

    assert any(line.endswith(ends) for line in lines(text))
    assert not any(line.endswith(ends) for line in lines(unbroken(text)))
