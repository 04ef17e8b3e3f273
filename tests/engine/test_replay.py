"""Another v through a recorded graph."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.custom.function import apply_function
from gradviz.imitation.engine.recorded.params import thawed
from gradviz.imitation.engine.recorded.replay import sweep_of
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import GradvizError
from gradviz.imitation.freeze import freeze, plain
from gradviz.recording import Node, Recording, Sweep
from tests.engine.expressions import array, evaluate, leaves
from tests.engine.test_torch_values import RECORDED


def same_arrays(a: Any, b: Any) -> bool:
    return (a is None and b is None) or (
        a is not None and b is not None and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)
    )


def same_sweeps(a: Sweep, b: Sweep) -> bool:
    """Equal in all that ran: seeds, steps and what came to `.grad`."""
    return (
        a.outputs == b.outputs
        and all(map(same_arrays, a.seeds, b.seeds))
        and [step.node for step in a.steps] == [step.node for step in b.steps]
        and all(same_arrays(x.incoming, y.incoming) for x, y in zip(a.steps, b.steps, strict=True))
        and all(
            len(x.outgoing) == len(y.outgoing) and all(map(same_arrays, x.outgoing, y.outgoing))
            for x, y in zip(a.steps, b.steps, strict=True)
        )
        and [entry.node for entry in a.accumulated] == [entry.node for entry in b.accumulated]
        and all(same_arrays(x.after, y.after) for x, y in zip(a.accumulated, b.accumulated, strict=True))
    )


def recorded(expression: str, v: Any = None, **inputs: Any) -> Recording:
    tape = Tape()
    with tape.recording():
        out = evaluate(expression, leaves(tape, {name: np.asarray(x)[()] for name, x in inputs.items()}))
        backward([out], [None if v is None else tape.tensor(v)])
    return freeze(tape)


@pytest.mark.parametrize("part", range(8))
def test_same_v_gives_the_recorded_sweep_again(part):
    for case in RECORDED[part::8]:
        inputs = {name: array(*x) for name, x in case["inputs"].items()}
        recording = recorded(case["expression"], array(*case["v"]), **inputs)

        again = sweep_of(recording, recording.sweeps[0].outputs[0], recording.sweeps[0].seeds[0])

        assert same_sweeps(again, recording.sweeps[0]), case["expression"]


def test_another_v_gives_its_product_with_the_jacobian():
    recording = recorded("a ** 2", np.ones(2), a=[3.0, 5.0])

    sweep = sweep_of(recording, 1, [1.0, -2.0])

    np.testing.assert_array_equal(sweep.accumulated[0].after, [6.0, -20.0])
    assert sweep.accumulated[0].before is None


def test_any_node_can_be_the_output():
    recording = recorded("sum(exp(a) * a)", a=[0.0, 1.0])

    sweep = sweep_of(recording, 1, [1.0, 0.0])

    assert [step.node for step in sweep.steps] == [1, 0]


def test_leaf_as_output_receives_v_itself():
    recording = recorded("exp(a)", np.ones(1), a=[2.0])

    sweep = sweep_of(recording, 0, [7.0])

    np.testing.assert_array_equal(sweep.accumulated[0].after, [7.0])


def test_recording_is_not_changed_by_a_replay():
    recording = recorded("sum(a * a)", a=[1.0, 2.0])
    before = repr(recording)

    sweep_of(recording, 2, 5.0)

    assert repr(recording) == before


def test_v_is_taken_in_the_dtype_of_the_output():
    recording = recorded("sum(a)", a=np.array([1, 2], np.float32))

    assert sweep_of(recording, 1, 0.1).seeds[0].dtype == np.float32


@pytest.mark.parametrize("op", OPS.values(), ids=lambda op: op.name)
def test_params_survive_freezing_and_thawing(op):
    for case in op.example:
        frozen = {name: plain(value) for name, value in case["params"].items()}

        again = thawed(op, frozen)

        assert repr(again) == repr(case["params"])


@pytest.mark.parametrize(
    "index",
    [
        (0, slice(1, None), ...),
        (slice(None, None, 2), np.array([0, 1, 2])),
        (np.array([True, False]), None),
        (np.array([[0, 1], [1, 0]]),),
        (slice(0, 2, 1), np.array([0, 2, 1])),
        (np.asarray(True),),
    ],
    ids=repr,
)
def test_index_survives_freezing_and_thawing(index):
    assert repr(thawed(OPS["index"], {"index": plain(index)})["index"]) == repr(index)


def test_slice_reads_as_people_write_it():
    assert plain((slice(1, None), slice(None), slice(None, None, 2), ...)) == ["1:", ":", "::2", "..."]


# ---- what cannot be replayed -------------------------------------------------------------------------------------


def refused(recording: Recording, output: int, v: Any) -> GradvizError:
    with pytest.raises(GradvizError) as caught:
        sweep_of(recording, output, v)
    return caught.value


def doubled(tape: Tape, x: Tensor) -> Tensor:
    return apply_function("Double", [x], lambda ctx, given: tape.tensor(given[0].data * 2), lambda ctx, g: g * 2.0)


def test_node_without_a_rule_on_the_way_is_named():
    tape = Tape()
    x = tape.tensor(np.array([1.0]), requires_grad=True)
    tape.names[doubled(tape, x).index] = "y"

    error = refused(freeze(tape), 1, [1.0])

    assert error.message == "node 1 ('y', Double) has no derivative rule here"
    assert "y.backward(v)" in error.hint


def test_node_without_a_rule_beside_the_way_does_not_matter():
    tape = Tape()
    x = tape.tensor(np.array([1.0]), requires_grad=True)
    doubled(tape, x)
    x * x

    np.testing.assert_array_equal(sweep_of(freeze(tape), 2, [1.0]).accumulated[0].after, [2.0])


def test_v_of_another_shape_is_refused():
    error = refused(recorded("exp(a)", np.ones(2), a=[1.0, 2.0]), 1, [1.0])

    assert error.message == "v has shape [1], but node 1 (exp) has shape [2]"


def test_output_that_takes_no_gradient_is_refused():
    recording = recorded("a * 2", np.ones(1), a=[1.0])

    assert "no gradient flows from node 1 (constant)" in refused(recording, 1, 1.0).message


def test_missing_value_is_refused_only_where_a_rule_reads_it():
    recording = recorded("exp(a + 1)", np.ones(1), a=[1.0])
    without = [*recording.values]
    without[2] = None  # a + 1: neither add nor exp reads it

    sweep = sweep_of(dataclasses.replace(recording, values=tuple(without)), 3, [1.0])

    assert same_sweeps(sweep, recording.sweeps[0])
    without[3] = None
    error = refused(dataclasses.replace(recording, values=tuple(without)), 3, [1.0])
    assert error.message == "the value of node 3 (exp) is not part of the recording, but node 3 (exp) needs it"


def test_params_of_another_program_are_refused_in_one_sentence():
    nodes = (Node(0, "leaf", shape=(1,), requires_grad=True), Node(1, "sum", (0,), {"axis": 0}, requires_grad=True))

    error = refused(Recording(nodes, (np.ones(1, np.float32), np.float32(1))), 1, 1.0)

    assert error.message.startswith("v cannot be sent back from node 1 (sum)")


def test_wrong_number_of_inputs_is_refused():
    nodes = (Node(0, "leaf", requires_grad=True), Node(1, "mul", (0,), requires_grad=True))

    error = refused(Recording(nodes, (np.float32(1), np.float32(1))), 1, 1.0)

    assert error.message == "node 1 (mul) has 1 inputs, but 'mul' takes 2"
