"""The window plays recordings from files where neither the engine nor what runs scripts is installed."""

from __future__ import annotations

import json
import subprocess
import sys

from gradviz.formats import save
from tests.samples import weighted_sum

VIEWER = '''
import importlib.abc, json, sys

class Refused(importlib.abc.MetaPathFinder):
    """Neither is installed."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[:2] in (["gradviz", "engine"], ["gradviz", "run"]):
            raise ImportError(f"{name} is not installed")

sys.meta_path.insert(0, Refused())

from pathlib import Path
from PySide6.QtCore import QEventLoop, QTimer
from gradviz.ui.app.rooms import Rooms
from gradviz.ui.app.start import application, build

def wait_for(signal):
    loop = QEventLoop()
    signal.connect(loop.quit)
    QTimer.singleShot(20_000, loop.quit)
    loop.exec()

folder = Path(sys.argv[1])
app = application()
window = build(app, Rooms(), folder / "settings.ini")
window.show()
QTimer.singleShot(0, lambda: window.open_path(folder / "recorded.json"))
wait_for(window.session.picture_changed)
player = window.session.clock.player
player.first()
seen = []
while player.position < player.length:
    player.step(1)
    node = window.session.picture.track.node_at(player.position)
    window.workbench.select(node)
    seen.append([node, window.workbench.inspector.text()])
window.grab().save(str(folder / "window.png"))
window.trigger("run")
wait_for(window.session.document.run_ended)
problem = window.session.document.content.problem
made = sorted(name for name in sys.modules if name.startswith(("gradviz.engine", "gradviz.run")))
print(json.dumps({"seen": seen, "length": player.length, "problem": problem.message, "modules": made}))
window.session.close()
'''


def test_recording_is_opened_and_stepped_through_without_engine_and_run(tmp_path):
    save(weighted_sum(), tmp_path / "recorded.json")

    run = subprocess.run(
        [sys.executable, "-c", VIEWER, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )

    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout.splitlines()[-1])
    assert said["modules"] == []
    assert len(said["seen"]) == said["length"] == 9
    assert "x.grad after: [-6., 20.]" in said["seen"][-1][1]
    assert "∂L/∂in = ∂L/∂out ⊙ w" in said["seen"][6][1]  # the catalogue needs no engine
    assert said["problem"].startswith("scripts cannot be run here")
    assert (tmp_path / "window.png").stat().st_size > 10_000
