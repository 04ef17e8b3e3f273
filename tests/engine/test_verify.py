"""Rules checked against central differences where a recording used them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from gradviz.check_table import table
from gradviz.imitation.engine.custom.function import apply_function
from gradviz.imitation.engine.functions import FUNCTIONS
from gradviz.imitation.engine.recorded import verify
from gradviz.imitation.engine.recorded.verify import check, check_node
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import Tape
from gradviz.imitation.freeze import freeze
from gradviz.recording import Node, Recording
from tests.engine.expressions import array, evaluate, leaves
from tests.engine.test_torch_values import RECORDED

BY_DEFINITION = {
    "clamp(a, b, c)",  # at x = min = max no difference tells what PyTorch chose
}
"""Where PyTorch's gradient is not the derivative."""


def recorded(expression: str, **inputs: Any) -> Recording:
    tape = Tape()
    with tape.recording():
        evaluate(expression, leaves(tape, {name: np.asarray(x)[()] for name, x in inputs.items()}))
    return freeze(tape)


def only(recording: Recording) -> verify.CheckRow:
    (row,) = check(recording)
    return row


def broken(monkeypatch: pytest.MonkeyPatch, name: str, **changes: Any) -> None:
    monkeypatch.setitem(OPS, name, dataclasses.replace(OPS[name], **changes))


@pytest.mark.parametrize("part", range(8))
def test_rules_pass_wherever_pytorch_was_recorded(part):
    for case in RECORDED[part::8]:
        if case["expression"] not in BY_DEFINITION:
            rows = check(recorded(case["expression"], **{name: array(*x) for name, x in case["inputs"].items()}))

            assert all(row.passed for row in rows), (case["expression"], rows)


def test_a_gradient_that_is_no_derivative_on_purpose_is_not_checked():
    for options in ("padding_idx=0", "scale_grad_by_freq=True"):
        row = only(recorded(f"embedding(i, a, {options})", i=[0, 1, 1], a=[[1.0, 2.0], [3.0, 4.0]]))

        assert row.passed
        assert "another than the derivative" in row.reason


def test_a_determinant_of_0_has_pytorchs_gradient_and_that_is_said():
    singular = only(recorded("det(a)", a=[[2.0, 4.0], [1.0, 2.0]]))

    assert singular.passed
    assert singular.reason == "at a matrix without an inverse PyTorch's gradient is another than the derivative"
    assert only(recorded("det(a)", a=[[2.0, 4.0], [1.0, 3.0]])).error < 1e-8


@pytest.mark.parametrize(
    ("expression", "is_left_out"),
    [
        ("scatter(a, 0, i, b)", True),
        ("index_copy(a, 0, i, b)", True),
        ("index_put(a, (i,), b)", True),
        ("put(a, i, b)", True),
        ("index_put(a, (i,), b, True)", False),
        ("put(a, i, b, True)", False),
        ("scatter(a, 0, j, b[1:])", False),
        ("index_put(a, (j,), b[0])", False),
    ],
)
def test_numbers_that_are_written_over_get_pytorchs_gradient_and_that_is_said(expression, is_left_out):
    *_, row = check(recorded(expression, a=np.zeros(5), b=[1.0, 2.0, 3.0], i=[1, 1, 3], j=[2, 0]))

    assert row.passed
    assert row.reason == (verify.WRITTEN_OVER if is_left_out else "")


def test_a_result_that_sends_nothing_back_says_so():
    sign, size = check(recorded("slogdet(a)", a=[[2.0, 4.0], [1.0, 3.0]]))

    assert sign.reason == "no gradient flows through this result"
    assert size.error < 1e-8


@pytest.mark.parametrize("name", ["BackwardHookFunction", "CheckpointFunction"])
def test_a_node_that_pytorch_adds_by_itself_is_not_run_again(name):
    tape = Tape()
    x, runs = tape.tensor(np.array([1.0]), requires_grad=True), []

    def forward(_: Any, given: Any) -> Any:
        runs.append(given)
        return given[0]

    out = apply_function(name, [x], forward, lambda ctx, g: g)
    (row,) = check(freeze(tape), {out.index: out.op})

    assert row.passed
    assert row.reason == verify.OF_THE_ENGINE[name]
    assert len(runs) == 1


def test_wrong_rule_fails_with_its_slot_and_error(monkeypatch):
    recording = recorded("a * b", a=[1.0, 2.0], b=[3.0, 4.0])
    broken(monkeypatch, "mul", vjp=(lambda g, y, a, b: g * b, lambda g, y, a, b: g * a * 1.01))

    row = only(recording)

    assert (row.op, row.slot, row.passed, row.kink, row.reason) == ("mul", 1, False, False, "")
    assert 0.001 < row.error < 0.02
    assert row.sent == pytest.approx(1.01 * row.measured, rel=1e-6)
    assert row.element in [(0,), (1,)]
    line = table([row]).splitlines()[1]
    assert f"FAILS at input 1, element {list(row.element)}: for a random dL/dy it sends {row.sent:.4g}" in line
    assert line.endswith(f"and differences say {row.measured:.4g}")


def test_wrong_rule_of_a_single_number_needs_no_element(monkeypatch):
    recording = recorded("exp(a)", a=1.0)
    broken(monkeypatch, "exp", vjp=(lambda g, y, x: 2 * g * y,))

    row = only(recording)

    assert row.element == ()
    assert "FAILS at input 0: for a random dL/dy" in table([row])


