"""Every action has words, a menu, an icon that exists and a handler; no key does two things."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QPlainTextEdit, QPushButton

from gradviz.shipped import shipped
from gradviz.ui.actions.menus import needs_key
from gradviz.ui.actions.table import MENUS, SPECS, shortcut_rows
from gradviz.ui.timeline.transport import BUTTONS


def test_no_key_does_two_things():
    keys = Counter(QKeySequence(key).toString() for spec in SPECS for key in (*spec.keys, *spec.canvas_keys))

    assert "" not in keys
    assert [key for key, count in keys.items() if count > 1] == []


def test_names_are_unique_and_the_transport_uses_them():
    names = [spec.name for spec in SPECS]

    assert len(set(names)) == len(names)
    assert {name for name, _, _ in BUTTONS} <= set(names)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_action_is_complete(spec):
    assert spec.text
    assert spec.tip
    assert spec.menu.partition(">")[0] in MENUS
    assert spec.needs in ("", "open", "script", "picture", "run", "what_if", "compared")
    assert not spec.icon or shipped("icons", f"{spec.icon}.svg").is_file()


def test_keys_promised_to_everybody_are_there():
    promised = {
        "step": {"F10", "Right"}, "back": {"Shift+F10", "Left"}, "play": {"Space"}, "first": {"Home"},
        "last": {"End"}, "fit": {"F"}, "open": {"Ctrl+O"}, "save": {"Ctrl+S"}, "undo": {"Ctrl+Z"}, "new": {"Ctrl+N"},
        "export": {"Ctrl+E"}, "help": {"F1"}, "leave": {"Esc"},
    }  # fmt: skip
    table = {spec.name: {*spec.keys, *spec.canvas_keys} for spec in SPECS}

    assert {name for name, keys in promised.items() if not keys <= table[name]} == set()


def test_plain_keys_are_left_to_the_widgets_that_need_them(qtbot):
    read_only = QPlainTextEdit()
    read_only.setReadOnly(True)
    widgets = (QPlainTextEdit(), read_only, QLineEdit(), QListView(), QPushButton(), QLabel())
    for widget in widgets:
        qtbot.addWidget(widget)

    assert [needs_key(widget, "Right") for widget in widgets] == [True, False, True, True, False, False]
    assert [needs_key(widget, "Space") for widget in widgets] == [True, False, True, True, True, False]
    assert not needs_key(None, "Space")


def test_help_lists_every_key():
    assert dict(shortcut_rows())["Step forward"] == "Right, F10"
    assert dict(shortcut_rows())["Move over the graph: left"] == "Shift+Left"
