"""Whatever text comes in, `run` comes back with a recording: no exception, no traceback, no fault of our own.

A small part of `python -m tests.script.fuzz`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradviz.errors import LimitError
from gradviz.imitation.script.run import run
from gradviz.imitation.script.values import Native
from tests.script import fuzz
from tests.script.fuzzing import grammar
from tests.script.fuzzing.guard import Guard
from tests.script.fuzzing.reader import SMALL, Reader
from tests.script.fuzzing.sources import CORPUS, Sources


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard()


@pytest.fixture(scope="module")
def sources(guard: Guard) -> Sources:
    return Sources(0, fuzz.names_of(Reader("", guard).machine), 80)


@pytest.mark.filterwarnings("ignore:NotImplemented should not be used")
@pytest.mark.parametrize("number", range(4))
def test_sources_leave_no_fault_and_touch_nothing(number: int, sources: Sources, guard: Guard) -> None:
    first, texts = sources.batch(number)
    reader = Reader(first, guard)

    for text in texts:
        with reader.open():
            found = reader.read(text)

        assert found is None, f"{found}\n{text}"
        reader = Reader(first, guard) if reader.is_spoilt else reader


@pytest.mark.filterwarnings("ignore:NotImplemented should not be used")
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(random=st.randoms(use_true_random=False))
def test_damaged_scripts_come_back_with_a_sound_recording(random: Random, sources: Sources) -> None:
    script = random.choice(sources.scripts)

    result = run(f"{script.text}\n{sources.source(script, random)}", seed=0, limits=SMALL)

    assert fuzz.came_back(result) is None


@settings(max_examples=60)
@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    assert fuzz.came_back(run(text, seed=0, limits=SMALL)) is None


ODD = (
    "", "\n", "#", "\ufeffx = 1", "x = 1\r\ny = 2\r", "\x0c", "\x00", "\ud800", "'\\ud800'", "print('\\ud800')",
    "é = 1\nprint(é)", "if 1:\n\tx = 1\n        y = 2", "\\", "x = 1 \\",
)  # fmt: skip


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_come_back(text: str) -> None:
    assert fuzz.came_back(run(text, seed=0, limits=SMALL)) is None


def test_text_that_is_no_python_opens_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guard: Guard) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("script", "<unknown>", "<string>"):
        (tmp_path / name).write_text("a secret\n", encoding="utf-8")

    for text in ("x = = 1", "return 1", "f(a=1, a=1)"):
        with guard.watching():
            result = run(text, seed=0)

        assert guard.touched == []
        assert "secret" not in str(result.error)


@pytest.mark.parametrize(
    "layer",
    ["Linear(10**9, 2)", "Embedding(10**9, 2)", "BatchNorm1d(10**9)", "LSTM(10**5, 10**5)", "LayerNorm(10**9)",
     "Bilinear(10**4, 10**4, 10**4)", "Conv2d(10**5, 10**5, 3)", "MultiheadAttention(10**6, 1)"],
)  # fmt: skip
def test_layer_too_large_for_the_memory_is_refused_before_it_is_made(layer: str) -> None:
    result = run(f"import torch.nn as nn\nnn.{layer}", seed=0)

    assert isinstance(result.error, LimitError)
    assert "elements" in result.error.message


def test_recording_after_a_gradcheck_is_sound() -> None:
    text = (CORPUS / "scripts" / "custom_exp_and_check.py").read_text(encoding="utf-8")

    assert fuzz.came_back(run(text, seed=0)) is None


# ---- the fuzzing itself ----

TOUCHES: dict[str, Callable[[], Any]] = {
    "a file": lambda: Path(__file__).read_text(encoding="utf-8"),
    "a folder": lambda: list(Path(__file__).parent.iterdir()),
    "a process": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
    "the network": lambda: socket.getaddrinfo("localhost", 1),
    "code": lambda: exec("1"),
}


@pytest.mark.parametrize("touch", TOUCHES.values(), ids=TOUCHES)
def test_guard_notices_what_is_touched(touch: Callable[[], Any], guard: Guard) -> None:
    with guard.watching():
        touch()

    assert guard.touched


@pytest.mark.parametrize(
    ("act", "kind"),
    [(lambda: Path(__file__).read_bytes(), "touch"), (lambda: 1 / 0, None), (lambda: os.strerror("1"), None),
     (lambda: Path("no such file").stat(), "fault"), (lambda: sys.exit(1), "fault")],
)  # fmt: skip
def test_reader_tells_faults_from_errors_of_the_script(act: Callable[[], Any], kind: str | None, guard: Guard) -> None:
    reader = Reader(grammar.SETUP, guard)
    reader.machine.builtins["act"] = Native("act", act)

    with reader.open():
        found = reader.read("act()")

    assert (None if found is None else found.kind) == kind


def test_command_reads_the_sources_and_sums_up(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.script.fuzz", "--count", "20", "--seed", "3", "--out", str(tmp_path)]

    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])

    assert done.stdout.splitlines()[-1].startswith("fuzz: 20 sources")
