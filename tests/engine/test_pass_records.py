"""What a pass leaves behind, and what it costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.autograd import backward, grad
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.passes.backward import sweep
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.tensor import Tape
from gradviz.errors import Cancelled
from gradviz.imitation.freeze import freeze, ordered_steps
from tests.engine.expressions import evaluate
from tests.engine.leaves import leaf

# ---- records ----


def test_record_is_not_rewritten_by_later_passes():
    tape = Tape()
    x = leaf(1.0, 2.0, tape=tape)
    y = x * x
    backward([y], [tape.tensor(np.ones(2, "f4"))], retain_graph=True)
    before = repr(freeze(tape).sweeps[0])

    backward([y], [tape.tensor(np.full(2, 3, "f4"))])
    F["mul"](x.grad, x.grad)

    assert repr(freeze(tape).sweeps[0]) == before


def test_accumulation_notes_grad_before_and_after():
    tape = Tape()
    x = leaf(3.0, tape=tape)
    for _ in range(2):
        backward([x * 2.0], [None])

    first, second = (sweep.accumulated for sweep in freeze(tape).sweeps)

    assert [(a.before, a.after) for a in (*first, *second)] == [(None, 2), (2, 4)]


def test_seed_in_the_record_does_not_follow_a_later_change_of_v():
    tape = Tape()
    x, v = leaf(1.0, 2.0, tape=tape), tape.tensor(np.ones(2, "f4"))
    y = x * 2.0
    autograd.storage.alias(v, tracked=True)  # somebody else looks at the memory of v
    backward([y], [v])

    autograd.storage.write(v, np.full(2, 9, "f4"))

    np.testing.assert_array_equal(freeze(tape).sweeps[0].seeds[0], [1, 1])


# ---- cost ----


def test_chain_of_fifty_thousand_ops_needs_no_recursion():
    tape = Tape()
    with tape.recording():
        x = y = leaf(1.0, dtype="f8", tape=tape)
        for _ in range(50_000):
            y = y + x
        backward([y], [None])

    assert x.grad.data == 50_001
    assert len(ordered_steps(tape.sweeps[0])) == 50_001
    tape.close()


@pytest.mark.parametrize("is_watched", [False, True])
def test_long_pass_can_be_stopped_in_its_middle(is_watched):
    tape = Tape()
    y = leaf(1.0, tape=tape)
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
    w, reads = leaf(1.0, dtype="f8", tape=tape), []
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
    x = y = leaf(1.0, dtype="f8", tape=tape)
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
    x, reads = leaf(1.0, dtype="f8", tape=tape), []
    for _ in range(300):
        CountedList.reads = 0
        grad([F["exp"](x * 2.0)], [x], [None])
        reads.append(CountedList.reads)

    assert max(reads[100:]) <= max(reads[:10])


def test_late_pass_makes_no_room_for_the_gradients_of_the_whole_tape():
    tape = Tape()
    w, unused = leaf(1.0, dtype="f8", tape=tape), leaf(1.0, dtype="f8", tape=tape)
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
        evaluate("sum(exp(a) * a)", {"a": leaf(1.0, 2.0, tape=tape)})
        graphs.append(freeze(tape).nodes)

    assert graphs[0] == graphs[1]
