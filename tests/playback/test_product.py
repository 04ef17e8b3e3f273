"""The product at a node: for every op of the table the drawn Jacobian is the engine's, and its structure is as named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradviz.engine as torch
from gradviz.engine.tensor import constant, entry
from gradviz.errors import GradvizError, Unanswered
from gradviz.ops.op import Op
from gradviz.ops.params import plain
from gradviz.ops.table import TABLE
from gradviz.playback.formula.arithmetic import EQUALS, FROM
from gradviz.playback.formula.jacobian import can_broadcast, is_elementwise, kind_of
from gradviz.playback.product import structure as shapes
from gradviz.playback.product.jacobian import Jacobian, jacobian_of
from gradviz.playback.product.product import CHANGED, WHOLE, asks_the_run, product_at
from gradviz.playback.product.structure import structure_of
from gradviz.playback.track import Track
from gradviz.recording import Node, Recording, Step, Sweep
from tests.recorded import run
from tests.samples import weighted_sum

ROWS = [row for row in TABLE.rows() if row.examples]
CASES = [pytest.param(row, i, id=f"{row.name}{len(row.inputs)}-{i}") for row in ROWS for i in range(len(row.examples))]


def engine_pass(row: Op, inputs: list[Any], params: dict[str, Any], v: Any) -> list[np.ndarray | None]:
    """What the engine sends to each input for one v."""
    tensors = [constant(x) for x in inputs]
    takers = takers_of(row, inputs)
    for slot in takers:
        tensors[slot].tracked = True
    made = entry(row, tuple(tensors), params, np.asarray(row.forward(*inputs, **params))[()])
    sent = torch.autograd.grad(made, [tensors[slot] for slot in takers], constant(v), allow_unused=True)
    found: list[np.ndarray | None] = [None] * len(inputs)
    for slot, g in zip(takers, sent, strict=True):
        found[slot] = None if g is None else g.numpy()
    return found


def takers_of(row: Op, inputs: list[Any]) -> list[int]:
    return [slot for slot, x in enumerate(inputs) if x.dtype.kind == "f" and row.rule_of(slot) is not None]


def engine_jacobian(row: Op, inputs: list[Any], params: dict[str, Any], slot: int) -> np.ndarray:
    """The Jacobian in one input, one pass of the engine a row."""
    y = np.asarray(row.forward(*inputs, **params))
    rows = []
    for number in range(y.size):
        v = np.zeros(y.shape, y.dtype)
        v.flat[number] = 1
        sent = engine_pass(row, inputs, params, v[()])[slot]
        rows.append(np.zeros(inputs[slot].size) if sent is None else np.ravel(sent))
    return np.reshape(rows, (y.size, inputs[slot].size))


def recorded(row: Op, number: int, *, jitter: float = 0.0) -> tuple[Track, list[Any], dict[str, Any]]:
    """One op of an example as a track at its end, as a run would have recorded it."""
    example = row.examples[number]
    rng = np.random.default_rng(7)
    inputs = [np.asarray(x)[()] for x in example.inputs]
    if jitter:
        inputs = [x + jitter * rng.uniform(-1, 1, x.shape) if x.dtype.kind == "f" else x for x in inputs]
    params = dict(example.params)
    y = np.asarray(row.forward(*inputs, **params))[()]
    v = np.asarray(np.cos(np.arange(1, y.size + 1)).reshape(y.shape) + 0.3)[()]
    sent = engine_pass(row, inputs, params, v)
    takers = takers_of(row, inputs)
    nodes = [
        Node(i, "leaf" if i in takers else "constant", shape=x.shape, requires_grad=i in takers)
        for i, x in enumerate(inputs)
    ]
    kept = {name: plain(value) if not _has_arrays(value) else value for name, value in params.items()}
    nodes.append(Node(len(inputs), row.name, tuple(range(len(inputs))), kept, y.shape, requires_grad=True))
    sweep = Sweep((len(inputs),), (v,), (Step(len(inputs), v, tuple(sent)),))
    return Track(Recording(tuple(nodes), (*inputs, y), (sweep,)), 0), inputs, params


def _has_arrays(value: Any) -> bool:
    parts = value if isinstance(value, tuple | list) else (value,)
    return any(isinstance(part, np.ndarray | slice) or part is Ellipsis for part in parts)


@pytest.mark.parametrize(("row", "number"), CASES)
def test_the_jacobian_drawn_is_that_of_the_engine_and_v_times_it_is_what_went_out(row, number):
    track, inputs, params = recorded(row, number)
    node = len(inputs)
    product = product_at(track, track.length, node)
    takers = takers_of(row, inputs)
    if not takers or all(each is None for each in track.steps[0].outgoing):
        assert product is None
        return

    assert product is not None
    assert product.note == ""
    for factor in product.factors:
        whole = factor.jacobian.rows(range(factor.jacobian.shape[0]))
        np.testing.assert_allclose(
            whole, engine_jacobian(row, inputs, params, factor.slot), rtol=1e-9, atol=1e-12, equal_nan=True
        )
        np.testing.assert_allclose(product.v @ whole, factor.sent, rtol=1e-9, atol=1e-9)
        assert factor.is_whole == (max(whole.shape) <= WHOLE)


def _one_hot(matrix: np.ndarray) -> bool:
    return bool(((matrix == 0) | (matrix == 1)).all() and (matrix.sum(axis=1) == 1).all())


def _own(matrix: np.ndarray, jacobian: Jacobian) -> np.ndarray:
    """The entries off those of broadcasting."""
    own = np.zeros(matrix.shape, dtype=bool)
    for number, place in enumerate(np.ndindex(jacobian.result_shape)):
        tail = place[len(place) - len(jacobian.input_shape) :]
        source = tuple(0 if n == 1 else i for i, n in zip(tail, jacobian.input_shape, strict=True))
        own[number, int(np.ravel_multi_index(source, jacobian.input_shape)) if source else 0] = True
    return matrix[~own]


HOLDS: dict[str, Callable[[np.ndarray, Jacobian], bool]] = {
    shapes.NUMBER: lambda m, _: m.shape == (1, 1),
    shapes.IDENTITY: lambda m, _: np.array_equal(m, np.eye(len(m))),
    shapes.DIAGONAL: lambda m, _: m.shape[0] == m.shape[1] and not m[~np.eye(len(m), dtype=bool)].any(),
    shapes.BROADCAST: lambda m, j: m.shape[0] > m.shape[1] > 1 and not _own(m, j).any(),
    shapes.PERMUTATION: lambda m, _: m.shape[0] == m.shape[1] and _one_hot(m) and _one_hot(m.T),
    shapes.PICKED: lambda m, _: m.shape[0] < m.shape[1] and _one_hot(m),
    shapes.COPIED: lambda m, _: _one_hot(m),
    shapes.PLACED: lambda m, _: bool(((m == 0) | (m == 1)).all() and (m.sum(axis=0) <= 1).all()),
    shapes.EQUAL_ROW: lambda m, _: len(m) == 1 and np.ptp(m) == 0 and bool(m.all()),
    shapes.ROW: lambda m, _: len(m) == 1,
    shapes.COLUMN: lambda m, _: m.shape[1] == 1,
    shapes.BLOCKS: lambda m, _: any(_repeats(m, k, along=True) for k in range(2, len(m) + 1)),
    shapes.STRIPES: lambda m, _: any(_repeats(m, k, along=False) for k in range(2, len(m) + 1)),
    shapes.LOWER: lambda m, _: not np.triu(m, 1).any(),
    shapes.UPPER: lambda m, _: not np.tril(m, -1).any(),
    shapes.SINGLE: lambda m, _: int((m != 0).sum(axis=1).max()) == 1,
    shapes.SPARSE: lambda m, _: not m.all(),
    shapes.DENSE: lambda m, _: bool(m.all()),
    shapes.ZERO: lambda m, _: not m.any(),
}


def _repeats(m: np.ndarray, count: int, *, along: bool) -> bool:
    """Whether a matrix is `count` equal blocks along its diagonal, or each entry of one on a diagonal of its own."""
    if m.shape[0] % count or m.shape[1] % count:
        return False
    down, across = m.shape[0] // count, m.shape[1] // count
    axes = (count, down, count, across) if along else (down, count, across, count)
    cut = m.reshape(axes).transpose((0, 2, 1, 3) if along else (1, 3, 0, 2))
    return all(
        np.array_equal(cut[i, j], cut[0, 0]) if i == j else not cut[i, j].any()
        for i in range(count)
        for j in range(count)
    )


EXPECTED = {
    "sum": {shapes.EQUAL_ROW, shapes.SPARSE, shapes.BLOCKS, shapes.STRIPES},
    "move": {shapes.PERMUTATION, shapes.IDENTITY, shapes.NUMBER},
    "spread": {shapes.COPIED, shapes.BROADCAST, shapes.COLUMN, shapes.IDENTITY},
    "copy": {shapes.IDENTITY, shapes.NUMBER},
    "product": {shapes.BLOCKS, shapes.STRIPES, shapes.DENSE, shapes.SPARSE, shapes.ROW, shapes.COLUMN},
    "join": {shapes.PLACED, shapes.SINGLE, shapes.COLUMN},
}
"""What the kinds of ops have in common, known without looking at a number."""


@pytest.mark.parametrize(("row", "number"), CASES)
def test_the_structure_named_is_that_of_the_matrix(row, number):
    track, inputs, _ = recorded(row, number)
    product = product_at(track, track.length, len(inputs))
    for factor in () if product is None else product.factors:
        jacobian, name = factor.jacobian, factor.structure.name
        whole = jacobian.rows(range(jacobian.shape[0]))

        assert HOLDS[name](whole, jacobian)
        assert factor.structure.words
        assert factor.structure.cost.startswith("backward ")
        fits = can_broadcast(jacobian.input_shape, jacobian.result_shape)
        if is_elementwise(row.name) and fits and whole.shape[0] == whole.shape[1] > 1:
            assert name in (shapes.DIAGONAL, shapes.IDENTITY)


@pytest.mark.parametrize(("row", "number"), CASES)
def test_ops_of_a_kind_have_the_structures_of_the_kind(row, number):
    wanted = EXPECTED.get(kind_of(row.name))
    track, inputs, _ = recorded(row, number)
    product = product_at(track, track.length, len(inputs))

    has_more = row.name in ("trace", "einsum") or row.name.startswith(("add", "badd"))  # a sum too, or any product
    if wanted is not None and product is not None and not has_more:
        assert {factor.structure.name for factor in product.factors} <= wanted


@pytest.mark.parametrize(("row", "number"), CASES)
def test_a_moved_example_has_a_jacobian_that_holds_too(row, number):
    """What is named from the numbers of one place must be named rightly at another."""
    if kind_of(row.name) in ("matrix", "drawn") or row.name in ("ndtri", "logit", "erfinv", "acosh"):
        return  # a moved example may leave where they are defined
    try:
        track, inputs, _ = recorded(row, number, jitter=1e-3)
    except (ValueError, RuntimeError, FloatingPointError):
        return
    product = product_at(track, track.length, len(inputs))
    for factor in () if product is None else product.factors:
        whole = factor.jacobian.rows(range(factor.jacobian.shape[0]))
        assert HOLDS[factor.structure.name](whole, factor.jacobian)


# ---- a product of a run ------------------------------------------------------------------------------------------


def track_of(text: str) -> Track:
    recording = run(text).recording
    assert recording.problem is None
    return Track(recording, 0)


def product_of(track: Track, name: str, **more: Any):
    node = next(node.id for node in track.recording.nodes if name in (node.name, node.op))
    return product_at(track, track.length, node, **more)


LEAVES = """\
import torch
x = torch.tensor([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]], requires_grad=True)
W = torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], requires_grad=True)
"""


def test_a_product_of_matrices_names_its_blocks():
    track = track_of(f"{LEAVES}y = x @ W\ny.backward(torch.ones(2, 2))")

    to_x, to_w = product_of(track, "y").factors

    assert to_x.structure.words == "2 equal blocks of 2 × 3, each Wᵀ"
    assert to_x.structure.cost == "backward made 12 products of two numbers; the matrix would have 24."
    assert to_w.structure.words == "2 equal stripes of 2 × 3, each x"


@pytest.mark.parametrize(("text", "op", "first"), [("y = x @ W", "mm", 0), ("y = torch.addmm(b, x, W)", "addmm", 1)])
def test_a_large_product_of_matrices_is_known_without_looking_at_all_rows(text, op, first):
    leaves = (
        "import torch\nx = torch.randn(5, 4, requires_grad=True)\nW = torch.randn(4, 3, requires_grad=True)\n"
        "b = torch.randn(3)\n"
    )
    track = track_of(f"{leaves}{text}\ny.backward(torch.ones(5, 3))")

    to_x, to_w = product_of(track, op).factors

    assert to_x.structure.words == "5 equal blocks of 3 × 4, each Wᵀ"
    assert to_w.structure.words == "3 equal stripes of 5 × 4, each x"
    for factor, count, along in ((to_x, 5, True), (to_w, 3, False)):
        whole = factor.jacobian.rows(range(15))
        found = structure_of(factor.jacobian, range(15), whole)
        assert (found.name, found.cost) == factor.structure[::2]
        assert _repeats(whole, count, along=along)
        assert factor.slot - first in (0, 1)


def test_nothing_is_found_before_the_step_and_where_nothing_goes_out():
    track = Track(weighted_sum(), 0)

    assert product_at(track, track.turn, 3) is None
    assert product_at(track, track.length, 0) is None
    assert product_at(track, track.turn + 2, 3) is not None


def test_a_gradient_changed_by_a_hook_is_said_not_to_be_the_product():
    recording = weighted_sum()
    sweep = recording.sweeps[0]
    steps = tuple(
        step if step.node != 3 else Step(3, step.incoming, (np.float32([7, 7]), None)) for step in sweep.steps
    )

    product = product_at(Track(replace(recording, sweeps=(replace(sweep, steps=steps),)), 0), 9, 3)

    assert product is not None
    assert product.note == CHANGED


def test_a_value_that_was_not_kept_is_one_sentence():
    recording = weighted_sum()
    values = tuple(
        None if node.name == "w" else value for node, value in zip(recording.nodes, recording.values, strict=True)
    )

    product = product_at(Track(replace(recording, values=values), 0), 9, 3)

    assert product is not None
    assert product.factors == ()
    assert product.note == "The value of w of shape (2,) was not kept, and the rule needs it."


def test_params_of_a_file_that_the_rule_does_not_know_are_one_sentence():
    node = Node(1, "sum", (0,), {"dim": "sideways", "keepdim": False}, (2,), requires_grad=True)
    leaf = Node(0, "leaf", shape=(2, 2), requires_grad=True)
    recording = Recording((leaf, node), (np.ones((2, 2)), np.ones(2)))
    op = TABLE.find("sum", 1, node.params)
    assert op is not None

    with pytest.raises(Unanswered, match=r"^The rule of sum cannot be called"):
        jacobian_of(recording, node, op, 0).rows([0])


def test_a_large_jacobian_is_looked_at_in_a_few_rows_and_by_the_block():
    track = track_of("import torch\nx = torch.linspace(0, 1, 2000, requires_grad=True)\ny = x ** 2\ny.sum().backward()")

    (factor,) = product_of(track, "y").factors
    top, left, block = factor.block(1000, 1000)

    assert not factor.is_whole
    assert len(factor.rows) < 30
    assert factor.structure.words == "diagonal"
    assert factor.structure.cost == "backward multiplied 2,000 numbers; the matrix would have 4,000,000."
    assert (top, left) == (997, 997)
    np.testing.assert_allclose(np.diag(block), 2 * np.linspace(0, 1, 2000)[997:1003], rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "op", "names"),
    [
        ("y = torch.ones(4, 30) + x", "add", {shapes.IDENTITY, shapes.BROADCAST}),
        ("y = x.repeat(4)", "repeat", {shapes.COPIED}),
        ("y = x.flip(0)", "flip", {shapes.PERMUTATION}),
        ("y = x[torch.arange(30) // 2]", "index", {shapes.COPIED}),
        ("y = x.roll(1)[:20]", "slice", {shapes.PICKED}),
        ("y = torch.nn.functional.pad(x, (5, 5))", "constant_pad_nd", {shapes.PLACED}),
        ("y = torch.softmax(x, 0)", "softmax", {shapes.DENSE}),
        ("y = x.sum()", "sum", {shapes.EQUAL_ROW}),
    ],
)
def test_what_some_rows_cannot_tell_is_not_said(text, op, names):
    track = track_of(f"import torch\nx = torch.linspace(0, 1, 30, requires_grad=True)\n{text}\ny.sum().backward()")

    for factor in product_of(track, op).factors:
        assert factor.structure.name in names
        whole = factor.jacobian.rows(range(factor.jacobian.shape[0]))
        if factor.structure.name != shapes.PICKED:
            assert HOLDS[factor.structure.name](whole, factor.jacobian)


def test_a_large_inverse_is_not_drawn_since_each_row_takes_as_long_as_the_inverse():
    track = track_of("import torch\nA = torch.eye(40, requires_grad=True)\ntorch.linalg.inv(A).sum().backward()")

    assert product_of(track, track.recording.nodes[1].op).note == "It is too large to be drawn."


def test_a_node_of_millions_is_one_sentence():
    track = track_of("import torch\nx = torch.ones(300000, requires_grad=True)\n(x * 2).sum().backward()")

    product = product_of(track, "mul")

    assert product.factors == ()
    assert product.note == "It is too large to be drawn."


# ---- a custom Function -------------------------------------------------------------------------------------------

CUSTOM = """\
import torch

class Mixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, scale):
        ctx.save_for_backward(a, b)
        ctx.scale = scale
        return a * b * scale

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        print("backward")
        return g * b * ctx.scale, g * a * ctx.scale, None

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 5.0], requires_grad=True)
y = Mixed.apply(a, b, 2.0)
y.backward(torch.tensor([1.0, 10.0]))
"""


def test_the_run_answers_the_jacobian_of_a_custom_function_after_its_pass():
    ran = run(CUSTOM)
    track = Track(ran.recording, 0)
    node = next(node.id for node in ran.recording.nodes if node.name == "y")

    rows = ran.ask("jacobian", node)
    product = product_at(track, track.length, node, given={int(slot): found for slot, found in rows.items()})

    assert asks_the_run(track, node)
    assert rows == {"0": [[6, 0], [0, 10]], "1": [[2, 0], [0, 4]]}
    assert product is not None
    assert product.note == ""
    assert [factor.structure.words for factor in product.factors] == ["diagonal", "diagonal"]
    np.testing.assert_array_equal(product.factors[0].sent, [6, 100])
    assert ran.recording.output == "backward\n"


def test_of_several_outputs_each_part_and_the_whole_have_a_jacobian():
    text = (
        CUSTOM.replace("return a * b * scale", "return a * scale, b * scale")
        .replace("def backward(ctx, g):", "def backward(ctx, g, h):")
        .replace("return g * b * ctx.scale, g * a * ctx.scale, None", "return g * ctx.scale, h * ctx.scale, None")
    )
    text = text.replace("y = Mixed.apply(a, b, 2.0)\ny.backward(torch.tensor([1.0, 10.0]))",
                        "y, z = Mixed.apply(a, b, 2.0)\n(y * z).sum().backward()")  # fmt: skip
    ran = run(text)
    assert ran.recording.problem is None
    track = Track(ran.recording, 0)
    for node in track.recording.nodes:
        if node.op in ("Mixed", "output"):
            rows = ran.ask("jacobian", node.id)
            product = product_at(track, track.length, node.id, given={int(slot): rows[slot] for slot in rows})
            assert product is not None
            assert product.note == ""
            for factor in product.factors:
                np.testing.assert_allclose(product.v @ factor.sample, factor.sent)


def test_a_backward_that_raises_is_one_sentence():
    ran = run(CUSTOM.replace('print("backward")', 'assert g.sum() > 5, "too small"'))
    node = next(node.id for node in ran.recording.nodes if node.name == "y")

    with pytest.raises(GradvizError, match=r"^the Jacobian of Mixed is not known: too small$"):
        ran.ask("jacobian", node)
    with pytest.raises(GradvizError, match=r"^only a call of a custom Function"):
        ran.ask("jacobian", 0)


def test_a_large_jacobian_of_a_custom_function_is_one_sentence():
    ran = run(
        CUSTOM.replace("[1.0, 2.0]", "[1.0] * 65")
        .replace("[3.0, 5.0]", "[1.0] * 65")
        .replace("[1.0, 10.0]", "[1.0] * 65")
    )
    node = next(node.id for node in ran.recording.nodes if node.name == "y")

    with pytest.raises(GradvizError, match=r"^the Jacobian of Mixed is too large to be drawn$"):
        ran.ask("jacobian", node)


def test_without_an_answer_the_run_is_said_to_be_asked_and_what_it_says_is_shown():
    track = track_of(CUSTOM)

    waiting, refused = product_of(track, "y"), product_of(track, "y", given="No.")

    assert waiting.note == "The run is asked for the Jacobian of Mixed."
    assert refused.note == "No."


@pytest.mark.parametrize("rows", [[[1.0]], [[1.0, 2.0], [3.0]], "rows", {"a": 1}, None, [["x", "y"], ["z", "w"]]])
def test_rows_that_do_not_fit_are_one_sentence(rows):
    product = product_of(track_of(CUSTOM), "y", given={0: rows, 1: rows})

    assert product.factors == ()
    assert product.note == "What the run answers does not fit the recording."


# ---- structures of any matrix ------------------------------------------------------------------------------------


@given(
    st.integers(1, 6), st.integers(1, 6),
    st.lists(st.sampled_from([0.0, 1.0, 1.0, -2.5, 3.0, float("nan")]), min_size=36, max_size=36),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_any_matrix_has_a_structure_that_holds(height, width, numbers):
    matrix = np.reshape(numbers[: height * width], (height, width))
    jacobian = Jacobian((height,), (width,), lambda row: matrix[row])

    found = structure_of(jacobian, range(height), matrix)

    assert HOLDS[found.name](matrix, jacobian)
    assert found.cost


# ---- the form in which it is multiplied ----------------------------------------------------------------------------


FORMED = {"mm", "bmm", "matmul", "addmm", "baddbmm", "conv1d", "conv2d", "layer_norm", "batch_norm",
          "group_norm"}  # fmt: skip


@pytest.mark.parametrize(("row", "number"), [case for case in CASES if case.values[0].name in FORMED])
def test_the_numbers_of_a_form_are_what_went_out_and_its_terms_add_up_to_them(row, number):
    track, inputs, _ = recorded(row, number)
    product = product_at(track, track.length, len(inputs))
    assert product is not None
    a, b = inputs[0], inputs[-1]
    is_pair = row.name != "matmul" or (min(a.ndim, b.ndim) > 1 and (b.ndim == 2 or a.shape[:-2] == b.shape[:-2]))
    assert bool(product.forms) == is_pair
    for form in product.forms:
        sent = track.steps[0].outgoing[form.slot]
        assert sent is not None
        assert np.isin(form.result.numbers, np.ravel(sent)).all()
        for place in np.ndindex(form.result.numbers.shape):
            terms = form.find(*place)
            text = "".join(f"({part!r})" if isinstance(part, float) else part for part, _ in terms.pieces)
            if "more term" not in text:
                text = text.replace(FROM, EQUALS)  # where four digits do not show it
                total, _, made = text.replace("·", "*").replace("−", "-").replace("no terms", "0").partition(EQUALS)
                assert eval(total) == pytest.approx(eval(made), rel=1e-9, abs=1e-9)
            for places, panel in ((terms.left, form.left), (terms.right, form.right)):
                assert (places < np.array(panel.numbers.shape)).all()
                assert (places >= 0).all()


def test_the_form_of_a_weight_is_the_input_transposed_times_what_comes_in():
    track = track_of(f"{LEAVES}y = x @ W\ny.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))")

    to_x, to_w = product_of(track, "y").forms

    assert (to_x.equation, to_w.equation) == ("∂L/∂x = ∂L/∂y · Wᵀ", "∂L/∂W = xᵀ · ∂L/∂y")
    np.testing.assert_array_equal(to_w.left.numbers @ to_w.right.numbers, to_w.result.numbers)
    terms = to_w.find(0, 1)
    assert [part for part, _ in terms.pieces] == [3.0, " = ", 1.0, "·", 2.0, " + ", 0.25, "·", 4.0]
    assert terms.left.tolist() == [[0, 0], [0, 1]]
    assert terms.right.tolist() == [[0, 1], [1, 1]]


def test_a_product_too_large_for_a_jacobian_has_its_form():
    track = track_of(
        "import torch\nx = torch.randn(64, 300, requires_grad=True)\nW = torch.randn(300, 50, requires_grad=True)\n"
        "y = x @ W\ny.backward(torch.ones(64, 50))"
    )

    product = product_of(track, "y")

    assert product.note == ""
    assert [form.result.numbers.shape for form in product.forms] == [(64, 300), (300, 50)]


ZEROS = {
    "torch.softmax(x, 0).sum()": "∂L/∂x is 0 because its terms cancel: out changes with x, but what v adds up of it does not.",
    "torch.tanh(x * 40).sum()": "∂L/∂in is 0 because J is: a small change of in does not change out here.",
    "torch.sigmoid(x - 18).sum()": "∂L/∂in is nearly 0 because J is, at most",
    "torch.round(x).sum()": "∂L/∂x is 0 because J is: a small change of x does not change out here.",
    "(torch.softmax(x, 0) * torch.zeros(3)).sum()": "What comes in is 0, and so is all that goes out.",
}


@pytest.mark.parametrize(("text", "sentence"), ZEROS.items())
def test_a_gradient_that_is_0_throughout_says_why(text, sentence):
    track = track_of(f"import torch\nx = torch.tensor([0.7, 1.5, 2.6], requires_grad=True)\n{text}.backward()")
    op = next(op for op in ("softmax", "tanh", "sigmoid", "round") if op in text)

    (said,) = product_of(track, op).zeros

    assert said.startswith(sentence)


@pytest.mark.parametrize("text", ["x ** 2", "torch.softmax(x, 0) * x", "x.relu()", "torch.tanh(x)"])
def test_a_gradient_with_numbers_in_it_says_nothing_of_the_kind(text):
    track = track_of(f"import torch\nx = torch.tensor([-0.7, 1.5, 2.6], requires_grad=True)\n({text}).sum().backward()")

    for node in track.recording.nodes:
        product = product_at(track, track.length, node.id)
        assert product is None or product.zeros == ()
