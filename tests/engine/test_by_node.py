"""Passes that code looks into: the order of PyTorch's engine, and that the plain loop gives the same."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward, grad, register_hook
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.hooks import on_nodes as node_hooks
from gradviz.imitation.engine.nodes import head, output_number, results
from gradviz.imitation.engine.passes.ready_queue import FIRST, ReadyQueue
from gradviz.imitation.engine.passes.run_order import run_order
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.imitation.freeze import freeze_sweep
from gradviz.recording import Recording, check

IN_ORDER = {
    2: [0, 1], 3: [0, 1, 2], 4: [0, 2, 1, 3], 5: [0, 2, 4, 1, 3], 6: [0, 2, 5, 4, 1, 3], 7: [0, 2, 5, 6, 4, 1, 3],
    8: [0, 2, 6, 5, 7, 4, 1, 3],
}  # fmt: skip
"""The order in which PyTorch accumulates at so many leaves of one torch.stack."""

AMONG_OTHERS = {4: [0, 1, 3, 2], 5: [0, 1, 3, 4, 2], 8: [0, 1, 4, 7, 6, 2, 3, 5]}
"""The same with two interior nodes in the stack, first and in the middle, which run after all the leaves."""


def leaves(tape: Tape, count: int) -> list[Tensor]:
    return [tape.tensor(np.float32(i + 1), requires_grad=True) for i in range(count)]


def stack_order(count: int, *, by_node: bool, others: bool = False) -> list[int]:
    tape = Tape()
    xs = leaves(tape, count)
    source = tape.tensor(np.float32(1), requires_grad=True)
    parts = list(xs)
    if others:
        parts = [F["exp"](source), *xs[: count // 2], F["sin"](source), *xs[count // 2 :]]
    y = F["sum"](F["stack"](parts))
    tape.by_node = by_node

    backward([y], [None])

    at = {x.index: i for i, x in enumerate(xs)}
    return [at[position] for position in run_order(tape.sweeps[0]) if position in at]


@pytest.mark.parametrize("by_node", [True, False])
@pytest.mark.parametrize("count", IN_ORDER)
def test_leaves_that_are_ready_together_run_in_the_order_of_pytorchs_heap(count: int, by_node: bool):
    assert stack_order(count, by_node=by_node) == IN_ORDER[count]


@pytest.mark.parametrize("by_node", [True, False])
@pytest.mark.parametrize("count", AMONG_OTHERS)
def test_interior_nodes_that_are_ready_too_change_the_order_of_leaves(count: int, by_node: bool):
    assert stack_order(count, by_node=by_node, others=True) == AMONG_OTHERS[count]


def test_queue_gives_the_node_made_last_first():
    queue = ReadyQueue()
    for number in random.Random(0).sample(range(100), 100):
        queue.push(number, number)
    queue.push(FIRST, -1)

    assert [queue.pop() for _ in range(101)] == [-1, *range(99, -1, -1)]


def program(seed: int) -> tuple[Tape, Tensor]:
    """A random graph over eight leaves with ops of one to five inputs, and several results."""
    draw = random.Random(seed)
    tape = Tape()
    made = [tape.tensor(np.array([i, 1.0]), requires_grad=True) for i in range(8)]
    for _ in range(40):
        kind = draw.randrange(4)
        if kind == 0:
            made.append(F["sin"](draw.choice(made)))
        elif kind == 1:
            made.append(draw.choice(made) * draw.choice(made))
        elif kind == 2:
            made.append(F["sum"](F["stack"](draw.choices(made, k=draw.randint(2, 5))), 0))
        else:
            a, b = F["unbind"](draw.choice(made))
            made.append(F["stack"]([b, a]))
    return tape, F["sum"](F["stack"](made[-3:]))


@pytest.mark.parametrize("seed", range(12))
def test_pass_node_by_node_records_what_the_plain_loop_records(seed: int):
    sweeps = []
    for by_node in (False, True):
        tape, y = program(seed)
        tape.by_node = by_node
        backward([y], [None])
        sweeps.append(freeze_sweep(tape.sweeps[0]))
    plain, careful = sweeps

    assert [step.node for step in careful.steps] == [step.node for step in plain.steps]
    for a, b in zip(careful.steps, plain.steps, strict=True):
        np.testing.assert_allclose(a.incoming, b.incoming, rtol=1e-13)
    assert sorted(entry.node for entry in careful.accumulated) == sorted(entry.node for entry in plain.accumulated)


def test_results_of_one_call_share_a_node():
    tape = Tape()
    x = tape.tensor(np.ones((3, 2)), requires_grad=True)
    first, second = F["unbind"](x), F["unbind"](x)

    assert [head(part) for part in first] == [first[0]] * 3
    assert [output_number(part) for part in second] == [0, 1, 2]
    assert head(second[2]) is second[0]
    assert results(second[0]) == list(second)


def test_hook_of_a_node_with_several_outputs_runs_once():
    tape = Tape()
    x = tape.tensor(np.ones((3, 2)), requires_grad=True)
    a, b, c = F["unbind"](x)
    calls = []
    node_hooks.register_hook(b, lambda sent, came: calls.append((len(sent), [g is None for g in came])))

    backward([F["sum"](a * c)], [None])

    assert calls == [(1, [False, True, False])]


def test_hook_that_replaces_what_a_node_sends_leaves_a_valid_record():
    tape = Tape()
    x = tape.tensor(np.ones((2, 2)), requires_grad=True)
    a, b = F["unbind"](x)
    node_hooks.register_hook(a, lambda sent, _came: (sent[0] * 10.0,))

    backward([F["sum"](a * b)], [None])
    sweep = freeze_sweep(tape.sweeps[0])

    np.testing.assert_array_equal(x.grad.data, np.full((2, 2), 10.0))
    into_x = [step.outgoing[0] for step in sweep.steps if step.node in (a.index, b.index)]
    np.testing.assert_array_equal(sum(g for g in into_x if g is not None), x.grad.data)


def test_gradient_of_a_leaf_changed_between_its_uses_arrives_once():
    tape = Tape()
    x = tape.tensor(np.float64(2), requires_grad=True)
    y = x * 3.0
    from gradviz.imitation.engine.memory import storage

    with tape.grad_mode(False):
        storage.write(x, np.float64(5))
    came = []
    register_hook(x, lambda g: came.append(float(g.data)))

    backward([y + x * x], [None])

    assert came == [13.0]
    assert x.grad.data == 13


def test_gradient_asked_for_at_an_interior_tensor_is_seen_before_its_hooks_where_its_node_runs():
    tape = Tape()
    x = tape.tensor(np.float64(2), requires_grad=True)
    y = x * 3.0
    register_hook(y, lambda g: g * 10.0)
    z = y * y

    alone = grad([z], [y], [None], retain_graph=True)
    both = grad([z], [y, x], [None])

    assert [float(g.data) for g in alone] == [120]
    assert [float(g.data) for g in both] == [12, 360]


def test_record_of_a_custom_function_with_several_results_is_valid():
    from gradviz.imitation.engine.custom.function import apply_function

    tape = Tape()
    x = tape.tensor(np.array([1.0, 2.0]), requires_grad=True)
    a, b = apply_function(
        "Two", [x], lambda ctx, given: (given[0] * 2.0, given[0] * 3.0), lambda ctx, g, h: g * 2.0 + h * 3.0
    )
    y = F["sum"](a * b)

    backward([y], [None])

    from gradviz.imitation.freeze import freeze

    recording = check(freeze(tape))
    assert isinstance(recording, Recording)
    assert [recording.nodes[step.node].op for step in recording.sweeps[0].steps] == [
        "sum", "mul", "Two[1]", "Two[0]", "Two", "leaf",
    ]  # fmt: skip
    np.testing.assert_array_equal(x.grad.data, [12, 24])
