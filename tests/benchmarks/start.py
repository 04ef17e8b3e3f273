"""The app from the start of its process to the first paint of its window, against a bare window of PySide6.

The bare one imports PySide6 and nothing else. Each figure is a process of its own, in rounds of both, offscreen. Times are
processor time of the process, so that other work on the machine counts for neither side.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.figures import Row, in_turns, row

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 9
AGAINST = "a bare PySide6 window"
AIM = 2.0

_PAINTED = """
import os, sys, time
from PySide6.QtCore import QEvent, QObject

class FirstPaint(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            print(time.process_time())
            sys.stdout.flush()
            os._exit(0)
        return False
"""

BARE = f"""
from PySide6.QtWidgets import QApplication, QMainWindow
{_PAINTED}
app = QApplication([])
window = QMainWindow()
window.resize(1200, 800)
first = FirstPaint()
window.installEventFilter(first)
window.show()
app.exec()
"""

OURS = f"""
from pathlib import Path
from gradviz.ui.app.start import application, build
app = application()
from gradviz.ui.app.rooms import Rooms
{_PAINTED}
window = build(app, Rooms(), Path(sys.argv[1]))
first = FirstPaint()
window.installEventFilter(first)
window.show()
app.exec()
"""


def cases(smoke: bool) -> Iterator[Row]:
    """One row; with `smoke` a single round."""
    with tempfile.TemporaryDirectory() as folder:
        for code in (OURS, BARE):  # an installed program is compiled
            _ms(code, Path(folder))
        sides = {"ours": partial(_ms, OURS, Path(folder)), "bare": partial(_ms, BARE, Path(folder))}
        times = in_turns(sides, 1 if smoke else ROUNDS)
    yield row("start", "first paint", times["ours"], "ms", 1, theirs=times["bare"], against=AGAINST, aim=AIM)


def _ms(code: str, folder: Path) -> float:
    """Processor time of a process until its first paint, in ms."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", code, str(folder / "settings.ini")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return 1e3 * float(done.stdout)
