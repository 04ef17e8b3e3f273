"""What is left beside a file by a process that ended while it wrote it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gradviz.formats.file_lock import lock_file
from gradviz.formats.safe_write import clear_leftover, place_beside, write_whole

HALF_WAY = """
import os, sys
from pathlib import Path
from gradviz.formats import safe_write

def fall(_):
    os.kill(os.getpid(), 9)

safe_write.os.fsync = fall
safe_write.write_whole(Path(sys.argv[1]), b"new" * 1000)
"""


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A file of which a process that was killed has written half of another content beside it."""
    path = tmp_path / "run.json"
    path.write_bytes(b"old")
    subprocess.run([sys.executable, "-c", HALF_WAY, str(path)], check=False)
    assert path.read_bytes() == b"old"
    assert place_beside(path).exists()
    return path


on_posix = pytest.mark.skipif(os.name != "posix", reason="a process is killed there by a signal")


@on_posix
def test_the_next_write_takes_the_leftover_away(broken: Path) -> None:
    write_whole(broken, b"next")

    assert [broken] == list(broken.parent.iterdir())
    assert broken.read_bytes() == b"next"


@on_posix
def test_a_leftover_is_cleared_and_the_file_stays(broken: Path) -> None:
    clear_leftover(broken)

    assert [broken] == list(broken.parent.iterdir())
    assert broken.read_bytes() == b"old"


@on_posix
def test_what_another_process_is_writing_is_no_leftover(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    beside = place_beside(path)
    with beside.open("wb") as other:
        assert lock_file(other.fileno())

        clear_leftover(path)
        write_whole(path, b"mine")

        assert sorted(tmp_path.iterdir()) == sorted([path, beside])
        assert path.read_bytes() == b"mine"


def test_nothing_to_clear_is_no_error(tmp_path: Path) -> None:
    clear_leftover(tmp_path / "no folder" / "run.json")


def test_many_who_write_one_file_at_once_leave_one_of_their_contents_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    contents = [bytes([number]) * 20_000 for number in range(8)]

    def write(content: bytes) -> None:
        for _ in range(10):
            write_whole(path, content)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert path.read_bytes() in contents
    assert [path] == list(tmp_path.iterdir())


def test_a_file_with_the_longest_name_there_is_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250 + ".json")

    write_whole(path, b"content")

    assert path.read_bytes() == b"content"
