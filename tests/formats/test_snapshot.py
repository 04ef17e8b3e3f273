"""A file that is looked at, and changed, cut off or deleted meanwhile by another program."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from mmap import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.errors import Cancelled, FormatError
from gradviz.formats import json_file, load, save, snapshot
from gradviz.formats.snapshot import own_bytes
from gradviz.formats.watched import Nobody
from tests.formats.recordings import plain
from tests.formats.test_gradviz_file import large


class Waiting:
    """Wants the file until it has heard of so many shares."""

    def __init__(self, until: int = 10**9) -> None:
        self.heard: list[float] = []
        self._until = until

    def __call__(self) -> bool:
        return len(self.heard) >= self._until

    def tell(self, share: float, /) -> None:
        self.heard.append(share)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording that counts as large, and is copied in several pieces."""
    monkeypatch.setattr(snapshot, "LARGE", 1)
    monkeypatch.setattr(snapshot, "_AT_ONCE", 10_000)
    path = tmp_path / "run.gradviz"
    save(large(), path)
    return path


def cut_off(file: Path) -> None:
    os.truncate(file, 0)


def write_over(file: Path) -> None:
    with file.open("r+b") as there:
        there.write(b"\xff" * file.stat().st_size)


def put_another(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"another file")
    other.replace(file)


@pytest.mark.parametrize("change", [cut_off, write_over, put_another, Path.unlink])
def test_what_was_opened_stays_whatever_becomes_of_its_file(file: Path, change: Callable[[Path], Any]) -> None:
    recording = load(file)

    change(file)

    assert plain(recording) == plain(large())


def test_a_copy_has_no_name_and_is_not_in_memory(file: Path) -> None:
    content = own_bytes(file, Nobody(), whole=False)

    assert isinstance(content, mmap)
    assert content[:] == file.read_bytes()
    assert list(file.parent.iterdir()) == [file]


def test_what_is_needed_whole_is_not_copied(file: Path) -> None:
    assert own_bytes(file, Nobody(), whole=True) == file.read_bytes()


def test_a_file_is_copied_where_the_system_does_not_do_it_by_itself(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def between_two_disks(*_: Any) -> int:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "copy_file_range", between_two_disks, raising=False)

    assert plain(load(file)) == plain(large())


def test_a_folder_that_cannot_be_written_to_is_no_hindrance(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, folders = snapshot.TemporaryFile, []

    def refuse_beside(dir: Path | None, **details: Any) -> Any:
        folders.append(dir)
        if dir is not None:
            raise PermissionError(errno.EACCES, "Permission denied")
        return usual(**details)

    monkeypatch.setattr(snapshot, "TemporaryFile", refuse_beside)

    assert plain(load(file)) == plain(large())
    assert folders[-1] is None


def test_a_full_disk_is_a_sentence(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(snapshot, "TemporaryFile", full)

    with pytest.raises(FormatError, match=r"run\.gradviz is looked at in a copy .* No space left on device\."):
        load(file)


def test_a_file_that_is_being_written_is_not_read_half(file: Path) -> None:
    class Writing(Waiting):
        def tell(self, share: float, /) -> None:
            with file.open("ab") as there:
                there.write(b"more")

    with pytest.raises(FormatError, match="was being written"):
        load(file, Writing())


def test_an_empty_file_is_a_sentence_though_it_was_large_a_moment_ago(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "LARGE", 0)
    (tmp_path / "run.gradviz").touch()

    with pytest.raises(FormatError, match="empty"):
        load(tmp_path / "run.gradviz")


@pytest.mark.parametrize("suffix", [".json", ".gradviz"])
def test_whoever_waits_hears_how_far_it_is_and_can_end_it_at_each_moment(file: Path, suffix: str) -> None:
    path = file.with_suffix(suffix)
    save(large(), path)
    waiting = Waiting()
    load(path, waiting)

    assert waiting.heard == sorted(waiting.heard)
    assert 0 < waiting.heard[0] < waiting.heard[-1] <= 1
    for until in range(len(waiting.heard)):
        with pytest.raises(Cancelled):
            load(path, Waiting(until))


def test_what_is_read_with_a_watch_is_the_same() -> None:
    text = json_file.write(large())

    np.testing.assert_array_equal(json_file.read(text, Waiting()).values[0], large().values[0])
