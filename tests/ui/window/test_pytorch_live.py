"""The whole way in the window with the PyTorch of this very Python: refused, asked, run, shown, verified."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from gradviz.run.interpreters import ask
from gradviz.ui.app.rooms import Rooms
from gradviz.ui.app.start import build

pytest.importorskip("torch")

TEXT = """\
import torch
torch.manual_seed(0)
net = torch.nn.Linear(4, 2)
x = torch.randn(3, 4).bfloat16().float()
loss = net(x).logsumexp(1).mean()
loss.backward()
print("done")
torch.ones(2) @ torch.ones(3)
"""


def test_from_the_refusal_to_the_true_picture(qtbot, qapp: QApplication, tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(TEXT)
    window = build(qapp, Rooms(), tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.commands.pytorch.search = lambda _beside, _cancelled: [ask(Path(sys.executable))]
    window.show()
    with qtbot.waitSignal(window.session.document.run_ended, timeout=60_000):
        window.session.open_script(TEXT, "net.py", path=file)
    content = window.session.document.content
    assert content.problem is not None
    strip = window.workbench.editor.strip
    assert strip.offer.text() == "Run with PyTorch"

    strip.offer.click()
    asked = window.commands.pytorch.dialog
    assert asked is not None
    qtbot.waitUntil(asked.pythons.isEnabled, timeout=30_000)
    with qtbot.waitSignal(window.session.picture_changed, timeout=120_000):
        asked.go.click()

    content = window.session.document.content
    assert window.workbench.badge.text().startswith("PyTorch 2.")
    assert content.output == "done\n"
    assert content.problem is not None
    assert content.problem.line == 8
    assert strip.offer.isHidden()
    qtbot.waitUntil(lambda: window.session.picture is not None)
    window.trigger("verify")
    qtbot.waitUntil(lambda: "agree at" in window.statusBar().currentMessage(), timeout=30_000)
    window.session.close()
