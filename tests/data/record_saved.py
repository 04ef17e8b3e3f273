"""Save one recording in both formats as this version does, for the versions that come.

What is saved stays as it is for good: a later version reads it, or breaks its promise. So no file is written over;
a version that adds keys adds files beside those of the versions before.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from gradviz import __version__, cli
from gradviz.changes import Spot
from gradviz.playback.conditions.breakpoints import on_line
from tests.ui.real_windows import lay_out_parts, real_window

FOLDER = Path(__file__).with_name("saved")
SCRIPT = """\
import torch

def twice(t):
    s = t * t
    return s + s

x = torch.arange(1.0, 13.0, requires_grad=True)
y = twice(x)
y.sum().backward(retain_graph=True)
print(x.grad)
"""


def wait(seconds: float = 1.0) -> None:
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def save_document(folder: Path, file: Path) -> None:
    """Save what a window shows after all that can be changed by hand was changed."""
    window = real_window(folder / "settings.ini")
    session, bench = window.session, window.workbench
    session.open_script(SCRIPT, "twice.py")
    wait()
    bench.folds.toggle(0)
    session.document.set_breakpoints((on_line(9), on_line(4)._replace(is_on=False)))
    y = next(node.id for node in session.document.content.recording.nodes if node.name == "y")
    session.sweep_by_hand(y, np.full(12, 0.5, np.float32))
    wait()
    session.supposing.change(Spot(0, 11), 20.0)
    wait()
    lay_out_parts(window)
    session.clock.player.go(session.picture.track.turn + 1)
    bench.canvas.zoom_by(1.5)
    window.files._write(file)
    window.close()


if __name__ == "__main__":
    files = [FOLDER / f"{__version__}{suffix}" for suffix in (".json", ".gradviz")]
    if any(file.exists() for file in files):
        sys.exit("They are there, and stay as they are.")
    app = QApplication([])
    with tempfile.TemporaryDirectory() as name:
        script = Path(name) / "twice.py"
        script.write_text(SCRIPT, encoding="utf-8")
        cli.main(["export", str(script), str(files[0])])
        save_document(Path(name), files[1])
