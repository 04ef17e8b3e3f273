"""A vector whose numbers take several rows is seen whole."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from gradviz.ui.app.rooms import Rooms
from gradviz.ui.app.start import build
from gradviz.ui.inspector.cells import Cells
from gradviz.ui.inspector.rows import numbers
from gradviz.ui.look.number_tiles import NumberTiles

TEXT = """\
import torch
x = torch.linspace(-1, 1, 8, requires_grad=True)
(x * x * x).sum().backward()
"""


def test_no_row_of_a_gradient_is_hidden(qtbot, qapp: QApplication, tmp_path: Path) -> None:
    window = build(qapp, Rooms(), tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    with qtbot.waitSignal(window.session.picture_changed, timeout=60_000):
        window.session.open_script(TEXT, "a.py")

    window.session.clock.player.last()
    QApplication.processEvents()

    cards = [card for card in window.workbench.inspector.cards if card.isVisible()]
    shown = [each for card in cards for each in card.findChildren(Cells) if each.isVisible()]
    assert shown
    assert [cells.height() for cells in shown] == [cells.heightForWidth(cells.width()) for cells in shown]
    tiles = [each for card in cards for each in card.findChildren(NumberTiles) if each.isVisible()]
    assert tiles
    assert [(each.size(), each.geometry().right() < each.parentWidget().width()) for each in tiles] == [
        (each.sizeHint(), True) for each in tiles
    ]
    window.session.close()


def test_a_value_breaks_before_its_norm_and_nowhere_else():
    markup = numbers("[512, 256, 3, 3] norm 20.74", "#000000")

    assert ">[512,\u00a0256,\u00a03,\u00a03] norm\u00a020.74<" in markup
