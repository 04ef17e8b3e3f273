"""The document and the session: one writer, and an answer to the latest text alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradviz.errors import FormatError, GradvizError, LimitError
from gradviz.playback.track import Track
from gradviz.recording import Problem, Recording
from gradviz.ui.session.clock import HAND_MS, TERM_MS, Clock
from gradviz.ui.session.document import Document, HandSeed
from gradviz.ui.session.session import Session, position_in, read_script
from tests.samples import array, random_graph, weighted_sum
from tests.ui.sessions import Reader, lay_out, measure, new_session


@pytest.fixture
def session(qtbot, reader: Reader) -> Iterator[Session]:
    made = new_session(reader)
    yield made
    reader.release.set()
    made.close()


def opened(qtbot, session: Session, text: str = "one") -> None:
    with qtbot.waitSignal(session.picture_changed):
        session.open_script(text, "one.py")


# ---- the document ----


def test_script_just_opened_is_not_modified_and_an_edit_makes_it_so(qtbot):
    document = Document()
    document.open_script("x = 1", "a.py")

    assert not document.content.is_modified
    with qtbot.waitSignal(document.title_changed):
        document.set_text("x = 2")
    assert document.content.is_modified


def test_equal_text_is_no_news(qtbot):
    document = Document()
    document.open_script("x = 1", "a.py")

    with qtbot.assertNotEmitted(document.title_changed), qtbot.assertNotEmitted(document.run_ended):
        document.set_text("x = 1")


def test_saving_names_the_document_and_ends_its_being_modified():
    document = Document()
    document.open_script("x = 1", "untitled.py", is_new=True)
    assert document.content.is_modified

    document.set_saved(Path("/somewhere/mine.py"))

    assert document.content.name == "mine.py"
    assert not document.content.is_modified


def test_recording_from_a_file_brings_its_script_and_its_first_sweep():
    document = Document()
    document.open_recording(weighted_sum(), "w.json")

    assert document.content.text == weighted_sum().source.text
    assert document.content.sweep == 0
    assert document.content.path is None


def test_sweep_that_does_not_exist_cannot_be_chosen(qtbot):
    document = Document()
    document.open_recording(weighted_sum(), "w.json")

    with qtbot.assertNotEmitted(document.recording_changed):
        document.choose_sweep(1)
        document.choose_sweep(-1)
    assert document.content.sweep == 0


# ---- the session ----


def test_first_picture_stands_at_the_turn(qtbot, session):
    opened(qtbot, session)

    assert session.clock.player.position == session.picture.track.turn == 5


def test_answer_to_an_older_text_is_dropped(qtbot, session, reader):
    session.open_script("slow one", "a.py")
    with qtbot.waitSignal(session.picture_changed):
        session.edit("two")
    reader.release.set()
    session.close()

    assert session.document.content.output == "ran two\n"


def test_after_an_error_what_ran_of_this_script_is_drawn(qtbot, session):
    opened(qtbot, session)
    picture = session.picture

    with qtbot.waitSignal(session.picture_changed):
        session.edit("bad")

    content = session.document.content
    assert session.picture is not picture
    assert content.recording.source.text == "bad"
    assert not content.is_stale
    assert content.problem.line == 3
    assert content.output == "ran bad\n"


def test_error_before_anything_ran_keeps_the_picture_of_the_same_script_and_marks_it_stale(qtbot, session):
    opened(qtbot, session, "one\ntwo\nthree")
    picture = session.picture

    with qtbot.waitSignal(session.document.run_ended):
        session.edit("one\ntwo\nbroken")

    content = session.document.content
    assert session.picture is picture
    assert content.is_stale
    assert content.problem is not None


def test_error_before_anything_ran_takes_away_the_picture_of_another_script(qtbot, session):
    opened(qtbot, session, "one\ntwo\nthree")

    with qtbot.waitSignal(session.picture_changed):
        session.edit("this was pasted over it\nand is broken")

    assert session.picture is None
    assert not session.document.content.is_stale
    assert session.document.content.problem is not None


def test_next_good_run_is_no_longer_stale(qtbot, session):
    opened(qtbot, session)
    with qtbot.waitSignal(session.document.run_ended):
        session.edit("one broken")
    with qtbot.waitSignal(session.picture_changed):
        session.edit("good again")

    assert not session.document.content.is_stale
    assert session.document.content.problem is None


def test_error_within_a_pass_is_shown_after_the_last_step_that_was_done(qtbot, session):
    recording = weighted_sum()
    broken_off = replace(recording.sweeps[0], steps=recording.sweeps[0].steps[:2], accumulated=())
    failed = replace(recording, sweeps=(recording.sweeps[0], broken_off), problem=Problem("no", line=7, node=1))

    with qtbot.waitSignal(session.picture_changed):
        session.open_recording(failed, "failed.json")

    assert session.picture.track.sweep == 1
    assert session.picture.track.node_at(session.clock.player.position) == 3
    assert session.clock.player.position == session.clock.player.length


def test_long_run_says_what_it_prints_while_it_runs(qtbot, session, reader):
    heard: list[str] = []
    session.printed.connect(heard.append)
    with qtbot.waitSignal(session.printed):
        session.open_script("loud and slow", "a.py")
    with qtbot.waitSignal(session.document.run_ended):
        reader.release.set()

    assert "".join(heard) == "first\nsecond\n"


def test_short_run_is_shown_when_it_has_ended(qtbot, session):
    with qtbot.assertNotEmitted(session.printed):
        opened(qtbot, session, "loud")


def test_stopped_run_keeps_what_it_printed(qtbot, session):
    with qtbot.waitSignal(session.printed):
        session.open_script("loud and slow", "a.py")
    with qtbot.waitSignal(session.document.run_ended):
        session.stop()

    assert session.document.content.output == "first\nsecond\n"


# ---- files from elsewhere ----


def test_script_from_elsewhere_runs_when_somebody_asks_for_it_and_not_before(qtbot, session, reader, tmp_path):
    file = tmp_path / "strange.py"
    file.write_text("one")
    session.may_run = lambda _path, _text: False
    released: list[str] = []
    session.released.connect(released.append)

    session.open_file(file)
    session.edit("one and two")

    assert session.document.content.held == file
    assert reader.texts == []
    with qtbot.waitSignal(session.picture_changed):
        session.run()
    assert released == ["one and two"]
    assert session.document.content.held is None
    assert reader.texts == ["one and two"]


def test_script_of_a_recording_from_elsewhere_is_not_run_by_an_edit(qtbot, session, reader):
    with qtbot.waitSignal(session.picture_changed):
        session.open_recording(weighted_sum(), "w.json", held=Path("w.json"))

    session.edit("something else")

    assert reader.texts == []


def test_script_that_fails_when_first_opened_shows_what_came_before_the_error(qtbot, session):
    opened(qtbot, session, "bad")

    assert session.picture is not None
    assert not session.document.content.is_stale
    assert not session.no_seed  # the v that backward() asked for can be tried at once


def test_script_that_fails_again_shows_what_it_showed_when_first_opened(qtbot, session):
    opened(qtbot, session, "bad")
    first = session.document.content.recording
    with qtbot.waitSignal(session.document.run_ended):
        session.run()

    assert session.document.content.recording is not first
    assert not session.document.content.is_stale


def test_error_without_a_recording_keeps_the_picture_too(qtbot):
    def interpret(text, name, cancelled, **details):
        if "too long" in text:
            raise LimitError("The script takes too many steps.", line=2)
        return Reader()(text, name, cancelled)

    session = Session(Clock(reduced_motion=True), interpret=interpret, lay_out=lay_out, measure=measure)
    opened(qtbot, session)
    with qtbot.waitSignal(session.document.run_ended):
        session.edit("one\ntoo long")

    assert session.document.content.problem.message == "The script takes too many steps."
    assert session.document.content.is_stale
    session.close()


def test_stopped_run_says_so_and_keeps_the_picture(qtbot, session, reader):
    opened(qtbot, session)
    session.edit("one\nslow")

    with qtbot.waitSignal(session.document.run_ended):
        session.stop()

    assert session.document.content.problem.message == "Stopped."
    assert session.picture is not None


def test_the_picture_of_another_script_goes_when_a_run_is_stopped(qtbot, session, reader):
    opened(qtbot, session)
    session.edit("two\nslow")

    with qtbot.waitSignal(session.document.run_ended):
        session.stop()

    assert session.picture is None
    assert not session.document.content.is_stale


def test_what_to_watch_goes_with_the_lesson_that_it_is_about(session):
    text = "# Watch: This.\none"
    session.open_script(text, "one.py", watch=("This.",))

    session.edit(f"{text}\ntwo")
    assert session.document.content.watch == ("This.",)
    session.edit("two")
    assert not session.document.content.watch


def test_script_without_tensors_shows_no_picture(qtbot, session):
    opened(qtbot, session)
    with qtbot.waitSignal(session.picture_changed):
        session.edit("empty")

    assert session.picture is None
    assert session.clock.player.length == 0


def test_rerun_of_the_same_graph_keeps_layout_and_step(qtbot, session):
    opened(qtbot, session)
    session.clock.player.go(7)
    layout = session.picture.layout

    with qtbot.waitSignal(session.picture_changed):
        session.edit("other numbers")

    assert session.picture.layout is layout
    assert session.clock.player.position == 7


def test_sum_of_several_terms_gets_time_to_be_seen(qtbot, session):
    opened(qtbot, session)
    session.clock.reduced_motion = False
    player = session.clock.player

    def phase_at(position: int) -> float:
        player.go(position - 1)
        session.clock.advance(5000.0)
        player.go(position)
        session.clock.advance(HAND_MS)
        return session.clock.phase

    assert phase_at(8) == 1.0  # a single gradient comes in
    assert phase_at(9) == pytest.approx(HAND_MS / (HAND_MS + TERM_MS))  # x is used twice
    assert session.clock.terms_at(1) == 1
    session.clock.stop()


def test_end_of_the_old_track_is_the_end_of_the_new_one():
    old, new = Track(random_graph(10), 0), Track(random_graph(20), 0)

    assert position_in(new, old, old.length) == new.length
    assert position_in(new, old, 3) == new.turn
    assert position_in(new, None, 3) == new.turn


def test_another_sweep_starts_at_its_turn(qtbot, session):
    opened(qtbot, session, "two calls")
    session.clock.player.last()

    with qtbot.waitSignal(session.picture_changed):
        session.document.choose_sweep(1)

    assert session.clock.player.position == session.picture.track.turn


def test_seed_by_hand_becomes_a_sweep_that_is_chosen(qtbot, session):
    opened(qtbot, session)
    with qtbot.waitSignal(session.picture_changed):
        session.sweep_by_hand(3, array(1, 0))

    content = session.document.content
    assert (len(content.recording.sweeps), content.sweep, content.script_sweeps) == (2, 1, 1)
    assert content.recording.sweeps[1].outputs == (3,)
    np.testing.assert_array_equal(content.recording.sweeps[1].seeds[0], [1, 0])


def test_seed_by_hand_is_swept_again_after_an_edit(qtbot, session):
    opened(qtbot, session)
    with qtbot.waitSignal(session.picture_changed):
        session.sweep_by_hand(3, array(1, 0))
    with qtbot.waitSignal(session.picture_changed):
        session.edit("other numbers")

    content = session.document.content
    assert (len(content.recording.sweeps), content.sweep) == (2, 1)
    assert content.hand_seeds == (HandSeed(3, None, content.hand_seeds[0].seed),)


def test_loaded_recording_cannot_be_seeded_and_says_why(qtbot, session):
    with qtbot.waitSignal(session.picture_changed):
        session.open_recording(weighted_sum(), "w.json")
    with qtbot.waitSignal(session.refused) as refused:
        session.sweep_by_hand(3, array(1, 0))

    assert isinstance(refused.args[0], GradvizError)
    assert len(session.document.content.recording.sweeps) == 1


def test_turning_the_picture_lays_it_out_anew_and_keeps_the_step(qtbot, session):
    opened(qtbot, session)
    session.clock.player.go(8)

    with qtbot.waitSignal(session.picture_changed):
        session.turn_to("right")

    assert session.picture.direction == "right"
    assert session.clock.player.position == 8


def test_file_that_is_no_text_is_refused_with_a_sentence(tmp_path):
    file = tmp_path / "picture.py"
    file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(FormatError, match="not a text file"):
        read_script(file)
    with pytest.raises(FormatError, match="cannot be read"):
        read_script(tmp_path / "missing.py")


def test_a_notebook_is_run_as_one_until_it_is_saved_as_a_script(qtbot, tmp_path):
    asked = []

    def interpret(text, name, cancelled, kind="script", **details):
        asked.append(kind)
        return Reader()(text, name, cancelled)

    session = Session(Clock(reduced_motion=True), interpret=interpret, lay_out=lay_out, measure=measure)
    file = tmp_path / "book.ipynb"
    file.write_text('{"cells": [{"cell_type": "code", "source": ["1 + 1"]}]}')
    with qtbot.waitSignal(session.document.run_ended):
        session.open_file(file)
    session.document.set_saved(tmp_path / "book.py")
    with qtbot.waitSignal(session.document.run_ended):
        session.run()

    assert asked == ["notebook", "script"]
    session.close()


# ---- the clock ----


def test_document_starts_empty():
    assert Document().content.recording == Recording()
