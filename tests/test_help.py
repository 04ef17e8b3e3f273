"""The help pages: links lead somewhere, keys are those of the window, and programs in them run."""

from __future__ import annotations

import json
import re
import shlex
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import gradviz
from gradviz.cli import COMMANDS, USAGE, main, parser
from gradviz.export.row import Family
from gradviz.export.table import ROWS, suffixes
from gradviz.formats import save
from gradviz.playback.conditions.condition import parse
from gradviz.playback.guide import read_guide
from gradviz.shipped import shipped
from gradviz.ui.actions.table import SPECS
from tests.samples import weighted_sum

PAGES = sorted(shipped("help").glob("*.md"))
README = Path(__file__).resolve().parent.parent / "README.md"
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> list[str]:
    """The lines that are neither code nor tables."""
    outside = re.sub(r"```.*?```", "", text(page), flags=re.DOTALL)
    return [line for line in outside.splitlines() if line.strip() and not line.startswith(("    ", "|", "#"))]


@every_page
def test_a_page_begins_with_its_title(page: Path) -> None:
    assert re.match(r"# .+\n\n", text(page))


@every_page
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", text(page))

    assert [link for link in links if not (page.parent / link).is_file()] == []


def test_the_index_leads_to_every_page() -> None:
    links = re.findall(r"^- \[[^]]+\]\(([^)]+)\)", text(PAGES[0]), re.MULTILINE)

    assert [page.name for page in PAGES[1:]] == links


@every_page
def test_a_page_has_one_sentence_per_line(page: Path) -> None:
    # A list may begin with words in bold that a colon ends, and a full stop may end an example of them.
    crowded = [line for line in prose(page) if re.search(r"[a-z)]\. [A-Z]", line) and not re.match(r"- |\d+\. ", line)]

    assert crowded == []


