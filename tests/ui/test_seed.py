"""A v made by hand has the right shape, or one sentence says why not; and it is said what it asks of J."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gradviz.errors import GradvizError
from gradviz.playback.track import Track
from gradviz.ui.look.theme import Theme, style_sheet
from gradviz.ui.seed.candidates import candidates
from gradviz.ui.seed.dialog import SeedEditor
from gradviz.ui.seed.words import one_hot, question, typed_seed
from tests.samples import array, weighted_sum
from tests.ui.real_windows import real_window, settle

FLOAT = np.dtype(np.float32)


@pytest.fixture
def editor(qtbot):
    made = SeedEditor(Track(weighted_sum(), 0), Theme("light"), draw=lambda shape: np.full(shape, 0.12345))
    qtbot.addWidget(made)
    return made


def choose(editor: SeedEditor, node: int) -> None:
    editor.output.setCurrentIndex(editor.output.findData(node))


# ---- words and numbers ----


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        (np.float32(1), "v = 1 asks for its gradient as it is"),
        (np.float32(100), "v scales its gradient by 100; it selects nothing"),
        (array(1, 1, 1), "v adds up all 3 rows of J: the gradient of the sum of y"),
        (array(2, 2), "2 times the gradient of the sum of y"),
        (array(0, 1, 0), "v picks row 2 of J: the gradient of y[1] alone"),
        (array(0, 3), "v picks row 2 of J and scales it by 3"),
        (array(0, 0), "every gradient will be 0"),
        (array(1, 0, -0.5), "v mixes 2 of the 3 rows of J: the gradient of y[0] − 0.5·y[2]"),
        (np.array([[0, 0], [1, 0]], dtype=np.float32), "row 3 of J: the gradient of y[1, 0] alone"),
    ],
)
def test_question_says_which_rows_v_picks(seed, words):
    assert words in question(seed, "y")


def test_long_mixture_is_cut():
    assert question(np.arange(1, 100, dtype=np.float32), "y").endswith("+ ….")


def test_one_hot_is_1_in_one_place():
    np.testing.assert_array_equal(one_hot((2, 2), (1, 0), FLOAT), [[0, 0], [1, 0]])


def test_row_of_numbers_serves_any_shape_of_as_many_elements():
    np.testing.assert_array_equal(typed_seed("1 2 3 4", (2, 2), FLOAT), [[1, 2], [3, 4]])
    assert typed_seed("5", (), FLOAT).shape == ()


def test_typed_v_takes_the_dtype_of_its_node():
    assert typed_seed("1 2", (2,), np.dtype(np.float64)).dtype == np.float64


@pytest.mark.parametrize("text", ["", "1 2 3", "[[1, 2], [3, 4]]", "one two", "[1, 2"])
def test_v_that_does_not_fit_is_refused_with_a_sentence(text):
    with pytest.raises(GradvizError):
        typed_seed(text, (2,), FLOAT)


def test_wrong_shape_is_named_with_the_right_one():
    with pytest.raises(GradvizError, match=r"needs shape \[2\], 2 numbers; this has shape \[3\], 3 numbers"):
        typed_seed("1 2 3", (2,), FLOAT)


# ---- the editor ----


def test_outputs_stand_first_and_only_nodes_with_a_gradient_are_offered():
    assert list(candidates(Track(weighted_sum(), 0))) == [4, 3, 1]


def test_ones_is_where_it_starts(editor):
    choose(editor, 3)

    np.testing.assert_array_equal(editor.seed, [1, 1])


def test_one_hot_follows_its_position(editor):
    choose(editor, 3)
    editor.choices["one_hot"].click()
    editor.positions[0].setValue(1)

    np.testing.assert_array_equal(editor.seed, [0, 1])
    assert "row 2 of J" in editor.question.text()


def test_the_position_of_a_one_can_be_read(editor, theme):
    editor.setStyleSheet(style_sheet(theme.palette) + editor.styleSheet())
    editor.choices["one_hot"].click()
    choose(editor, 3)
    editor.show()
    QApplication.processEvents()

    box = editor.positions[0]
    assert box.lineEdit().width() > box.width() / 2


def test_random_v_stays_until_it_is_drawn_again(editor):
    choose(editor, 3)
    editor.choices["random"].click()

    np.testing.assert_allclose(editor.seed, [0.123, 0.123])


def test_bad_text_is_explained_and_cannot_be_run(editor):
    choose(editor, 3)
    editor.choices["typed"].click()
    editor.typed.setText("1 2 3")

    assert editor.seed is None
    assert not editor.go.isEnabled()
    assert "needs shape [2]" in editor.problem.text()


def test_enter_in_the_typed_values_runs_backward(editor, qtbot):
    editor.show()
    editor.choices["typed"].click()
    editor.typed.setText("100")

    with qtbot.waitSignal(editor.seed_chosen):
        qtbot.keyClick(editor.typed, Qt.Key.Key_Return)


def test_before_anything_is_typed_the_field_says_what_and_nothing_is_wrong(editor):
    editor.show()
    choose(editor, 3)
    editor.choices["typed"].click()

    assert editor.typed.placeholderText() == "2 numbers, such as 1 0"
    assert editor.focusWidget() is editor.typed
    assert not editor.problem.isVisible()


def test_good_text_is_handed_on(editor, qtbot):
    choose(editor, 3)
    editor.choices["typed"].click()
    editor.typed.setText("0.5, 2")

    with qtbot.waitSignal(editor.seed_chosen) as chosen:
        editor.go.click()
    assert chosen.args[0] == 3
    np.testing.assert_array_equal(chosen.args[1], array(0.5, 2))


def test_no_v_is_asked_for_where_no_result_requires_grad(qtbot, tmp_path):
    window = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.session.open_script("import torch\nx = torch.tensor(1.0, requires_grad=True)\nx.oops\n", "one.py")
    settle(qtbot, window)

    assert not window.workbench.timeline.sweeps.seed_chip.isEnabled()
    window.trigger("seed")
    assert "a result that requires grad" in window.statusBar().currentMessage()
    assert not window.findChildren(SeedEditor)
    window.close()
