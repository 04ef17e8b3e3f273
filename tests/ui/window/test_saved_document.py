"""A recording as a document: what was set by hand is in its file, and comes back with it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradviz.changes import Spot
from gradviz.formats import FORMATS, load, save, snapshot
from gradviz.playback.conditions.breakpoints import on_line
from gradviz.recording import ChangedNumber, Engine, Framing, SavedView
from gradviz.run.over import EndedRun
from gradviz.ui.canvas.scene.cards import cards
from gradviz.ui.session.document import are_same
from gradviz.ui.session.drafts import Drafts, draft_of
from gradviz.ui.session.saving import stamp_of
from gradviz.ui.window.files import Changed, Unsaved
from gradviz.ui.window.window import OVERTAKEN, VANISHED
from tests.formats.recordings import plain
from tests.samples import weighted_sum
from tests.ui.real_windows import real_window, settle
from tests.ui.window.test_files import look_again
from tests.ui.windows import answer, choose_file

TEXT = """\
import torch

def block(x, w):
    y = torch.tanh(x @ w)
    return y * y + x

x = torch.ones(3, requires_grad=True)
w = torch.eye(3, requires_grad=True)
h = x
for i in range(3):
    h = block(h, w)
loss = h.sum()
loss.backward(retain_graph=True)
h.backward(torch.tensor([1.0, 2.0, 3.0]))
"""


def looked_at(qtbot, window) -> None:
    """Change all that a document keeps."""
    session, bench = window.session, window.workbench
    bench.folds.toggle(0)
    settle(qtbot, window)
    session.document.set_breakpoints((on_line(5), on_line(12)._replace(is_on=False)))
    session.sweep_by_hand(session.picture.track.recording.sweeps[1].outputs[0], np.array([0.5, 0.0, -1.0], np.float32))
    settle(qtbot, window)
    session.clock.player.go(session.picture.track.turn + 4)
    bench.canvas.zoom_by(1.7)
    bench.canvas.move_by(60, 40)


@pytest.fixture
def new(qtbot, tmp_path, monkeypatch):
    """Makes windows, which are closed at the end whatever is open in them."""
    made = []

    def make(settings: str = "other settings.ini", **ways):
        window = real_window(tmp_path / settings, **ways)
        qtbot.addWidget(window)
        made.append(window)
        return window

    yield make
    answer(monkeypatch, Unsaved.DISCARD)
    for window in made:
        window.close()


@pytest.fixture
def mine(qtbot, new):
    window = new("settings.ini")
    window.session.open_script(TEXT, "mine.py")
    settle(qtbot, window)
    return window


@pytest.fixture
def opened_again(qtbot, new):
    """Opens a file in a window of another user."""

    def open_file(file: Path, **ways):
        window = new(**ways)
        window.open_path(file)
        settle(qtbot, window)
        return window

    return open_file


def assert_framed_alike(found: Framing | None, framing: Framing) -> None:
    """The same to a pixel of the screen, on which a view is put."""
    assert found is not None
    assert (found.scale, found.node) == (framing.scale, framing.node)
    assert (found.x, found.y) == pytest.approx((framing.x, framing.y), abs=2 / framing.scale)


@pytest.mark.parametrize("suffix", FORMATS)
def test_all_that_was_set_by_hand_comes_back(qtbot, mine, tmp_path, monkeypatch, suffix, opened_again):
    looked_at(qtbot, mine)
    file = tmp_path / f"mine{suffix}"
    choose_file(monkeypatch, "getSaveFileName", file)
    mine.trigger("save")

    assert mine.session.document.content.path == file
    its = opened_again(file)

    was, now = mine.session.document.content, its.session.document.content
    assert (now.text, now.sweep, now.script_sweeps, now.breakpoints) == (TEXT, 2, 2, was.breakpoints)
    assert are_same(now.hand_seeds, was.hand_seeds)
    assert its.workbench.folds.board.folding == mine.workbench.folds.board.folding
    assert its.session.clock.player.position == mine.session.clock.player.position
    assert not now.is_modified
    assert not now.is_stale
    assert now.recording.view is None
    assert_framed_alike(its.workbench.canvas.framing, mine.workbench.canvas.framing)


def test_a_what_if_comes_back_beside_the_numbers_of_the_run(qtbot, mine, tmp_path, opened_again):
    spot = Spot(mine.session.picture.track.recording.nodes[0].id, 1)
    mine.session.supposing.change(spot, 2.5)
    qtbot.waitUntil(lambda: mine.session.document.content.supposed is not None)
    settle(qtbot, mine)
    mine.files.export_to(tmp_path / "mine.gradviz")

    its = opened_again(tmp_path / "mine.gradviz")
    qtbot.waitUntil(lambda: its.session.document.content.supposed is not None)

    was, now = mine.session.document.content, its.session.document.content
    assert now.supposed.what_if == was.supposed.what_if
    assert plain(now.own) == plain(was.own)
    np.testing.assert_array_equal(now.recording.values[0], was.recording.values[0])
    assert now.recording.values[0][1] == 2.5


def test_a_what_if_of_nothing_that_is_there_is_a_sentence(qtbot, new, tmp_path):
    for at, change in enumerate((ChangedNumber(0, 99, None, None, 1.0), ChangedNumber(0, 0, 7, None, 1.0))):
        save(replace(weighted_sum(), view=SavedView(what_if=(change,))), tmp_path / f"sum{at}.json")
        window = new(f"{at}.ini")
        with qtbot.waitSignal(window.session.refused) as refused:
            window.open_path(tmp_path / f"sum{at}.json")
        settle(qtbot, window)

        assert refused.args[0].message
        assert window.session.picture is not None


def test_a_picture_that_was_whole_is_whole_in_a_window_of_another_size(qtbot, mine, tmp_path, opened_again):
    mine.files.export_to(tmp_path / "mine.gradviz")
    its = opened_again(tmp_path / "mine.gradviz")
    its.resize(900, 700)
    settle(qtbot, its)

    assert its.workbench.canvas.framing is None


def test_what_is_in_the_middle_is_there_in_a_window_of_another_size(qtbot, mine, tmp_path, opened_again):
    looked_at(qtbot, mine)
    framing = mine.workbench.canvas.framing
    mine.files.export_to(tmp_path / "mine.gradviz")

    other = opened_again(tmp_path / "mine.gradviz", size=(950, 700))

    assert other.workbench.canvas.size() != mine.workbench.canvas.size()
    assert_framed_alike(other.workbench.canvas.framing, framing)


def test_the_text_that_is_edited_is_saved_beside_the_recording_that_is_drawn(qtbot, mine, tmp_path, opened_again):
    mine.session.edit(TEXT + "y = undefined_\n(")  # which does not run
    settle(qtbot, mine)
    mine.files.export_to(tmp_path / "mine.gradviz")

    its = opened_again(tmp_path / "mine.gradviz")

    content = its.session.document.content
    assert content.text == TEXT + "y = undefined_\n("
    assert content.is_stale
    assert content.recording.source.text == TEXT
    assert load(tmp_path / "mine.gradviz").view.text == content.text


def test_a_script_that_never_ran_is_saved_as_a_document(qtbot, mine, tmp_path, opened_again):
    mine.session.open_script("not a script (", "bad.py")
    settle(qtbot, mine)
    mine.files._write(tmp_path / "bad.gradviz")

    assert opened_again(tmp_path / "bad.gradviz").session.document.content.text == "not a script ("


def test_seeds_and_breakpoints_of_a_document_are_unsaved_changes_and_its_view_is_none(qtbot, mine, tmp_path):
    mine.files._write(tmp_path / "mine.gradviz")
    document = mine.session.document
    mine.session.clock.player.go(2)
    assert not document.content.is_modified

    document.set_breakpoints((on_line(5),))
    assert document.content.is_modified
    mine.session.document.set_breakpoints(())
    assert not document.content.is_modified
    looked_at(qtbot, mine)
    assert document.content.is_modified
    mine.trigger("save")
    assert not document.content.is_modified


def test_breakpoints_of_a_script_change_nothing_in_its_file(mine, tmp_path):
    mine.files._write(tmp_path / "mine.py")
    mine.session.document.set_breakpoints((on_line(5),))

    assert not mine.session.document.content.is_modified


def test_a_damaged_breakpoint_is_left_out(tmp_path, opened_again):
    view = SavedView(breakpoints=(("line = 3", True), ("line = = 3", True)))
    save(replace(weighted_sum(), view=view), tmp_path / "sum.json")

    its = opened_again(tmp_path / "sum.json")

    assert its.session.document.content.breakpoints == (on_line(3),)


@pytest.mark.parametrize("view", [
    SavedView(position=10**15),
    SavedView(folded=(("nowhere", "at all"), ()), focus=("nowhere",)),
    SavedView(framing=Framing(1e300, 2, 1e300, -1e300)),
    SavedView(framing=Framing(1e-300, 0, 0.0, 0.0)),
], ids=["far", "other groups", "large", "small"])  # fmt: skip
def test_a_view_of_nothing_that_is_there_is_as_near_as_can_be(tmp_path, view, opened_again):
    save(replace(weighted_sum(), view=view), tmp_path / "sum.json")

    its = opened_again(tmp_path / "sum.json")

    player = its.session.clock.player
    assert 0 <= player.position <= player.length
    assert its.workbench.canvas.box_at((its.workbench.canvas.width() / 2, 0)) is None
    its.grab()


# ---- whose file it is ----


def test_a_document_that_another_program_has_written_is_not_overwritten_unasked(mine, tmp_path, monkeypatch):
    file = tmp_path / "mine.gradviz"
    mine.files._write(file)
    save(weighted_sum(), file)
    theirs = file.read_bytes()
    asked: list[str] = []
    for given in (Changed.CANCEL, Changed.OVERWRITE):
        monkeypatch.setattr(Changed, "ask", classmethod(lambda _c, _p, name, given=given: asked.append(name) or given))
        mine.trigger("save")
        assert (file.read_bytes() == theirs) == (given == Changed.CANCEL)
    mine.trigger("save")

    assert asked == ["mine.gradviz", "mine.gradviz"]


def test_a_document_that_is_gone_meanwhile_is_written_again(mine, tmp_path):
    file = tmp_path / "mine.gradviz"
    mine.files._write(file)
    file.unlink()
    mine.trigger("save")

    assert load(file).source.text == TEXT


def test_a_document_that_is_open_in_another_window_is_said(qtbot, mine, tmp_path, new):
    file = tmp_path / "mine.gradviz"
    mine.files._write(file)
    assert mine.autosave.is_safe()
    other = new("settings.ini")  # and so of the same drafts

    with qtbot.waitSignal(other.autosave.shared):
        other.open_path(file)


def test_closing_asks_about_a_document_with_unsaved_breakpoints(mine, tmp_path, monkeypatch):
    mine.files._write(tmp_path / "mine.gradviz")
    mine.session.document.set_breakpoints((on_line(5),))
    asked = answer(monkeypatch, Unsaved.CANCEL)

    assert not mine.close()
    assert asked == ["mine.gradviz"]
    answer(monkeypatch, Unsaved.DISCARD)


# ---- what closing asks about ----


def suppose(qtbot, window, number: float = 2.5) -> None:
    """Type another number into x."""
    bench = window.workbench
    bench.change_number(Spot(0, 1), number)
    settle(qtbot, window)


def fold_one(qtbot, window) -> None:
    window.workbench.folds.toggle(0)
    settle(qtbot, window)


def set_v(qtbot, window) -> None:
    recording = window.session.picture.track.recording
    window.session.sweep_by_hand(recording.sweeps[1].outputs[0], np.array([0.5, 0.0, -1.0], np.float32))
    settle(qtbot, window)


def stop_at_line(qtbot, window) -> None:
    window.session.document.set_breakpoints((on_line(5),))


CHANGES = (suppose, fold_one, set_v, stop_at_line)


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_set_by_hand_in_a_document_is_asked_about_until_it_is_taken_back(
    qtbot, mine, tmp_path, monkeypatch, change
):
    mine.files._write(tmp_path / "mine.gradviz")
    asked = answer(monkeypatch, Unsaved.CANCEL)

    change(qtbot, mine)
    assert mine.isWindowModified()
    assert not mine.close()
    assert asked == ["mine.gradviz"]

    mine.trigger("undo")
    settle(qtbot, mine)
    assert not mine.isWindowModified()
    mine.trigger("redo")
    settle(qtbot, mine)
    assert mine.isWindowModified()
    mine.trigger("save")
    assert not mine.isWindowModified()
    mine.trigger("undo")
    settle(qtbot, mine)
    assert mine.isWindowModified()


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_set_by_hand_beside_a_script_is_not_asked_about(qtbot, mine, tmp_path, monkeypatch, change):
    mine.files._write(tmp_path / "mine.py")
    asked = answer(monkeypatch, Unsaved.CANCEL)

    change(qtbot, mine)

    assert not mine.isWindowModified()
    assert mine.close()
    assert asked == []


def test_stepping_looking_and_a_group_that_a_search_opens_are_no_changes(qtbot, mine, tmp_path, opened_again):
    fold_one(qtbot, mine)
    mine.files._write(tmp_path / "mine.gradviz")
    its = opened_again(tmp_path / "mine.gradviz")

    its.session.clock.player.first()
    its.workbench.canvas.zoom_by(1.7)
    its.session.document.choose_sweep(1)
    settle(qtbot, its)
    saved = its.workbench.folds.board.folding
    for node in its.session.picture.track.forward:
        its.workbench.visit(node)
        settle(qtbot, its)

    assert its.workbench.folds.board.folding != saved
    assert not its.isWindowModified()
    fold_one(qtbot, its)
    assert its.isWindowModified()
    its.trigger("undo")
    settle(qtbot, its)
    assert not its.isWindowModified()


def test_a_what_if_and_folds_that_a_file_has_are_no_changes_when_it_is_opened(qtbot, mine, tmp_path, opened_again):
    suppose(qtbot, mine)
    fold_one(qtbot, mine)
    mine.files._write(tmp_path / "mine.gradviz")
    modified = []

    its = opened_again(tmp_path / "mine.gradviz")
    its.session.document.title_changed.connect(lambda: modified.append(its.session.document.content.is_modified))
    settle(qtbot, its)

    assert its.session.document.content.supposed is not None
    assert not its.isWindowModified()
    assert True not in modified
    its.trigger("back_to_run")
    assert its.isWindowModified()


def test_an_edit_that_is_taken_back_brings_the_what_if_again(qtbot, mine, tmp_path):
    suppose(qtbot, mine)
    mine.files._write(tmp_path / "mine.gradviz")
    mine.workbench.editor.set_text(TEXT + "z = 1\n")
    mine.session.edit(TEXT + "z = 1\n")
    settle(qtbot, mine)
    assert mine.session.document.content.supposed is None

    mine.trigger("undo")
    settle(qtbot, mine)
    qtbot.waitUntil(lambda: mine.session.document.content.supposed is not None)

    assert mine.session.document.content.recording.values[0][1] == 2.5
    assert not mine.isWindowModified()


def test_a_what_if_that_cannot_be_shown_here_stays_in_its_file(qtbot, mine, tmp_path, opened_again):
    suppose(qtbot, mine)
    mine.files._write(tmp_path / "mine.gradviz")

    its = opened_again(tmp_path / "mine.gradviz", recalculate=None)

    assert not its.isWindowModified()
    its.trigger("save")
    assert load(tmp_path / "mine.gradviz").view.what_if == (ChangedNumber(0, 1, None, None, 2.5),)


def test_a_what_if_of_nothing_is_not_asked_about(qtbot, mine, tmp_path, opened_again):
    view = SavedView(what_if=(ChangedNumber(0, 99, None, None, 1.0),))
    save(replace(load_of(mine), view=view), tmp_path / "mine.gradviz")

    its = opened_again(tmp_path / "mine.gradviz")

    assert "99" in its.statusBar().currentMessage()
    assert not its.isWindowModified()


def cut_off(file: Path) -> None:
    os.truncate(file, 0)


def put_another(file: Path) -> None:
    save(weighted_sum(), file.with_name("other.gradviz"))
    file.with_name("other.gradviz").replace(file)


@pytest.mark.parametrize(
    ("change", "sentence"), [(cut_off, OVERTAKEN), (put_another, OVERTAKEN), (Path.unlink, VANISHED)]
)
def test_a_document_stays_whole_whatever_another_program_does_with_its_file(
    qtbot, mine, tmp_path, monkeypatch, opened_again, change, sentence
):
    monkeypatch.setattr(snapshot, "LARGE", 1)
    file = tmp_path / "mine.gradviz"
    mine.files._write(file)
    its = opened_again(file)

    change(file)
    look_again(its)
    player = its.session.clock.player
    for position in range(player.length + 1):
        player.go(position)
        its.grab()

    assert its.statusBar().currentMessage() == sentence.format(name="mine.gradviz")
    its.files.export_to(tmp_path / "again.gradviz")
    again = load(tmp_path / "again.gradviz")
    assert plain(replace(again, view=None)) == plain(load_of(mine))


# ---- after a crash ----


def kept_as_draft(window, folder: Path) -> Drafts:
    """The drafts in which what is open is left as by a process that was killed."""
    drafts = Drafts(folder)
    drafts.keep(draft_of(window.session.document.content))
    drafts.let_go(stays=True)
    return drafts


def test_seeds_and_breakpoints_of_a_document_come_back_after_a_crash(qtbot, mine, tmp_path, new):
    file = tmp_path / "mine.gradviz"
    mine.files._write(file)
    looked_at(qtbot, mine)
    (found,) = kept_as_draft(mine, tmp_path / "drafts").found()

    other = new()
    other.files.open_draft(found)
    settle(qtbot, other)

    was, now = mine.session.document.content, other.session.document.content
    assert (now.path, now.text, now.breakpoints) == (file, TEXT, was.breakpoints)
    assert are_same(now.hand_seeds, was.hand_seeds)
    assert len(now.recording.sweeps) == 3
    assert now.is_modified
    assert now.stamp == stamp_of(file)


@pytest.mark.parametrize("origin", ["typed here", "from elsewhere", "by PyTorch"])
@pytest.mark.parametrize("change", CHANGES)
def test_each_change_of_a_document_comes_back_after_a_crash_and_can_be_taken_back(
    qtbot, mine, tmp_path, new, opened_again, origin, change
):
    file = tmp_path / "run.gradviz"
    if origin == "typed here":
        its = mine
        its.files._write(file)
    else:
        engine = Engine("PyTorch", "2.13.0") if origin == "by PyTorch" else None
        save(replace(load_of(mine), engine=engine), file)
        its = opened_again(file, revive=EndedRun)
    change(qtbot, its)
    (found,) = kept_as_draft(its, tmp_path / "drafts").found()

    other = new(revive=EndedRun)
    other.files.open_draft(found)
    settle(qtbot, other)

    was, now = its.session.document.content, other.session.document.content
    assert (now.what_if, now.breakpoints) == (was.what_if, was.breakpoints)
    assert are_same(now.hand_seeds, was.hand_seeds)
    assert plain(replace(now.recording, source=None)) == plain(replace(was.recording, source=None))
    assert (now.supposed is None) == (was.supposed is None)
    assert other.workbench.folds.board.folding == its.workbench.folds.board.folding
    assert other.isWindowModified()
    other.trigger("save")
    assert not other.isWindowModified()
    assert kept_as_draft(other, tmp_path / "more drafts").found() == ()


def test_a_what_if_and_folds_of_a_script_without_a_name_come_back_after_a_crash(qtbot, mine, tmp_path, new):
    mine.session.open_script(TEXT, "untitled.py", is_new=True)
    settle(qtbot, mine)
    suppose(qtbot, mine)
    fold_one(qtbot, mine)
    (found,) = kept_as_draft(mine, tmp_path / "drafts").found()

    other = new()
    other.files.open_draft(found)
    settle(qtbot, other)
    qtbot.waitUntil(lambda: other.session.document.content.supposed is not None)

    assert other.session.document.content.what_if == mine.session.document.content.what_if
    assert other.workbench.folds.board.folding == mine.workbench.folds.board.folding


def test_a_draft_that_is_in_the_file_of_its_document_by_now_is_not_found(qtbot, mine, tmp_path):
    file = tmp_path / "mine.gradviz"
    mine.files._write(file)
    looked_at(qtbot, mine)
    drafts = kept_as_draft(mine, tmp_path / "drafts")
    mine.trigger("save")

    assert drafts.found() == ()


def test_a_draft_of_what_pytorch_ran_shows_its_recording_and_runs_nothing(qtbot, mine, tmp_path, new):
    file = tmp_path / "run.gradviz"
    recording = load_of(mine)
    save(replace(recording, engine=Engine("PyTorch", "2.13.0")), file)
    mine.open_path(file)
    settle(qtbot, mine)
    mine.session.edit(TEXT + "\n# a remark\n")
    (found,) = kept_as_draft(mine, tmp_path / "drafts").found()

    other = new(interpret=lambda *_a, **_k: pytest.fail("it was run"))
    other.files.open_draft(found)
    settle(qtbot, other)

    content = other.session.document.content
    assert content.with_pytorch
    assert content.is_stale
    assert content.is_modified
    assert content.text.endswith("# a remark\n")
    assert len(content.recording.nodes) == len(recording.nodes)


def test_a_draft_whose_document_is_gone_is_run(qtbot, mine, tmp_path, new):
    file = tmp_path / "mine.gradviz"
    mine.files._write(file)
    mine.session.edit(TEXT + "\n# a remark\n")
    settle(qtbot, mine)
    (found,) = kept_as_draft(mine, tmp_path / "drafts").found()
    file.unlink()

    other = new()
    other.files.open_draft(found)
    settle(qtbot, other)

    assert other.session.document.content.recording.nodes
    assert other.session.document.content.text.endswith("# a remark\n")


def load_of(window):
    return window.session.document.content.recording


@pytest.mark.parametrize("name", ["0.1.0.gradviz"])
def test_a_document_of_a_version_before_is_shown_as_it_was(qtbot, tmp_path, opened_again, name):
    file = tmp_path / name
    file.write_bytes((Path(__file__).parents[2] / "data" / "saved" / name).read_bytes())

    its = opened_again(file)
    qtbot.waitUntil(lambda: its.session.document.content.supposed is not None)
    settle(qtbot, its)

    assert its.session.clock.player.position == 4
    assert its.workbench.folds.board.folding.folded == {("twice",)}
    assert its.session.document.content.recording.sweeps[0].accumulated[0].after[11] == 80
    assert its.workbench.canvas.framing.scale == 1.875


# ---- what cannot be seen ----

HOSTILE = "a\u202e\x07<b>\ud800"
SHOWN = "a⟨202E⟩⟨0007⟩<b>⟨D800⟩"


def test_names_with_signs_that_cannot_be_seen_are_shown_as_what_they_are(qtbot, tmp_path, opened_again):
    nodes = [node._replace(name=HOSTILE if node.op == "leaf" else node.name) for node in weighted_sum().nodes]
    nodes = [node if node.is_leaf else node._replace(op=f"{node.op}\u2066", scope=(HOSTILE,)) for node in nodes]
    save(replace(weighted_sum(), nodes=tuple(nodes), output=HOSTILE), tmp_path / "sum.json")

    its = opened_again(tmp_path / "sum.json")
    bench, player, track = its.workbench, its.session.clock.player, its.session.picture.track
    said = []
    for position in range(track.length + 1):
        player.go(position)
        bench.select(track.node_at(position))
        said += [bench.inspector.text(), bench.canvas.accessibleDescription(), its.grab() and ""]

    words = "\n".join(said) + "\n".join(card.name + card.word for card in cards(its.session.picture.drawn))
    assert SHOWN in words
    assert "mul⟨2066⟩" in words
    assert [line for line in words.splitlines() if {*"\u202e\x07\ud800\u2066"} & {*line}] == []
    assert its.session.document.content.recording.output == HOSTILE
    its.files.export_to(tmp_path / "again.json")
    assert [node.name for node in load(tmp_path / "again.json").nodes] == [node.name for node in nodes]