def test_the_keys_in_the_help_are_those_of_the_window() -> None:
    (page,) = (page for page in PAGES if "stepping" in page.name)
    known = {key for spec in SPECS for key in (*spec.keys, *spec.canvas_keys)}
    (table,) = re.findall(r"^\| key .*?\n\n", text(page), flags=re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| ([^|]+) \|", table, flags=re.MULTILINE)[1:]
    named = {key for row in rows for key in re.split(r",? and |, or |, ", row.replace(" anywhere", ""))}

    assert named
    assert named <= known


def test_the_conditions_in_the_help_can_be_typed() -> None:
    (page,) = (page for page in PAGES if "stepping" in page.name)
    (table,) = re.findall(r"^\| condition .*?\n\n", text(page), flags=re.MULTILINE | re.DOTALL)
    conditions = re.findall(r"`([^`]+)`", re.sub(r"`\(\)`", "", table))

    assert len(conditions) > 6
    assert [written for written in conditions if not parse(written)] == []


def test_the_commands_in_the_help_are_those_of_the_program() -> None:
    (page,) = (page for page in PAGES if "command" in page.name)
    forms = [line.split("  ")[0].removeprefix("usage: ") for line in map(str.strip, USAGE.splitlines())]

    for form in forms:
        assert f"    {form} " in text(page)


SQUARE = "import torch\nx = torch.tensor(3., requires_grad=True)\ny = x ** 2\ny.backward()\n"
APP = ("--install-desktop-entry", "--remove-desktop-entry")


def printed_commands() -> list[str]:
    """Every command of gradviz that README, help and program print, without what is said beside it."""
    pages = [*(page for page in PAGES if page.name != "changelog.md"), *[README] * README.is_file()]
    found = [
        command.strip()
        for page in pages
        for block in (re.findall(r"^    (gradviz .*)", text(page), re.MULTILINE),)
        for command in [*(line.split("  ")[0] for line in block), *re.findall(r"`(gradviz [^`]+)`", text(page))]
    ]
    shown = [line.strip().removeprefix("usage: ").split("  ")[0] for line in USAGE.splitlines()]
    return sorted({*found, *shown})


def filled_in(command: str, folder: Path) -> list[str]:
    """The words of a command with a script, a file to write and small numbers in place of capitals."""
    stand_ins = {"FILE": "square.py", "OUT": "out.json", "N": "1", "PY": sys.executable}
    command = re.sub(r"\[\.\.\.\]|\[FILE\]", "", command)
    words = shlex.split(command.replace("[", "").replace("]", ""))[1:]
    if "--worksheet" in words:
        stand_ins["OUT"] = "out.html"
    words = [stand_ins.get(word, word) for word in words]
    return [str(folder / word) if Path(word).suffix in (".py", ".json", ".pdf", ".html") else word for word in words]


@pytest.mark.parametrize("command", printed_commands())
def test_every_command_that_is_printed_can_be_given(
    command: str, qapp: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("square.py", "lesson.py", "script.py"):
        (tmp_path / name).write_text(SQUARE, encoding="utf-8")
    words = filled_in(command, tmp_path)

    if not words or words[0] not in COMMANDS:  # the window, and what changes the desktop
        assert not words or words[0] in (*APP, "runs/") or Path(words[0]).suffix in (".json", ".gradviz")
    elif len(words) > 1 or words[0] in ("examples", "reference"):  # else a mention of the command alone
        parser().parse_args(words)
        if "--python" not in words:
            assert main(words) == 0, capsys.readouterr().err


def test_the_options_in_the_help_are_those_of_the_program() -> None:
    pages = [page for page in PAGES if page.name != "changelog.md"]
    named = {option for page in pages for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text(page))}
    (commands,) = (action.choices for action in parser()._actions if isinstance(action.choices, dict))
    known = {option for each in commands.values() for action in each._actions for option in action.option_strings}

    assert named - known - {*APP, "--epochs"} == set()  # the last is a script's own


def test_the_places_that_the_road_of_a_gradient_passes_are_there() -> None:
    (page,) = (page for page in PAGES if "how_it_works" in page.name)
    package = Path(gradviz.__file__).parent
    named = {name for name in re.findall(r"\*\*([\w/.]+)\*\*", text(page)) if not name.endswith(".py")}

    assert named
    assert [name for name in sorted(named) if not any((package / f"{name}{end}").exists() for end in ("", ".py"))] == []


def test_the_tables_of_formats_have_every_suffix_that_is_written() -> None:
    (page,) = (page for page in PAGES if page.stem.endswith("_files"))
    cells = re.findall(r"^\| (`\.[^|]+) \|", text(page), re.MULTILINE)
    named = [suffix for cell in cells for suffix in re.findall(r"`(\.\w+)`", cell)]

    assert sorted(named) == sorted(suffixes())
    if README.is_file():
        (block,) = re.findall(
            r"^    gradviz export FILE OUT(.*?)^    gradviz steps", text(README), re.MULTILINE | re.DOTALL
        )
        assert sorted(re.findall(r"\.[a-z]\w+", block)) == sorted(suffixes())


def test_the_options_of_the_help_are_for_what_the_rows_say() -> None:
    (page,) = (page for page in PAGES if "command" in page.name)
    films = {row.suffix for row in ROWS if row.family is Family.FILM}
    stills = {row.suffix for row in ROWS if row.family is Family.PICTURE}
    kinds = {"films": films, "pictures": stills}

    for cell, fitting in re.findall(r"^\| (`--.*?) \| (.*?) \|", text(page), re.MULTILINE):
        if "all" in fitting:
            continue
        known = {suffix for word in fitting.split(", ") for suffix in kinds.get(word, {word.strip("`")})}
        for option in re.findall(r"`--([a-z-]+)", cell):
            name = {"no-legend": "legend", "no-sizes": "gauges"}.get(option, option.replace("-", "_"))
            assert known == {row.suffix for row in ROWS if name in row.takes}, option


def test_a_library_for_films_is_installed_as_the_distribution_names_it() -> None:
    (page,) = (page for page in PAGES if "files" in page.name)
    named = re.findall(r'`python -m pip install "([^"]+)"`', text(page))

    assert sorted(named) == sorted(row.needs.requirement for row in ROWS if row.needs is not None)
    if README.is_file():
        extras = tomllib.loads((README.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        assert sorted(named) == sorted(extras["film"] + extras["mp4"])


@pytest.mark.skipif(not README.is_file(), reason="needs the checkout")
def test_every_file_that_the_readme_names_is_there() -> None:
    names = [
        *re.findall(r"\]\(([^)]+)\)", text(README)),
        *re.findall(r"`((?:gradviz|resources|tests)/[\w/.]*)`", text(README)),
    ]

    assert [name for name in names if not (README.parent / name).exists() and not name.endswith(".png")] == []


def test_the_program_in_the_help_reads_an_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (page,) = (page for page in PAGES if "files" in page.name)
    (program,) = re.findall(r"```python\n(.*?)```", text(page), flags=re.DOTALL)
    save(weighted_sum(), tmp_path / "run.json")
    monkeypatch.chdir(tmp_path)

    exec(program, {})

    assert json.loads(capsys.readouterr().out) == [[-6.0, 20.0]]


def test_nearly_every_lesson_answers_a_question() -> None:
    (page,) = (page for page in PAGES if "questions" in page.name)
    played = set(re.findall(r"\(\.\./examples/(\w+\.py)\)", text(page)))
    rows = re.findall(r"^\| (.+?\?) \|", text(page), re.MULTILINE)
    lessons = {file.name for file in shipped("examples").glob("*.py")}

    assert played <= lessons
    assert len(rows) == 25
    assert sorted(lessons - played) == [
        "05_a_batch_of_rows.py",
        "08_arrows_on_a_surface.py",
        "09_the_built_in_sum.py",
        "12_the_shape_of_v.py",
    ]


def test_the_guide_in_the_help_can_be_read() -> None:
    (page,) = (page for page in PAGES if "stepping" in page.name)
    (guide,) = re.findall(r"```toml\n(.*?)```", text(page), re.DOTALL)

    read = read_guide(guide)

    assert read.labels == ("w", "y", "h", "y", "y", "x")
    assert 2 in read.calls


def sides(file: Path) -> tuple[int, int]:
    """Width and height in the header of a PNG."""
    return struct.unpack(">II", file.read_bytes()[16:24])


def test_the_picture_of_the_window_can_be_made_anew(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "tests.screenshot", str(tmp_path / "window.png")]

    subprocess.run(command, check=True, timeout=600, cwd=root, capture_output=True)

    assert sides(tmp_path / "window.png") == sides(shipped("help", "screenshot.png")) == (1440, 900)
