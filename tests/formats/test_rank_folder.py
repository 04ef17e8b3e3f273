"""A folder with one recording of each rank."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gradviz.errors import FormatError
from gradviz.formats import save
from gradviz.formats.rank_folder import load_ranks
from gradviz.recording import Rank
from tests.samples import weighted_sum


def put(folder: Path, name: str, rank: Rank | None) -> None:
    save(replace(weighted_sum(), rank=rank), folder / name)


def test_the_latest_step_that_most_ranks_have_is_loaded_by_rank(tmp_path: Path):
    for name, rank in {
        "a.gradviz": Rank(1, 2, 3), "b.gradviz": Rank(0, 2, 3), "c.gradviz": Rank(0, 2, 1), "d.gradviz": Rank(1, 2, 1),
        "late.gradviz": Rank(0, 2, 9), "alone.gradviz": None,
    }.items():  # fmt: skip
        put(tmp_path, name, rank)
    (tmp_path / "notes.txt").write_text("not looked at")

    assert [each.rank for each in load_ranks(tmp_path)] == [Rank(0, 2, 3), Rank(1, 2, 3)]


def test_a_folder_without_ranks_is_refused(tmp_path: Path):
    put(tmp_path, "alone.gradviz", None)

    with pytest.raises(FormatError, match="holds no recording of a distributed run"):
        load_ranks(tmp_path)


def test_a_damaged_file_is_named(tmp_path: Path):
    put(tmp_path, "0.gradviz", Rank(0, 2))
    (tmp_path / "1.gradviz").write_bytes(b"PK nothing")

    with pytest.raises(FormatError, match=r"1\.gradviz in the folder"):
        load_ranks(tmp_path)
