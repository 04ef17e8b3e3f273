"""Whoever kills gradviz at any moment finds at the next start what was there, and nothing damaged or left over.

More of them by hand: GRADVIZ_KILLS=200 python -m pytest tests/ui/session/test_killed.py
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from gradviz.changes import Change, Spot
from gradviz.formats import load
from gradviz.recording import Framing
from gradviz.ui.session.drafts import Drafts
from tests.ui.session.editing import SUFFIXES, is_whole

ROOT = Path(__file__).resolve().parents[3]
KILLS = int(os.environ.get("GRADVIZ_KILLS", "6"))
LONGEST_S = 0.6
pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9 is a signal of POSIX")


def said_until_killed(folder: Path, seed: int) -> list[dict[str, str]]:
    """What a process said before it was killed at a moment that the seed chooses."""
    command = [sys.executable, "-m", "tests.ui.session.editing", str(folder), str(seed)]
    unseen = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen(command, cwd=ROOT, env=unseen, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline()]  # it is up
    killer = threading.Timer(random.Random(seed).uniform(0, LONGEST_S), process.kill)
    killer.start()
    lines += process.stdout.readlines()
    process.wait()
    killer.join()
    process.stdout.close()
    assert process.returncode == -9
    return [json.loads(line) for line in lines if line.endswith("\n")]


@pytest.mark.parametrize("seed", range(KILLS))
def test_what_was_there_is_found_after_a_kill_at_any_moment(tmp_path: Path, seed: int) -> None:
    said = said_until_killed(tmp_path, seed)
    texts = [line.get("asked") or line["kept"] for line in said]
    kept = max((at for at, line in enumerate(said) if "kept" in line), default=None)

    found = Drafts(tmp_path / "drafts").found()

    saved = saved_text(tmp_path)
    at_hand = [entry.draft.content.text for entry in found] + ([] if saved is None else [saved])
    if kept is not None:  # that one, or a later one
        assert set(at_hand) & set(texts[kept:])
    assert all(is_whole(text) for text in at_hand if text)
    for entry in found:  # it is set after each text
        (change,) = entry.draft.content.what_if.changes or (Change(Spot(0), 0.0),)
        assert change.number in (number_of(entry.draft.content.text), number_of(entry.draft.content.text) - 1)
    check_exports(tmp_path)
    names = {"drafts", "mine.py", "mine.gradviz", *(f"run{suffix}" for suffix in SUFFIXES)}
    assert {file.name for file in tmp_path.iterdir()} <= names
    assert sorted((tmp_path / "drafts").glob("*")) == sorted(entry.file for entry in found)


def number_of(text: str) -> int:
    """Which text it is; 0 for none."""
    return int(text.split("\n", 1)[0].removeprefix("# text ") or 0)


def saved_text(folder: Path) -> str | None:
    """The script in what was saved; None where nothing was."""
    if (folder / "mine.py").exists():
        return (folder / "mine.py").read_text()
    if (folder / "mine.gradviz").exists():
        view = load(folder / "mine.gradviz").view
        assert view is not None
        assert (view.position, view.framing) == (3, Framing(1.0, 2))
        return view.text
    return None


def check_exports(folder: Path) -> None:
    """Whatever was exported is whole."""
    for file in folder.glob("run.*"):
        if file.suffix in (".json", ".gradviz"):
            assert is_whole(load(file).output)
        elif file.suffix == ".svg":
            ET.parse(file)
        elif file.suffix == ".html":
            assert file.read_text(encoding="utf-8").rstrip().endswith("</html>")
        else:
            assert file.read_bytes().endswith(b"IEND\xaeB`\x82")
