"""Files on disk: the format by the suffix, and nothing lost when writing fails."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gradviz.errors import FormatError
from gradviz.formats import FORMATS, load, safe_write, save
from gradviz.recording import Recording
from tests.formats.recordings import plain
from tests.samples import weighted_sum

on_posix = pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_saved_recording_loads_again(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{suffix.upper()}"

    save(weighted_sum(), path)

    assert plain(load(path)) == plain(weighted_sum())
    assert [path] == list(tmp_path.iterdir())


def test_a_file_that_is_there_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")

    save(Recording(output="new"), path)

    assert load(path).output == "new"


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(safe_write.os, "fsync", full)
    with pytest.raises(FormatError, match=r"run.json cannot be written: No space left on device\."):
        save(weighted_sum(), path)

    assert path.read_text() == "old"
    assert [path] == list(tmp_path.iterdir())


def test_a_failed_move_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")

    def busy(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", busy)
    with pytest.raises(FormatError, match=r"run.json cannot be written: Permission denied\."):
        save(weighted_sum(), path)

    assert path.read_text() == "old"
    assert [path] == list(tmp_path.iterdir())


@on_posix
def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    usual, new, old = tmp_path / "usual", tmp_path / "new.json", tmp_path / "old.json"
    usual.touch()
    old.touch(mode=0o640)

    save(Recording(), new)
    save(Recording(), old)

    assert stat.S_IMODE(usual.stat().st_mode) == stat.S_IMODE(new.stat().st_mode)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


@on_posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    link.symlink_to(real)

    save(Recording(output="through"), link)

    assert link.is_symlink()
    assert load(real).output == "through"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"run.json cannot be written: No such file or directory\."):
        save(Recording(), tmp_path / "no" / "run.json")


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.mkdir()

    with pytest.raises(FormatError, match=r"run.json cannot be written"):
        save(Recording(), path)
    with pytest.raises(FormatError, match=r"run.json cannot be read"):
        load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"run.json cannot be read: No such file or directory\."):
        load(tmp_path / "run.json")


@pytest.mark.parametrize("name", ["run.xml", "run"])
def test_a_suffix_that_is_no_format_is_refused(tmp_path: Path, name: str) -> None:
    suffix = Path(name).suffix
    with pytest.raises(FormatError, match=f"'{suffix}' is not a format that gradviz reads; it reads .json"):
        load(tmp_path / name)
    with pytest.raises(FormatError, match=f"'{suffix}' is not a format to save in; choose one of .json"):
        save(Recording(), tmp_path / name)

    assert not list(tmp_path.iterdir())
