"""A vector whose numbers take several rows is seen whole."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from gradviz.ui.app.rooms import Rooms
from gradviz.ui.app.start import build

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

    shown = [card.array.cells for card in window.workbench.inspector.cards if hasattr(card, "array")]
    shown = [cells for cells in shown if cells.isVisible()]
    assert shown
    assert [cells.height() for cells in shown] == [cells.heightForWidth(cells.width()) for cells in shown]
    window.session.close()
