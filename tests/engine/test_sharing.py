"""Of all that looks at a memory, a change looks at what it can concern, and at what comes back to use."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError


def weight() -> Tensor:
    return Tape().tensor(np.arange(1.0, 7.0).reshape(2, 3), requires_grad=True)


def step(w: Tensor) -> None:
    """w.add_(1) under no_grad."""
    with w.tape.grad_mode(False):
        storage.change(w, OPS["add"], w.tape.tensor(np.float64(1)))


def test_a_change_looks_at_no_view_of_an_earlier_round():
    w = weight()
    held = []
    for _ in range(20):
        held.append(F["t"](w))
        held.append(held[-1] * held[-1])
        step(w)
    shared = storage.storage_of(w)

    assert len(shared.live()) == 21
    assert shared.present() == [w]


def test_a_view_of_an_earlier_round_has_the_numbers_of_every_change():
    w = weight()
    view = F["t"](w)
    step(w)
    step(w)

    assert view.data.tolist() == (w.data.T).tolist()
    assert view.data[0, 0] == 3.0


def test_a_view_that_is_used_again_is_noticed_by_the_next_change():
    w = weight()
    view = F["t"](w)
    used = view * view
    step(w)
    again = F["sum"](view * view)
    step(w)

    with pytest.raises(TorchError, match="is at version 2; expected version 1"):
        backward([again], [None])
    with pytest.raises(TorchError, match="is at version 2; expected version 0"):
        backward([F["sum"](used)], [None])


def test_a_lone_tensor_takes_new_numbers_and_a_shared_one_keeps_its_array():
    lone, w = weight(), weight()
    view = F["t"](w)
    before = lone.data, w.data
    step(lone)
    step(w)

    assert lone.data is not before[0]
    assert w.data is before[1]
    assert np.may_share_memory(view.data, w.data)
