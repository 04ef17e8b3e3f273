"""Run with PyTorch, as the host sees it: whatever becomes of the user's Python ends in one sentence and a recording."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gradviz.errors import Cancelled, GradvizError
from gradviz.formats import gradviz_file
from gradviz.recording import Engine, Problem
from gradviz.run import pytorch
from gradviz.run.interpreters import Interpreter
from gradviz.run.pytorch import Choice, Script, TorchRun, run_with_pytorch
from tests.formats.recordings import plain
from tests.samples import weighted_sum

FAKE = Path(__file__).with_name("fake_capture.py")
RECORDED = replace(weighted_sum(), engine=Engine("PyTorch", "2.13.0", "3.11.9"))
WRITE = f"write({gradviz_file.write(RECORDED).hex()!r})\n"
on_posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture(autouse=True)
def fake_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytorch, "CHILD", FAKE)
    monkeypatch.setattr(pytorch, "usable", lambda path: Interpreter(path, "3.11.9", "2.13.0"))


def run(text: str, **wishes: object) -> TorchRun:
    script = {name: wishes.pop(name) for name in list(wishes) if name in Script.__dataclass_fields__}
    return run_with_pytorch(Script(text, **script), Path(sys.executable), **wishes)  # type: ignore[arg-type]


def test_a_recording_comes_back_with_what_was_printed_meanwhile() -> None:
    heard: list[str] = []
    shares: list[float] = []

    ran = run(
        "output('a'); aside('w'); progress(0.5)\n" + WRITE + "done(3)\n",
        on_output=heard.append, on_aside=heard.append, on_progress=shares.append,
    )  # fmt: skip

    assert plain(ran.recording) == plain(RECORDED)
    assert (heard, shares, ran.exit_code, ran.seconds, ran.error) == (["a", "w"], [0.5], 3, 0.5, None)
    assert ran.recording.engine_name == "PyTorch 2.13.0"


def test_the_job_says_where_and_with_what_the_script_runs(tmp_path: Path) -> None:
    file = tmp_path / "my net.py"
    choice = Choice(3, 10, 1000, "conv")

    told: list[str] = []
    ran = run(
        "import json; output(json.dumps([read.__self__.job, os.getcwd()])); done()\n",
        name="my net.py", file=file, argv=("--lr", "0.1 2", ""), choice=choice, on_output=told.append,
    )  # fmt: skip

    job, folder = json.loads("".join(told))
    out = job["options"].pop("out")
    assert (folder, job["name"], job["kind"]) == (str(tmp_path), "my net.py", "script")
    assert job["options"] == {
        "file": str(file),
        "called": "",
        "argv": ["--lr", "0.1 2", ""],
        "folder": str(tmp_path),
        "keep": {"sweeps": 3, "megabytes": 10, "summary_above": 1000, "filter": "conv", "first_only": False},
    }
    assert out.endswith(".gradviz")
    assert ran.recording.output == "".join(told)


def test_a_problem_comes_with_its_place_and_the_warnings_with_theirs() -> None:
    ran = run(
        WRITE + "done(1, {'message': 'ValueError: no', 'hint': 'Do.', 'line': 3, 'column': 2, 'node': 1},"
        " [{'message': 'old', 'category': 'UserWarning', 'line': 2, 'at': 4}])\n"
    )

    assert ran.recording.problem == Problem("ValueError: no", "Do.", 3, 2, 1)
    assert ran.recording.warnings[0].message == "old"
    assert ran.error is not None
    assert ran.error.one_line("f.py") == "f.py:3:2: ValueError: no. Do."


def test_a_script_that_asks_for_input_is_told_what_to_do() -> None:
    ran = run(WRITE + "done(1, {'message': 'EOFError: EOF when reading a line', 'line': 1})\n")

    assert ran.recording.problem is not None
    assert ran.recording.problem.hint == pytorch.NO_INPUT


ENDS: dict[str, tuple[str, str]] = {
    "os._exit": ("os._exit(3)\n", "the script's process ended, with exit code 3"),
    "segmentation fault": ("import signal; os.kill(os.getpid(), signal.SIGSEGV)\n", "a segmentation fault"),
    "killed": ("import signal; os.kill(os.getpid(), signal.SIGKILL)\n", "memory may have been short"),
    "a fault of the recorder": ("fail('the recorder failed')\n", "the recorder failed"),
    "no frame": ("os.write(sink, b'hello, this is no frame')\nstopped.wait()\n", "what gradviz cannot read"),
    "a wrong frame": ("send(OUTPUT, {'text': 3})\n".replace("OUTPUT", "3"), "what gradviz cannot read"),
}


@on_posix
@pytest.mark.parametrize("case", ENDS)
def test_however_it_ends_there_is_a_sentence_and_what_was_recorded(case: str) -> None:
    text, words = ENDS[case]

    ran = run("output('before')\n" + WRITE + text)

    assert ran.recording.problem is not None
    assert words in ran.recording.problem.message
    assert ran.recording.problem.hint.endswith(pytorch.KEPT)
    assert ran.recording.nodes == RECORDED.nodes


@on_posix
@pytest.mark.parametrize("case", ENDS)
def test_where_nothing_was_recorded_there_is_the_sentence(case: str) -> None:
    text, words = ENDS[case]

    with pytest.raises(GradvizError) as refused:
        run(text)

    assert words in refused.value.message


def test_a_python_that_ends_before_it_is_ready_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = tmp_path / "child.py"
    child.write_text("raise ImportError('libcuda is missing')")
    monkeypatch.setattr(pytorch, "CHILD", child)

    with pytest.raises(GradvizError, match="ended before it was ready") as refused:
        run("")

    assert refused.value.hint == "It said: ImportError: libcuda is missing"


def test_stop_has_the_script_end_and_what_was_recorded_comes_back() -> None:
    begun = threading.Event()

    ran = run(
        WRITE + "output('x')\nstopped.wait()\noutput('stopping')\ndone(130)\n",
        on_output=lambda _: begun.set(), stopping=begun.is_set,
    )  # fmt: skip

    assert ran.recording.problem is not None
    assert ran.recording.problem.message == "Stopped."
    assert ran.recording.nodes == RECORDED.nodes


def test_stop_before_it_starts_leaves_nothing() -> None:
    with pytest.raises(Cancelled):
        run(WRITE + "done()\n", stopping=lambda: True)


def test_a_script_that_does_not_stop_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytorch, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(pytorch, "_LEAVE_SECONDS", 0.1)
    begun = threading.Event()

    ran = run(
        WRITE + "output('x')\nwhile True: stopped.wait()\n", on_output=lambda _: begun.set(), stopping=begun.is_set
    )

    assert ran.recording.problem is not None
    assert ran.recording.problem.message == "Stopped."


def test_cancelled_ends_it_at_once() -> None:
    begun = threading.Event()

    with pytest.raises(Cancelled):
        run("output('x')\nstopped.wait()\n", on_output=lambda _: begun.set(), cancelled=begun.is_set)


def test_the_time_that_was_given_is_kept() -> None:
    ran = run(WRITE + "stopped.wait()\ndone(130)\n", seconds=0.2)

    assert ran.recording.problem is not None
    assert ran.recording.problem.message == "the script ran longer than 0.2 seconds and was ended"


def test_a_flood_is_stopped_and_not_kept() -> None:
    heard: list[str] = []

    ran = run(
        WRITE + "while not stopped.is_set(): output('x' * 10000)\ndone(130)\n",
        output_characters=100_000, on_output=heard.append,
    )  # fmt: skip

    assert sum(map(len, heard)) <= 100_000
    assert ran.recording.problem is not None
    assert "printed more than 100,000 characters" in ran.recording.problem.message


def test_without_a_bound_everything_is_passed_on() -> None:
    count = 0

    def take(text: str) -> None:
        nonlocal count
        count += len(text)

    run(WRITE + "for _ in range(200): output('x' * 60000)\ndone()\n", output_characters=None, on_output=take)

    assert count == 12_000_000


@on_posix
def test_what_the_script_started_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytorch, "_GONE_SECONDS", 0.1)
    start = (
        "import subprocess\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], pass_fds=[sink])\n"
    )

    ran = run(WRITE + start + "os._exit(5)\n")

    assert ran.recording.problem is not None
    assert "exit code 5" in ran.recording.problem.message


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(GradvizError, match="is not there"):
        run("", folder=tmp_path / "no")


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    run(WRITE + "done()\n")
    with pytest.raises(GradvizError):
        run("os._exit(1)\n")

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", [lambda b: b[:-40], lambda b: b"", lambda b: b"hello"])
def test_a_file_that_broke_off_is_said(damage: Callable[[bytes], bytes]) -> None:
    content = damage(gradviz_file.write(RECORDED)).hex()

    with pytest.raises(GradvizError, match="the recorder has left a file that cannot be read"):
        run(f"write({content!r})\ndone()\n")
    with pytest.raises(GradvizError, match="exit code 1"):
        run(f"write({content!r})\nos._exit(1)\n")
