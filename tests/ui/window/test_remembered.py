"""What the window remembers, and what it shows again."""

from __future__ import annotations

from gradviz.ui.look.theme import CHOICES
from tests.ui.windows import new_window


def test_size_and_columns_are_there_again(qtbot, opened, settings, reader, monkeypatch):
    opened.resize(790, 600)
    opened.workbench.columns.moveSplitter(240, 1)
    opened.workbench.columns.moveSplitter(521, 2)
    sizes = opened.workbench.columns.sizes()
    assert opened.close()

    again = new_window(qtbot, settings, reader)
    again.restoreGeometry(settings.window_state("geometry"))
    with qtbot.waitSignal(again.session.picture_changed):
        again.session.open_script("one", "one.py")
    assert (again.width(), again.height()) == (790, 600)
    assert again.workbench.columns.sizes() == sizes
    again.session.close()


def test_theme_is_remembered_and_goes_round(window, settings):
    seen = []
    for _ in CHOICES:
        window.top.theme_button.click()
        seen.append(settings.theme)

    assert seen == [*CHOICES[1:], "system"]
    assert window.actions_by_name.by_name["theme_system"].isChecked()


def test_columns_can_be_hidden(opened):
    opened.trigger("show_right")
    assert opened.workbench.inspector.isHidden()
    assert not opened.actions_by_name.by_name["show_right"].isChecked()

    opened.trigger("show_right")
    assert not opened.workbench.inspector.isHidden()


def test_direction_turns_the_picture(qtbot, opened, settings):
    with qtbot.waitSignal(opened.session.picture_changed):
        opened.trigger("across")

    assert opened.session.picture.direction == "right"
    assert settings.direction == "right"


def test_choosing_a_size_says_when_it_is_seen(opened, settings):
    opened.trigger("size_150")

    assert settings.size == 150
    assert "Restart gradviz to apply 150 %" in opened.statusBar().currentMessage()
    assert opened.actions_by_name.by_name["size_150"].isChecked()
    assert not opened.actions_by_name.by_name["size_100"].isChecked()
