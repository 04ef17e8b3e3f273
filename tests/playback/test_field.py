"""Fields: which two leaves are coordinates, what is over them, and what an arrow says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradviz.playback.field import FIELDS_LIMIT, Field, find_fields, varying_axis
from gradviz.recording import Array, Node, Recording, Step, Sweep
from gradviz.shipped import shipped
from tests.recorded import run
from tests.samples import weighted_sum

AXIS = np.linspace(-4, 4, 9, dtype=np.float32)
ACROSS, UP = np.meshgrid(AXIS, AXIS[:5], indexing="xy")


def recorded(
    *leaves: tuple[str, Array], output: Array, seed: Array | None = None, op: str = "sigmoid", unreached: str = ""
) -> Recording:
    """Leaves that one op makes into an output; the gradient of the leaf of index i is i + 1 times its value."""
    count = len(leaves)
    nodes = [
        Node(i, "leaf", shape=value.shape, name=name, requires_grad=True) for i, (name, value) in enumerate(leaves)
    ]
    made = Node(count, op, tuple(range(count)), shape=output.shape, name="Z", requires_grad=True)
    gradients = tuple((i + 1) * value for i, (_, value) in enumerate(leaves))
    v = np.ones_like(output) if seed is None else seed
    steps = [Step(count, v, gradients)]
    steps += [Step(i, gradients[i]) for i, (name, _) in enumerate(leaves) if name != unreached]
    values = (*(value for _, value in leaves), output)
    return Recording((*nodes, made), values, (Sweep((count,), (v,), tuple(steps)),))


def mesh(**details: Array | str) -> Field:
    """X from left to right and Y upwards, 5 rows of 9, under a column of 45 heights."""
    heights = np.arange(45.0).reshape(45, 1)
    recording = recorded(("X", ACROSS), ("Y", UP), output=heights, **details)  # type: ignore[arg-type]
    (field,) = find_fields(recording, 0)
    return field


def test_mesh_is_found_with_its_gradients_and_its_surface():
    field = mesh()

    assert field.names == ("X", "Y")
    assert field.is_mesh
    assert np.array_equal(field.u, ACROSS)
    assert np.array_equal(field.v, 2 * UP)
    assert field.surface is not None
    assert np.array_equal(field.surface, np.arange(45.0).reshape(5, 9))


def test_gradients_are_those_of_the_sweep_and_not_what_has_been_added_up():
    recording = recorded(("X", ACROSS), ("Y", UP), output=np.zeros(45))
    first = recording.sweeps[0]
    steps = tuple(step._replace(incoming=None if step.incoming is None else step.incoming * 7) for step in first.steps)
    recording = replace(recording, sweeps=(first, replace(first, steps=steps)))

    assert np.array_equal(find_fields(recording, 0)[0].u, ACROSS)
    assert np.array_equal(find_fields(recording, 1)[0].u, 7 * ACROSS)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("is_falling", [False, True], ids=["rising", "falling"])
def test_grid_is_turned_so_that_both_axes_go_up_and_x_across(indexing, is_falling):
    xs, ys = np.array([0.0, 1.0, 3.0]), np.array([10.0, 20.0])
    x, y = np.meshgrid(xs[::-1] if is_falling else xs, ys[::-1] if is_falling else ys, indexing=indexing)

    (field,) = find_fields(recorded(("X", x), ("Y", y), output=x + y), 0)

    assert field.grid is not None
    assert field.grid.xs.tolist() == xs.tolist()
    assert field.grid.ys.tolist() == ys.tolist()
    assert field.grid.heights is not None
    assert field.grid.heights.tolist() == [[10, 11, 13], [20, 21, 23]]


def test_what_is_called_x_goes_across_whatever_was_made_first():
    (field,) = find_fields(recorded(("y", UP), ("x", ACROSS), output=np.zeros(45)), 0)

    assert field.names == ("x", "y")
    assert np.array_equal(field.x, ACROSS)


def test_vectors_of_one_length_are_scattered_points():
    a, b = np.array([0.0, 3.0, 1.0]), np.array([2.0, 2.0, 5.0])

    (field,) = find_fields(recorded(("a", a), ("b", b), output=np.zeros(3)), 0)

    assert not field.is_mesh
    assert field.grid is None
    assert field.sizes.tolist() == pytest.approx(np.hypot(a, 2 * b).tolist())


def test_other_leaves_of_the_shape_of_a_mesh_are_not_paired_with_it():
    weight = np.random.default_rng(0).normal(size=ACROSS.shape)

    fields = find_fields(recorded(("X", ACROSS), ("Y", UP), ("W", weight), output=np.zeros(45)), 0)

    assert [field.names for field in fields] == [("X", "Y")]


def test_meshes_come_first():
    a, b = np.arange(3.0), np.arange(3.0) ** 2

    fields = find_fields(recorded(("a", a), ("b", b), ("X", ACROSS), ("Y", UP), output=np.zeros(45)), 0)

    assert [field.names for field in fields] == [("X", "Y"), ("a", "b")]


def test_there_are_not_more_fields_than_anybody_looks_at():
    leaves = [(f"w{i}", np.arange(4.0) + i) for i in range(300)]

    assert len(find_fields(recorded(*leaves, output=np.zeros(4)), 0)) == FIELDS_LIMIT


@pytest.mark.parametrize(
    "recording",
    [
        weighted_sum(),
        recorded(("X", ACROSS), ("Y", UP), output=np.zeros(45), unreached="Y"),
        recorded(("a", np.arange(3.0)), ("b", np.arange(4.0)), output=np.zeros(3)),
        recorded(("a", np.float32(1)), ("b", np.float32(2)), output=np.zeros(1)),
        recorded(("a", np.zeros(5)), ("b", np.arange(5.0)), output=np.zeros(5)),
        recorded(("a", np.zeros((2, 2, 2))), ("b", np.ones((2, 2, 2))), output=np.zeros(8)),
        recorded(("a", np.array([1j, 2])), ("b", np.array([1, 2j])), output=np.zeros(2)),
    ],
    ids=["one leaf", "one not reached", "lengths differ", "numbers", "all one value", "three axes", "complex"],
)
def test_where_there_are_no_two_coordinates_there_is_no_field(recording):
    assert find_fields(recording, 0) == ()


def test_leaf_whose_gradient_was_not_recorded_is_no_coordinate():
    recording = recorded(("X", ACROSS), ("Y", UP), output=np.zeros(45))
    made, x, y = recording.sweeps[0].steps
    sweep = replace(recording.sweeps[0], steps=(made, x, y._replace(incoming=None)))

    assert find_fields(replace(recording, sweeps=(sweep,)), 0) == ()


def test_lesson_of_the_surface_has_the_slope_of_its_sigmoid():
    text = shipped("examples", "08_arrows_on_a_surface.py").read_text(encoding="utf-8")

    (field,) = find_fields(run(text).recording, 0)

    slope = field.surface * (1 - field.surface)
    assert field.names == ("X", "Y")
    assert np.allclose(field.surface, 1 / (1 + np.exp(0.5 * field.y - field.x)), atol=1e-6)
    assert np.allclose(field.u, slope, atol=1e-6)
    assert np.allclose(field.v, -0.5 * slope, atol=1e-6)


def test_without_a_backward_call_there_is_no_field():
    assert find_fields(weighted_sum(), None) == ()


# ---- the surface ------------------------------------------------------------------------------------------------


def test_output_of_another_size_is_no_surface():
    field = mesh_with_output(np.zeros(7))

    assert field.surface is None


def mesh_with_output(output: Array, **details: Array | str) -> Field:
    (field,) = find_fields(recorded(("X", ACROSS), ("Y", UP), output=output, **details), 0)  # type: ignore[arg-type]
    return field


def test_sum_of_a_surface_is_taken_as_the_surface():
    recording = recorded(("X", ACROSS), ("Y", UP), output=np.arange(45.0))
    total = Node(3, "sum", (2,), name="total", requires_grad=True)
    steps = (Step(3, np.float64(1), (np.ones(45),)), *recording.sweeps[0].steps)
    recording = Recording(
        (*recording.nodes, total),
        (*recording.values, np.float64(990)),
        (Sweep((3,), (np.float64(1),), steps),),
    )

    (field,) = find_fields(recording, 0)

    assert field.output == "Z"
    assert field.surface is not None
    assert field.surface[0, 8] == 8.0
    assert field.is_slope


# ---- words ------------------------------------------------------------------------------------------------------


def test_with_a_v_of_ones_the_arrows_are_the_slope():
    field = mesh()

    assert field.title == "∂Z/∂X, ∂Z/∂Y"
    assert field.meaning == "Each arrow is v·J at that point: the direction in which Z grows fastest."


def test_with_another_v_the_arrows_are_v_times_the_slope():
    field = mesh(seed=np.full((45, 1), -2.0))

    assert field.title == "v·∂Z/∂X, v·∂Z/∂Y"
    assert field.meaning == "Each arrow is v·J at that point: v times the slope of Z, downhill where v is negative."


def test_without_a_surface_the_arrows_show_where_v_times_the_output_grows():
    field = mesh_with_output(np.zeros(7))

    assert field.meaning == "Each arrow is v·J at that point: the direction in which v·Z grows fastest."


def test_one_number_as_output_needs_no_v_in_the_words():
    field = mesh_with_output(np.float32(0), op="mean")

    assert field.title == "∂Z/∂X, ∂Z/∂Y"
    assert field.meaning.endswith("the direction in which Z grows fastest.")


# ---- coordinates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "axis"),
    [
        (UP, 0),
        (ACROSS, 1),
        (ACROSS[:, ::-1], 1),
        (np.ones((3, 3)), None),
        (ACROSS + UP, None),
        (np.array([[0.0, 1.0, 0.5]] * 2), None),
        (np.arange(4.0)[None], None),
        (np.array([[0.0, np.nan, 2.0]] * 2), None),
    ],
    ids=["up", "across", "falling", "constant", "both", "to and fro", "one row", "nan"],
)
def test_axis_of_a_coordinate_is_the_one_along_which_it_moves_one_way(value, axis):
    assert varying_axis(value) == axis
