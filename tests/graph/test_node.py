"""A node as a function of arrays, and the one error that it answers with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradviz.errors import Cancelled, Unanswered
from gradviz.graph.answer import RAISED, Missing, answering
from gradviz.graph.node import NodeFunction, row_of, stand_in, stored_dtype
from gradviz.recording import CONSTANT, LEAF, Node, Read, Recording, Sweep


def product(**changes: object) -> Recording:
    """Of x (2, 1) times w (3), broadcast."""
    nodes = (
        Node(0, LEAF, shape=(2, 1), requires_grad=True, name="x"),
        Node(1, CONSTANT, shape=(3,), name="w"),
        Node(2, "mul", (0, 1), {}, (2, 3), requires_grad=True)._replace(**changes),
    )
    x, w = np.array([[1.0], [2.0]], np.float32), np.array([3.0, 4.0, 5.0], np.float32)
    return Recording(nodes, (x, w, x * w))


def function_of(recording: Recording, node: int = 2, op: str = "mul") -> NodeFunction:
    row = row_of(recording.nodes[node]._replace(op=op))
    assert row is not None
    return NodeFunction(recording.nodes[node], row)


def test_a_node_is_run_forward_and_backward_on_what_was_recorded() -> None:
    recording = product()
    function = function_of(recording)
    y, inputs = function.values_read(recording)

    assert np.array_equal(function.forward(inputs), y)
    to_x, to_w = function.vjp(np.ones((2, 3), np.float32), y, inputs)
    assert to_x is not None
    assert to_x.tolist() == [[12.0], [12.0]]
    assert to_w is not None
    assert (to_w.dtype, to_w.tolist()) == (np.float32, [3.0, 3.0, 3.0])
    assert function.rule(0, np.ones((2, 3)), y, inputs).shape == (2, 3)
    assert function.slopes(1, y, inputs).tolist() == [[1.0] * 3, [2.0] * 3]


def test_only_inputs_that_take_a_gradient_are_sent_one() -> None:
    recording = product()
    function = function_of(recording)

    assert function.vjp(np.ones((2, 3)), *function.values_read(recording), [True, False])[1] is None


def test_the_value_is_that_which_the_step_read() -> None:
    recording = product()
    changed = np.array([[10.0], [20.0]], np.float32)
    call = Sweep((2,), (np.ones((2, 3)),), (), read={(2, 0): Read(changed)})

    assert function_of(recording).values_read(recording, call)[1][0].tolist() == [[10.0], [20.0]]
    assert function_of(recording).values_read(recording)[1][0].tolist() == [[1.0], [2.0]]


def test_a_value_that_the_rules_need_is_missed_and_another_stands_in() -> None:
    recording = product()
    without = replace(recording, values=(None, *recording.values[1:]))
    result_lost = replace(recording, values=(*recording.values[:2], None))

    with pytest.raises(Missing, match="node 0 was not kept") as caught:
        function_of(without).values_read(without)
    assert caught.value.node == 0
    assert function_of(result_lost).values_read(result_lost)[0].shape == (2, 3)


@pytest.mark.parametrize("params", [{"dim": "sideways", "keepdim": False}, {"size": [2]}, {"dim": 10**30}])
def test_params_that_no_sum_has_are_one_error(params: dict[str, object]) -> None:
    recording = product(op="sum", inputs=(0,), params=params, shape=())
    function = function_of(recording, op="sum")

    with pytest.raises(Unanswered, match="sum does not run on what was recorded: "):
        function.forward([np.ones((2, 1))])
    with pytest.raises(Unanswered, match="The rule of sum cannot be called with what was recorded: "):
        function.vjp(np.ones(()), np.ones(()), [np.ones((2, 1))])


def test_shapes_that_do_not_fit_are_the_same_error() -> None:
    with pytest.raises(Unanswered, match="mul does not run"):
        function_of(product()).forward([np.ones(2), np.ones(3)])


@pytest.mark.parametrize(
    ("dtype", "stored"), [("bfloat16", "float32"), ("int64", "int64"), ("complex64", "float32"), ("O", "float32")]
)
def test_an_array_stands_for_a_dtype_that_numpy_has(dtype: str, stored: str) -> None:
    assert stored_dtype(Node(0, LEAF, dtype=dtype)).name == stored


def test_what_stands_in_takes_no_memory() -> None:
    array = stand_in(Node(0, LEAF, shape=(10**6, 10**6), dtype="float64"), np.nan)

    assert (array.shape, array.dtype, array.strides) == ((10**6, 10**6), np.float64, (0, 0))
    assert np.isnan(array[0, 0])


@pytest.mark.parametrize("kind", RAISED)
def test_whatever_a_rule_raises_is_one_error_with_its_cause(kind: type[Exception]) -> None:
    with pytest.raises(Unanswered, match=r"^no answer: that") as caught, answering("no answer", hint="Run it."):
        raise kind("that")
    assert type(caught.value.__cause__) is kind
    assert caught.value.hint == "Run it."


def test_what_a_script_raises_is_told_too_and_a_fault_of_ours_is_not() -> None:
    class Own(Exception):
        pass

    with pytest.raises(Unanswered, match=r"^it failed: Own$"), answering("it failed", runs_script=True):
        raise Own
    with pytest.raises(Own), answering("no answer"):
        raise Own
    for stopped in (Cancelled("Stopped."), KeyboardInterrupt()):
        with pytest.raises(type(stopped)), answering("no answer", runs_script=True):
            raise stopped


def test_the_innermost_sentence_stays_and_numbers_that_are_not_finite_are_no_warnings() -> None:
    with pytest.raises(Unanswered, match=r"^inner: x$"), answering("outer"), answering("inner"):
        raise ValueError("x")
    with answering("no answer"):
        assert np.isinf(np.float32(1) / np.float32(0))
