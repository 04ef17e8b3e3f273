"""What the app promises works when it is typed or pressed; a missing name is one press away from a picture."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt

from gradviz.shipped import shipped
from gradviz.ui.variables import variables
from gradviz.ui.window import no_graph, start_page
from gradviz.ui.window.window import Window
from tests.ui.real_windows import real_window, settle

LINEAR = "import torch\n\ny = torch.nn.Linear(4, 8)({}).sum()\ny.backward()\n"


@pytest.fixture
def window(qtbot, tmp_path) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(made)
    made.trigger("new")
    yield made
    made.session.document.open_script("", "untitled.py")
    made.close()


def type_in(qtbot, window: Window, text: str) -> None:
    """Type into the script, and rest."""
    editor = window.workbench.editor
    editor.area.setFocus()
    qtbot.keyClicks(editor.area, text)
    editor.flush()
    settle(qtbot, window)


def press_offer(qtbot, window: Window) -> None:
    qtbot.mouseClick(window.workbench.editor.strip.offer, Qt.MouseButton.LeftButton)
    settle(qtbot, window)


def offer(window: Window) -> str:
    button = window.workbench.editor.strip.offer
    return "" if button.isHidden() else button.text()


def undo(qtbot, window: Window) -> None:
    window.trigger("undo")
    settle(qtbot, window)


def leaves(window: Window) -> set[str]:
    picture = window.session.picture
    nodes = () if picture is None else (picture.track.recording.nodes[node] for node in picture.track.forward)
    return {node.name for node in nodes if node.is_leaf and node.name}


# ---- what is promised ----


def promised(words: str) -> str:
    """The expression that stands in a sentence between two blanks and two blanks, or at its beginning."""
    return (re.search(r"  (\S.*?)  ", words) or re.match(r"(\S.*?)   ", words))[1]


@pytest.mark.parametrize(
    "text",
    [promised(no_graph.EMPTY), promised(variables.EMPTY), promised(start_page.PLACEHOLDER), "torch.sum(x**2 * w)"],
)
def test_an_expression_that_is_promised_gives_a_picture_in_an_empty_script(qtbot, window, text):
    type_in(qtbot, window, text)

    assert window.session.document.content.problem is None
    assert leaves(window) == {"x", "w"}
    assert window.session.picture.track.length > window.session.picture.track.turn


def test_the_expression_on_the_start_page_gives_a_picture_there(qtbot, window):
    window.open_text(promised(start_page.PLACEHOLDER))
    settle(qtbot, window)

    assert leaves(window) == {"x", "w"}


def test_the_plus_below_an_empty_script_makes_a_variable(qtbot, window):
    qtbot.mouseClick(window.workbench.variables.add_button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)

    assert window.session.document.content.problem is None
    assert [window.workbench.variables.model.leaf(0).name] == ["x"]


def test_relu_instead_of_sigmoid_lets_the_gradient_arrive_as_the_lesson_says(qtbot, window):
    lesson = shipped("examples", "19_a_vanishing_gradient.py").read_text(encoding="utf-8")
    norms = []
    for text in (lesson, lesson.replace("sigmoid(", "relu(")):
        window.session.open_script(text, "19.py")
        settle(qtbot, window)
        recording = window.session.picture.track.recording
        assert recording.problem is None
        norms.append(max(float(abs(gradient).max()) for gradient in recording.gradients.values()))
    assert norms[1] > 100 * norms[0]


# ---- typing goes on ----


def test_what_was_typed_is_one_undo_away_and_stays_so(qtbot, window):
    type_in(qtbot, window, "sum(x**2 * w)")
    assert window.workbench.undoing.history.undoes == "whole script"

    undo(qtbot, window)

    assert window.workbench.editor.text() == "sum(x**2 * w)"
    assert offer(window) == "Give x and w numbers"
    assert window.session.picture is not None
    press_offer(qtbot, window)
    assert leaves(window) == {"x", "w"}


def test_typing_goes_on_behind_what_was_typed(qtbot, window):
    type_in(qtbot, window, "sum(x**2 * w)")

    type_in(qtbot, window, " * 3")

    assert "y = torch.sum(x**2 * w) * 3\n" in window.workbench.editor.text()
    assert window.session.document.content.problem is None


def test_nothing_is_made_of_an_expression_in_which_a_bracket_is_still_open(qtbot, window):
    area = window.workbench.editor.area
    qtbot.keyClicks(area, "sum(x*2)")
    qtbot.keyClick(area, Qt.Key.Key_Left)
    type_in(qtbot, window, "")

    assert window.workbench.editor.text() == "sum(x*2)"


# ---- a missing name ----


def test_a_missing_name_leaves_the_picture_and_one_press_gives_it_numbers_that_fit(qtbot, window):
    whole = LINEAR.format("torch.ones(2, 4, requires_grad=True)")
    window.session.open_script(whole, "net.py")
    settle(qtbot, window)
    before = window.session.picture

    window.workbench.editor.set_text(LINEAR.format("x"))
    window.session.edit(LINEAR.format("x"))
    settle(qtbot, window)

    assert window.session.picture is before
    assert window.session.document.content.is_stale
    assert offer(window) == "Give x numbers"
    press_offer(qtbot, window)
    assert window.session.document.content.problem is None
    assert "x" in leaves(window)
    assert offer(window) == ""
    undo(qtbot, window)
    assert window.workbench.editor.text() == LINEAR.format("x")


def test_the_plus_gives_numbers_to_the_name_that_is_missing(qtbot, window):
    window.session.open_script(LINEAR.format("rows"), "net.py")
    settle(qtbot, window)

    qtbot.mouseClick(window.workbench.variables.add_button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)

    assert window.session.document.content.problem is None
    assert "rows" in leaves(window)


def test_a_function_or_a_module_that_is_missing_is_offered_no_numbers(qtbot, window):
    for text in ("import torch\ny = torch.ones(3) * F.relu(2)\n", "import torch\ny = foo(torch.ones(3))\n"):
        window.session.open_script(text, "net.py")
        settle(qtbot, window)
        assert window.session.document.content.problem is not None
        assert offer(window) == ""
