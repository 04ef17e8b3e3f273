"""The product as it is drawn: where its tiles stand, what pointing at one lights, and what it costs while closed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication

from gradviz.playback.product.form import OUT, J, V
from gradviz.playback.product.product import Product, product_at
from gradviz.playback.track import Track
from gradviz.playback.words import number_text
from gradviz.ui.inspector import Inspector, product_view
from gradviz.ui.inspector.cards import InsideCard, ProductCard
from gradviz.ui.inspector.form_plan import LEFT, RESULT, RIGHT
from gradviz.ui.inspector.product_plan import Look, Plan, fitted, planned
from gradviz.ui.inspector.product_view import ProductView, Spot
from gradviz.ui.look.theme import Theme
from tests.recorded import run
from tests.samples import weighted_sum
from tests.ui.inspector.inspectors import seen

THREE = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
m = torch.tensor([[2.0, 0.0], [2.0, 1.0], [0.0, 4.0]])
f = m @ x
f.backward(torch.ones(3))
"""


def product_of(text: str, name: str) -> tuple[Track, int, Product]:
    recording = run(text).recording
    assert recording.problem is None
    track = Track(recording, 0)
    node = next(node.id for node in recording.nodes if node.name == name)
    product = product_at(track, track.length, node)
    assert product is not None
    return track, node, product


def plan_of(product: Product, width: int) -> Plan:
    return planned(product, [Look(*factor.block(0, 0)) for factor in product.factors], width)


@pytest.fixture
def view(qtbot) -> ProductView:
    made = ProductView(Theme("light"))
    qtbot.addWidget(made)
    made.resize(280, 400)
    made.show()
    return made


def test_a_result_stands_where_the_row_of_v_and_its_column_meet():
    _, _, product = product_of(THREE, "f")

    plan = plan_of(product, 280)

    v = [tile for tile in plan.tiles if tile.kind == V]
    out = [tile for tile in plan.tiles if tile.kind == OUT]
    assert len({tile.box[1] for tile in (*v, *out)}) == 1
    for tile in out:
        column = [each for each in plan.tiles if each.kind == J and each.column == tile.column]
        assert {each.box[0] for each in column} == {tile.box[0]}
        assert max(each.box[1] for each in column) < tile.box[1]
    assert [tile.text for tile in plan.tiles] == ["1", "1", "1", "2", "0", "2", "1", "0", "4", "4", "5"]


def test_the_numbers_are_those_of_the_formula_where_there_is_room():
    _, _, product = product_of(
        "x = torch.tensor([3.2, 0.4], requires_grad=True)\ny = torch.tanh(x)\ny.backward(torch.tensor([2.69, 1.0]))\n",
        "y",
    )

    texts = [tile.text for tile in plan_of(product, 270).tiles]

    assert texts == ["2.69", "1", "0.006624", "0", "0", "0.8556", "0.01782", "0.8556"]


def test_without_room_v_is_laid_on_the_rows():
    _, _, product = product_of(THREE, "f")

    plan = plan_of(product, 140)

    for tile in plan.tiles:
        if tile.kind == V:
            (first, *_) = [each for each in plan.tiles if each.kind == J and each.row == tile.row]
            assert first.box[1] == tile.box[1]


