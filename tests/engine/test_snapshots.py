"""What is recorded is not rewritten, whatever is changed afterwards."""

from __future__ import annotations

import numpy as np

from gradviz.imitation.engine.autograd import backward, retain_grad, set_grad
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.imitation.freeze import freeze
from tests.engine.leaves import constant, leaf


def add_(x: Tensor, value: float) -> Tensor:
    return storage.change(x, OPS["add"], constant(x, value))


def test_training_loop_keeps_the_value_of_each_step():
    tape = Tape()
    w = leaf(1.0, tape=tape)
    for _ in range(3):
        loss = w * w
        backward([loss], [None])
        with tape.grad_mode(False):
            storage.change(w, OPS["sub"], w.grad * 0.25)
        set_grad(w, None)

    recording = freeze(tape)

    leaves = [float(recording.values[node.id]) for node in recording.nodes if node.op == "leaf"]
    assert leaves == [1, 0.5, 0.25]
    assert [float(sweep.accumulated[0].after) for sweep in recording.sweeps] == [2, 1, 0.5]
    assert w.data == 0.125


def test_tensor_shared_with_a_view_keeps_its_recorded_value():
    tape = Tape()
    w = leaf(1.0, 2.0, tape=tape)
    alias = storage.alias(w, tracked=True)
    y = F["sum"](w + 0.0)
    storage.write(alias, np.array([50, 60], "f4"))

    recording = freeze(tape)

    np.testing.assert_array_equal(recording.values[0], [1, 2])
    np.testing.assert_array_equal(w.data, [50, 60])
    assert recording.values[y.index] == 3


def test_leaf_changed_between_uses_is_two_nodes_and_one_grad():
    tape = Tape()
    w = leaf(2.0, tape=tape)
    first = w * 3.0
    with tape.grad_mode(False):
        add_(w, 10.0)
    second = w * 5.0

    backward([first + second], [None])

    assert w.grad.data == 8
    recording = freeze(tape)
    assert [float(recording.values[n.id]) for n in recording.nodes if n.op == "leaf"] == [2, 12]


def test_values_of_results_survive_a_change_of_the_result():
    x = leaf(3.0)
    h = x + 1.0
    y = h + 1.0
    add_(h, 100.0)

    recording = freeze(x.tape)

    assert recording.values[y.index] == 5
    assert [float(v) for v in recording.values if float(v) in (4, 104)] == [4, 104]


def test_retained_gradient_of_a_changed_tensor_belongs_to_its_new_value():
    x = leaf(3.0)
    h = x * 1.0
    retain_grad(h)
    add_(h, 1.0)

    backward([h * 5.0], [None])

    assert h.grad.data == 5
