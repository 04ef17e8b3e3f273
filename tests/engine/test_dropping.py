"""What leaves the tape when passes are dropped, and what must not."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.nodes import head, results
from gradviz.imitation.engine.passes.backward import TWICE, node_name
from gradviz.imitation.engine.passes.dropping import HOLE, drop, remaining, shown
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError


@pytest.fixture
def tape() -> Tape:
    return Tape()


@pytest.fixture
def w(tape: Tape) -> Tensor:
    return tape.tensor(np.array([1.0, 2.0]), requires_grad=True)


def train(w: Tensor, rounds: int, *, retain: bool = False) -> list[Tensor]:
    """One pass per round, each over a graph of its own: w → square → sum."""
    losses = []
    for _ in range(rounds):
        start = max((max(record.outputs) for record in w.tape.sweeps), default=-1) + 1
        losses.append(F["sum"](w * w))
        backward([losses[-1]], [None], retain_graph=retain)
        w.tape.sweeps[-1].start = start
        with w.tape.grad_mode(False):
            storage.write(w, w.data - 0.1)
        autograd.set_grad(w, None)
    return losses


def drop_all_but_first_and_last(tape: Tape) -> None:
    drop(tape, [tape.sweeps[0], tape.sweeps[-1]])


def test_entries_of_dropped_passes_leave_holes_and_positions_stay(tape, w):
    del train(w, 5)[:]
    before = [id(entry) for entry in tape.entries]

    drop_all_but_first_and_last(tape)

    assert [i for i, entry in enumerate(tape.entries) if entry is HOLE] == [3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert all(entry is HOLE or id(entry) == before[i] for i, entry in enumerate(tape.entries))
    assert remaining(tape) == shown(tape) == [0, 1, 2, 12, 13, 14]
    assert (len(tape.sweeps), tape.holes) == (2, 9)


def test_what_was_known_of_dropped_entries_is_forgotten(tape, w):
    del train(w, 5)[:]
    tape.names.update(dict.fromkeys(range(15), "a"))
    tape.lines.update(dict.fromkeys(range(15), 1))

    drop_all_but_first_and_last(tape)

    assert list(tape.names) == list(tape.lines) == remaining(tape)
    assert tape.freed <= set(remaining(tape))


def test_training_goes_on_after_a_drop_and_the_next_drop_looks_at_what_is_left(tape, w):
    for _ in range(5):
        del train(w, 20)[:]
        drop_all_but_first_and_last(tape)

    assert remaining(tape) == [0, 1, 2, 297, 298, 299]
    np.testing.assert_allclose(w.data, [1 - 10, 2 - 10])


def test_a_last_pass_over_results_older_than_the_drop_before_leaves_what_stayed_then(tape, w):
    early = F["sum"](w.tape.tensor(np.ones(2), requires_grad=True) * 2)
    backward([early], [None], retain_graph=True)
    del train(w, 5)[:]
    drop_all_but_first_and_last(tape)
    later = remaining(tape)[-1]

    backward([early], [None], retain_graph=True)
    drop_all_but_first_and_last(tape)

    assert early.index < later < tape.sparse_until
    assert remaining(tape)[-1] == early.index


def test_held_result_of_a_dropped_pass_keeps_value_and_name_and_cannot_be_passed_again(tape, w):
    losses = train(w, 5)
    value, name = losses[2].data, node_name(losses[2])

    drop_all_but_first_and_last(tape)

    assert (losses[2].data, node_name(losses[2])) == (value, name)
    assert tape.entries[losses[2].index] is losses[2]
    with pytest.raises(TorchError) as error:
        backward([losses[2] * 2.0], [None])
    assert error.value.message == TWICE


def test_what_is_made_of_a_held_result_shows_where_it_came_from(tape, w):
    losses = train(w, 5)
    drop_all_but_first_and_last(tape)

    total = losses[1] + losses[2]

    assert {losses[1].index, losses[2].index, total.index} <= set(shown(tape))


def test_held_result_that_saved_nothing_can_be_passed_again(tape, w):
    sums = []
    for i in range(5):
        sums.append(F["sum"](w + float(i)))
        backward([sums[-1]], [None])
        tape.sweeps[-1].start = 0 if i == 0 else sums[-2].index + 1
    drop_all_but_first_and_last(tape)

    backward([sums[2]], [None])

    np.testing.assert_array_equal(w.grad.data, [6, 6])


def test_graph_of_a_held_result_that_no_pass_has_freed_stays(tape, w):
    held = []
    for i in range(5):
        held.append(F["exp"](w))
        start = 0 if i == 0 else tape.sweeps[-1].outputs[0] + 1
        backward([F["sum"](w * w)], [None])
        tape.sweeps[-1].start = start
    autograd.set_grad(w, None)
    drop_all_but_first_and_last(tape)

    backward([F["sum"](held[2])], [None])

    np.testing.assert_array_equal(w.grad.data, np.exp(w.data))


def test_results_of_one_node_stay_together(tape, w):
    held = []
    for i in range(5):
        parts = F["unbind"](w * float(i))
        held.append(parts[1])
        start = 0 if i == 0 else tape.sweeps[-1].outputs[0] + 1
        backward([F["sum"](w * w)], [None])
        tape.sweeps[-1].start = start
    del parts
    autograd.set_grad(w, None)
    drop_all_but_first_and_last(tape)

    assert results(head(held[2])) == [tape.entries[held[2].index - 1], held[2]]
    backward([held[2]], [None])
    np.testing.assert_array_equal(w.grad.data, [0, 2])


def test_leaf_of_a_dropped_pass_enters_again_where_it_is_used_again(tape, w):
    others = [tape.tensor(np.array([3.0, 4.0]), requires_grad=True) for _ in range(5)]
    for i, other in enumerate(others):
        other.index = -1
        y = F["sum"](other * w)
        backward([y], [None])
        tape.sweeps[-1].start = 0 if i == 0 else tape.sweeps[-2].outputs[0] + 1
    del y, other
    drop_all_but_first_and_last(tape)
    assert others[2].index == -1

    backward([F["sum"](others[2] * others[2])], [None])

    np.testing.assert_array_equal(others[2].grad.data, w.data + 2 * others[2].data)


def test_what_a_kept_pass_depends_on_stays_though_a_dropped_pass_made_it(tape, w):
    h = F["exp"](w)
    for i in range(5):
        if i == 2:
            h = F["tanh"](h)
        backward([F["sum"](h)], [None], retain_graph=True)
        tape.sweeps[-1].start = 0 if i == 0 else tape.sweeps[-2].outputs[0] + 1
    position = h.index
    del h

    drop_all_but_first_and_last(tape)

    assert position in shown(tape)
