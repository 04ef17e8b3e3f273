"""The table of variables: what it shows, what an edit asks for, and what it refuses."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit

from gradviz.errors import GradvizError
from gradviz.playback.numbers import figures
from gradviz.playback.track import Track
from gradviz.recording import Accumulation, Engine, Node, Recording, Source, Step, Sweep
from gradviz.source.leaf_changes import LeafChange, change_leaf
from gradviz.source.leaves import find_leaves
from gradviz.source.values import parse_values
from gradviz.ui.look.sheet import style_sheet
from gradviz.ui.look.theme import Theme
from gradviz.ui.variables import Variables, cell_texts, leaf_search
from gradviz.ui.variables.cell_texts import Column, change_of, short_text, typed
from gradviz.ui.variables.grid import GridEditor, GridModel
from gradviz.ui.variables.held import Held
from gradviz.ui.variables.leaf_delegate import NAME_SHIFT
from gradviz.ui.variables.leaf_search import LeafSearch
from tests.recorded import run

TEXT = (
    "import torch\n"
    "x = torch.tensor([-1., 2.], requires_grad=True)\n"
    "w = torch.tensor([3, 5])\n"
    "r = torch.randn(2, 3, requires_grad=True)\n"
    "m = torch.linspace(-1, 1, 50)\n"
)
GRADIENTS = [Held(gradient=np.array([-6.0, 20.0], dtype=np.float32))]


@pytest.fixture
def variables(qtbot, qapp: QApplication) -> Variables:
    variables = Variables(Theme("light"))
    qtbot.addWidget(variables)
    variables.resize(330, 260)
    variables.show()
    variables.show(find_leaves(TEXT), GRADIENTS)
    return variables


def cells(variables: Variables, row: int) -> list[str]:
    return [str(variables.model.index(row, column).data()) for column in range(variables.model.columnCount())]


def type_into(variables: Variables, row: int, column: Column, text: str) -> bool:
    return variables.model.setData(variables.model.index(row, column), text)


def asked(variables: Variables) -> list[tuple[str, LeafChange]]:
    """What has been asked for, from now on."""
    told: list[tuple[str, LeafChange]] = []
    variables.edited.connect(lambda name, change: told.append((name, change)))
    return told


# ---- showing ----


@pytest.mark.parametrize("width", range(206, 420, 20))
def test_heads_of_values_and_gradients_are_whole_however_narrow_the_table(variables, theme, width):
    variables.setStyleSheet(style_sheet(theme.palette))
    text = "import torch\nweights_of_it = torch.randn(2, 1, 4, 4, 16, requires_grad=True)\n"
    variables.show(find_leaves(text), GRADIENTS)
    variables.resize(width, 260)
    QApplication.processEvents()

    header = variables.table.horizontalHeader()
    for column in (Column.VALUE, Column.GRAD):
        head = variables.model.headerData(column, Qt.Orientation.Horizontal)
        assert header.fontMetrics().horizontalAdvance(head) + 16 <= header.sectionSize(column)


@pytest.mark.parametrize("name", ["loss", "target", "weight_0"])
def test_names_are_whole_where_there_is_room(variables, theme, name):
    variables.setStyleSheet(style_sheet(theme.palette))
    variables.show(find_leaves(f"import torch\n{name} = torch.ones(2, requires_grad=True)\n"), GRADIENTS)
    QApplication.processEvents()

    cell = variables.table.visualRect(variables.model.index(0, Column.NAME)).adjusted(NAME_SHIFT, 0, 0, 0)
    assert variables.table.sizeHintForColumn(Column.NAME) < cell.width()


def test_a_shape_that_grows_is_whole_as_well(variables, theme):
    variables.setStyleSheet(style_sheet(theme.palette))
    for shape in ("2", "2, 1, 4"):
        variables.show(find_leaves(f"import torch\nx = torch.ones({shape}, requires_grad=True)\n"))
    QApplication.processEvents()

    assert variables.table.sizeHintForColumn(Column.SHAPE) < variables.table.columnWidth(Column.SHAPE)


def test_leaf_is_shown_with_shape_value_dtype_and_gradient(variables):
    assert cells(variables, 0) == ["x", "(2,)", "-1  2", "float32", "-6  20"]


def test_constant_has_no_gradient_and_random_values_are_not_invented(variables):
    assert cells(variables, 1) == ["w", "(2,)", "3  5", "int64", "none"]
    assert cells(variables, 2) == ["r", "2×3", "random, randn", "float32", "—"]


def test_check_box_says_whether_it_requires_a_gradient(variables):
    states = [variables.model.index(row, 0).data(Qt.ItemDataRole.CheckStateRole) for row in range(2)]

    assert states == [Qt.CheckState.Checked, Qt.CheckState.Unchecked]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (1.23456789, "1.235"),
        ([[1.0, 2.0], [3.0, 4.5]], "1 2; 3 4.5"),
        ([[1.0, 2.0]], "[[1 2]]"),
        ([True, False], "True  False"),
        ([], "[]"),
        (list(range(99)), "  ".join(map(str, range(40))) + " …"),
    ],
)
def test_values_are_shown_in_short(values, text):
    assert short_text(values) == text


def test_models_keep_the_rules_of_qt(variables, qtmodeltester):
    qtmodeltester.check(variables.model)
    qtmodeltester.check(GridModel([[1.0, 2.0]], Theme("light")))


def test_empty_table_says_what_to_do(variables):
    variables.show(())

    assert variables.table.isHidden()
    assert "press + here" in variables.empty.text()
    assert not variables.remove_button.isEnabled()


# ---- editing ----


@pytest.mark.parametrize(
    ("row", "column", "text", "line"),
    [
        (0, Column.VALUE, "1 2 3", "x = torch.tensor([1., 2., 3.], requires_grad=True)"),
        (0, Column.VALUE, "linspace(0, 1, 3)", "x = torch.tensor([0., 0.5, 1.], requires_grad=True)"),
        (0, Column.SHAPE, "[2, 2]", "x = torch.tensor([[-1., 2.], [0., 0.]], requires_grad=True)"),
        (0, Column.DTYPE, "float64", "x = torch.tensor([-1., 2.], dtype=torch.float64, requires_grad=True)"),
        (0, Column.NAME, "θ", "θ = torch.tensor([-1., 2.], requires_grad=True)"),
        (2, Column.SHAPE, "4×1", "r = torch.randn(4, 1, requires_grad=True)"),
        (2, Column.SHAPE, "4x1", "r = torch.randn(4, 1, requires_grad=True)"),
        (2, Column.VALUE, "7", "r = torch.tensor(7., requires_grad=True)"),
    ],
)
def test_edit_of_a_cell_is_the_change_of_its_line(variables, row, column, text, line):
    told = asked(variables)

    assert type_into(variables, row, column, text)

    ((name, change),) = told
    assert line in change_leaf(TEXT, name, change).splitlines()


def test_dot_switches_requires_grad_by_click_and_by_space(variables, qtbot):
    told = asked(variables)
    dot = variables.table.visualRect(variables.model.index(0, 0)).topLeft() + QPoint(18, 14)

    qtbot.mouseClick(variables.table.viewport(), Qt.MouseButton.LeftButton, pos=dot)
    variables.table.setCurrentIndex(variables.model.index(1, 0))
    qtbot.keyClick(variables.table, Qt.Key.Key_Space)

    assert [(name, change.requires_grad) for name, change in told] == [("x", False), ("w", True)]


def test_click_on_the_name_switches_nothing(variables, qtbot):
    told = asked(variables)
    name = variables.table.visualRect(variables.model.index(0, 0)).topLeft() + QPoint(45, 14)

    qtbot.mouseClick(variables.table.viewport(), Qt.MouseButton.LeftButton, pos=name)

    assert told == []


@pytest.mark.parametrize("column", [Column.NAME, Column.SHAPE, Column.VALUE, Column.DTYPE])
@pytest.mark.parametrize("row", [0, 1, 3])
def test_editing_a_cell_without_a_change_asks_for_nothing(variables, row, column):
    leaf = variables.model.leaf(row)

    assert change_of(leaf, column, typed(leaf, column)) is None


def test_what_the_value_editor_starts_with_is_exact():
    (leaf,) = find_leaves("import torch\nx = torch.tensor([1/3, float('nan'), 1e300])")

    assert repr(parse_values(typed(leaf, Column.VALUE))) == repr(leaf.values)


@pytest.mark.parametrize(
    ("column", "text", "words"),
    [
        (Column.VALUE, "1 tahn", "Character 3: 'tahn' is not a number"),
        (Column.VALUE, "1 2; 3", "Row 2 has 1 value"),
        (Column.VALUE, "", "no number"),
        (Column.SHAPE, "two", "'two' is not a shape"),
        (Column.NAME, "2x", "'2x' is not a variable name"),
    ],
)
def test_bad_input_stays_in_its_cell_with_one_sentence_below(variables, column, text, words):
    told = asked(variables)

    assert not type_into(variables, 0, column, text)

    assert told == []
    assert cells(variables, 0)[column] == text
    assert words in variables.sentence.text()
    assert not variables.sentence.isHidden()


def test_good_input_takes_the_sentence_away(variables):
    type_into(variables, 0, Column.VALUE, "1 tahn")

    type_into(variables, 0, Column.VALUE, "1 2")

    assert variables.sentence.isHidden()
    assert cells(variables, 0)[Column.VALUE] == "-1  2"  # until the script has it


def test_change_refused_by_the_script_keeps_what_was_typed(variables):
    type_into(variables, 0, Column.NAME, "w")

    variables.refuse(GradvizError("'w' is already used in the script.", hint="Choose another name."))

    assert cells(variables, 0)[Column.NAME] == "w"
    assert variables.sentence.text() == "'w' is already used in the script. Choose another name."
    variables.show(find_leaves(TEXT.replace("-1.", "-2.")), GRADIENTS)
    assert cells(variables, 0)[Column.NAME] == "x"
    assert variables.sentence.isHidden()


def test_gradients_that_arrive_leave_an_open_editor_alone(variables, qtbot):
    variables.table.edit(variables.model.index(0, Column.VALUE))
    (line,) = variables.table.findChildren(QLineEdit)
    qtbot.keyClicks(line, " 4")

    variables.show(find_leaves(TEXT), [Held(gradient=np.array([1.0, 1.0], dtype=np.float32))])
    QApplication.processEvents()

    assert line.text().endswith(" 4")
    assert cells(variables, 0)[Column.GRAD] == "1  1"


def test_new_gradients_leave_bad_input_and_its_sentence_alone(variables):
    type_into(variables, 0, Column.VALUE, "1 tahn")

    variables.show(find_leaves(TEXT))

    assert cells(variables, 0)[Column.VALUE] == "1 tahn"
    assert not variables.sentence.isHidden()
    assert cells(variables, 0)[Column.GRAD] == "—"


def test_dtype_is_chosen_from_a_list(variables):
    told = asked(variables)
    variables.table.edit(variables.model.index(0, Column.DTYPE))
    (combo,) = variables.table.findChildren(QComboBox)

    combo.setCurrentText("float64")
    combo.activated.emit(combo.currentIndex())

    assert told[-1] == ("x", LeafChange(dtype="float64", line=2))


def test_plus_adds_a_leaf_of_a_free_name(variables, qtbot):
    told = asked(variables)

    qtbot.mouseClick(variables.add_button, Qt.MouseButton.LeftButton)

    ((name, change),) = told
    assert name == "b"
    assert "b = torch.tensor([1., 2., 3.], requires_grad=True)" in change_leaf(TEXT, name, change)


def test_minus_and_delete_remove_the_selected_leaf(variables, qtbot):
    told = asked(variables)
    variables.table.setCurrentIndex(variables.model.index(1, 1))

    qtbot.mouseClick(variables.remove_button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(variables.table, Qt.Key.Key_Delete)

    assert told == [("w", LeafChange(removed=True, line=3))] * 2
    assert "w =" not in change_leaf(TEXT, *told[0])


# ---- many values ----


def test_many_values_open_the_grid_instead_of_a_line(variables, monkeypatch):
    told = asked(variables)
    monkeypatch.setattr(GridEditor, "ask", classmethod(lambda cls, name, values, *rest: [float(len(values)), 1.0]))
    trigger = variables.table.EditTrigger.DoubleClicked

    variables.table.edit(variables.model.index(3, Column.VALUE), trigger, QEvent(QEvent.Type.None_))

    assert told == [("m", LeafChange(values=[50.0, 1.0], line=5))]
    assert variables.table.findChildren(QLineEdit) == []


@pytest.fixture
def grid(qtbot, qapp) -> GridEditor:
    editor = GridEditor("x", [[1.0, 2.0], [3.0, 4.0]], Theme("light"))
    qtbot.addWidget(editor)
    return editor


def put(model: GridModel, row: int, column: int, text: str) -> bool:
    return model.setData(model.index(row, column), text)


def test_grid_edits_one_number_and_keeps_the_others_exact(qapp):
    model = GridModel([[1 / 3, 2.0], [math.nan, 4.0]], Theme("light"))

    put(model, 0, 1, "5e-3")
    put(model, 0, 0, str(model.index(0, 0).data(Qt.ItemDataRole.EditRole)))

    assert repr(model.values()) == repr([[1 / 3, 0.005], [math.nan, 4.0]])


def test_grid_grows_with_zeros_and_cuts(grid):
    grid.rows.setValue(3)
    grid.columns.setValue(1)

    assert grid.model.values() == [[1.0], [3.0], [0.0]]


def test_grid_with_a_word_in_it_cannot_be_accepted_until_it_is_mended(grid):
    ok = grid.buttons.button(grid.buttons.StandardButton.Ok)

    assert not put(grid.model, 0, 0, "tahn")
    assert grid.model.index(0, 0).data() == "tahn"
    assert "'tahn' is not a number" in grid.sentence.text()
    assert not ok.isEnabled()

    assert put(grid.model, 0, 0, "7")
    assert ok.isEnabled()
    assert grid.model.values() == [[7.0, 2.0], [3.0, 4.0]]


def test_block_from_a_spreadsheet_is_pasted_at_a_cell(grid):
    grid.model.paste(grid.model.index(0, 1), "8\t9\n10\t11\n12\t13\n")

    assert grid.model.values() == [[1.0, 8], [3.0, 10]]


@pytest.mark.parametrize("values", [[1.0, 2.0], [[[1.0], [2.0]], [[3.0], [4.0]]], [[1, 2, 3]]])
def test_grid_gives_back_the_shape_it_got(qapp, values):
    assert GridModel(values, Theme("light")).values() == values


def test_row_of_three_axes_is_headed_by_its_indices(qapp):
    model = GridModel([[[1.0], [2.0]], [[3.0], [4.0]]], Theme("light"))

    heads = [model.headerData(row, Qt.Orientation.Vertical) for row in range(4)]

    assert heads == ["0, 0", "0, 1", "1, 0", "1, 1"]


@pytest.mark.parametrize(
    ("code", "result"), [(QDialog.DialogCode.Accepted, [[1.0, 2.0]]), (QDialog.DialogCode.Rejected, None)]
)
def test_asking_gives_the_numbers_or_nothing(qapp, monkeypatch, code, result):
    monkeypatch.setattr(GridEditor, "exec", lambda self: code)

    assert GridEditor.ask("x", [[1.0, 2.0]], Theme("light")) == result


# ---- finding the leaves ----


def test_leaves_of_a_long_text_are_found_off_the_gui_thread_and_each_text_is_searched_once(qtbot, monkeypatch):
    threads = []
    monkeypatch.setattr(
        leaf_search, "find_leaves", lambda text: threads.append(threading.current_thread()) or find_leaves(text)
    )
    search = LeafSearch()
    search.look_in(TEXT)
    assert [leaf.name for leaf in search.found] == ["x", "w", "r", "m"]

    long = TEXT + "# a remark\n" * 2000
    with qtbot.waitSignal(search.changed):
        search.look_in(long)
    search.look_in(long)
    search.close()

    assert [thread is threading.main_thread() for thread in threads] == [True, False]
    assert len(search.found) == 4


# ---- parameters of a recording ----


def many_layers(count: int) -> Recording:
    """A run of PyTorch: x through layers, each with a weight that no line of the text makes."""
    nodes = [Node(0, "leaf", shape=(2,), name="x", requires_grad=True, line=2)]
    for layer in range(count):
        at = len(nodes)
        nodes += [
            Node(at, "leaf", shape=(30, 30), name=f"net.layers.{layer}.weight", requires_grad=True),
            Node(at + 1, "mul", (at - 1 if layer else 0, at), shape=(30, 30), requires_grad=True),
        ]
    value = np.full((30, 30), 2, np.float32)
    values = tuple(value + node.id if node.shape == (30, 30) else np.ones(2, np.float32) for node in nodes)
    steps = tuple(Step(n.id, value, (value,) * len(n.inputs)) for n in reversed(nodes) if n.shape == (30, 30))
    kept = tuple(Accumulation(s.node, None, value) for s in steps if nodes[s.node].is_leaf)
    sweep = Sweep((len(nodes) - 1,), (value,), steps, kept)
    return Recording(tuple(nodes), values, (sweep,), source=Source("script", "a.py", TEXT), engine=Engine("PyTorch"))


def test_parameters_of_a_recording_follow_the_variables_of_its_script(variables, qtbot):
    recording = many_layers(3)
    track = Track(recording, 0)

    variables.show_script(TEXT, track)
    variables.show_position(track.length)

    names = [variables.model.leaf(row).name for row in range(variables.model.rowCount())]
    assert names == ["x", "w", "r", "m", *(f"net.layers.{layer}.weight" for layer in range(3))]
    assert cells(variables, 4) == ["net.layers.0.weight", "30×30", "norm 90", "float32", "norm 60"]
    variables.show_position(track.length - 2)  # the last but one step is that of its weight
    assert cells(variables, 4)[Column.GRAD] == "—"
    variables.show_script(TEXT, Track(replace(recording, engine=None), 0))
    assert variables.model.rowCount() == 4


def test_weights_in_lists_of_lists_are_in_the_table_where_nothing_else_is(variables):
    text = (
        "import torch\nw = [[torch.randn((), requires_grad=True) for _ in range(2)] for _ in range(2)]\n"
        "y = (w[0][0] * w[0][1] + w[1][0]) * w[1][1]\ny.backward()\n"
    )
    track = Track(run(text).recording, 0)

    variables.show_script(text, track)
    variables.show_position(track.length)

    names = [variables.model.leaf(row).name for row in range(variables.model.rowCount())]
    assert names == ["w[0][0]", "w[0][1]", "w[1][0]", "w[1][1]"]
    assert "none" not in [cells(variables, row)[Column.GRAD] for row in range(4)]
    assert list(track.recording.gradients) == names


def test_weights_in_dicts_and_lists_are_rows_beside_variables_that_can_be_edited(variables):
    text = (
        "import torch\nx = torch.tensor([1.0, 2.0])\n"
        "p = {'w': torch.ones(2, requires_grad=True)}\nws = [torch.ones(2, requires_grad=True)]\n"
        "def local():\n    v = torch.ones(2, requires_grad=True)\n    return v\n"
        "y = (x * p['w'] * ws[0] * local()).sum()\ny.backward()\n"
    )
    track = Track(run(text).recording, 0)

    variables.show_script(text, track)
    variables.show_position(track.length)

    rows = range(variables.model.rowCount())
    assert [variables.model.leaf(row).name for row in rows] == ["x", "p['w']", "ws[0]"]
    assert [cells(variables, row)[Column.GRAD] for row in rows] == ["none", "[1, 2]", "[1, 2]"]


@pytest.mark.parametrize("width", [180, 226, 260, 400])
def test_the_head_of_the_names_is_whole_and_a_narrow_table_has_room_for_numbers(variables, width):
    variables.resize(width, 200)
    variables.show()
    variables.show_script("import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n", None)
    QApplication.processEvents()
    table = variables.table

    font = table.horizontalHeader().font()
    font.setBold(True)
    assert table.columnWidth(Column.NAME) >= 16 + QFontMetrics(font).horizontalAdvance("name")
    if width >= 200:
        assert min(table.columnWidth(Column.VALUE), table.columnWidth(Column.GRAD)) >= 60


def test_a_parameter_is_shown_in_the_graph_and_not_edited(variables, qtbot):
    variables.show_script(TEXT, Track(many_layers(1), 0))
    index = variables.model.index(4, Column.VALUE)
    told = asked(variables)

    assert not variables.model.flags(index) & Qt.ItemFlag.ItemIsEditable
    assert not variables.model.setData(index, "[1]")
    assert not variables.model.setData(variables.model.index(4, Column.NAME), 0, Qt.ItemDataRole.CheckStateRole)
    variables.table.setCurrentIndex(index)
    assert not variables.remove_button.isEnabled()
    qtbot.keyClick(variables.table, Qt.Key.Key_Delete)
    with qtbot.waitSignal(variables.leaf_requested) as asked_for:
        variables.table.doubleClicked.emit(index)
    assert asked_for.args == ["net.layers.0.weight"]
    assert told == []
    variables.table.setCurrentIndex(variables.model.index(0, 0))
    assert variables.remove_button.isEnabled()


def test_of_hundreds_of_parameters_only_those_in_sight_are_measured(variables, monkeypatch):
    measured = []
    monkeypatch.setattr(cell_texts, "figures", lambda array: measured.append(id(array)) or figures(array))
    track = Track(many_layers(400), 0)

    variables.show_script(TEXT, track)
    variables.show()
    QApplication.processEvents()
    for position in range(track.turn, track.turn + 20):
        variables.show_position(position)
        QApplication.processEvents()

    assert variables.model.rowCount() == 404
    assert 0 < len(measured) < 60
    assert len(set(measured)) == len(measured)
    assert variables.height_wanted() < 500
