"""The reverse loop: order, sums, freeing, what is recorded, and its cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradviz.engine import autograd
from gradviz.engine.autograd import backward, grad
from gradviz.engine.backward import TWICE, node_name, sweep
from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.sweep_record import SweepRecord
from gradviz.engine.tensor import Tape, Tensor
from gradviz.errors import Cancelled, TorchError
from gradviz.freeze import freeze, ordered_steps
from tests.engine.expressions import evaluate


def leaf(tape: Tape, *numbers: float, dtype: str = "f4") -> Tensor:
    """A leaf; one number makes shape ()."""
    data = np.array(numbers, dtype)
    return tape.tensor(data if len(numbers) > 1 else data[0], requires_grad=True)


def step_names(tape: Tape) -> list[str]:
    """Of the last pass: names of variables, or of backward nodes."""
    steps = ordered_steps(tape.sweeps[-1])
    return [tape.names.get(step.node, node_name(tape.entries[step.node])) for step in steps]


def named(tape: Tape, **tensors: Tensor) -> None:
    for name, tensor in tensors.items():
        tape.names[tensor.index] = name


# ---- sums and order ----------------------------------------------------------------------------------------------


def test_gradient_of_a_node_used_twice_is_the_sum_of_both_uses():
    x = leaf(Tape(), 3.0)

    backward([x * x + x], [None])

    assert x.grad.data == 7


def test_fan_out_is_summed_last_consumer_first_as_pytorch_does():
    tape = Tape()
    x = leaf(tape, 1.0)
    uses = [x * c for c in (1.0, -1e8, 1e8)]

    backward([uses[0] + uses[1] + uses[2]], [None])

    # (1e8 − 1e8) + 1; in the order of the program the 1 would be lost in 1e8.
    assert x.grad.data == 1

    x = leaf(tape, 1.0)
    uses = [x * c for c in (1e8, -1e8, 1.0)]
    backward([uses[0] + uses[1] + uses[2]], [None])
    assert x.grad.data == 0


def test_steps_run_last_made_first_and_a_leaf_as_soon_as_it_is_ready():
    tape = Tape()
    a, b = leaf(tape, 1.0), leaf(tape, 2.0)
    y = F["exp"](a) * F["sin"](b) * b
    named(tape, a=a, b=b)

    backward([y], [None])

    assert step_names(tape) == [
        "MulBackward0", "MulBackward0", "SinBackward0", "b", "ExpBackward0", "a",
    ]  # fmt: skip


def test_leaves_that_become_ready_together_run_in_the_order_of_their_slots():
    tape = Tape()
    a, b, c = (leaf(tape, 1.0) for _ in range(3))
    out = F["stack"]([c, a, b])
    named(tape, a=a, b=b, c=c)

    backward([out], [tape.tensor(np.ones(3, "f4"))])

    assert step_names(tape) == ["StackBackward0", "c", "a", "b"]


def test_node_runs_once_with_the_summed_gradient():
    tape = Tape()
    x = leaf(tape, 2.0)
    h = F["exp"](x)

    backward([h * h + h], [None])

    steps = [step for step in ordered_steps(tape.sweeps[0]) if step.node == h.index]
    assert len(steps) == 1
    assert steps[0].incoming == pytest.approx(2 * np.exp(2) + 1, rel=1e-6)


def test_both_slots_of_a_square_carry_their_own_gradient():
    tape = Tape()
    x = leaf(tape, 3.0)

    backward([x * x], [None])

    (square, accumulation) = ordered_steps(tape.sweeps[0])
    assert square.outgoing == (3, 3)
    assert accumulation.incoming == 6
    assert accumulation.outgoing == ()


def test_constant_slot_sends_nothing():
    tape = Tape()
    x, c = leaf(tape, 3.0), tape.tensor(np.float32(5))

    backward([c * x], [None])

    assert ordered_steps(tape.sweeps[0])[0].outgoing == (None, 5)


def test_what_the_output_does_not_depend_on_does_not_run():
    tape = Tape()
    x = leaf(tape, 3.0)
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
    a, b = leaf(tape, 1.0, 2.0), leaf(tape, 3.0, 4.0, dtype="f8")
    out = a * b

    backward([out], [tape.tensor(np.ones(2))])

    assert (out.dtype, a.grad.dtype, b.grad.dtype) == (np.float64, np.float32, np.float64)


def test_several_outputs_run_in_one_pass():
    tape = Tape()
    x = leaf(tape, 2.0)
    y, z = x * x, x * 3.0

    backward([y, z], [None, None])

    assert x.grad.data == 7
    assert len(tape.sweeps) == 1


def test_same_output_named_twice_counts_twice():
    x = leaf(Tape(), 2.0)
    y = x * 3.0

    backward([y, y], [None, None])

    assert x.grad.data == 6


def test_output_that_another_output_depends_on_gets_both_gradients():
    x = leaf(Tape(), 2.0)
    y = x * 3.0
    z = y * y

    backward([y, z], [None, None])

    assert x.grad.data == 3 + 2 * 6 * 3


def test_leaf_may_be_the_output():
    tape = Tape()
    x = leaf(tape, 2.0)

    backward([x], [None])

    assert x.grad.data == 1
    assert [step.node for step in ordered_steps(tape.sweeps[0])] == [x.index]


# ---- freeing -----------------------------------------------------------------------------------------------------


def test_second_pass_through_saved_tensors_is_refused_in_pytorchs_words():
    x = leaf(Tape(), 3.0)
    y = x * x
    backward([y], [None])

    with pytest.raises(TorchError) as caught:
        backward([y], [None])

    assert caught.value.message == TWICE
    assert "retain_graph=True" in caught.value.hint


def test_graph_that_saves_nothing_runs_twice_and_accumulates():
    x = leaf(Tape(), 3.0)
    y = x + 3.0

    backward([y], [None])
    backward([y], [None])

    assert x.grad.data == 2


def test_retained_graph_runs_again():
    x = leaf(Tape(), 3.0)
    y = x * x

    backward([y], [None], retain_graph=True)
    backward([y], [None])

    assert x.grad.data == 12


def test_new_graph_on_freed_nodes_fails_only_where_it_meets_them():
    x = leaf(Tape(), 3.0)
    y = F["exp"](x)
    backward([y], [None])
    z = x * 2.0

    backward([z], [None])

    with pytest.raises(TorchError):
        backward([y * 2.0], [None])


def test_graph_is_retained_by_default_with_create_graph():
    x = leaf(Tape(), 3.0)
    y = x * x

    grad([y], [x], [None], create_graph=True)

    assert grad([y], [x], [None])[0].data == 6


# ---- higher derivatives ------------------------------------------------------------------------------------------


def test_third_derivative_of_a_cube_is_six():
    x = leaf(Tape(), 2.0)
    y = x * x * x
    found = []
    for _ in range(3):
        (y,) = grad([y], [x], [None], create_graph=True)
        found.append(float(y.data))

    assert found == [12, 12, 6]


def test_gradient_of_a_gradient_through_grad_attribute():
    x = leaf(Tape(), 3.0)
    backward([x * x * x], [None], create_graph=True)

    assert x.grad.op is not None
    first, x.more.grad = x.grad, None
    backward([first], [None])

    assert x.grad.data == 18


def test_recorded_pass_appears_on_the_tape_as_ordinary_nodes():
    tape = Tape()
    x = leaf(tape, 2.0)
    y = F["tanh"](x)
    before = len(tape.entries)

    (first,) = grad([y], [x], [None], create_graph=True)

    assert len(tape.entries) > before
    assert first.requires_grad
    assert all(entry.index == i for i, entry in enumerate(tape.entries))


def test_pass_without_create_graph_records_no_node():
    tape = Tape()
    x = leaf(tape, 2.0)
    y = F["tanh"](x)
    before = len(tape.entries)

    backward([y], [None])

    assert len(tape.entries) == before


# ---- records -----------------------------------------------------------------------------------------------------


def test_record_is_not_rewritten_by_later_passes():
    tape = Tape()
    x = leaf(tape, 1.0, 2.0)
    y = x * x
    backward([y], [tape.tensor(np.ones(2, "f4"))], retain_graph=True)
    before = repr(freeze(tape).sweeps[0])

    backward([y], [tape.tensor(np.full(2, 3, "f4"))])
    F["mul"](x.grad, x.grad)

    assert repr(freeze(tape).sweeps[0]) == before


def test_accumulation_notes_grad_before_and_after():
    tape = Tape()
    x = leaf(tape, 3.0)
    for _ in range(2):
        backward([x * 2.0], [None])

    first, second = (sweep.accumulated for sweep in freeze(tape).sweeps)

    assert [(a.before, a.after) for a in (*first, *second)] == [(None, 2), (2, 4)]


def test_seed_in_the_record_does_not_follow_a_later_change_of_v():
    tape = Tape()
    x, v = leaf(tape, 1.0, 2.0), tape.tensor(np.ones(2, "f4"))
    y = x * 2.0
    autograd.storage.alias(v, tracked=True)  # somebody else looks at the memory of v
    backward([y], [v])

    autograd.storage.write(v, np.full(2, 9, "f4"))

    np.testing.assert_array_equal(freeze(tape).sweeps[0].seeds[0], [1, 1])


# ---- cost --------------------------------------------------------------------------------------------------------


def test_chain_of_fifty_thousand_ops_needs_no_recursion():
    tape = Tape()
    with tape.recording():
        x = y = leaf(tape, 1.0, dtype="f8")
        for _ in range(50_000):
            y = y + x
        backward([y], [None])

    assert x.grad.data == 50_001
    assert len(ordered_steps(tape.sweeps[0])) == 50_001
    tape.close()


@pytest.mark.parametrize("is_watched", [False, True])
def test_long_pass_can_be_stopped_in_its_middle(is_watched):
    tape = Tape()
    y = leaf(tape, 1.0)
    for _ in range(20_000):
        y = y * 1.0
    if is_watched:
        autograd.register_hook(y, lambda g: None)
    looks = iter(range(3))

    def pulse() -> None:
        if next(looks) == 2:
            raise Cancelled("stopped")

    tape.pulse = pulse

    with pytest.raises(Cancelled):
        backward([y], [None])
    assert not tape.sweeps


class CountedList(list[Any]):
    """The entries of a tape, counting how often one is read."""

    reads = 0

    def __getitem__(self, place: Any) -> Any:
        CountedList.reads += 1
        return super().__getitem__(place)


@pytest.mark.parametrize("retain", [False, True])
def test_training_loop_on_one_tape_is_not_quadratic(retain):
    tape = Tape()
    tape.entries = CountedList()
    w, reads = leaf(tape, 1.0, dtype="f8"), []
    for _ in range(2_000):
        CountedList.reads = 0
        backward([(w * 2.0 - 1.0) * 0.5], [None], retain_graph=retain)
        with tape.grad_mode(False):
            autograd.storage.write(w, w.data - 0.001 * w.grad.data)
        autograd.set_grad(w, None)
        reads.append(CountedList.reads)

    assert len(tape.sweeps) == 2_000
    assert max(reads[1000:]) <= 2 * max(reads[:10])
    tape.close()


def test_gradient_with_respect_to_a_late_input_does_not_walk_the_whole_tape():
    tape = Tape()
    tape.entries = CountedList()
    x = y = leaf(tape, 1.0, dtype="f8")
    for _ in range(1_000):
        y = y * 1.0
    z = y * y
    CountedList.reads = 0

    grad([z], [y], [None], retain_graph=True)

    assert CountedList.reads < 100
    assert x.grad is None


def test_gradients_of_many_graphs_over_one_leaf_do_not_walk_the_graphs_before():
    tape = Tape()
    tape.entries = CountedList()
    x, reads = leaf(tape, 1.0, dtype="f8"), []
    for _ in range(300):
        CountedList.reads = 0
        grad([F["exp"](x * 2.0)], [x], [None])
        reads.append(CountedList.reads)

    assert max(reads[100:]) <= max(reads[:10])


def test_late_pass_makes_no_room_for_the_gradients_of_the_whole_tape():
    tape = Tape()
    w, unused = leaf(tape, 1.0, dtype="f8"), leaf(tape, 1.0, dtype="f8")
    for _ in range(600):
        backward([w * 3.0], [None])
    y = w * w
    record = SweepRecord((y.index,), (np.float64(1),), False, False)

    found = sweep(tape, record)

    assert len(found) < 20
    assert (found[w.index], found[unused.index]) == (2, None)


def test_expression_evaluated_with_the_same_names_records_the_same_graph():
    graphs = []
    for _ in range(2):
        tape = Tape()
        evaluate("sum(exp(a) * a)", {"a": leaf(tape, 1.0, 2.0)})
        graphs.append(freeze(tape).nodes)

    assert graphs[0] == graphs[1]
