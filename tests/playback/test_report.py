"""What is said of a node at a position, and the sentence of a step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.ops.table import TABLE, Table
from gradviz.playback import numbers
from gradviz.playback.flow import partial_sum, terms
from gradviz.playback.formula.text import plain
from gradviz.playback.numbers import figures, in_words, literal, rounded, written_alike
from gradviz.playback.report import (
    FREED,
    HOOKED,
    NO_BACKWARD,
    NOT_COMPUTED,
    STOPPED_HERE,
    UNREACHED,
    node_report,
    sentence,
    without_sum,
)
from gradviz.playback.track import Track
from gradviz.recording import Accumulation, Node, Problem, Recording, Step, Sweep
from tests.recorded import run
from tests.samples import array, random_graph, weighted_sum

F = np.float32
X, XX, W, XXW, Y = range(5)


@pytest.fixture
def track() -> Track:
    return Track(weighted_sum(), 0)


def sweep_with(**changes: object) -> Track:
    recording = weighted_sum()
    return Track(replace(recording, sweeps=(replace(recording.sweeps[0], **changes),)), 0)


def with_dead_end() -> Track:
    """lesson 4 with a leaf b and c = b + b, on which the loss does not depend."""
    recording = weighted_sum()
    nodes = (
        *recording.nodes[:4],
        Node(4, "leaf", shape=(2,), name="b", requires_grad=True),
        Node(5, "add", (4, 4), shape=(2,), name="c", requires_grad=True),
        replace_id(recording.nodes[4], 6),
    )
    values = (*recording.values[:4], array(0, 0), array(0, 0), recording.values[4])
    old = recording.sweeps[0]
    steps = (old.steps[0]._replace(node=6), *old.steps[1:])
    return Track(replace(recording, nodes=nodes, values=values, sweeps=(replace(old, outputs=(6,), steps=steps),)), 0)


def replace_id(node: Node, new: int) -> Node:
    return node._replace(id=new)


def fan_out() -> Track:
    """h is used by p, q and r, whose steps run in another order than they were computed in."""
    nodes = (
        Node(0, "leaf", name="h", requires_grad=True),
        Node(1, "exp", (0,), name="p", requires_grad=True),
        Node(2, "exp", (0,), name="q", requires_grad=True),
        Node(3, "add", (1, 2), name="r", requires_grad=True),
    )
    values = (F(0), F(1), F(1), F(2))
    steps = (Step(3, F(1), (F(1), F(1))), Step(2, F(1), (F(5),)), Step(1, F(1), (F(2),)), Step(0, F(7)))
    return Track(Recording(nodes, values, (Sweep((3,), (F(1),), steps, (Accumulation(0, F(1), F(8)),)),)), 0)


# ---- the sentence -----------------------------------------------------------------------------------------------


def test_every_position_of_lesson_four_has_its_sentence(track):
    assert [sentence(track, position) for position in range(track.length + 1)] == [
        ("Nothing has run yet: 5 forward steps, then 4 backward.", "Next: x comes in as a leaf."),
        ("x is a leaf that takes a gradient: [-1, 2].", "Next: mul of x and x gives x·x."),
        ("mul of x and x gives x·x: [1, 4].", "Next: w comes in as a constant."),
        ("w is a constant: [3, 5].", "Next: mul of x·x and w gives x·x·w."),
        ("mul of x·x and w gives x·x·w: [3, 20].", "Next: sum of x·x·w gives y."),
        ("sum of x·x·w gives y: 23.", "Next: backward begins: v = 1 comes in at y."),
        ("v = 1 comes in at y; it sends [1, 1] to x·x·w.", "Next: x·x·w passes on to x·x."),
        ("x·x·w sends [3, 5] to x·x.", "Next: x·x uses x twice; both terms meet at x."),
        ("x·x sends [-3, 10] to x twice.", "Next: the 2 terms meet at x and become x.grad."),
        (
            "x receives [-3, 10] + [-3, 10] = [-6, 20]; x.grad was None and is now [-6, 20].",
            "The backward pass is done.",
        ),
    ]


def test_second_pass_says_what_was_in_grad_before():
    track = sweep_with(accumulated=(Accumulation(X, array(1, 1), array(-5, 21)),))

    assert sentence(track, 8)[1] == "Next: the 2 terms meet at x and are added to x.grad."
    assert sentence(track, 9)[0].endswith("x.grad was [1, 1] and is now [-5, 21].")


def test_autograd_grad_leaves_grad_alone_and_says_so():
    track = sweep_with(accumulated=())

    assert sentence(track, 8)[1] == "Next: the 2 terms meet at x; x.grad stays."
    assert sentence(track, 9)[0].endswith("= [-6, 20]; x.grad stays as it was.")


def test_fan_out_names_every_term_in_the_order_of_arrival():
    assert sentence(fan_out(), 8)[0] == "h receives 5 + 2 = 7; h.grad was 1 and is now 8."


def test_different_gradients_to_two_inputs_are_both_said():
    assert sentence(fan_out(), 5)[0] == "v = 1 comes in at r; it sends 1 to p and 1 to q."


def test_end_names_what_was_not_reached():
    track = with_dead_end()

    assert sentence(track, track.length)[1] == "The backward pass is done. Not reached: b."


def test_script_without_backward_ends_with_the_forward_pass():
    track = Track(replace(weighted_sum(), sweeps=()))

    assert sentence(track, 0)[0] == "Nothing has run yet: 5 forward steps."
    assert sentence(track, 5) == ("sum of x·x·w gives y: 23.", "The end: no backward() is called on this.")


def test_script_that_failed_before_backward_ends_where_it_stopped():
    track = Track(replace(weighted_sum(), sweeps=(), problem=Problem("no", line=7)))

    assert sentence(track, 5)[1] == "The end: stopped at line 7."


def test_empty_recording_has_a_sentence():
    assert sentence(Track(Recording()), 0) == ("There is nothing to step through yet.", "")


def test_step_that_sends_nothing_says_so():
    recording = weighted_sum()
    steps = (recording.sweeps[0].steps[0]._replace(outgoing=(None,)),)
    track = Track(replace(recording, sweeps=(replace(recording.sweeps[0], steps=steps),)), 0)

    assert sentence(track, 6)[0] == "v = 1 comes in at y; it sends nothing on."


# ---- the report -------------------------------------------------------------------------------------------------


def test_report_of_the_step_that_runs(track):
    report = node_report(track, 7, XXW)

    assert (report.place.title, report.place.op, report.place.line) == ("x·x·w", "mul", 6)
    assert (report.place.progress, report.place.is_now) == ("step 2 of 4", True)
    assert report.value is track.recording.values[XXW]
    assert report.incoming is not None
    assert report.incoming.gradient is track.steps[1].incoming
    assert [plain(line.letters) for line in report.rule.lines] == ["∂L/∂in = ∂L/∂out ⊙ w"]
    assert [(i.name, i.label) for i in report.inputs] == [("in", "x·x"), ("w", "w")]
    assert [(out.gradient is not None, out.reason) for out in report.outgoing] == [
        (True, ""),
        (False, "w takes no gradient"),
    ]
    assert [kept.label for kept in report.saved] == ["w"]


def test_value_is_not_told_before_it_is_computed(track):
    assert node_report(track, 1, XX).value is None
    assert node_report(track, 1, XX).value_note == NOT_COMPUTED
    assert node_report(track, 2, XX).value is not None


def test_gradient_is_not_told_before_its_step(track):
    report = node_report(track, 6, XXW)

    assert report.incoming.gradient is None
    assert report.incoming.note == "It has arrived, and goes on at step 2."
    assert report.rule.lines[0].numbers == ()
    assert [(out.gradient, out.reason) for out in report.outgoing] == [
        (None, "comes at step 2"),
        (None, "w takes no gradient"),
    ]


def test_terms_of_a_sum_come_from_both_slots(track):
    found = node_report(track, 9, X).incoming.terms

    assert [(term.consumer, term.slot, term.has_arrived) for term in found] == [(XX, 0, True), (XX, 1, True)]


def test_terms_stand_in_the_order_in_which_they_arrive_and_add_up_on_the_way():
    track = fan_out()

    by_position = {p: [t.label for t in terms(track, p, 0) if t.has_arrived] for p in (5, 6, 7)}

    assert by_position == {5: [], 6: ["q"], 7: ["q", "p"]}
    assert node_report(track, 6, 0).incoming.so_far == 5
    assert node_report(track, 6, 0).incoming.note == "1 of 2 terms have arrived; the sum is complete at step 4."
    assert node_report(track, 7, 0).incoming.note == "Both terms have arrived; their sum goes on at step 4."


def test_terms_are_added_in_float32_in_order_of_arrival():
    track = fan_out()
    large = [t._replace(gradient=F(g)) for t, g in zip(terms(track, 8, 0) * 2, (1e8, -1e8, 1, 0), strict=True)]

    assert partial_sum(tuple(large)) == 1
    assert partial_sum(tuple(large[::-1])) == 0


def test_seed_is_the_first_term_of_an_output(track):
    (term,) = node_report(track, 6, Y).incoming.terms

    assert (term.consumer, term.slot, term.label, term.has_arrived) == (None, None, "v", True)
    assert not terms(track, 5, Y)[0].has_arrived


def test_sum_that_was_changed_on_the_way_is_remarked():
    recording = weighted_sum()
    steps = list(recording.sweeps[0].steps)
    steps[2] = steps[2]._replace(incoming=array(30, 50))
    hooked = Track(replace(recording, sweeps=(replace(recording.sweeps[0], steps=tuple(steps)),)), 0)

    assert node_report(hooked, 8, XX).incoming.note == HOOKED
    assert node_report(Track(recording, 0), 8, XX).incoming.note == ""


def test_unreached_node_says_so_and_keeps_its_grad():
    track = with_dead_end()
    report = node_report(track, track.length, 4)

    assert report.place.progress == "not reached"
    assert report.incoming.note == UNREACHED
    assert report.gradient.note == "stays as it was: not reached"
    assert [out.reason for out in node_report(track, track.length, 5).outgoing] == ["not reached", "not reached"]


def test_constant_takes_no_part_in_the_backward_pass(track):
    report = node_report(track, 9, W)

    assert report.incoming is None
    assert report.gradient is None
    assert report.place.progress == "no gradient"
    assert report.place.remark.startswith("A constant")


def test_without_backward_there_is_no_gradient_to_come():
    report = node_report(Track(replace(weighted_sum(), sweeps=())), 5, XX)

    assert report.incoming.note == NO_BACKWARD
    assert report.saved_note == "kept for a backward pass"
    assert report.gradient is None


def test_grad_before_and_after_the_accumulation():
    track = sweep_with(accumulated=(Accumulation(X, array(1, 1), array(-5, 21)),))
    before, after = node_report(track, 8, X).gradient, node_report(track, 9, X).gradient

    assert (before.name, before.has_run, before.after) == ("x.grad", False, None)
    np.testing.assert_array_equal(before.before, [1, 1])
    np.testing.assert_array_equal(after.after, [-5, 21])
    assert after.note == "= before + ∂L/∂x"


def test_autograd_grad_does_not_touch_grad():
    report = node_report(sweep_with(accumulated=()), 9, X)

    assert not report.gradient.takes_part
    assert report.gradient.note == "stays as it was: this call does not accumulate"


def test_a_variable_that_is_no_leaf_says_that_its_gradient_is_not_kept(track):
    assert node_report(track, 5, Y).gradient is None
    report = node_report(track, 6, Y).gradient

    assert (report.name, report.takes_part) == ("y.grad", False)
    assert report.note == "not kept: y is not a leaf. y.retain_grad() would keep it."
    assert node_report(sweep_with(accumulated=()), 6, Y).gradient is None  # torch.autograd.grad


def test_node_that_retains_its_gradient_shows_it():
    track = sweep_with(accumulated=(Accumulation(XX, None, array(3, 5)),))

    np.testing.assert_array_equal(node_report(track, 8, XX).gradient.after, [3, 5])
    assert node_report(track, 8, XXW).gradient is None


@pytest.mark.parametrize(
    ("position", "note"), [(5, "freed at step 2"), (6, "freed at step 2"), (7, "freed at this step"), (8, FREED)]
)
def test_saved_values_are_freed_when_the_step_has_run(track, position, note):
    assert node_report(track, position, XXW).saved_note == note


def test_saved_values_are_kept_with_retain_graph():
    assert node_report(sweep_with(retain_graph=True), 9, XXW).saved_note == "kept: retain_graph"


def test_op_without_a_rule_says_so_and_shows_what_was_recorded(track):
    table = Table(tuple(row for row in TABLE.rows() if row.name != "mul"))

    report = node_report(track, 7, XXW, table)

    assert report.rule.unknown.startswith("The rule of mul is not in the table of ops")
    assert report.rule.lines == report.saved == ()
    assert [i.name for i in report.inputs] == ["in", "w"]
    np.testing.assert_array_equal(report.outgoing[0].gradient, [3, 5])


def test_parameters_are_texts():
    nodes = (Node(0, "leaf", name="x", requires_grad=True), Node(1, "pow", (0,), {"exponent": 2}, requires_grad=True))

    assert node_report(Track(Recording(nodes, (F(3), F(9)))), 2, 1).params == (("exponent", "2"),)


def test_missing_value_is_said_to_be_missing(track):
    recording = replace(weighted_sum(), values=(None,) * 5)

    report = node_report(Track(recording, 0), 7, XXW)

    assert report.value is None
    assert report.value_note == "The recording does not hold this value."
    assert plain(report.rule.lines[0].letters) == "∂L/∂in = ∂L/∂out ⊙ w"
    assert report.rule.lines[0].numbers == ()


def test_every_node_and_position_of_a_random_graph_can_be_reported():
    track = Track(random_graph(60, seed=3), 0)

    for position in range(track.length + 1):
        assert all(sentence(track, position))
        for node in range(60):
            report = node_report(track, position, node)
            assert report.incoming is None or report.incoming.note != HOOKED


def test_report_of_a_node_looks_only_at_its_neighbours():
    track = Track(random_graph(2_000, seed=1), 0)
    asked: list[int] = []

    class Watched(tuple):
        __slots__ = ()

        def __getitem__(self, index):
            asked.append(index)
            return super().__getitem__(index)

    node_report(track, track.turn + 500, 1_500)  # the labels and ranks are computed once
    object.__setattr__(track.recording, "nodes", Watched(track.recording.nodes))
    node_report(track, track.turn + 500, 1_500)

    assert 0 < len(asked) < 90


# ---- numbers ----------------------------------------------------------------------------------------------------


def test_figures_of_an_array_count_what_is_not_finite():
    found = figures(np.array([[1, np.nan], [np.inf, -3]], dtype=F))

    assert (found.kind, found.low, found.high, found.nan, found.inf) == ("2×2 float32", -3, 1, 1, 1)
    assert found.spread == "min -3 · max 1 · norm nan · 1 NaN · 1 infinite"


def test_norm_does_not_overflow():
    assert figures(np.array([3e38, 4e38 / 4 * 3], dtype=F)).norm == pytest.approx(3e38 * 2**0.5, rel=1e-5)
    assert figures(np.array([3e300, 4e300])).norm == pytest.approx(5e300)
    assert figures(np.zeros(3)).norm == 0
    assert figures(np.zeros((0, 2))).spread == ""


@given(st.integers(1, 70_000), st.sampled_from(["f2", "f4", "f8", "i4", "c8", "?"]))
@settings(max_examples=40)
def test_figures_of_any_array_are_those_of_all_its_numbers(count, kind):
    array = (np.random.default_rng(count).normal(size=count) * 50).astype(kind)

    found = figures(array)

    sizes = np.abs(array) if kind == "c8" else array
    assert found.norm == pytest.approx(float(np.linalg.norm(array.astype("c16" if kind == "c8" else "f8"))), rel=1e-6)
    assert (found.low, found.high) == (float(sizes.min()), float(sizes.max()))


def test_what_a_file_holds_is_summed_up_once_and_what_can_change_each_time(monkeypatch):
    taken = []
    monkeypatch.setattr(numbers, "_norm", lambda flat, _: taken.append(flat.size) or 1.0)
    kept = np.ones((100, 100))
    kept.flags.writeable = False
    count = len(numbers._FIGURES)

    assert figures(kept) is figures(kept)
    assert figures(kept, "bfloat16").dtype == "bfloat16"
    assert len(taken) == 2
    for _ in range(2):
        figures(np.ones((100, 100)))
    assert len(taken) == 4
    del kept
    assert len(numbers._FIGURES) == count


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        (F(23), "23"),
        (array(-6, 20), "[-6, 20]"),
        (np.array([[1.5, 2], [3, 4]]), "[[1.5, 2], [3, 4]]"),
        (np.ones((64, 256)), "a 64×256 array of norm 128"),
        (np.ones((8, 50)), "an 8×50 array of norm 20"),
        (np.ones(64), "64 numbers of norm 8"),
    ],
)
def test_arrays_in_a_sentence(value, text):
    assert in_words(value) == text


def test_literal_uses_a_real_minus_and_refuses_what_is_long():
    assert literal(array(-1, 2), 20) == "[−1, 2]"
    assert literal(np.ones(30), 20) is None


@pytest.mark.parametrize(
    ("numbers", "texts", "exponent"),
    [
        ([3, 20], ["3", "20"], 0),
        ([0.5, -0.25], ["0.5", "-0.25"], 0),
        ([0.99752, 0.005], ["0.9975", "0.005"], 0),
        ([1234.5, 1.0], ["1234", "1"], 0),
        ([1e-4, -2.5e-6], ["0.0001", "-2.5e-6"], 0),
        ([np.nan, np.inf, 1], ["nan", "inf", "1"], 0),
        ([5e-324], ["4.941e-324"], 0),
    ],
)
def test_numbers_in_cells_are_written_as_everywhere(numbers, texts, exponent):
    column = written_alike(np.array(numbers, dtype=np.float64))

    assert column.exponent == exponent
    assert column.texts == texts


@pytest.mark.parametrize(
    ("numbers", "texts", "exponent"),
    [
        ([0.512, -0.25], ["0.51", "-0.25"], 0),
        ([2e-4, -2.5e-4], ["2.0", "-2.5"], -4),
        ([3e8, 1.0], ["3.0", "≈0"], 8),
        ([5e-324], ["4.9"], -324),
    ],
)
def test_numbers_in_narrow_cells_share_their_decimals_and_a_power_of_ten(numbers, texts, exponent):
    column = written_alike(np.array(numbers, dtype=np.float64), 2)

    assert column.exponent == exponent
    assert column.texts == texts


def test_whole_numbers_and_truth_values_are_written_as_they_are():
    assert written_alike(np.array([1, 20])).texts == ["1", "20"]
    assert written_alike(np.array([True, False])).texts == ["True", "False"]


@pytest.mark.parametrize(("number", "text"), [(0.126, "0.126"), (1e-5, "1e-5"), (np.inf, "inf"), (-6.0, "-6")])
def test_rounded_number(number, text):
    assert rounded(number, 3) == text


def test_node_at_which_a_pass_stopped_says_so():
    recording = weighted_sum()
    broken_off = replace(recording.sweeps[0], steps=recording.sweeps[0].steps[:2], accumulated=())
    track = Track(replace(recording, sweeps=(broken_off,), problem=Problem("no", line=7, node=XX)), 0)

    report = node_report(track, track.length, XX)

    assert report.place.progress == "stopped here"
    assert report.incoming.note == STOPPED_HERE
    assert node_report(track, track.length, X).incoming.note == UNREACHED
    assert sentence(track, track.length)[1] == "The backward pass stopped at x·x: see the error."


def test_what_is_asked_for_is_not_told_by_the_jacobian_nor_by_the_health() -> None:
    recording = run(
        "import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x * x\nz = y * 2\nz.backward()"
    ).recording
    track = Track(recording, 0)
    node = next(node.id for node in recording.nodes if node.name == "y")
    asked, answered = (node_report(track, position, node) for position in (track.turn + 1, track.turn + 2))

    assert "a plain number" in asked.rule.jacobian or "plain numbers, 3" in asked.rule.jacobian
    assert not any(sign.isdigit() for sign in without_sum(asked).rule.jacobian.replace("2 in", ""))
    assert without_sum(asked).health == ()
    assert without_sum(answered).rule.jacobian == answered.rule.jacobian
