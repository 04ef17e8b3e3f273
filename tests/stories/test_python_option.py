"""`--python` on the command line: the same commands, with the PyTorch of another Python."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gradviz import cli
from gradviz.formats import gradviz_file, load
from gradviz.recording import Engine
from gradviz.run import pytorch
from gradviz.run.interpreters import Interpreter
from tests.formats.recordings import plain
from tests.samples import weighted_sum

FAKE = Path(__file__).parent.parent / "run" / "fake_capture.py"
RECORDED = replace(weighted_sum(), engine=Engine("PyTorch", "2.13.0", "3.11.9"))
WRITE = f"write({gradviz_file.write(RECORDED).hex()!r})\n"
FAIL = "done(1, {'message': 'ValueError: no', 'hint': 'Do it.', 'line': 3, 'column': 2})\n"


@pytest.fixture(autouse=True)
def fake_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytorch, "CHILD", FAKE)
    monkeypatch.setattr(pytorch, "usable", lambda path: Interpreter(path, "3.11.9", "2.13.0"))


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "net.py"


def gradviz(*arguments: object) -> int:
    return cli.main([str(argument) for argument in arguments])


def with_python(command: str, *arguments: object) -> int:
    return gradviz(command, "--python", sys.executable, *arguments)


def test_run_prints_what_the_script_prints_and_ends_as_it_does(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text("output('a\\n'); aside('careful\\n'); " + WRITE + "done(3)\n")

    assert with_python("run", script) == 3
    assert capsys.readouterr() == ("a\n", "careful\n")


def test_run_says_what_ended_the_script(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text("output('a\\n')\n" + WRITE + FAIL)

    assert with_python("run", script) == 1  # as under Python
    assert capsys.readouterr() == ("a\n", f"{script}:3:2: ValueError: no. Do it.\n")


def test_the_script_has_the_arguments_and_the_folder_that_are_given(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text("output(repr((read.__self__.job['options']['argv'], os.getcwd()))); done()\n")
    folder = tmp_path / "da ta"
    folder.mkdir()

    assert with_python("run", "--folder", folder, "--args", "--lr 0.1 'two words' ''", script) == 0
    assert capsys.readouterr().out == repr((["--lr", "0.1", "two words", ""], str(folder)))


@pytest.mark.parametrize("suffix", [".gradviz", ".json"])
def test_export_writes_what_was_recorded(script: Path, tmp_path: Path, suffix: str) -> None:
    script.write_text(WRITE + "done()\n")
    out = tmp_path / f"out{suffix}"

    assert with_python("export", script, out) == 0
    assert plain(load(out)) == plain(RECORDED)


def test_export_of_a_script_that_fails_writes_what_came_before(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text(WRITE + FAIL)
    out = tmp_path / "out.gradviz"

    assert with_python("export", script, out) == 2
    assert capsys.readouterr().err == f"{script}:3:2: ValueError: no. Do it.\n"
    assert load(out).nodes == RECORDED.nodes
    assert load(out).problem is not None


def test_steps_and_check_read_it(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(WRITE + "done()\n")

    assert with_python("steps", script) == 0
    assert "x.grad = [-6, 20]" in capsys.readouterr().out
    assert with_python("check", script) == 0
    assert "3 agree, 0 fail" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["export", "steps", "check", "run"])
def test_a_recording_needs_no_run(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.gradviz"
    file.write_bytes(gradviz_file.write(RECORDED))
    monkeypatch.setattr(pytorch, "CHILD", Path("nowhere"))

    assert gradviz(command, file, *([tmp_path / "out.json"] if command == "export" else [])) == 0
    assert capsys.readouterr().err == ""


def test_what_is_wrong_with_the_python_is_one_line(
    script: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script.write_text("done()\n")

    assert gradviz("run", "--python", "python_of_nobody", script) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "there is no Python at 'python_of_nobody'" in said


@pytest.mark.parametrize("option", [("--folder", "."), ("--args", "a")])
def test_what_goes_with_python_only_is_said(
    script: Path, option: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text("print(1)\n")

    assert gradviz("run", *option, script) == 2
    assert capsys.readouterr().err.startswith(f"{option[0]} goes with --python only")


def test_a_time_limit_is_kept(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text("stopped.wait(); done(130)\n")

    assert with_python("run", "--seconds", "0.2", script) == 2
    assert "ran longer than 0.2 seconds" in capsys.readouterr().err
