"""The backward loop: order, sums, and what is freed."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward, grad
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.passes.backward import TWICE, node_name
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError
from gradviz.imitation.freeze import ordered_steps
from tests.engine.leaves import leaf


def step_names(tape: Tape) -> list[str]:
    """Of the last pass: names of variables, or of backward nodes."""
    steps = ordered_steps(tape.sweeps[-1])
    return [tape.names.get(step.node, node_name(tape.entries[step.node])) for step in steps]


def named(tape: Tape, **tensors: Tensor) -> None:
    for name, tensor in tensors.items():
        tape.names[tensor.index] = name


# ---- sums and order ----


def test_gradient_of_a_node_used_twice_is_the_sum_of_both_uses():
    x = leaf(3.0)

    backward([x * x + x], [None])

    assert x.grad.data == 7


def test_fan_out_is_summed_last_consumer_first_as_pytorch_does():
    tape = Tape()
    x = leaf(1.0, tape=tape)
    uses = [x * c for c in (1.0, -1e8, 1e8)]

    backward([uses[0] + uses[1] + uses[2]], [None])

    # (1e8 − 1e8) + 1; in the order of the program the 1 would be lost in 1e8.
    assert x.grad.data == 1

    x = leaf(1.0, tape=tape)
    uses = [x * c for c in (1e8, -1e8, 1.0)]
    backward([uses[0] + uses[1] + uses[2]], [None])
    assert x.grad.data == 0


def test_steps_run_last_made_first_and_a_leaf_as_soon_as_it_is_ready():
    tape = Tape()
    a, b = leaf(1.0, tape=tape), leaf(2.0, tape=tape)
    y = F["exp"](a) * F["sin"](b) * b
    named(tape, a=a, b=b)

    backward([y], [None])

    assert step_names(tape) == [
        "MulBackward0", "MulBackward0", "SinBackward0", "b", "ExpBackward0", "a",
    ]  # fmt: skip


def test_leaves_that_become_ready_together_run_in_the_order_of_their_slots():
    tape = Tape()
    a, b, c = (leaf(1.0, tape=tape) for _ in range(3))
    out = F["stack"]([c, a, b])
    named(tape, a=a, b=b, c=c)

    backward([out], [tape.tensor(np.ones(3, "f4"))])

    assert step_names(tape) == ["StackBackward0", "c", "a", "b"]


def test_node_runs_once_with_the_summed_gradient():
    tape = Tape()
    x = leaf(2.0, tape=tape)
    h = F["exp"](x)

    backward([h * h + h], [None])

    steps = [step for step in ordered_steps(tape.sweeps[0]) if step.node == h.index]
    assert len(steps) == 1
    assert steps[0].incoming == pytest.approx(2 * np.exp(2) + 1, rel=1e-6)


def test_both_slots_of_a_square_carry_their_own_gradient():
    tape = Tape()
    x = leaf(3.0, tape=tape)

    backward([x * x], [None])

    (square, accumulation) = ordered_steps(tape.sweeps[0])
    assert square.outgoing == (3, 3)
    assert accumulation.incoming == 6
    assert accumulation.outgoing == ()


def test_constant_slot_sends_nothing():
    tape = Tape()
    x, c = leaf(3.0, tape=tape), tape.tensor(np.float32(5))

    backward([c * x], [None])

    assert ordered_steps(tape.sweeps[0])[0].outgoing == (None, 5)


def test_what_the_output_does_not_depend_on_does_not_run():
    tape = Tape()
    x = leaf(3.0, tape=tape)
    y = x * 2.0
    F["exp"](y)

    backward([y], [None])

    assert step_names(tape) == ["MulBackward0", "AccumulateGrad"]


@pytest.mark.parametrize(
    ("shape", "other"),
    [((3, 1), (4,)), ((), (2, 3)), ((1,), (5,)), ((2, 1, 3), (4, 1)), ((0,), (1,)), ((1, 3), (0, 3))],
)
def test_broadcasting_is_undone_by_sums(shape, other):
    tape = Tape()
    a = tape.tensor(np.ones(shape, "f4")[()], requires_grad=True)
    b = tape.tensor(np.full(other, 2, "f4")[()], requires_grad=True)
    out = a * b
    size = np.broadcast_shapes(shape, other)

    backward([out], [tape.tensor(np.ones(size, "f4"))])

    repeats_a = np.prod(size) / max(np.prod(shape), 1)
    np.testing.assert_array_equal(a.grad.data, np.full(shape, 2 * repeats_a, "f4"))
    assert b.grad.shape == other


def test_each_gradient_has_the_dtype_of_its_tensor():
    tape = Tape()
    a, b = leaf(1.0, 2.0, tape=tape), leaf(3.0, 4.0, dtype="f8", tape=tape)
    out = a * b

    backward([out], [tape.tensor(np.ones(2))])

    assert (out.dtype, a.grad.dtype, b.grad.dtype) == (np.float64, np.float32, np.float64)


def test_several_outputs_run_in_one_pass():
    tape = Tape()
    x = leaf(2.0, tape=tape)
    y, z = x * x, x * 3.0

    backward([y, z], [None, None])

    assert x.grad.data == 7
    assert len(tape.sweeps) == 1


def test_same_output_named_twice_counts_twice():
    x = leaf(2.0)
    y = x * 3.0

    backward([y, y], [None, None])

    assert x.grad.data == 6


def test_output_that_another_output_depends_on_gets_both_gradients():
    x = leaf(2.0)
    y = x * 3.0
    z = y * y

    backward([y, z], [None, None])

    assert x.grad.data == 3 + 2 * 6 * 3


def test_leaf_may_be_the_output():
    tape = Tape()
    x = leaf(2.0, tape=tape)

    backward([x], [None])

    assert x.grad.data == 1
    assert [step.node for step in ordered_steps(tape.sweeps[0])] == [x.index]


# ---- freeing ----


def test_second_pass_through_saved_tensors_is_refused_in_pytorchs_words():
    x = leaf(3.0)
    y = x * x
    backward([y], [None])

    with pytest.raises(TorchError) as caught:
        backward([y], [None])

    assert caught.value.message == TWICE
    assert "retain_graph=True" in caught.value.hint


def test_graph_that_saves_nothing_runs_twice_and_accumulates():
    x = leaf(3.0)
    y = x + 3.0

    backward([y], [None])
    backward([y], [None])

    assert x.grad.data == 2


def test_retained_graph_runs_again():
    x = leaf(3.0)
    y = x * x

    backward([y], [None], retain_graph=True)
    backward([y], [None])

    assert x.grad.data == 12


def test_new_graph_on_freed_nodes_fails_only_where_it_meets_them():
    x = leaf(3.0)
    y = F["exp"](x)
    backward([y], [None])
    z = x * 2.0

    backward([z], [None])

    with pytest.raises(TorchError):
        backward([y * 2.0], [None])


def test_graph_is_retained_by_default_with_create_graph():
    x = leaf(3.0)
    y = x * x

    grad([y], [x], [None], create_graph=True)

    assert grad([y], [x], [None])[0].data == 6


# ---- higher derivatives ----


def test_third_derivative_of_a_cube_is_six():
    x = leaf(2.0)
    y = x * x * x
    found = []
    for _ in range(3):
        (y,) = grad([y], [x], [None], create_graph=True)
        found.append(float(y.data))

    assert found == [12, 12, 6]


def test_gradient_of_a_gradient_through_grad_attribute():
    x = leaf(3.0)
    backward([x * x * x], [None], create_graph=True)

    assert x.grad.op is not None
    first, x.more.grad = x.grad, None
    backward([first], [None])

    assert x.grad.data == 18


def test_recorded_pass_appears_on_the_tape_as_ordinary_nodes():
    tape = Tape()
    x = leaf(2.0, tape=tape)
    y = F["tanh"](x)
    before = len(tape.entries)

    (first,) = grad([y], [x], [None], create_graph=True)

    assert len(tape.entries) > before
    assert first.requires_grad
    assert all(entry.index == i for i, entry in enumerate(tape.entries))


def test_pass_without_create_graph_records_no_node():
    tape = Tape()
    x = leaf(2.0, tape=tape)
    y = F["tanh"](x)
    before = len(tape.entries)

    backward([y], [None])

    assert len(tape.entries) == before
