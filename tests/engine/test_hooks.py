"""Hooks of tensors: their order, what they may change, and when they run."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward, grad, register_hook, retain_grad
from gradviz.imitation.engine.tensor import Tape
from gradviz.imitation.freeze import freeze
from tests.engine.leaves import leaf, refusal


def test_hook_sees_and_may_replace_the_gradient():
    x = leaf(3.0)
    y = x * 2.0
    seen: list[float] = []
    register_hook(y, lambda g: seen.append(float(g.data)))
    register_hook(y, lambda g: g * 10.0)

    backward([y * 5.0], [None])

    assert seen == [5]
    assert x.grad.data == 100


def test_hooks_run_in_order_each_on_what_the_one_before_returned():
    x = leaf(3.0)
    register_hook(x, lambda g: g + 1.0)
    register_hook(x, lambda g: g * 10.0)

    backward([x * 2.0], [None])

    assert x.grad.data == 30


def test_hook_runs_once_on_the_summed_gradient():
    x = leaf(3.0)
    seen: list[float] = []
    register_hook(x, lambda g: seen.append(float(g.data)))

    backward([x * 2.0 + x * 5.0], [None])

    assert seen == [7]


def test_retained_gradient_is_taken_after_all_hooks_even_later_ones():
    x = leaf(3.0)
    y = x * 2.0
    retain_grad(y)
    register_hook(y, lambda g: g * 10.0)

    backward([y * 1.0], [None])

    assert y.grad.data == 10


def test_hook_on_a_leaf_runs_for_grad_too():
    x = leaf(3.0)
    register_hook(x, lambda g: g * 10.0)

    assert grad([x * 2.0], [x], [None])[0].data == 20


def test_hook_on_an_intermediate_runs_where_grad_ends_there():
    x = leaf(3.0)
    y = x * 2.0
    register_hook(y, lambda g: g * 10.0)

    assert grad([y * 5.0], [y], [None])[0].data == 50


def test_hook_of_an_intermediate_shows_in_the_recorded_step():
    x = leaf(3.0)
    y = x * 2.0
    register_hook(y, lambda g: g * 10.0)

    backward([y * 1.0], [None])

    steps = {step.node: step for step in freeze(x.tape).sweeps[0].steps}
    assert steps[y.index].incoming == 10


def test_removed_hook_does_not_run():
    x = leaf(3.0)
    remove = register_hook(x, lambda g: g * 10.0)

    remove()
    backward([x * 2.0], [None])

    assert x.grad.data == 2


def test_hook_needs_a_tensor_that_takes_a_gradient():
    tape = Tape()

    error = refusal(lambda: register_hook(tape.tensor(np.float32(1)), lambda g: g))

    assert error.message == "cannot register a hook on a tensor that doesn't require gradient"


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda g: g.tape.tensor(np.ones(2, "f4")), "hook '<lambda>' has changed the size of value"),
        (
            lambda g: g.tape.tensor(np.float64(1)),
            "hook '<lambda>' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)",
        ),
        (lambda g: 1.0, "expected Variable, but hook returned 'float'"),
    ],
)
def test_hook_may_not_change_shape_or_dtype(result, message):
    x = leaf(3.0)
    register_hook(x, result)

    assert refusal(lambda: backward([x * 2.0], [None])).message == message
