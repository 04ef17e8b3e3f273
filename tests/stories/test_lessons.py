"""The shipped lessons, run by the app's own reader: the figures that each must end at, and what each must show."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.formats import json_file
from gradviz.graph import verify
from gradviz.recording import Array, Recording, check
from gradviz.shipped import shipped
from tests.recorded import run

FILES = sorted(shipped("examples").glob("*.py"))
RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "examples.json").read_text(encoding="utf-8")
)["examples"]

every_example = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


@cache
def recorded(number: int) -> Recording:
    """The run of the lesson of that number."""
    (file,) = shipped("examples").glob(f"{number:02}_*.py")
    return run(file.read_text(encoding="utf-8"), file.name).recording


def equal(expected: Any, array: Array | None, dtype: str = "float32") -> None:
    assert array is not None
    assert array.dtype.name == dtype
    np.testing.assert_array_equal(np.array(expected, dtype), array, strict=True)


def after(lesson: Recording, name: str) -> list[Array | None]:
    """What each sweep left in the `.grad` of a variable."""
    (node,) = (node.id for node in lesson.nodes if node.name == name and node.op == "leaf")
    return [sweep.accumulation_of[node].after for sweep in lesson.sweeps]


def ops(lesson: Recording) -> list[str]:
    return [node.op for node in lesson.nodes if not node.is_leaf]


# ---- every example ----


@every_example
def test_an_example_prints_what_pytorch_prints(file: Path) -> None:
    lesson = recorded(int(file.name[:2]))

    assert RECORDED[file.name]["output"] == lesson.output
    assert RECORDED[file.name]["error"] == (lesson.problem and lesson.problem.message)


@every_example
def test_an_example_keeps_the_rules_and_survives_a_file(file: Path) -> None:
    lesson = recorded(int(file.name[:2]))

    text = json_file.dumps(check(lesson))

    assert text == json_file.dumps(json_file.loads(text))


@every_example
def test_the_rules_of_an_example_agree_with_central_differences_also_out_of_a_file(file: Path) -> None:
    lesson = recorded(int(file.name[:2]))

    rows = verify.check(lesson)
    again = verify.check(json_file.loads(json_file.dumps(lesson)))

    assert [row for row in rows if not row.passed] == []
    assert [(row.node, row.passed, row.reason) for row in rows] == [(row.node, row.passed, row.reason) for row in again]


@every_example
def test_what_comes_in_is_the_sum_of_what_went_out_to_it(file: Path) -> None:
    lesson = recorded(int(file.name[:2]))
    for sweep in lesson.sweeps:
        sums: dict[int, Any] = dict(zip(sweep.outputs, sweep.seeds, strict=True))
        for step in sweep.steps:
            assert step.incoming is not None
            np.testing.assert_allclose(sums[step.node], step.incoming, rtol=1e-5)
            for source, gradient in zip(lesson.nodes[step.node].inputs, step.outgoing, strict=False):
                if gradient is not None:
                    sums[source] = sums.get(source, 0) + gradient


@every_example
def test_an_example_says_its_title_and_what_to_watch(file: Path) -> None:
    title, *rest = file.read_text(encoding="utf-8").splitlines()
    watch = [line for line in rest if line.startswith("# Watch: ")]

    assert re.fullmatch(r"# [A-Z].{5,60}", title)
    assert 2 <= len(watch) <= 4
    assert rest[: len(watch)] == watch
    assert all(line.endswith((".", ")")) for line in watch)
    assert max(map(len, watch)) <= 120


def test_the_examples_are_numbered_without_a_gap() -> None:
    assert [int(file.name[:2]) for file in FILES] == list(range(1, len(FILES) + 1))


def test_pytorch_was_asked_about_every_example() -> None:
    assert [file.name for file in FILES] == sorted(RECORDED)


# ---- the fifteen lessons ----


def test_lesson_1_the_seed_of_a_scalar_is_1() -> None:
    lesson = recorded(1)

    equal(2.0, lesson.gradients["x"])
    equal(1.0, lesson.sweeps[0].seeds[0])
    equal(1.0, lesson.sweeps[0].steps[0].incoming)


def test_lesson_2_v_scales() -> None:
    equal(200.0, recorded(2).gradients["x"])
    equal(100.0, recorded(2).sweeps[0].steps[0].incoming)


def test_lesson_3_ones_pick_the_diagonal() -> None:
    equal([-2, -1, 0, 1, 2], recorded(3).gradients["x"])


def test_lesson_4_both_edges_of_x_times_x_carry_their_own_gradient() -> None:
    lesson = recorded(4)
    (square,) = (node for node in lesson.nodes if node.inputs == (0, 0))
    step = lesson.sweeps[0].steps[lesson.sweeps[0].step_of[square.id]]

    equal(23.0, lesson.values[-1])
    equal([-6, 20], lesson.gradients["x"])
    for gradient in step.outgoing:
        equal([-3, 10], gradient)


def test_lesson_5_a_float64_batch_has_a_float64_gradient() -> None:
    lesson = recorded(5)

    equal([[-1, 1]] * 3, lesson.gradients["x"], "float64")
    equal([1, 1, 1], lesson.sweeps[0].seeds[0], "float64")


def test_lesson_6_one_row_of_the_jacobian_at_a_time() -> None:
    lesson = recorded(6)
    first, second = after(lesson, "x")

    equal([-3], first)
    equal([5], second)
    equal([[1, 0]], lesson.sweeps[0].seeds[0])
    equal([[0, 1]], lesson.sweeps[1].seeds[0])
    assert [sweep.retain_graph for sweep in lesson.sweeps] == [True, False]
    equal([0], lesson.sweeps[1].accumulated[0].before)


def test_lesson_7_a_sum_spreads_its_gradient() -> None:
    equal(10.0, recorded(7).values[-1])
    equal(np.ones((2, 2)), recorded(7).gradients["x"])


def test_lesson_8_the_arrows_are_the_slopes_of_the_surface() -> None:
    lesson = recorded(8)
    x, y = np.meshgrid(np.linspace(-4, 4, 9), np.linspace(-4, 4, 9), indexing="ij")
    height = 1 / (1 + np.exp(-(x - 0.5 * y)))
    slope = height * (1 - height)

    assert lesson.sweeps[0].seeds[0].shape == (81, 1)
    for name, weight in (("X", 1.0), ("Y", -0.5)):
        gradient = lesson.gradients[name]
        assert gradient is not None
        assert gradient.shape == (9, 9)
        np.testing.assert_allclose(slope * weight, gradient, rtol=1e-4)


def test_lesson_9_the_built_in_sum_is_one_addition_per_element() -> None:
    lesson = recorded(9)
    first, second = after(lesson, "x")

    equal([1, 1], first)
    equal([100, 100], second)
    assert ops(lesson).count("add") == 4


def test_lesson_10_only_the_leaf_keeps_a_gradient() -> None:
    lesson = recorded(10)

    assert [round(float(np.asarray(g).item()), 3) for g in after(lesson, "x") if g is not None] == [
        35.109,
        3.511,
        7.022,
    ]
    assert list(lesson.gradients) == ["x"]
    assert all([entry.node for entry in sweep.accumulated] == [0] for sweep in lesson.sweeps)


def test_lesson_11_gradients_accumulate() -> None:
    first, second = after(recorded(11), "x")

    assert first is not None
    assert second is not None
    np.testing.assert_allclose([[43.4037, 0], [5.4059, 0]], first, atol=5e-5)
    np.testing.assert_allclose([[43.4037, 2.0519], [5.4059, 18.7634]], second, atol=5e-5)
    np.testing.assert_array_equal(first, recorded(11).sweeps[1].accumulated[0].before)


def test_lesson_12_a_v_of_another_shape_is_refused_and_leaves_no_sweep() -> None:
    lesson = recorded(12)
    x = np.array([[-0.4230], [-1.2352]])

    assert lesson.gradients["x"] is not None
    np.testing.assert_allclose(12 * x**2, lesson.gradients["x"], rtol=1e-6)
    np.testing.assert_allclose([[2.1471], [18.3086]], lesson.gradients["x"], atol=5e-5)
    assert len(lesson.sweeps) == 1
    assert "grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of torch.Size([])" in lesson.output


def test_lesson_13_three_numbers_come_in_and_two_go_out() -> None:
    lesson = recorded(13)
    (own,) = (node for node in lesson.nodes if node.inputs == (0,))
    (step,) = (step for step in lesson.sweeps[0].steps if step.node == own.id)

    assert own.op == "Products"
    assert ops(lesson) == ["Products"]
    equal([1, 1, 1], step.incoming)
    equal([4, 5], step.outgoing[0])
    equal([4, 5], lesson.gradients["point"])


def test_lesson_14_the_rows_of_the_jacobian_are_the_sweeps_of_the_unit_vectors() -> None:
    lesson = recorded(14)
    *rows, product = after(lesson, "point")

    assert len(rows) == 3
    equal([[2, 0], [2, 1], [0, 4]], np.array(rows))
    equal(np.eye(3), np.array([sweep.seeds[0] for sweep in lesson.sweeps[:3]]))
    equal([4, 5], product)
    equal(recorded(13).gradients["point"], product)


def test_lesson_15_ends_in_the_error_of_pytorch() -> None:
    lesson = recorded(15)

    assert lesson.problem is not None
    assert lesson.problem.message == "RuntimeError: grad can be implicitly created only for scalar outputs"
    assert lesson.problem.line == 11
    assert lesson.problem.hint
    assert lesson.sweeps == ()
    assert ops(lesson) == ["pow"]


# ---- the cases that people meet ----


def test_three_uses_of_one_tensor_are_summed() -> None:
    equal(7.0, recorded(16).gradients["x"])


def test_the_gradient_of_cross_entropy_is_the_probabilities_less_the_right_one() -> None:
    scores = np.array([2.0, 1.0, 0.1])
    probabilities = np.exp(scores) / np.exp(scores).sum()

    gradient = recorded(17).gradients["scores"]

    assert gradient is not None
    np.testing.assert_allclose(probabilities - [1, 0, 0], gradient, rtol=1e-5)


def test_training_is_twenty_sweeps_and_no_update_is_in_the_graph() -> None:
    lesson = recorded(18)

    assert len(lesson.sweeps) == 20
    assert ops(lesson).count("sub") == 20  # guess - targets; the updates are subtractions too
    assert all(len(sweep.accumulated) == 4 for sweep in lesson.sweeps)
    assert all(entry.before is None for sweep in lesson.sweeps for entry in sweep.accumulated)


def test_eight_sigmoids_shrink_a_gradient_to_less_than_a_quarter_each() -> None:
    sizes = [abs(float(np.asarray(step.incoming))) for step in recorded(19).sweeps[0].steps]

    assert len(sizes) == 9
    assert all(after <= before / 4 for before, after in pairwise(sizes))


def test_the_branch_not_taken_makes_nan_and_the_cure_does_not() -> None:
    trap, cure = after(recorded(20), "x")

    np.testing.assert_array_equal([np.nan, 0.25], trap)
    np.testing.assert_array_equal([0, 0.25], cure)


def test_a_change_in_place_is_refused_and_a_change_of_data_is_wrong() -> None:
    lesson = recorded(21)

    assert lesson.output.startswith("noticed: one of the variables needed for gradient computation has been modified")
    equal(6.0, lesson.gradients["x"])


def test_a_derivative_is_a_graph_that_has_a_derivative() -> None:
    lesson = recorded(22)

    assert [float(sweep.steps[-1].incoming) for sweep in lesson.sweeps] == [12.0, 12.0]  # type: ignore[arg-type]
    assert lesson.gradients == {"x": None}
    assert all(not sweep.accumulated for sweep in lesson.sweeps)


# ---- the questions that people ask ----


def test_a_second_backward_is_refused_and_with_a_kept_graph_it_adds_up() -> None:
    lesson = recorded(23)

    assert "refused: Trying to backward through the graph a second time" in lesson.output
    assert [(sweep.retain_graph, sweep.error is None) for sweep in lesson.sweeps] == [
        (False, True), (False, False), (True, True), (False, True),
    ]  # fmt: skip
    equal(12.0, lesson.gradients["x"])


def test_a_cut_hidden_state_sends_nothing_into_the_first_chunk() -> None:
    first, second = recorded(24).sweeps

    assert len(first.steps) == len(second.steps) == 5
    assert {step.node for step in first.steps} & {step.node for step in second.steps} == {0}


def test_only_a_leaf_and_what_retains_it_has_a_gradient() -> None:
    lesson = recorded(25)

    assert [len(sweep.accumulated) for sweep in lesson.sweeps] == [1, 2]
    assert "y.grad = tensor(12.)" in lesson.output


def test_what_went_through_item_has_no_graph() -> None:
    lesson = recorded(26)

    assert "element 0 of tensors does not require grad" in lesson.output
    equal(36.0, lesson.gradients["w"])


def test_each_way_to_stop_a_gradient_leaves_another_part_of_it() -> None:
    after_each = [np.asarray(gradient).item() for gradient in after(recorded(27), "x") if gradient is not None]

    assert after_each == [6.0, 4.0, 2.0, 2.0]


def test_hooks_run_in_the_order_of_the_pass_and_before_the_leaf_is_filled() -> None:
    printed = recorded(28).output.splitlines()

    assert [line[:4] for line in printed] == ["at z", "at y", "at x", "x.gr"]
    assert printed[2].endswith("x.grad is still None")


def test_a_backward_returns_one_gradient_for_each_tensor() -> None:
    equal([3.0, 120.0], recorded(29).gradients["x"])


def test_grad_fn_leads_from_node_to_node() -> None:
    names = recorded(30).output.splitlines()[:3]

    assert names == ["ExpBackward0", "MulBackward0", "torch::autograd::AccumulateGrad"]


def test_the_gradient_of_a_weight_is_x_transposed_times_v() -> None:
    equal([[1, 40], [2, 50], [3, 60]], recorded(31).gradients["W"])


def test_kinks_have_the_slopes_of_pytorch() -> None:
    lesson = recorded(32)

    assert [np.asarray(sweep.accumulated[0].after).tolist() for sweep in lesson.sweeps] == [0.0, 0.0, [0.5, 0.5, 0.0]]


def test_straight_through_lends_a_threshold_the_slope_of_x() -> None:
    hard, straight = after(recorded(33), "x")

    equal([0, 0], hard)
    equal([1, 1], straight)


def test_the_copy_that_the_optimizer_holds_has_no_gradient() -> None:
    lesson = recorded(34)

    assert "w.grad = tensor([6.])  copy.grad = None" in lesson.output
    assert lesson.output.endswith("tensor([2.4000])\n")


def test_a_sum_of_losses_goes_back_through_every_round() -> None:
    lesson = recorded(35)

    assert ops(lesson).count("pow") == 3
    assert len([step for step in lesson.sweeps[0].steps if lesson.nodes[step.node].op == "pow"]) == 3


def test_a_node_runs_after_all_that_used_it() -> None:
    lesson = recorded(36)
    order = lesson.sweeps[0].step_of

    for node in lesson.nodes:
        assert all(order[node.id] < order[source] for source in node.inputs if source in order)
    equal(5.5, lesson.gradients["x1"], "float64")
    np.testing.assert_allclose(1.7163378, np.asarray(lesson.gradients["x2"]), rtol=1e-7)


def test_what_goes_out_is_the_local_slope_times_what_comes_in() -> None:
    lesson = recorded(37)

    assert [np.asarray(lesson.gradients[name]).item() for name in "xyz"] == [-4.0, -4.0, 3.0]


def test_the_gradient_of_what_was_broadcast_is_summed() -> None:
    equal([7, 8], recorded(38).gradients["b"])


def test_differences_are_off_by_eps_squared() -> None:
    assert "eps 0.01: 27.0001  torch.float64" in recorded(39).output
