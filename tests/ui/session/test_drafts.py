"""Drafts: what is kept of a document, when it is found again, and when it goes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QThread

from gradviz.playback.conditions.breakpoints import on_line
from gradviz.ui.session.autosave import Autosave
from gradviz.ui.session.document import NOTEBOOK, UNTITLED, Content, Document, HandSeed
from gradviz.ui.session.drafts import MOST, Draft, Drafts, draft_of

TYPED = Content(text="x = 1\n", saved_text="")


@pytest.fixture
def drafts(tmp_path: Path) -> Drafts:
    return Drafts(tmp_path / "drafts")


def left(drafts: Drafts, content: Content) -> None:
    """A window had this open, and was closed so that it stays."""
    drafts.keep(draft_of(content))
    drafts.let_go(stays=True)


def found(drafts: Drafts) -> list[Content]:
    return [entry.draft.content for entry in drafts.found()]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    text=st.text(st.characters(), min_size=1).filter(str.strip),
    saved=st.text(),
    name=st.sampled_from([UNTITLED, "mine.py", "a & b.json"]),
    is_notebook=st.booleans(),
    is_held=st.booleans(),
)
def test_a_draft_comes_back_as_it_was(drafts, text, saved, name, is_notebook, is_held):
    content = Content(text=text, name=name, saved_text=saved, kind=NOTEBOOK if is_notebook else "script")
    content = replace(content, held=Path("/from/elsewhere.py") if is_held else None)
    drafts.keep(draft_of(content))

    (file,) = drafts.folder.glob("*.json")
    drafts.let_go(stays=True)
    again = [entry.draft.content for entry in drafts.found() if entry.file == file]

    assert [replace(one, watch=()) for one in again] == ([content] if text != saved or name == UNTITLED else [])
    file.unlink(missing_ok=True)


def test_breakpoints_and_seeds_set_by_hand_come_back(drafts):
    seeds = (
        HandSeed(3, "y", np.array([[1.5, np.nan]], dtype=np.float32)),
        HandSeed(4, None, np.array(2.0)),
    )
    left(drafts, replace(TYPED, breakpoints=(on_line(3), on_line(4)._replace(is_on=False)), hand_seeds=seeds))

    (again,) = found(drafts)
    assert again.breakpoints == (on_line(3), on_line(4)._replace(is_on=False))
    assert [(seed.output, seed.name) for seed in again.hand_seeds] == [(3, "y"), (4, None)]
    for old, new in zip(seeds, again.hand_seeds, strict=True):
        np.testing.assert_array_equal(old.seed, new.seed)
        assert old.seed.dtype == new.seed.dtype


def test_what_the_file_of_a_recording_has_comes_back(drafts, tmp_path):
    mine, its = HandSeed(3, "y", np.array(1.5)), HandSeed(3, "y", np.array(2.5))
    content = Content(text="x = 1\n", name="run.gradviz", path=tmp_path / "run.gradviz", saved_text="x = 1\n")
    left(drafts, replace(content, saved_breakpoints=(on_line(1),), hand_seeds=(mine, its), saved_seeds=(mine, its)))

    (again,) = found(drafts)
    assert again.is_modified
    assert not replace(again, breakpoints=(on_line(1),)).is_modified


def test_half_a_character_comes_back(drafts):
    left(drafts, replace(TYPED, text="x = '\ud800'"))

    assert [content.text for content in found(drafts)] == ["x = '\ud800'"]


def test_a_draft_of_an_open_window_is_not_found(drafts):
    drafts.keep(draft_of(TYPED))

    assert Drafts(drafts.folder).found() == ()
    drafts.let_go(stays=True)
    assert len(Drafts(drafts.folder).found()) == 1


@pytest.mark.parametrize(
    "content",
    [
        replace(TYPED, text=" \n"),
        Content(text="lesson", name="01_square.py", saved_text="lesson"),
    ],
    ids=["nothing", "a lesson that was only read"],
)
def test_what_nobody_would_miss_is_not_found_and_goes(drafts, content):
    left(drafts, content)

    assert drafts.found() == ()
    assert list(drafts.folder.iterdir()) == []


def test_what_is_in_its_file_by_now_is_not_found(drafts, tmp_path):
    (tmp_path / "mine.py").write_text("new\n")
    left(drafts, Content(text="new\n", name="mine.py", path=tmp_path / "mine.py", saved_text="old\n"))

    assert drafts.found() == ()


def test_what_differs_from_its_file_is_found(drafts, tmp_path):
    (tmp_path / "mine.py").write_text("old\n")
    left(drafts, Content(text="new\n", name="mine.py", path=tmp_path / "mine.py", saved_text="old\n"))

    assert [content.path for content in found(drafts)] == [tmp_path / "mine.py"]


def test_of_two_drafts_that_are_the_same_the_later_stays(drafts):
    left(drafts, TYPED)
    left(drafts, TYPED)

    assert len(drafts.found()) == 1
    assert len(list(drafts.folder.iterdir())) == 1


def test_the_oldest_of_very_many_go(drafts):
    for number in range(MOST + 3):
        drafts.keep(Draft(replace(TYPED, text=f"text {number}"), kept_at=number))
        drafts.let_go(stays=True)

    texts = [content.text for content in found(drafts)]
    assert texts == [f"text {number}" for number in reversed(range(3, MOST + 3))]
    assert len(list(drafts.folder.iterdir())) == MOST


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"{", b"[]", b'{"version": 2}', b'{"version": 1, "text": 3}', b"[" * 100_000 + b"]" * 100_000),
        b'{"version": 1, "text": "x", "name": "x.py", "kept_at": 1' + b"0" * 400 + b"}",
        b'{"version": 1, "text": "x", "name": "x.py", "kept_at": 1e300}',
        b'{"version": 1, "text": "x", "name": "x.py", "kept_at": NaN}',
    ],
    ids=["empty", "cut", "list", "version", "field", "deep", "endless time", "far time", "no time"],
)
def test_a_damaged_draft_is_passed_over_and_not_removed(drafts, damage):
    left(drafts, TYPED)
    (drafts.folder / "0.json").write_bytes(damage)

    assert len(drafts.found()) == 1
    assert (drafts.folder / "0.json").exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(key=st.sampled_from(["text", "name", "path", "saved_text", "kind", "held", "breakpoints", "seeds", "kept_at"]),
       value=st.recursive(st.none() | st.integers() | st.text(), st.lists))  # fmt: skip
def test_a_draft_with_anything_in_a_field_is_read_or_passed_over(drafts, key, value):
    left(drafts, TYPED)
    (file,) = drafts.folder.glob("*.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | {key: value}))

    drafts.found()

    for each in drafts.folder.iterdir():
        each.unlink()


def test_another_window_with_the_same_file_is_known(drafts, tmp_path):
    content = Content(text="a", name="a.py", path=tmp_path / "a.py", saved_text="a")
    drafts.keep(draft_of(content))
    other = Drafts(drafts.folder)

    assert other.is_open_elsewhere(tmp_path / "a.py")
    assert not other.is_open_elsewhere(tmp_path / "b.py")
    assert not drafts.is_open_elsewhere(tmp_path / "a.py")
    drafts.let_go(stays=False)
    assert not other.is_open_elsewhere(tmp_path / "a.py")


# ---- of a document ----


@pytest.fixture
def document(qapp) -> Document:
    return Document()


@pytest.fixture
def autosave(document, tmp_path) -> Autosave:
    return Autosave(document, tmp_path / "drafts")


def test_what_is_typed_is_kept(document, autosave, tmp_path):
    document.open_script("", UNTITLED, is_new=True)
    document.set_text("x = 1\n")

    assert autosave.is_safe()
    autosave._drafts.let_go(stays=True)  # as the system does when the process ends
    assert [content.text for content in found(Drafts(tmp_path / "drafts"))] == ["x = 1\n"]


def test_what_has_no_name_stays_when_another_document_is_opened(document, autosave, tmp_path):
    document.open_script("", UNTITLED, is_new=True)
    document.set_text("x = 1\n")
    document.open_script("y = 1\n", "lesson.py")

    assert autosave.is_safe()
    assert [content.text for content in found(Drafts(tmp_path / "drafts"))] == ["x = 1\n"]


def test_what_was_given_up_does_not_stay(document, autosave, tmp_path):
    document.open_script("y = 1\n", "lesson.py")
    document.set_text("y = 2\n")
    document.open_script("", UNTITLED, is_new=True)
    autosave.close()

    assert list((tmp_path / "drafts").iterdir()) == []


def test_an_expression_that_was_not_changed_leaves_nothing_behind(document, autosave, tmp_path):
    document.open_script("x = 1\n", UNTITLED)
    autosave.close()

    assert list((tmp_path / "drafts").iterdir()) == []


def test_a_draft_that_is_opened_is_kept_as_that_of_this_window_before_its_file_goes(document, autosave, tmp_path):
    left(Drafts(tmp_path / "drafts"), TYPED)
    (entry,) = Drafts(tmp_path / "drafts").found()

    document.open_content(entry.draft.content)
    autosave.take(entry)

    assert autosave.is_safe()
    assert not entry.file.exists()
    (mine,) = (tmp_path / "drafts").glob("*.json")
    assert json.loads(mine.read_text())["text"] == TYPED.text


def test_a_folder_that_cannot_be_written_is_one_sentence_until_it_can_be(qtbot, document, autosave, tmp_path):
    (tmp_path / "drafts").write_text("a file where the folder should be")
    failures = []
    autosave.failed.connect(failures.append)
    document.open_script("", UNTITLED, is_new=True)
    document.set_text("x")

    assert not autosave.is_safe()
    document.set_text("xy")
    assert not autosave.is_safe()
    qtbot.waitUntil(lambda: len(failures) == 1)
    assert "is not kept safe" in failures[0].one_line()
    (tmp_path / "drafts").unlink()
    assert autosave.is_safe()


def test_a_mistake_of_the_worker_is_one_sentence_in_the_thread_of_the_windows(qtbot, document, autosave, monkeypatch):
    def fail(_drafts) -> None:
        raise RuntimeError("what nobody thought of")

    monkeypatch.setattr(Drafts, "found", fail)
    told: list[tuple[str, bool]] = []

    class Listener(QObject):
        def hear(self, error) -> None:
            told.append((error.one_line(), QThread.isMainThread()))

    listener = Listener()
    autosave.failed.connect(listener.hear)
    autosave.look()

    qtbot.waitUntil(lambda: bool(told))
    assert told[0][1]
    assert "RuntimeError: what nobody thought of" in told[0][0]


def test_whoever_types_without_a_rest_has_a_draft_nevertheless(qtbot, document, autosave, tmp_path):
    document.open_script("", UNTITLED, is_new=True)
    autosave.type(lambda: "typed and not told yet")
    assert autosave._typing.isActive()

    autosave._typing.timeout.emit()
    autosave._pool.waitForDone()

    (mine,) = (tmp_path / "drafts").glob("*.json")
    assert json.loads(mine.read_text())["text"] == "typed and not told yet"