def test_wrong_rule_of_one_element_of_many_is_found(monkeypatch):
    recording = recorded("exp(a)", a=np.linspace(0, 1, 5000).reshape(50, 100))

    def wrong(g: Any, y: Any, x: Any) -> Any:
        sent = g * y
        sent[7, 3] += 5
        return sent

    broken(monkeypatch, "exp", vjp=(wrong,))

    assert not only(recording).passed


def test_right_rule_has_a_small_error_and_no_kink():
    row = only(recorded("exp(a)", a=[0.5, -1.0]))

    assert row.passed
    assert not row.kink
    assert row.error < 1e-8


@pytest.mark.parametrize("expression", ["relu(a)", "abs(a)", "clamp(a, min=0)", "amax(a)", "maximum(a, b)"])
def test_kink_is_a_convention_and_passes(expression):
    rows = check(recorded(expression, a=[0.0, 0.0, -1.0], b=[0.0, 1.0, 2.0]))

    assert all(row.passed for row in rows)
    assert rows[-1].kink


def test_many_kinks_along_one_direction_are_no_slope():
    row = only(recorded("relu(a)", a=np.where(np.arange(64) % 3, 0.0, 1.0)))

    assert row.passed
    assert row.kink


def test_wrong_rule_fails_beside_kinks(monkeypatch):
    recording = recorded("relu(a)", a=np.where(np.arange(64) % 3, 0.0, 1.0))
    broken(monkeypatch, "relu", vjp=(lambda g, y, x: g * (x > 0) * 1.1,))

    assert not only(recording).passed


def test_jump_has_no_derivative_that_a_rule_could_miss(monkeypatch):
    recording = recorded("relu(a)", a=[0.0, 1.0])
    broken(monkeypatch, "relu", forward=np.sign, vjp=(lambda g, y, x: g * 0,))

    row = only(recording)

    assert row.passed
    assert row.kink


def test_value_outside_the_one_sided_derivatives_fails_at_a_kink(monkeypatch):
    recording = recorded("relu(a)", a=[0.0])
    broken(monkeypatch, "relu", vjp=(lambda g, y, x: g * -1.0,))

    assert not only(recording).passed


def test_strong_curvature_is_no_kink():
    row = only(recorded("a ** 3", a=[1000.0]))

    assert row.passed
    assert not row.kink


def test_large_node_is_evaluated_a_few_times_only(monkeypatch):
    recording = recorded("exp(a)", a=np.zeros((300, 300)))
    calls = []

    def counted(x: Any) -> Any:
        calls.append(x)
        return np.exp(x)

    broken(monkeypatch, "exp", forward=counted)

    assert only(recording).passed
    assert len(calls) < 20


def test_inputs_of_a_node_that_has_many_share_the_places(monkeypatch):
    names = "abcdefg"
    recording = recorded(f"cat([{', '.join(names)}])", **{name: np.ones(30) for name in names})
    calls, forward = [], OPS["cat"].forward

    def counted(*arrays: Any, **params: Any) -> Any:
        calls.append(arrays)
        return forward(*arrays, **params)

    broken(monkeypatch, "cat", forward=counted)

    assert only(recording).passed
    assert len(calls) < 50


@pytest.mark.parametrize("count", [3, 30])
def test_many_inputs_of_few_numbers_are_all_checked(count):
    tape = Tape()
    with tape.recording():
        FUNCTIONS["stack"]([tape.tensor(np.float64(i), requires_grad=True) for i in range(count)])

    assert only(freeze(tape)).error < 1e-8


def test_custom_function_has_no_rule_to_check():
    tape = Tape()
    x = tape.tensor(np.array([1.0]), requires_grad=True)
    apply_function("Double", [x], lambda ctx, given: tape.tensor(given[0].data * 2), lambda ctx, g: g * 2.0)

    row = only(freeze(tape))

    assert (row.passed, row.error, row.slot, row.reason) == (True, None, None, "no rule in the table")


@pytest.mark.parametrize(
    ("expression", "value", "reason"),
    [("log(a)", [0.0], "not finite here"), ("exp(a)", np.zeros((0, 3)), "no elements")],
)
def test_place_without_a_derivative_says_why_it_is_not_checked(expression, value, reason):
    row = only(recorded(expression, a=value))

    assert (row.passed, row.reason) == (True, reason)


def test_node_with_a_missing_value_says_so():
    recording = recorded("exp(a)", a=[1.0])

    row = only(dataclasses.replace(recording, values=(None, recording.values[1])))

    assert row.reason == "a value is not recorded"


def test_node_of_constants_has_nothing_to_check():
    nodes = (Node(0, "constant", shape=(1,)), Node(1, "exp", (0,), shape=(1,)))

    assert only(Recording(nodes, (np.ones(1), np.ones(1)))).reason == "no input takes a gradient"


def test_params_that_a_rule_does_not_understand_are_a_reason_and_no_crash():
    nodes = (Node(0, "leaf", shape=(1,), requires_grad=True), Node(1, "sum", (0,), {"axis": 0}, requires_grad=True))

    row = only(Recording(nodes, (np.ones(1), np.float64(1))))

    assert row.passed
    assert row.reason.startswith("not computable from what was recorded")


def test_float32_recording_is_checked_in_float64():
    row = only(recorded("exp(a)", a=np.array([0.5, 1.5], np.float32)))

    assert row.passed
    assert row.error < 1e-8


def test_same_node_gives_the_same_row_every_time():
    recording = recorded("sum(exp(a) * a)", a=np.linspace(0, 1, 100))

    assert check(recording) == check(recording)
    assert check_node(recording, 2) == check(recording)[1]
