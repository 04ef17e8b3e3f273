"""gradviz in the menu of a Linux desktop: the files, and that the desktop's own programs take them."""

from __future__ import annotations

import configparser
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from gradviz.cli import main
from gradviz.desktop_entry import MIME, install_desktop_entry, remove_desktop_entry
from gradviz.errors import GradvizError

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has desktop entries")


def entry(folder: Path) -> configparser.SectionProxy:
    parser = configparser.RawConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(folder / "applications" / "gradviz.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


@on_linux
def test_the_option_writes_an_entry_that_starts_gradviz(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    assert main(["--install-desktop-entry"]) == 0

    written = sorted(line.removeprefix("Wrote ") for line in capsys.readouterr().out.splitlines())
    assert [str(Path(file).relative_to(tmp_path)) for file in written] == [
        "applications/gradviz.desktop", "icons/hicolor/scalable/apps/gradviz.svg", "mime/packages/gradviz.xml",
    ]  # fmt: skip
    *command, opened = shlex.split(entry(tmp_path)["Exec"])
    assert opened == "%f"
    said = subprocess.run([*command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout.startswith("gradviz ")
    assert entry(tmp_path)["MimeType"] == f"{MIME};"
    ET.parse(tmp_path / "mime" / "packages" / "gradviz.xml")

    assert main(["--remove-desktop-entry"]) == 0
    assert not any(Path(file).exists() for file in written)
    assert remove_desktop_entry(tmp_path) == []


@on_linux
def test_a_path_with_signs_of_the_shell_stays_one_word(tmp_path):
    install_desktop_entry(tmp_path, ['/opt/my "programs"/$HOME/100%\\n', "-m"])

    written = entry(tmp_path)["Exec"].replace("\\\\", "\\").replace("%%", "%")
    split = subprocess.run(["/bin/sh", "-c", f"printf '%s;' {written}"], capture_output=True, text=True, check=True)
    assert split.stdout == '/opt/my "programs"/$HOME/100%\\n;-m;%f;'


@pytest.mark.skipif(shutil.which("update-mime-database") is None, reason="needs the list of types of a desktop")
def test_the_desktop_knows_the_type_of_a_recording(tmp_path):
    install_desktop_entry(tmp_path)

    assert f"{MIME}:*.gradviz" in (tmp_path / "mime" / "globs").read_text(encoding="utf-8")


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_another_system_gets_a_sentence(monkeypatch, platform):
    monkeypatch.setattr("gradviz.desktop_entry.sys.platform", platform)

    with pytest.raises(GradvizError, match="only Linux has desktop entries"):
        install_desktop_entry()


@on_linux
def test_a_folder_that_cannot_be_written_is_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "applications").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    assert main(["--install-desktop-entry"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "applications"]
