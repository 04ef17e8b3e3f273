"""Finding the Pythons of a machine, and asking each for its PyTorch."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gradviz.errors import GradvizError
from gradviz.run import interpreters
from gradviz.run.interpreters import ask, find, named_python, places, usable

on_posix = pytest.mark.skipif(os.name != "posix", reason="programs that are shell scripts")


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def answering(path: Path, python: str = "3.11.9", torch: str = "2.13.0") -> Path:
    prefix = path.parent.parent
    return program(path, f'echo \'{{"python": "{python}", "torch": "{torch}", "prefix": "{prefix}"}}\'')


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "WORKON_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "on path"))
    return tmp_path


def test_this_python_says_what_it_is() -> None:
    made = ask(Path(sys.executable))

    assert made.python == ".".join(map(str, sys.version_info[:3]))
    assert Path(made.prefix) == Path(sys.prefix)
    assert bool(made.torch) == (not made.problem)


def test_the_version_of_this_pytorch_is_told_without_loading_it() -> None:
    torch = pytest.importorskip("torch")

    assert ask(Path(sys.executable)).torch == torch.__version__


@on_posix
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("exit 3", "is no Python that works (exit code 3)"),
        ("echo libpython is missing >&2; exit 1", "is no Python that works: libpython is missing"),
        ("echo '[1]'", "is no Python that works"),
        ("echo '{\"python\": 3}'", "is no Python that works"),
    ],
)
def test_what_is_no_python_is_said(tmp_path: Path, text: str, problem: str) -> None:
    made = ask(program(tmp_path / "python", text))

    assert problem in made.problem
    with pytest.raises(GradvizError, match="is no Python that works"):
        usable(made.path)


@on_posix
@pytest.mark.parametrize(
    ("python", "torch", "problem", "hint"),
    [
        ("3.8.1", "2.1.0", "is Python 3.8.1; the recorder needs 3.9 or newer", "Choose a Python with a newer one."),
        ("3.11.1", "1.13.1+cu117", "has PyTorch 1.13.1+cu117; the recorder needs 2.0 or newer", "newer one"),
        ("3.11.1", "", "has no PyTorch", "pip install torch"),
    ],
)
def test_what_is_missing_is_said_and_what_to_do(
    tmp_path: Path, python: str, torch: str, problem: str, hint: str
) -> None:
    path = answering(tmp_path / "bin" / "python", python, torch)

    with pytest.raises(GradvizError) as refused:
        usable(path)

    assert problem in refused.value.message
    assert hint in refused.value.hint


@on_posix
@pytest.mark.parametrize("version", ["2.0.0", "2.13.0+cpu", "3.0", "2.6.0a0+git123", "?"])
def test_a_pytorch_that_is_new_enough_is_usable(tmp_path: Path, version: str) -> None:
    assert usable(answering(tmp_path / "bin" / "python", torch=version)).torch == version


@on_posix
def test_one_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreters, "_SECONDS", 0.05)

    assert "did not answer" in ask(program(tmp_path / "python", "exec sleep 20")).problem


def test_one_that_is_not_there_is_named(home: Path) -> None:
    for name in ("python_of_nobody", str(home / "no" / "python")):
        with pytest.raises(GradvizError, match="there is no Python at"):
            named_python(name)
    (home / "file").write_text("x")
    with pytest.raises(GradvizError, match="is not a program"):
        named_python(str(home / "file"))
    with pytest.raises(GradvizError, match="has no Python in it"):
        named_python(str(home))


@on_posix
def test_a_name_a_path_and_an_environment_are_found(home: Path) -> None:
    on_path, inside = program(home / "on path" / "py thon", ""), program(home / "env" / "bin" / "python3", "")

    assert named_python("py thon") == on_path
    assert named_python(str(on_path)) == on_path
    assert named_python(str(home / "env")) == inside


@on_posix
def test_every_usual_place_is_looked_at_and_the_likeliest_first(home: Path) -> None:
    script = home / "work" / "project" / "src" / "train.py"
    wanted = [
        answering(home / "work" / "project" / ".venv" / "bin" / "python3"),
        answering(home / "on path" / "python3"),
        answering(home / "miniconda3" / "bin" / "python3"),
        answering(home / "miniconda3" / "envs" / "deep" / "bin" / "python3"),
        answering(home / ".pyenv" / "versions" / "3.12.1" / "bin" / "python3"),
        answering(home / ".virtualenvs" / "one" / "bin" / "python"),
    ]
    listed = answering(home / "elsewhere" / "bin" / "python")
    (home / ".conda").mkdir()
    (home / ".conda" / "environments.txt").write_text(f"{home / 'elsewhere'}\n\n/no/such/place\n")

    found = [path for path in places(script) if path.is_relative_to(home)]

    assert [path for path in found if path != listed] == wanted
    assert listed in found


@on_posix
def test_an_environment_is_listed_once_and_those_that_can_be_used_come_first(home: Path) -> None:
    without = answering(home / "on path" / "python3", torch="")
    first = answering(home / ".pyenv" / "versions" / "a" / "bin" / "python3")
    answering(home / ".pyenv" / "versions" / "a" / "bin" / "python")
    program(home / ".pyenv" / "versions" / "b" / "bin" / "python3", "exit 1")

    found = [made.path for made in find() if made.path.is_relative_to(home)]

    assert found == [first, without]
