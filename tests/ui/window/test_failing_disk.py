"""A disk that is full, a folder that may only be read: one sentence, the document stays, and so does the older file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.windows import choose_file

ROOT = Path(__file__).resolve().parents[3]
SUFFIXES = (".json", ".gradviz", ".html", ".svg", ".png", ".pdf", ".csv", ".dot", ".graphml", ".md")
on_posix = pytest.mark.skipif(os.name != "posix", reason="limits and modes of POSIX")

FULL = """
import resource, signal, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from gradviz.errors import GradvizError
from tests.ui.real_windows import lay_out_parts, real_window
from tests.ui.sessions import Reader, lay_out, measure

folder, suffixes = Path(sys.argv[1]), sys.argv[2:]
app = QApplication([])
window = real_window(folder / "settings.ini", interpret=Reader(), lay_out=lay_out, measure=measure)
session = window.session
session.open_script("one\\ntwo\\n" + "x" * 3000, "mine.py", is_new=True)
while session.picture is None:
    app.processEvents()
lay_out_parts(window)
assert window.autosave.is_safe()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
for suffix in suffixes:
    try:
        window.files.export_to(folder / f"run{suffix}")
        print(suffix, "WRITTEN")
    except GradvizError as error:
        print(suffix, error.one_line())
for name in ("mine.py", "mine.gradviz"):
    window.commands.guarded(lambda: window.files._write(folder / name))
    print(name, window.statusBar().currentMessage())
session.document.set_text("more" * 100)
print("safe", window.autosave.is_safe())
app.processEvents()
print("status", window.statusBar().currentMessage())
print("text", session.document.content.text[-4:], session.document.content.path, session.document.content.is_modified)
window.session.close()
"""


@on_posix
def test_a_full_disk_is_a_sentence_and_what_is_there_stays(tmp_path):
    for name in ("mine.py", "mine.gradviz", *(f"run{suffix}" for suffix in SUFFIXES)):
        (tmp_path / name).write_text("old")
    unseen = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", FULL, str(tmp_path), *SUFFIXES]
    ran = subprocess.run(command, cwd=ROOT, env=unseen, capture_output=True, text=True, check=False, timeout=120)

    said = dict(line.split(" ", 1) for line in ran.stdout.splitlines())
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    for suffix in SUFFIXES:
        assert "cannot be written: File too large" in said[suffix]
    for name in ("mine.py", "mine.gradviz"):
        assert f"{name} cannot be written: File too large" in said[name]
    assert said["safe"] == "False"
    assert "What you type is not kept safe" in said["status"]
    assert said["text"] == "more None True"
    kept = {"mine.py", "mine.gradviz", *(f"run{suffix}" for suffix in SUFFIXES)}
    assert {file.name for file in tmp_path.iterdir()} - {"settings.ini", "drafts"} == kept
    assert all((tmp_path / name).read_text() == "old" for name in kept)


def test_a_folder_that_may_only_be_read_is_a_sentence(opened, monkeypatch, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "mine.gradviz").write_text("old")
    folder.chmod(0o500)
    if os.access(folder, os.W_OK):  # of the superuser, whom no mode holds
        monkeypatch.setattr("gradviz.formats.safe_write.os.open", refuse_to_open)
        monkeypatch.setattr("gradviz.formats.safe_write.tempfile.mkstemp", refuse_to_open)
    text = opened.session.document.content.text
    for name in ("mine.py", "mine.gradviz"):
        choose_file(monkeypatch, "getSaveFileName", folder / name)
        opened.trigger("save_as")
        assert f"{name} cannot be written: Permission denied" in opened.statusBar().currentMessage()

    assert opened.session.document.content.path is None
    assert opened.session.document.content.text == text
    assert (folder / "mine.gradviz").read_text() == "old"
    assert [file.name for file in folder.iterdir()] == ["mine.gradviz"]
    folder.chmod(0o700)


def refuse_to_open(*_given, **_named):
    raise PermissionError(13, "Permission denied")
