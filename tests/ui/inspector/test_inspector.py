"""The inspector: what it shows of a step, and how it is reached, copied and made narrow."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.ops.table import TABLE, Table
from gradviz.playback.report import UNREACHED
from gradviz.playback.track import Track
from gradviz.recording import Accumulation, Node, Recording, Step, Sweep
from gradviz.ui.inspector import Inspector
from gradviz.ui.inspector.card import Text, breakable
from gradviz.ui.inspector.cards import OutgoingCard
from gradviz.ui.inspector.heatmap import HeatMap
from gradviz.ui.look.palette import DARK, LIGHT
from gradviz.ui.look.sheet import style_sheet
from gradviz.ui.look.theme import Theme
from tests.samples import weighted_sum
from tests.ui.inspector.inspectors import numbers, seen

F = np.float32
X, XX, W, XXW, Y = range(5)


@pytest.fixture(scope="module")
def dressed(qapp) -> Theme:
    """One theme for all tests."""
    theme = Theme("light")
    theme.install(qapp)
    return theme


@pytest.fixture
def theme(dressed) -> Iterator[Theme]:
    yield dressed
    dressed.choose("light")


@pytest.fixture
def inspector(qtbot, theme) -> Inspector:
    made = Inspector(theme)
    qtbot.addWidget(made)
    made.setStyleSheet(style_sheet(theme.palette))
    made.resize(340, 900)
    made.show()
    return made


@pytest.fixture
def track() -> Track:
    return Track(weighted_sum(), 0)


def one_op(op: str, value: np.ndarray, *, gradient: np.ndarray | None = None) -> Track:
    """x -> op -> y with v = ones; dL/dx is `gradient`."""
    gradient = np.ones_like(value) if gradient is None else gradient
    nodes = (
        Node(0, "leaf", shape=value.shape, name="x", requires_grad=True, line=1),
        Node(1, op, (0,), shape=value.shape, name="y", requires_grad=True, line=2),
    )
    steps = (Step(1, np.ones_like(value), (gradient,)), Step(0, gradient))
    sweep = Sweep((1,), (np.ones_like(value),), steps, (Accumulation(0, None, gradient),))
    return Track(Recording(nodes, (value, value), (sweep,)), 0)


# ---- what is shown ----


def test_without_a_node_it_says_what_to_do(inspector):
    assert "click a node in the graph" in seen(inspector)

    inspector.show_node(None, 0, None)

    assert inspector.text() == ""


def test_step_shows_what_comes_in_the_rule_and_what_goes_out(inspector, track):
    inspector.show_node(track, 7, XXW)
    words = seen(inspector)

    for text in (
        "x·x·w",
        "step 2 of 4",
        "COMES IN",
        "∂L/∂in = ∂L/∂out ⊙ w",
        "[3, 5] = [1, 1] ⊙ [3, 5]",
        "out = in · w",
        "Diagonal: backward multiplied 2 numbers; the matrix would have 4.",
        "one for every input",
        "none: w takes no gradient",
        "freed at this step",
    ):
        assert text in words
    assert numbers(inspector) == [["1", "1"], ["3", "20"]]


def test_leaf_shows_its_terms_and_grad_before_and_after(inspector, track):
    inspector.show_node(track, 9, X)
    words = seen(inspector)

    assert "x·x (first input) [-3, 10] + x·x (second input) [-3, 10]" in words
    assert "before None" in words
    assert "= ∂L/∂x, since it was None" in words
    assert numbers(inspector) == [["-6", "20"], ["-6", "20"], ["-1", "2"]]


def test_forward_step_shows_inputs_and_no_gradients(inspector, track):
    inspector.show_node(track, 4, XXW)
    words = seen(inspector)

    assert "INPUTS" in words
    assert "COMES IN" not in words
    assert "GOES OUT" not in words


def test_going_back_shows_what_was_shown_before(inspector, track):
    inspector.show_node(track, 7, XXW)
    before = seen(inspector)
    for position in (9, 3, 5, 8):
        inspector.show_node(track, position, track.node_at(position))

    inspector.show_node(track, 7, XXW)

    assert seen(inspector) == before


def test_unreached_node_says_that_it_is_not_a_gradient_of_zero(inspector):
    recording = weighted_sum()
    track = Track(replace(recording, sweeps=(replace(recording.sweeps[0], steps=recording.sweeps[0].steps[:2]),)), 0)

    inspector.show_node(track, track.length, XX)

    assert UNREACHED in seen(inspector)
    assert "not reached" in seen(inspector)


def test_op_without_a_rule_says_so(qtbot, theme, track):
    inspector = Inspector(theme, Table(tuple(row for row in TABLE.rows() if row.name != "mul")))
    qtbot.addWidget(inspector)

    inspector.show_node(track, 7, XXW)

    assert "The rule of mul is not in the table of ops" in seen(inspector)
    assert "in = x·x [3, 5]" in seen(inspector)


def test_names_from_a_script_are_not_read_as_markup(inspector):
    recording = weighted_sum()
    nodes = (recording.nodes[0]._replace(name="<b>&x"), *recording.nodes[1:])

    inspector.show_node(Track(replace(recording, nodes=nodes), 0), 9, X)

    assert "<b>&x" in seen(inspector)


def test_widgets_are_kept_from_step_to_step(inspector, track):
    for position in range(1, track.length + 1):
        inspector.show_node(track, position, track.node_at(position))
    kept = set(map(id, inspector.findChildren(QWidget)))

    for position in range(1, track.length + 1):
        inspector.show_node(track, position, track.node_at(position))

    assert set(map(id, inspector.findChildren(QWidget))) == kept


def test_cards_have_their_new_height_at_once(inspector, track):
    large = one_op("exp", np.ones((20, 20), F))
    for shown, position, node in ((large, 3, 1), (track, 7, XXW), (track, 6, Y), (large, 4, 0), (track, 9, X)):
        inspector.show_node(shown, position, node)

        for card in inspector.cards:
            if card.isVisible():
                assert card.height() == card.heightForWidth(card.width()), card.first.caption
                for text in card.findChildren(Text):
                    assert not text.isVisible() or text.height() == text.heightForWidth(text.width())


def test_another_theme_writes_in_its_colours(inspector, track, theme):
    inspector.show_node(track, 7, XXW)

    theme.choose("dark")

    markup = "".join(text.text() for text in inspector.findChildren(Text))
    assert DARK.backward in markup
    assert LIGHT.backward not in markup


# ---- reached, copied, made narrow ----


def test_click_on_an_input_asks_for_it(qtbot, inspector, track):
    inspector.show_node(track, 7, XXW)
    text = next(t for t in inspector.findChildren(Text) if f"node:{XX}" in t.text() and t.isVisibleTo(inspector))

    with qtbot.waitSignal(inspector.node_requested) as asked:
        text.linkActivated.emit(f"node:{XX}")

    assert asked.args == [XX]


def test_a_node_that_is_not_of_the_step_has_a_way_back_to_the_steps(qtbot, inspector, track):
    def ways():
        return [t for t in inspector.findChildren(Text) if "steps:" in t.text()]

    inspector.show_node(track, 7, XXW)
    assert ways() == []

    inspector.show_node(track, 7, XX)
    with qtbot.waitSignal(inspector.steps_requested):
        ways()[0].linkActivated.emit("steps:")


def test_line_can_be_opened_by_key(qtbot, inspector, track):
    inspector.show_node(track, 7, XXW)
    inspector.activateWindow()
    text = next(t for t in inspector.findChildren(Text) if "line:6" in t.text())
    text.setFocus(Qt.FocusReason.TabFocusReason)

    with qtbot.waitSignal(inspector.line_requested) as asked:
        qtbot.keyClick(text, Qt.Key.Key_Return)

    assert asked.args == [6]


def test_gradient_that_goes_out_is_shown_whole_on_request(inspector, track):
    inspector.show_node(track, 7, XXW)
    card = next(card for card in inspector.cards if isinstance(card, OutgoingCard))
    assert not card.array.isVisibleTo(card)

    card._rows.linkActivated.emit("show:0")
    assert card.array.isVisibleTo(card)
    card._rows.linkActivated.emit("show:0")

    assert not card.array.isVisibleTo(card)


def test_copy_puts_the_whole_report_on_the_clipboard(qtbot, inspector, track):
    inspector.show_node(track, 7, XXW)

    qtbot.keyClick(inspector, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    text = QApplication.clipboard().text()
    assert text == inspector.text()
    assert "x·x·w (mul, node 3, line 6): step 2 of 4" in text
    assert "comes in: [1., 1.]  (2,) float32" in text
    assert "    [3, 5] = [1, 1] ⊙ [3, 5]" in text
    assert "goes out to w: w takes no gradient" in text


def test_text_of_a_leaf_has_its_terms_and_grad(inspector, track):
    inspector.show_node(track, 9, X)

    assert "    from x·x: [-3., 10.]  (2,) float32" in inspector.text()
    assert "x.grad before: None" in inspector.text()
    assert "x.grad after: [-6., 20.]  (2,) float32" in inspector.text()


@pytest.mark.parametrize("width", [240, 260, 300, 420, 600])
def test_no_text_is_cut_off(inspector, track, width):
    recording = weighted_sum()
    nodes = (recording.nodes[0]._replace(name="encoder_layers_0_self_attention_weight"), *recording.nodes[1:])
    inspector.resize(width, 700)

    for position in range(1, track.length + 1):
        inspector.show_node(Track(replace(recording, nodes=nodes), 0), position, track.node_at(position))
        QApplication.processEvents()
        for text in inspector.findChildren(Text):
            if text.isVisible():
                document = QTextDocument()
                document.setDefaultFont(text.font())
                document.setDocumentMargin(0)
                document.setHtml(text.text())
                document.setTextWidth(text.width())
                assert document.idealWidth() <= text.width() + 1, text.words()
                assert document.size().height() <= text.height() + 1, text.words()
        assert inspector._scroll.widget().width() <= inspector._scroll.viewport().width()


def test_every_part_that_takes_the_focus_has_a_name(inspector, track):
    inspector.show_node(track, 7, XXW)

    reached = [w for w in inspector.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]

    assert reached
    assert all(widget.accessibleName() for widget in reached if widget.isVisibleTo(inspector))


def test_long_names_may_be_broken_and_short_ones_not():
    assert breakable("encoder_layer_weights_0") == "encoder_\u200blayer_\u200bweights_\u200b0"
    assert breakable("x_0") == "x_0"


# ---- pictures ----


def test_inspector_of_small_arrays_does_not_load_pyqtgraph():
    script = (
        "import sys; from PySide6.QtWidgets import QApplication; app = QApplication([])\n"
        "from gradviz.ui.inspector import Inspector; from gradviz.ui.look.theme import Theme\n"
        "from gradviz.playback.track import Track; from tests.samples import weighted_sum\n"
        "i = Inspector(Theme('light')); i.show_node(Track(weighted_sum(), 0), 7, 3)\n"
        "assert 'x·x·w' in i.text(); assert 'pyqtgraph' not in sys.modules, 'loaded'\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False)

    assert done.returncode == 0, done.stderr


def test_gradient_of_a_large_leaf_is_drawn_once(inspector):
    track = one_op("exp", np.linspace(-1, 1, 81, dtype=F).reshape(81, 1))

    inspector.show_node(track, 4, 0)

    pictures = [p for p in inspector.findChildren(HeatMap) if p.isVisibleTo(inspector)]
    assert len(pictures) == 2  # what comes in, which .grad becomes, and the value


def test_parts_of_a_node_are_copied_by_themselves(dressed, qtbot):
    shown = Inspector(dressed)
    qtbot.addWidget(shown)
    shown.show_node(Track(weighted_sum(), 0), 7, XXW)
    copied = {}
    for action in shown.actions():
        QApplication.clipboard().clear()
        action.trigger()
        copied[action.text()] = QApplication.clipboard().text()

    assert copied["Copy value"] == "[ 3., 20.]"
    assert copied["Copy formula as TeX"].startswith(r"\frac{\partial L}{\partial ")
    assert copied["Copy formula as TeX"].isascii()
    assert copied["Copy as Markdown"].startswith("### x·x·w (mul)\n\n- comes in: [1, 1]\n- rule: $\\frac")
    assert "- goes out to x·x: [3, 5]\n" in copied["Copy as Markdown"]