@given(
    st.integers(1, 12), st.lists(st.integers(1, 12), min_size=1, max_size=3), st.integers(180, 420),
    st.floats(allow_nan=True, width=32),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_tiles_stay_inside_and_apart(rows, columns, width, number):
    lines = ["import torch", f"y = torch.zeros({rows})"]
    for i, count in enumerate(columns):
        lines += [
            f"x{i} = torch.ones({count}, requires_grad=True)",
            f"y = y + torch.full(({rows}, {count}), 0.5) @ x{i}",
        ]
    lines.append(f"y.backward(torch.full(({rows},), float('{number}')))")
    recording = run("\n".join(lines)).recording
    track = Track(recording, 0)
    for node in recording.nodes:
        product = product_at(track, track.length, node.id)
        if product is None or not product.factors:
            continue
        plan = plan_of(product, width)
        boxes = np.array([tile.box for tile in plan.tiles])
        assert (boxes[:, 0] >= 0).all()
        assert (boxes[:, 0] + boxes[:, 2] <= width).all()
        assert (boxes[:, 1] + boxes[:, 3] <= plan.height).all()
        corners = {(x, y) for x, y, _, _ in boxes.tolist()}
        assert len(corners) == len(boxes)


def test_pointing_at_what_goes_out_lights_v_and_its_column(view):
    _, _, product = product_of(THREE, "f")
    view.show_product(product)

    (tile,) = [each for each in view.plan().tiles if each.kind == OUT and each.column == 1]
    view.light(Spot(OUT, 0, -1, 1))

    lit = [(each.kind, each.row, each.column) for each in view.plan().tiles if view._is_lit(each)]
    assert lit == [(V, 0, -1), (V, 1, -1), (V, 2, -1), (J, 0, 1), (J, 1, 1), (J, 2, 1), (OUT, -1, 1)]
    assert "".join(text for text, _ in view.terms(0, 1)) == "5 = 1·0 + 1·1 + 1·4"
    assert tile.text == "5"


def test_pointer_and_keys_light_and_leave(qtbot, view):
    _, _, product = product_of(THREE, "f")
    view.show_product(product)
    (tile,) = [each for each in view.plan().tiles if each.kind == J and (each.row, each.column) == (1, 1)]
    x, y, wide, high = tile.box

    qtbot.mouseMove(view, QPoint(x + wide // 2, y + high // 2))

    assert view.lit == Spot(J, 0, 1, 1)
    assert [each.kind for each in view.plan().tiles if view._is_lit(each)] == [V, J, OUT]
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.lit is not None
    assert view.lit[0] == OUT
    assert "4 = 1·2" in view.described()
    view.light(None)
    assert view.lit is None


def test_a_negative_entry_stands_in_parentheses(view):
    _, _, product = product_of(THREE.replace("[0.0, 4.0]", "[0.0, -4.0]"), "f")
    view.show_product(product)

    assert "".join(text for text, _ in view.terms(0, 1)) == "−3 = 1·0 + 1·1 + 1·(−4)"


def test_infinity_on_an_entry_of_0_makes_the_nan_that_went_out(view):
    _, _, product = product_of(THREE.replace("torch.ones(3)", "torch.tensor([1.0, 2.0, float('inf')])"), "f")
    view.show_product(product)

    assert product.note == ""
    assert "".join(text for text, _ in view.terms(0, 0)) == "nan = 1·2 + 2·2 + inf·0"


def test_the_view_is_as_high_as_its_tiles_also_when_the_width_changes(inspector):
    track, node, _ = product_of(THREE.replace("m @ x", "(m * x.exp()).cos() @ x.sin()"), "f")
    for width in (360, 240, 300):
        inspector.resize(width, 900)
        for name in (node, *track.recording.nodes[node].inputs):
            inspector.show_node(track, track.length, name)
            QApplication.processEvents()
            view = inspector.findChild(ProductView)
            if view.isVisible():
                assert view.height() == view.heightForWidth(view.width())


def test_of_a_large_one_the_block_under_the_pointer_is_drawn(qtbot, view):
    text = "import torch\nx = torch.linspace(1, 2, 100, requires_grad=True)\ny = x ** 2\ny.sum().backward()"
    _, _, product = product_of(text, "y")
    view.show_product(product)
    (found,) = view.plan().maps
    x, y, wide, high = found.box

    qtbot.mouseMove(view, QPoint(x + wide // 2, y + high // 2))

    (look,) = view._looks
    assert 40 < look.top < 60
    assert 40 < look.left < 60
    assert "the terms of 94 other rows" in "".join(text for text, _ in view.terms(0, look.left))
    assert not view.grab().isNull()


@pytest.mark.parametrize(
    ("number", "most", "text"),
    [(-0.00857, 5, "−.01"), (0.0004, 3, "≈0"), (1234567.0, 4, "1e6"), (2.0, 3, "2"), (float("nan"), 3, "nan")],
)
def test_a_number_is_written_in_the_room_it_has(number, most, text):
    assert fitted(number, 2, most) == text


# ---- two matrices --------------------------------------------------------------------------------------------------

MATRICES = """\
import torch
x = torch.tensor([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]], requires_grad=True)
W = torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], requires_grad=True)
y = x @ W
y.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
"""
SLID = """\
import torch
x = torch.arange({images} * 25.0).reshape({images}, 1, 5, 5).requires_grad_()
w = torch.arange(9.0).reshape(1, 1, 3, 3).requires_grad_()
y = torch.nn.functional.conv2d(x, w, stride={stride}, padding={padding})
y.backward(torch.ones_like(y))
"""


def lit_of(view: ProductView, spot: Spot) -> dict[int, list[tuple[int, int]]]:
    """Rows and columns that are lit, by matrix."""
    view.light(spot)
    lit: dict[int, list[tuple[int, int]]] = {LEFT: [], RIGHT: [], RESULT: []}
    for tile in view.plan().tiles:
        if view._is_lit(tile):
            lit[tile.panel].append((tile.row, tile.column))
    return lit


def test_pointing_at_a_number_of_dw_lights_a_row_of_x_transposed_and_a_column_of_dy(view):
    _, _, product = product_of(MATRICES, "y")
    view.show_product(product, as_matrices=True)

    lit = lit_of(view, Spot(OUT, 1, 2, 1, RESULT))

    assert lit == {LEFT: [(2, 0), (2, 1)], RIGHT: [(0, 1), (1, 1)], RESULT: [(2, 1)]}
    assert "".join(text for text, _ in view.terms(1, 1, 2)) == "−3 = 0.5·2 + (−1)·4"


def test_rows_and_columns_meet_at_the_number_they_make(view):
    _, _, product = product_of(MATRICES, "y")
    view.show_product(product, as_matrices=True)

    tiles = [tile for tile in view.plan().tiles if tile.factor == 1]
    for out in [tile for tile in tiles if tile.panel == RESULT]:
        assert {tile.box[1] for tile in tiles if tile.panel == LEFT and tile.row == out.row} == {out.box[1]}
        assert {tile.box[0] for tile in tiles if tile.panel == RIGHT and tile.column == out.column} == {out.box[0]}


def test_pointing_at_a_number_of_x_lights_what_it_goes_into(view):
    _, _, product = product_of(MATRICES, "y")
    view.show_product(product, as_matrices=True)

    lit = lit_of(view, Spot(J, 1, 2, 0, LEFT))

    assert lit == {LEFT: [(2, 0)], RIGHT: [], RESULT: [(2, 0), (2, 1)]}


def test_the_number_of_a_kernel_lights_the_image_under_what_came_in(view):
    _, _, product = product_of(SLID.format(images=1, stride=1, padding=0), "y")
    view.show_product(product, as_matrices=True)

    lit = lit_of(view, Spot(OUT, 1, 0, 2, RESULT))

    assert lit[LEFT] == [(row, column) for row in range(3) for column in range(2, 5)]
    assert len(lit[RIGHT]) == 9


@pytest.mark.parametrize(("images", "stride", "padding"), [(1, 1, 1), (2, 2, 0), (1, 2, 2)])
@pytest.mark.parametrize("width", [180, 280, 500])
def test_tiles_of_matrices_stay_inside_and_apart(view, images, stride, padding, width):
    text = SLID.format(images=images, stride=stride, padding=padding)
    for each in (text, MATRICES, MATRICES.replace("x @ W", "torch.nn.functional.layer_norm(x, (3,)) @ W")):
        track = Track(run(each).recording, 0)
        for node in track.recording.nodes:
            product = product_at(track, track.length, node.id)
            if product is None or not product.forms:
                continue
            view.show_product(product, as_matrices=True)
            boxes = np.array([tile.box for tile in view.plan(width).tiles])
            assert (boxes[:, 0] >= 0).all()
            assert (boxes[:, 0] + boxes[:, 2] <= width).all()
            assert (boxes[:, 1] + boxes[:, 3] <= view.plan(width).height).all()
            assert len({(x, y) for x, y, _, _ in boxes.tolist()}) == len(boxes)


def test_of_a_large_result_the_part_under_the_pointer_is_drawn(qtbot, view):
    text = "import torch\nx = torch.ones(40, 30, requires_grad=True)\ny = x @ torch.ones(30, 20)\ny.sum().backward()"
    _, _, product = product_of(text, "y")
    view.show_product(product, as_matrices=True)
    (found,) = view.plan().maps
    x, y, wide, high = found.box

    qtbot.mouseMove(view, QPoint(x + wide // 2, y + high // 2))

    rows = {tile.row for tile in view.plan().tiles if tile.panel == RESULT}
    assert rows == {tile.row for tile in view.plan().tiles if tile.panel == LEFT}
    assert 12 < min(rows) < max(rows) < 28
    assert not view.grab().isNull()


LARGE = "import torch\nx = torch.linspace(0, 1, 40, requires_grad=True)\nf = x.cumsum(0)\nf.sum().backward()"


@pytest.mark.parametrize("text", [THREE, LARGE], ids=["listed terms", "map"])
def test_what_is_left_out_of_a_part_is_not_seen_in_it(view, text, monkeypatch):
    view.show_product(product_of(text, "f")[2])
    view.resize(340, view.heightForWidth(340))
    parts = [QRect(0, top, view.width(), 7) for top in range(0, view.height(), 7)]
    painted = [view.grab(part).toImage() for part in parts]
    monkeypatch.setattr(product_view, "_in_sight", lambda placed, _seen: placed)

    assert painted == [view.grab(part).toImage() for part in parts]


def test_the_flat_jacobian_is_one_click_away(inspector):
    track, node, _ = product_of(MATRICES, "y")
    inspector.show_node(track, track.length, node)
    view = inspector.findChild(ProductView)
    assert {tile.panel for tile in view.plan().tiles} == {LEFT, RIGHT, RESULT}

    card_of(inspector).form.click()

    assert {tile.panel for tile in view.plan().tiles} == {0}
    assert card_of(inspector).form.text() == "As matrices"
    other = Track(weighted_sum(), 0)
    inspector.show_node(other, other.length, 3)
    assert card_of(inspector).form.isHidden()


# ---- the card -----------------------------------------------------------------------------------------------------


@pytest.fixture
def inspector(qtbot) -> Inspector:
    made = Inspector(Theme("light"))
    qtbot.addWidget(made)
    made.resize(320, 900)
    made.show()
    return made


def card_of(inspector: Inspector) -> ProductCard:
    return next(card for card in inspector.cards if isinstance(card, ProductCard))


def test_a_closed_card_finds_nothing_out(inspector, monkeypatch):
    card = card_of(inspector)
    card.toggle()
    asked: list[int] = []
    monkeypatch.setattr("gradviz.ui.inspector.inspector.product_at", lambda *_args: asked.append(1))
    track = Track(weighted_sum(), 0)

    for position in range(track.length + 1):
        inspector.show_node(track, position, track.node_at(position))

    assert asked == []
    assert "The Jacobian" in _said_at(inspector, track, 7)


def _said_at(inspector: Inspector, track: Track, position: int) -> str:
    inspector.show_node(track, position, track.node_at(position))
    return seen(inspector)


def test_an_open_card_names_structure_and_cost_in_place_of_the_prose(inspector):
    track = Track(weighted_sum(), 0)

    words = _said_at(inspector, track, 7)

    assert "Diagonal: backward multiplied 2 numbers; the matrix would have 4." in words
    assert "never built." not in words
    assert "[[3. 0.]" in inspector.text() or "[3., 0.]" in inspector.text()


def test_another_run_of_the_same_script_is_shown_in_its_own_numbers(inspector):
    first, _, _ = product_of(THREE, "f")
    second, node, _ = product_of(THREE.replace("torch.ones(3)", "torch.tensor([0.0, 1.0, 0.0])"), "f")

    inspector.show_node(first, first.length, node)
    inspector.show_node(second, second.length, node)

    assert inspector.findChild(ProductView).described().startswith("v = 0, 1, 0")


def test_the_seed_says_what_l_is(inspector):
    one, many = Track(weighted_sum(), 0), product_of(THREE, "f")[0]

    assert "the seed: L is y itself, so ∂L/∂y = 1" in _said_at(inspector, one, one.turn + 1)
    assert "the seed: L = Σ vᵢ·fᵢ, so ∂L/∂f = v" in _said_at(inspector, many, many.turn + 1)


def test_what_the_run_answers_is_drawn_and_another_recording_forgets_it(inspector, qtbot):
    text = """\
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Twice.apply(x)
y.sum().backward()
"""
    track = Track(run(text).recording, 0)
    node = next(node.id for node in track.recording.nodes if node.name == "y")

    with qtbot.waitSignal(inspector.jacobian_requested) as asked:
        inspector.show_node(track, track.length, node)
    assert asked.args == [node]
    assert "The run is asked for the Jacobian of Twice." in seen(inspector)
    inspector.take_jacobian(track.recording, node, {0: [[2.0, 0.0], [0.0, 2.0]]})
    assert "Diagonal: backward multiplied 2 numbers" in seen(inspector)
    assert "the script's own backward" in seen(inspector)

    inspector.take_jacobian(weighted_sum(), node, "Of another run.")
    assert "Of another run." not in seen(inspector)


def test_lines_of_a_custom_backward_are_gone_through_one_by_one(inspector, qtbot):
    text = """\
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        h = g * 2
        return h
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Twice.apply(x)
y.backward(torch.tensor([1.0, 3.0]))
"""
    ran = run(text)
    track = Track(ran.recording, 0)
    node = next(node.id for node in track.recording.nodes if node.name == "y")
    inspector.show_node(track, track.length, node)
    given = {int(slot): rows for slot, rows in ran.ask("jacobian", node).items()}
    inspector.take_jacobian(track.recording, node, given, ran.ask("inside", {"node": node, "v": [1.0, 3.0]}))
    card = next(card for card in inspector.cards if isinstance(card, InsideCard))

    assert "g = [1, 3] comes in" in seen(card)
    assert "h = [2, 6]" in seen(card)
    assert "x = [2, 6] goes out" in seen(card)
    lines = []
    inspector.line_requested.connect(lines.append)
    card.step.click()
    assert "g = [1, 3]" in seen(card)
    assert "h = [2, 6]" not in seen(card)
    card.step.click()
    assert "h = [2, 6]" in seen(card)
    card.step.click()
    assert card.step.text() == "Step out"
    card.step.click()

    assert lines == [7, 8, 9]
    assert card.at is None
    inspector.show_node(track, track.turn, node)
    assert card.isHidden()


HOOKED = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.grad_fn.register_hook(lambda sent, came: (sent[0] * 10, sent[1]))
y.backward(torch.ones(2))
"""


def test_what_a_hook_changed_is_no_equation(qapp: QApplication) -> None:
    _, _, product = product_of(HOOKED, "y")
    view = ProductView(Theme(qapp))
    view.resize(320, 400)
    view.show_product(product)

    said = ["".join(text for text, _ in view.terms(factor, 1)) for factor in range(2)]

    assert said == ["20 went out, not 1·2", "2 = 1·2"]
    assert product.changed == {0}


NARROW = """\
import torch
x = torch.tensor([0.08919, -0.4031, 0.7311], requires_grad=True)
w = torch.tensor([0.0331, 12345.6, -0.002144], requires_grad=True)
y = x * w
y.backward(torch.tensor([0.5523, 1.0, -0.08919]))
"""


TWO_MATRICES = """\
torch.manual_seed(0)
x = torch.randn(2, 3, requires_grad=True)
y = x @ torch.randn(3, 2)
y.backward(torch.randn(2, 2))
"""
SOFTMAX = """\
torch.manual_seed(0)
x = torch.randn(4, requires_grad=True)
y = torch.softmax(x, 0)
y.backward(torch.randn(4))
"""


@pytest.mark.parametrize(
    ("text", "as_matrices", "width"),
    [
        (NARROW, False, 236),
        (NARROW, False, 270),
        (TWO_MATRICES, True, 270),
        (TWO_MATRICES, True, 300),
        (SOFTMAX, False, 300),
    ],
)
def test_a_number_in_a_tile_is_the_number_of_the_formula(qtbot, text: str, as_matrices: bool, width: int):
    """0.08919 here and .089 there would be two numbers: rather the Jacobians stand one below the other."""
    _, _, product = product_of(text, "y")
    view = ProductView(Theme("light"))
    qtbot.addWidget(view)

    view.show_product(product, as_matrices=as_matrices)
    plan = view.plan(width)

    assert [tile.text for tile in plan.tiles] == [number_text(t.number).replace("-", "−") for t in plan.tiles]
    assert all(tile.box[0] >= 0 and tile.box[0] + tile.box[2] <= width for tile in plan.tiles)
