"""Nothing is cut: in small windows, with long texts and with a large font, every button and sentence has room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QToolButton, QWidget

from gradviz.playback.player import Player
from gradviz.ui.look.fitted_label import FittedLabel
from gradviz.ui.look.theme import Theme, ui_font
from gradviz.ui.timeline.sweeps import MAX_CHIPS
from gradviz.ui.timeline.timeline import Timeline
from gradviz.ui.variables.cell_texts import HEADINGS, Column
from gradviz.ui.window.parts import Caption
from gradviz.ui.window.window import Window
from tests.ui.real_windows import real_window, settle
from tests.ui.windows import open_in

SIZES = [(1440, 900), (960, 600), (760, 520), (640, 400)]
"""The last two are screens of 1,520 and 1,280 pixels at 200 %."""

LONG = "x sends a 16 × 8 array of norm 0.07936 to the first of its inputs, and " * 8


@pytest.fixture
def dressed(qapp):
    """The fonts of the program, as no other test needs them."""
    font = qapp.font()
    Theme("light").install(qapp)
    yield
    qapp.setFont(font)


@pytest.fixture
def window(dressed, window) -> Window:
    return window


def cut_off(root: QWidget) -> list[str]:
    """The buttons with words that are narrower or lower than their words need, the chips of calls apart."""
    found = []
    for button in root.findChildren(QAbstractButton):
        is_icon = isinstance(button, QToolButton) and button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
        if not button.isVisible() or not button.text() or (is_icon and not button.icon().isNull()):
            continue
        if button.objectName() == "chip" or not isinstance(button, QPushButton | QToolButton):
            continue
        metrics = QFontMetrics(button.font())
        if button.width() < metrics.horizontalAdvance(button.text()) or button.height() < metrics.height():
            found.append(f"{button.text()!r} {button.size().toTuple()}")
    return found


def resized(window: Window, size: tuple[int, int]) -> None:
    window.resize(*size)
    QApplication.processEvents()
    assert window.size().toTuple() == size


@pytest.mark.parametrize("size", SIZES)
def test_every_button_has_room_on_the_start_page(window, size):
    resized(window, size)

    assert cut_off(window) == []


@pytest.mark.parametrize("text", ["one\n", "two calls\n", "one\nbad\n"])
@pytest.mark.parametrize("size", SIZES)
def test_every_button_has_room_in_every_state(qtbot, window, size, text):
    open_in(qtbot, window, text)
    resized(window, size)
    for act in ("last", "breakpoint_new", "find", "play", "show_left"):
        window.trigger(act)
        QApplication.processEvents()

        assert cut_off(window) == []


@pytest.mark.parametrize("size", SIZES)
def test_every_menu_is_in_sight_in_a_small_window(qtbot, window, size):
    open_in(qtbot, window, name="a_long_name_of_a_script.py")
    resized(window, size)
    bar = window.top.menus

    assert all(bar.actionGeometry(action).right() <= bar.width() for action in bar.actions())


def test_a_window_can_be_as_small_as_a_small_screen_at_200_percent(qtbot, window):
    open_in(qtbot, window)
    window.trigger("breakpoint_new")

    resized(window, SIZES[-1])
    least = window.workbench.minimumSizeHint()

    assert least.width() <= 640
    assert window.workbench.canvas.height() >= 120


@pytest.mark.parametrize("lines", [1, 3])
def test_a_sentence_too_long_for_its_lines_ends_in_an_ellipsis_and_is_whole_in_the_tip(qtbot, lines):
    label = FittedLabel(lines)
    qtbot.addWidget(label)
    label.resize(280, 100)
    label.show()

    label.say(LONG, "x")

    assert label.bold == "x"
    assert label.shown().startswith("x sends")
    assert label.shown().endswith("…")
    assert label.lines_taken() == lines
    assert label.toolTip() == label.accessibleName() == LONG


def test_a_sentence_that_fits_is_whole_and_comes_back_when_there_is_room(qtbot):
    label = FittedLabel(1)
    qtbot.addWidget(label)
    label.resize(60, 40)
    label.show()
    label.say("y = 3 goes on to x")
    cut = label.shown()

    label.resize(400, 40)

    assert cut.endswith("…")
    assert label.shown() == "y = 3 goes on to x"


@pytest.mark.parametrize("pixels", [13, 20, 26])
def test_the_transport_has_room_for_every_speed_and_all_lines_in_a_larger_font(qtbot, qapp, dressed, pixels):
    timeline = Timeline(Theme("light"), lambda _track, _position: (LONG, LONG))
    qtbot.addWidget(timeline)
    timeline.resize(1200, timeline.height())
    timeline.show()
    qapp.setFont(ui_font(pixels))
    QApplication.processEvents()
    timeline.now.say(LONG)
    QApplication.processEvents()
    speed, player = timeline.transport.speed, Player()

    for value in Player.SPEEDS:
        player.set_speed(value)
        timeline.transport.show_player(player)
        assert speed.width() >= QFontMetrics(speed.font()).horizontalAdvance(speed.text())
    last = timeline.next.mapTo(timeline, timeline.next.rect().bottomLeft())
    assert last.y() <= timeline.height()
    assert timeline.now.height() >= timeline.now.heightForWidth(timeline.now.width())


def test_calls_without_room_become_one_button_with_a_list(qtbot, window):
    open_in(qtbot, window, "two calls\n")
    bar = window.workbench.timeline.sweeps

    resized(window, (1440, 900))
    wide = len(bar.chips)
    resized(window, (640, 400))
    narrow = len(bar.chips)
    resized(window, (1440, 900))

    assert (wide, narrow, len(bar.chips)) == (2, 1, 2)
    assert wide <= MAX_CHIPS


def test_the_only_call_gives_up_its_line_where_there_is_no_room(qtbot, window):
    open_in(qtbot, window)
    chip = window.workbench.timeline.sweeps.chips[0]

    resized(window, (640, 400))
    narrow = chip.text()
    resized(window, (1440, 900))

    assert chip.text().split("line")[0].strip() == narrow
    assert "line" in chip.text()


def test_the_captions_of_areas_are_not_cut(qtbot, window):
    open_in(qtbot, window)
    resized(window, SIZES[-1])

    for caption in window.findChildren(Caption):
        title = caption.findChild(QLabel)
        if caption.isVisible():
            assert title.width() >= QFontMetrics(title.font()).horizontalAdvance(title.text())


@pytest.mark.parametrize("size", SIZES)
def test_a_sentence_on_a_condition_lies_below_the_field(qtbot, window, size):
    open_in(qtbot, window)
    resized(window, size)
    window.trigger("breakpoint_new")
    listed = window.workbench.breakpoints
    listed.field.setText("norm >> x")
    listed.field.returnPressed.emit()
    QApplication.processEvents()

    assert listed.sentence.y() >= listed.field.geometry().bottom()
    assert listed.sentence.height() >= listed.sentence.heightForWidth(listed.sentence.width())
    assert "is no number" in listed.sentence.toolTip()
    assert listed.sentence.geometry().bottom() <= listed.height()


def test_a_narrow_table_of_variables_leaves_out_the_dtypes_so_that_its_heads_are_whole(qtbot, window):
    open_in(qtbot, window, "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\n")
    table = window.workbench.variables.table
    hidden = []
    for size in (SIZES[0], SIZES[-1]):
        resized(window, size)
        hidden.append(table.isColumnHidden(Column.DTYPE))
        head = table.horizontalHeader()
        metrics = QFontMetrics(head.font())
        for column, title in enumerate(HEADINGS):
            assert head.isSectionHidden(column) or head.sectionSize(column) >= metrics.horizontalAdvance(title)

    assert hidden == [False, True]


def test_the_timeline_is_as_high_as_after_a_resize_when_another_script_has_calls(qtbot, tmp_path, dressed):
    calls = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * x\n"
    texts = ("print(1)\n", f"{calls}y.sum().backward()\n", calls, f"{calls}y.sum().backward()\n")
    window = real_window(tmp_path / "settings.ini", "dark", (760, 520))
    qtbot.addWidget(window)
    heights = []
    for text in texts:
        window.session.open_script(text, "one.py")
        settle(qtbot, window)
        before = window.workbench.timeline.height()
        for size in ((900, 900), (760, 520)):
            window.resize(*size)
            settle(qtbot, window)
        heights.append((before, window.workbench.timeline.height()))

    window.session.close()
    assert len({before for before, _ in heights}) == 2
    assert [before for before, _ in heights] == [after for _, after in heights]
