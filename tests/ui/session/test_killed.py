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

import pytest

from gradviz.formats import load
from gradviz.ui.session.drafts import Drafts
from tests.ui.session.editing import is_whole

ROOT = Path(__file__).resolve().parents[3]
KILLS = int(os.environ.get("GRADVIZ_KILLS", "6"))
LONGEST_S = 0.4
pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9 is a signal of POSIX")


def said_until_killed(folder: Path, seed: int) -> list[dict[str, str]]:
    """What a process said before it was killed at a moment that the seed chooses."""
    command = [sys.executable, "-m", "tests.ui.session.editing", str(folder), str(seed)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
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

    mine = tmp_path / "mine.py"
    saved = mine.read_text() if mine.exists() else None
    at_hand = [entry.draft.content.text for entry in found] + ([] if saved is None else [saved])
    if kept is not None:  # that one, or a later one
        assert set(at_hand) & set(texts[kept:])
    assert all(is_whole(text) for text in at_hand if text)
    if (tmp_path / "run.json").exists():
        assert is_whole(load(tmp_path / "run.json").output)
    assert {file.name for file in tmp_path.iterdir()} <= {"drafts", "mine.py", "run.json"}
    assert sorted((tmp_path / "drafts").glob("*")) == sorted(entry.file for entry in found)
