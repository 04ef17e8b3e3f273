"""What the table of variables shows at a position of a backward call."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradviz.playback.track import Track
from gradviz.shipped import shipped
from gradviz.source.leaves import find_leaves
from gradviz.ui.variables.cell_texts import Column, shown
from gradviz.ui.variables.held import Held, Holdings
from tests.recorded import run
from tests.ui.real_windows import real_window, settle

START = "import torch\n"
X = "x = torch.tensor([1., 2.], requires_grad=True)\n"


def holdings(text: str, sweep: int | None = 0) -> tuple[Holdings, Track]:
    track = Track(run(text, "one.py").recording, sweep)
    return Holdings(track, find_leaves(text)), track


def gradients(text: str, sweep: int | None, position: int | None = None) -> list[object]:
    """The `.grad` of each row; at the end of a call unless a position is given."""
    made, track = holdings(text, sweep)
    held = made.at(track.length if position is None else position)
    return [None if each.gradient is None else each.gradient.tolist() for each in held]


def test_a_name_assigned_twice_has_two_gradients():
    text = f"{START}x = torch.tensor(3., requires_grad=True)\n(x * x).backward()\n{X}(x * x).sum().backward()\n"

    assert gradients(text, 0) == [6.0, None]
    assert gradients(text, 1) == [None, [2.0, 4.0]]


def test_the_gradient_comes_with_the_step_that_brings_it():
    text = f"{START}{X}x.sum().backward()\nx.prod().backward()\n"
    _, track = holdings(text, 1)

    assert gradients(text, 1, track.length - 1) == [[1.0, 1.0]]
    assert gradients(text, 1, track.length) == [[3.0, 2.0]]
    assert gradients(text, 0, 0) == [None]


def test_each_call_of_lesson_fourteen_shows_its_own_row_and_v():
    text = (shipped("examples") / "14_the_whole_jacobian.py").read_text()
    rows = [leaf.name for leaf in find_leaves(text)]

    for sweep, (v, row) in enumerate(
        [([1, 0, 0], [2, 0]), ([0, 1, 0], [2, 1]), ([0, 0, 1], [0, 4]), ([1, 1, 1], [4, 5])]
    ):
        made, track = holdings(text, sweep)
        held = dict(zip(rows, made.at(track.length), strict=True))
        np.testing.assert_array_equal(held["v"].value, v)
        np.testing.assert_array_equal(held["point"].gradient, row)


def test_a_call_that_does_not_touch_a_leaf_shows_what_an_earlier_one_left():
    text = f"{START}{X}w = torch.tensor(1., requires_grad=True)\nx.sum().backward()\n(w * 2).backward()\n"

    assert gradients(text, 1) == [[1.0, 1.0], 2.0]


def test_a_gradient_that_was_dropped_somewhere_between_is_not_said_to_have_stayed():
    text = (
        f"{START}{X}w = torch.tensor(1., requires_grad=True)\nx.sum().backward()\nx.grad = None\n(w * 2).backward()\n"
    )

    assert gradients(text, 1) == [None, 2.0]


def test_what_is_changed_in_place_has_the_value_of_each_round():
    text = (
        f"{START}w = torch.tensor(1., requires_grad=True)\nfor _ in range(2):\n    (w * 2).backward()\n"
        "    with torch.no_grad():\n        w -= w.grad\n"
    )
    made, track = holdings(text, 1)

    assert made.at(track.turn)[0].value == -1.0
    assert made.at(track.turn)[0].gradient == 2.0
    assert made.at(track.length)[0].gradient == 4.0


@pytest.mark.parametrize("place", ["", "for i in range(1):\n    (x * x).sum().backward()\n    "])
def test_what_the_script_makes_after_the_call_is_not_made_yet_unless_a_loop_may_have(place):
    text = f"{START}{X}{place or '(x * x).sum().backward()' + chr(10)}late = torch.ones(2)\n"
    made, track = holdings(text)

    assert made.at(track.length)[1].is_made == bool(place)


def test_a_leaf_is_made_at_its_position():
    made, track = holdings(f"{START}{X}w = torch.tensor(2., requires_grad=True)\n(x * w).sum().backward()\n")

    assert [held.is_made for held in made.at(0)] == [False, False]
    assert [held.is_made for held in made.at(1)] == [True, False]
    assert all(held.is_made for held in made.at(track.turn))


def test_random_numbers_are_shown_once_they_are_known():
    (leaf,) = find_leaves(f"{START}r = torch.randn(2)\n")

    assert shown(leaf, Column.VALUE) == "random, randn"
    assert shown(leaf, Column.VALUE, Held(np.array([0.5, -1.0], dtype=np.float32))) == "0.5  -1"


def test_the_table_of_the_window_follows_the_slider_and_the_call(qtbot, tmp_path: Path):
    window = real_window(tmp_path / "settings.json")
    qtbot.addWidget(window)
    text = f"{START}{X}x.sum().backward()\nx.prod().backward()\n"
    window.session.open_script(text, "one.py")
    settle(qtbot, window)

    def grad() -> str:
        return str(window.workbench.variables.model.index(0, Column.GRAD).data())

    player = window.session.clock.player
    player.go(0)
    before = grad()
    player.go(player.length)
    first = grad()
    window.session.document.choose_sweep(1)
    settle(qtbot, window)
    player.go(player.length)

    assert (before, first, grad()) == ("—", "1  1", "3  2")


def test_numbers_of_a_text_that_has_not_run_are_not_shown(qtbot, tmp_path: Path):
    window = real_window(tmp_path / "settings.json")
    qtbot.addWidget(window)
    window.session.open_script(f"{START}{X}x.sum().backward()\n", "one.py")
    settle(qtbot, window)
    window.session.clock.player.go(window.session.clock.player.length)
    text = f"{START}{X.replace('2.', '7.')}x.sum().backward(\n"

    window.workbench.editor.set_text(text)
    window.session.edit(text)
    settle(qtbot, window)

    model = window.workbench.variables.model
    assert [model.index(0, column).data() for column in (Column.VALUE, Column.GRAD)] == ["1  7", "—"]
