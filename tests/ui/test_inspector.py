"""The inspector: what its cards show, and that it can be read, reached, copied and made narrow."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextDocument, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from gradviz.engine.rules import OPS
from gradviz.playback.report import UNREACHED
from gradviz.playback.track import Track
from gradviz.recording import Accumulation, Node, Recording, Step, Sweep
from gradviz.ui.heatmap import HeatMap, SliceChoice, coloured, scale_colours, shades
from gradviz.ui.inspector import Inspector
from gradviz.ui.inspector.array_view import ArrayView
from gradviz.ui.inspector.card import Text, breakable, visible
from gradviz.ui.inspector.cards import OutgoingCard
from gradviz.ui.inspector.cells import Cells, fits_in_cells, fitted
from gradviz.ui.palette import DARK, LIGHT
from gradviz.ui.theme import Theme
from tests.samples import array, weighted_sum

# The offscreen platform says so of every window with a smallest size; screens do not.

F = np.float32
X, XX, W, XXW, Y = range(5)


@pytest.fixture(scope="module")
def dressed(qapp) -> Theme:
    """One theme for all tests: dressing the application anew takes a second."""
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
    made.resize(340, 900)
    made.show()
    return made


@pytest.fixture
def track() -> Track:
    return Track(weighted_sum(), 0)


def seen(widget: QWidget) -> str:
    """All words that can be seen, in no order."""
    labels = [label for label in widget.findChildren(QLabel) if label.isVisibleTo(widget)]
    return "\n".join(label.words() if isinstance(label, Text) else visible(label.text()) for label in labels)


def numbers(widget: QWidget) -> list[list[str]]:
    """The texts of the cells that can be seen, one list per array."""
    found = [cells for cells in widget.findChildren(Cells) if cells.isVisibleTo(widget)]
    return [fitted(cells._array, 400).column.texts for cells in found]


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


# ---- what is shown ----------------------------------------------------------------------------------------------


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
        "∂L/∂a = ∂L/∂y ⊙ b",
        "[3, 5] = [1, 1] ⊙ [3, 5]",
        "y = a · b",
        "The Jacobian here is diagonal, diag(3, 5).",
        "one for every input",
        "none: w takes no gradient",
        "freed at this step",
    ):
        assert text in words
    assert numbers(inspector) == [["1.00", "1.00"], ["3.00", "20.00"]]


def test_leaf_shows_its_terms_and_grad_before_and_after(inspector, track):
    inspector.show_node(track, 9, X)
    words = seen(inspector)

    assert "x·x slot 0 [-3.00, 10.00] + x·x slot 1 [-3.00, 10.00]" in words
    assert "before None" in words
    assert "= ∂L/∂x, since it was None" in words
    assert numbers(inspector) == [["-6.00", "20.00"], ["-6.00", "20.00"], ["-1.00", "2.00"]]


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
    inspector = Inspector(theme, {name: op for name, op in OPS.items() if name != "mul"})
    qtbot.addWidget(inspector)

    inspector.show_node(track, 7, XXW)

    assert "The rule of mul is not known here" in seen(inspector)
    assert "a = x·x [3.00, 5.00]" in seen(inspector)


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
                assert card.height() == card.heightForWidth(card.width()), card.caption.text()
                for text in card.findChildren(Text):
                    assert not text.isVisible() or text.height() == text.heightForWidth(text.width())


def test_another_theme_writes_in_its_colours(inspector, track, theme):
    inspector.show_node(track, 7, XXW)

    theme.choose("dark")

    markup = "".join(text.text() for text in inspector.findChildren(Text))
    assert DARK.backward in markup
    assert LIGHT.backward not in markup


# ---- reached, copied, made narrow -------------------------------------------------------------------------------


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
        qtbot.keyClick(text, Qt.Key.Key_Tab)
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
    assert "comes in: [1., 1.]  [2] float32" in text
    assert "    [3, 5] = [1, 1] ⊙ [3, 5]" in text
    assert "goes out to b = w: w takes no gradient" in text


def test_text_of_a_leaf_has_its_terms_and_grad(inspector, track):
    inspector.show_node(track, 9, X)

    assert "    from x·x: [-3., 10.]  [2] float32" in inspector.text()
    assert "x.grad before: None" in inspector.text()
    assert "x.grad after: [-6., 20.]  [2] float32" in inspector.text()


@pytest.mark.parametrize("width", [260, 300, 420, 600])
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


# ---- cells ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "small"),
    [((), True), ((12,), True), ((13,), False), ((6, 6), True), ((7, 1), False), ((0,), False), ((2, 2, 2), False)],
)
def test_small_arrays_are_cells(shape, small):
    assert fits_in_cells(shape) is small


@pytest.mark.parametrize("width", [200, 240, 400])
def test_a_row_of_numbers_always_fits(theme, width):
    matrix = np.random.default_rng(0).normal(size=(6, 6)) * 1e-3

    fit = fitted(matrix, width)

    assert fit.columns == 6
    assert 6 * (fit.width + 4) - 4 <= width
    assert fit.column.exponent == -3


def test_vector_wraps_and_is_copied_by_selection(qtbot, theme):
    cells = Cells(theme, "forward")
    qtbot.addWidget(cells)
    cells.resize(110, 200)
    cells.show_array(array(1, 2, 3, 4))

    assert fitted(cells._array, 110).columns == 2
    assert cells.heightForWidth(110) == 2 * 24 + 4
    assert cells.selected_text() == "1.0\t2.0\n3.0\t4.0"

    qtbot.mousePress(cells, Qt.MouseButton.LeftButton, pos=QPoint(5, 40))
    qtbot.mouseMove(cells, QPoint(90, 40))
    qtbot.keyClick(cells, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert QApplication.clipboard().text() == "3.0\t4.0"


def test_cells_are_read_out(qtbot, theme):
    cells = Cells(theme, "backward")
    qtbot.addWidget(cells)

    cells.show_array(array(-6, 20))

    assert cells.accessibleDescription() == "[-6, 20]"


def test_not_a_number_looks_different_from_a_number(qtbot, theme):
    view = ArrayView(theme, "forward", "value")
    qtbot.addWidget(view)
    view.resize(200, 80)

    view.show_array(array(1, np.nan))

    assert "1 NaN" in seen(view)
    image = view.cells.grab().toImage()
    found = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert any(
        name.startswith(("#b3", "#b4", "#b5")) for name in found
    )  # the red of LIGHT.error, as the font blends it


# ---- pictures ---------------------------------------------------------------------------------------------------


def test_large_array_is_a_picture_and_a_small_one_afterwards_is_not(qtbot, theme):
    view = ArrayView(theme, "forward", "value")
    qtbot.addWidget(view)

    view.show_array(np.ones((81, 1), F))
    picture = view.findChild(HeatMap)
    assert picture is not None
    assert picture.isVisibleTo(view)
    assert not view.cells.isVisibleTo(view)
    view.show_array(array(1, 2))

    assert not picture.isVisibleTo(view)
    assert view.cells.isVisibleTo(view)


def test_slice_of_more_than_two_axes_is_chosen(qtbot, theme):
    view = ArrayView(theme, "forward", "value")
    qtbot.addWidget(view)
    view.show_array(np.arange(12).reshape(3, 2, 2))
    choice = view.findChild(SliceChoice)

    choice.choose(0, 2)

    assert choice.index() == (2,)
    assert numbers(view) == [["8", "9", "10", "11"]]


def test_array_without_elements_says_so(qtbot, theme):
    view = ArrayView(theme, "forward", "value")
    qtbot.addWidget(view)

    view.show_array(np.zeros((0, 3), F))

    assert "[0, 3] float32: no elements" in seen(view)


def test_scale_is_symmetric_and_marks_what_is_not_finite():
    image = coloured(np.array([[-2.0, 0.0, 2.0, np.nan, np.inf, 1e-9]]), 2.0, LIGHT)[0]

    def rgb(text: str) -> list[int]:
        return [int(text[i : i + 2], 16) for i in (1, 3, 5)]

    assert image.shape == (6, 4)
    assert image[0, :3].tolist() == rgb(scale_colours(LIGHT)[0])
    assert image[1, :3].tolist() == image[5, :3].tolist() == rgb(scale_colours(LIGHT)[1])
    assert image[2, :3].tolist() == rgb(scale_colours(LIGHT)[2])
    assert image[3, :3].tolist() == image[4, :3].tolist() == rgb(LIGHT.error)
    assert shades(DARK).shape == (256, 4)


def test_pointer_reads_the_element_under_it(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.show_array(np.arange(80.0).reshape(1, 8, 10))

    assert picture.value_at(3.2, 6.9) == "[0, 7, 3]  73"
    assert picture.value_at(-0.4, 0.4) == "[0, 0, 0]  0"
    assert picture.value_at(9.6, 0.0) == ""
    assert picture.value_at(float("nan"), 0.0) == ""


def test_pointer_reads_bars_of_a_column(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.show_array(np.arange(81.0).reshape(81, 1))

    assert picture.value_at(80.3, 5.0) == "[80, 0]  80"


def test_what_is_pointed_at_is_written_below(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.show_array(np.ones((8, 8)))

    picture.pointed.emit("[3, 0]  0.5")
    assert picture.readout.text() == "[3, 0]  0.5"
    picture.pointed.emit("")

    assert picture.readout.text() == "point to read a value"


def test_picture_of_three_axes_is_refused(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)

    with pytest.raises(ValueError, match="two axes, not 3"):
        picture.show_array(np.zeros((2, 3, 4)))


@pytest.mark.parametrize(
    "values",
    [
        np.full((9, 9), np.nan),
        np.zeros((20, 30)),
        np.array([[np.inf, -np.inf] * 5] * 9),
        np.arange(50) * 1j,
        np.arange(30) % 2 == 0,
        np.random.default_rng(0).normal(size=30_000),
        np.full(40, np.nan),
        np.array([1e300, -1e300] * 20),
        np.ones((3000, 8)),
    ],
    ids=["all nan", "zeros", "infinite", "complex", "bool", "line", "nan vector", "huge", "strided"],
)
def test_any_array_can_be_drawn(qtbot, theme, values):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.resize(240, 260)
    picture.show()

    picture.show_array(values)

    assert not picture.grab().isNull()


def test_wheel_over_a_picture_is_left_to_the_panel_and_zooms_with_control(qtbot, theme):
    picture = HeatMap(theme)
    qtbot.addWidget(picture)
    picture.resize(240, 260)
    picture.show_array(np.random.default_rng(0).normal(size=(20, 30)))
    picture.show()
    viewport = picture._view.viewport()
    box = picture._view.getPlotItem().getViewBox()

    def turn(modifiers: Qt.KeyboardModifier) -> None:
        middle = QPointF(viewport.rect().center())
        event = QWheelEvent(
            middle,
            QPointF(viewport.mapToGlobal(middle.toPoint())),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(viewport, event)

    whole = box.viewRange()
    turn(Qt.KeyboardModifier.NoModifier)
    assert box.viewRange() == whole
    turn(Qt.KeyboardModifier.ControlModifier)

    assert box.viewRange() != whole


def test_inspector_of_small_arrays_does_not_load_pyqtgraph():
    script = (
        "import sys; from PySide6.QtWidgets import QApplication; app = QApplication([])\n"
        "from gradviz.ui.inspector import Inspector; from gradviz.ui.theme import Theme\n"
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
