"""The start page opens what is typed, a lesson, or a recent file."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gradviz.ui.app.settings import Progress
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.document import Content
from gradviz.ui.session.drafts import Draft, Drafts
from gradviz.ui.session.lessons import GROUPS, lessons, read_lesson, watch_in
from gradviz.ui.window.start_page import Card, StartPage
from tests.ui.real_windows import real_window
from tests.ui.windows import TEXT

LESSON = """# v scales, it does not select
# Watch: what comes in at y is v itself.
# Watch: every gradient after it
#   is 100 times as large.

import torch



x = torch.tensor(1.0, requires_grad=True)  # Watch: not this one
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "02_scale.py").write_text(LESSON, encoding="utf-8")
    (tmp_path / "01_plain.py").write_text("x = 1\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def page(qtbot, folder):
    made = StartPage(Theme("light"), lessons(folder))
    qtbot.addWidget(made)
    made.resize(1100, 700)
    made.show()
    return made


def test_title_is_the_first_comment_and_watch_lines_may_go_on(folder):
    lesson = read_lesson(folder / "02_scale.py")

    assert lesson.title == "v scales, it does not select"
    assert lesson.watch == ("what comes in at y is v itself.", "every gradient after it is 100 times as large.")


def test_lesson_without_comments_is_called_as_its_file(folder):
    assert [lesson.title for lesson in lessons(folder)] == ["01 plain", "v scales, it does not select"]


def test_script_without_watch_lines_has_nothing_to_watch():
    assert watch_in("x = 1  # Watch: not at the start of a line\n") == ()


def test_the_line_to_type_into_stands_in_the_middle_of_its_field(page):
    line = page.field.cursorRect()

    assert abs(line.top() + line.bottom() - page.field.height()) <= 2


def test_return_opens_what_was_typed(page, qtbot):
    qtbot.keyClicks(page.field, "sum(x**2)")

    with qtbot.waitSignal(page.text_entered) as entered:
        qtbot.keyClick(page.field, Qt.Key.Key_Return)
    assert entered.args == ["sum(x**2)"]


def test_shift_return_makes_a_new_line(page, qtbot):
    qtbot.keyClicks(page.field, "a")
    with qtbot.assertNotEmitted(page.text_entered):
        qtbot.keyClick(page.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(page.field, "b")

    assert page.field.toPlainText() == "a\nb"


def test_field_grows_with_a_pasted_script(page):
    before = page.field.height()
    page.field.setPlainText("x = 1\n" * 8)

    assert page.field.height() > before + 50


def test_empty_field_opens_nothing(page, qtbot):
    with qtbot.assertNotEmitted(page.text_entered):
        page.go.click()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_card_opens_its_lesson_by_key(page, qtbot, key):
    with qtbot.waitSignal(page.lesson_opened) as opened:
        qtbot.keyClick(page.cards[1], key)
    assert opened.args[0].title == "v scales, it does not select"


def test_card_opens_its_lesson_by_click(page, qtbot):
    with qtbot.waitSignal(page.lesson_opened) as opened:
        qtbot.mouseClick(page.cards[0], Qt.MouseButton.LeftButton)
    assert opened.args[0].title == "01 plain"


def test_recent_files_open_and_their_heading_goes_with_them(page, qtbot, tmp_path):
    page.show_recent([tmp_path / "a.py"])
    with qtbot.waitSignal(page.file_opened) as opened:
        page.recent[0].click()
    assert opened.args == [tmp_path / "a.py"]

    page.show_recent([])
    assert not page._recent_title.isVisible()


def test_from_the_start_page_a_way_leads_back_to_what_is_open(opened, qtbot):
    for go_back in (
        lambda: opened.start.back.click(),
        lambda: qtbot.keyClick(opened.start.field, Qt.Key.Key_Escape),
    ):
        opened.trigger("start")
        assert not opened.is_working
        assert opened.start.back.isVisible()
        assert opened.start.back.text() == "Back to one.py"

        go_back()
        assert opened.is_working
        assert opened.workbench.editor.text() == TEXT
        assert opened.workbench.canvas.hasFocus()


def test_where_nothing_is_open_there_is_no_way_back(window, qtbot):
    assert not window.start.back.isVisible()

    qtbot.keyClick(window.start.field, Qt.Key.Key_Escape)
    assert not window.is_working


def test_cards_stand_in_fewer_columns_in_a_narrow_window(page):
    wide = page._columns
    page.resize(640, 700)

    assert page._columns < wide


def test_drafts_that_the_row_does_not_hold_are_left_out(page, tmp_path):
    drafts = Drafts(tmp_path / "drafts")
    for number in range(4):
        drafts.keep(Draft(Content(text=f"x = {number}", name="a_rather_long_name.py"), kept_at=number))
        drafts.let_go(stays=True)
    page.resize(2400, 700)
    page.show_drafts(drafts.found())
    assert [button.isVisible() for button, _ in page.drafts] == [True] * 4

    page.resize(640, 700)

    shown = [button.isVisible() for button, _ in page.drafts]
    assert shown[0]
    assert not shown[-1]
    assert sum(part.sizeHint().width() for pair in page.drafts for part in pair if part.isVisible()) <= 640


# ---- groups, progress, the order of the keys ----


def test_every_lesson_stands_in_its_group(page):
    shipped = StartPage(Theme("light"), lessons())
    below = [[card.title for card in area.findChildren(Card)] for area in shipped._groups]

    assert below == [[one.title for one in lessons() if one.group == group] for group in GROUPS]
    assert sum(map(len, below)) == len(shipped.cards)


def test_a_row_says_how_far_somebody_has_come(page):
    page.show_progress({"01_plain.py": Progress(is_done=True), "02_scale.py": Progress(True, 3, 4)})

    assert [card.done for card in page.cards] == ["✓", "3 of 4"]
    assert page.cards[1].accessibleDescription().endswith("3 of 4 predicted. done")
    page.show_progress({})
    assert [card.done for card in page.cards] == ["", ""]


def test_tab_goes_from_the_field_over_recent_files_to_the_lessons(page, qtbot, tmp_path):
    page.show_recent([tmp_path / "a.py", tmp_path / "b.py"])
    qtbot.waitUntil(page.recent[1].isVisible)
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    page.field.setFocus()
    reached = []
    for _ in range(12):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())

    places = [reached.index(part) for part in (page.go, page.open_file, *page.recent, *page.cards)]
    assert places == sorted(places)
    assert places[:4] == [0, 1, 2, 3]


def test_nothing_is_wider_than_a_narrow_window(page, qtbot):
    shipped = StartPage(Theme("light"), lessons())
    qtbot.addWidget(shipped)
    shipped.resize(640, 400)
    shipped.show()

    qtbot.waitUntil(lambda: shipped.widget().width() <= shipped.viewport().width())


# ---- the lesson that plays ----


@pytest.fixture
def playing(qtbot, tmp_path):
    window = real_window(tmp_path / "settings.ini", size=(1280, 800))
    qtbot.addWidget(window)
    window.session.clock.reduced_motion = False
    window.play_preview()
    preview = window.start.preview
    qtbot.waitUntil(lambda: preview._canvas is not None, timeout=20_000)
    yield window
    window.session.close()


def test_lesson_one_plays_on_the_start_page_with_its_sentences(playing):
    preview = playing.start.preview
    clock = preview._session.clock
    assert clock.player.is_playing
    clock.stop()  # the test lets the time pass
    said = set()
    clock.player.first()
    for _ in range(clock.player.length + 1):
        said.add(preview.sentence.accessibleName())
        clock.player.step()

    assert any("so 2 goes out to x" in sentence for sentence in said)
    assert any("x.grad was None and is now 2" in sentence for sentence in said)
    assert not playing.is_working


@pytest.mark.parametrize("size", [(900, 600), (1280, 800), (1600, 1000)])
def test_the_lesson_that_plays_is_large_enough_to_read(playing, qtbot, size):
    playing.resize(*size)
    preview = playing.start.preview
    qtbot.waitUntil(lambda: preview._canvas.width() > 300)

    assert preview.isVisible()
    assert detail_of(preview._canvas.view.scale) is Detail.FULL
    sides = preview._canvas.view.boxes_to_screen(preview._canvas._scene.boxes)
    assert sides.min() >= 0
    assert sides[:, 2].max() <= preview._canvas.width()
    assert sides[:, 3].max() <= preview._canvas.height()


def test_it_plays_twice_and_rests_and_plays_again_when_it_is_asked(playing):
    preview = playing.start.preview
    player = preview._session.clock.player
    rounds = 0
    while player.is_playing:
        rounds += player.position == 0
        player.tick()
    assert rounds <= 2
    assert player.position == player.length

    preview.pause_button.click()
    assert player.is_playing


def test_what_plays_rests_while_the_start_page_is_not_seen(playing, qtbot):
    preview = playing.start.preview
    with qtbot.waitSignal(playing.session.picture_changed):
        preview.open_button.click()

    assert playing.is_working
    assert playing.session.document.content.name == "01_square.py"
    assert not preview._session.clock.player.is_playing


def test_what_plays_ends_with_the_window(playing):
    preview = playing.start.preview
    playing.session.close()

    assert preview._session is None


def test_with_reduced_motion_the_lesson_stands_still(qtbot, tmp_path):
    window = real_window(tmp_path / "settings.ini", size=(1280, 800))
    qtbot.addWidget(window)
    window.play_preview()
    preview = window.start.preview
    qtbot.waitUntil(lambda: preview._canvas is not None, timeout=20_000)

    assert not preview._session.clock.player.is_playing
    assert preview._session.clock.player.position == 2
    window.session.close()
