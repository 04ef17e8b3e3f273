"""The app from the start of its process to the first paint of its window, against a bare window of PySide6.

Both import what the app cannot do without: numpy, some of the standard library, and the names in `Qt`. Each figure is
a process of its own, in rounds of both, offscreen. Times are processor time of the process, so that other work on the
machine counts for neither side.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROUNDS = 9
AGAINST = "a bare PySide6 window and the imports that cannot be avoided"

_PAINTED = """
import sys, time
from PySide6.QtCore import QEvent, QObject

class FirstPaint(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            print(time.process_time())
            sys.stdout.flush()
            import os
            os._exit(0)
        return False
"""

BARE = f"""
import dataclasses, json, pathlib, re
import numpy
from PySide6.QtCore import Qt
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


def cases(smoke: bool) -> Iterator[dict[str, Any]]:
    """One row; with `smoke` a single round."""
    with tempfile.TemporaryDirectory() as folder:
        both = (OURS, BARE)
        for code in both:  # an installed program is compiled
            _seconds(code, Path(folder))
        rounds = [[_seconds(code, Path(folder)) for code in both] for _ in range(1 if smoke else ROUNDS)]
    ours, bare = (statistics.median(figures) for figures in zip(*rounds, strict=True))
    yield {"bench": "start", "case": "first paint", "against": AGAINST, "ratio": round(ours / bare, 3), "aim": 1.6,
           "unit": "ms", "value": round(ours * 1e3, 1), "n": 1}  # fmt: skip


def _seconds(code: str, folder: Path) -> float:
    """Processor time of a process until its first paint."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", code, str(folder / "settings.ini")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)
